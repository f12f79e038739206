public import Khipu

/// How far the shown values of a light can be trusted.
public enum Freshness: Hashable, Codable, Sendable {
    /// Reported by the bridge at this time.
    case confirmed(at: Timestamp)
    /// Sent by the command with this ticket, and not confirmed by the bridge yet.
    case expected(by: Ticket)
    /// The bridge is not connected: this is what it last reported, and may have been wrong since this time.
    case stale(since: Timestamp)
    /// The bridge does not reach the lamp: switched off at the wall, or out of range.
    case unreachable(since: Timestamp)

    /// How long values stay expected if nothing confirms them. A bridge reports a command within about a second, and a
    /// fade when it begins. If it does not, the lamp is read, and the command sent once more, which takes longer on a
    /// busy bridge.
    public static let confirmationTimeout = Duration.seconds(8)
}
