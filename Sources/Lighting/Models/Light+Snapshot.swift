import Khipu

extension Light {
    /// What a light showed at one moment, or was about to show, and who set it to that.
    public struct Snapshot: Hashable, Codable, Sendable {
        public let values: Values
        public let cause: Cause
    }

    /// What it shows. If values wait for its return, and nothing else has changed it since they were sent: those.
    var snapshot: Snapshot {
        guard isDark, let pending = known.pending, cause.ticket != nil || cause.time <= pending.ticket.time else {
            return Snapshot(values: values, cause: shownBecause)
        }
        return Snapshot(values: pending.values, cause: Cause(.command(pending.ticket), at: pending.ticket.time))
    }

    /// Why it shows what it shows: until a value is confirmed, because of the command that asked for it.
    public var shownBecause: Cause {
        guard case let .expected(by: ticket) = freshness, !ticket.isUpkeep else { return cause }
        return Cause(.command(ticket), at: ticket.time)
    }
}
