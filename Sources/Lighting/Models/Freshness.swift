public import Khipu

/// How far the shown values of a light may be believed.
public enum Freshness: Hashable, Codable, Sendable {
    /// The bridge said so, then.
    case confirmed(at: Timestamp)
    /// Sent to the bridge by the command with this ticket, and not yet confirmed by it.
    case expected(by: Ticket)
    /// The bridge is lost; this is the last it said, and it may be wrong since then.
    case stale(since: Timestamp)
    /// The bridge is there, but does not reach the lamp: cut off at the wall, out of range.
    case unreachable(since: Timestamp)
}
