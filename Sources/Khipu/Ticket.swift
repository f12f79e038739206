/// What a command carries so that its outcome finds its own caller, and so that a journal can tell cause from effect:
/// a number, who asked, and when. The response bears the ticket of its command.
public struct Ticket: Hashable, Codable, Sendable {
    /// Unique among the commands of a process; 0 for what nobody asked.
    public let number: UInt64
    /// Who asked, in words a person understands: "lightctl (uid 1000)", "the api", "bridge ecb5fafffe010203".
    public let holder: String
    /// When it was asked, or when an unasked fact was learnt.
    public let time: Timestamp

    public init(number: UInt64, holder: String, time: Timestamp) {
        self.number = number
        self.holder = holder
        self.time = time
    }

    /// The ticket of a fact that nobody asked for, with the one it was learnt from.
    public static func unasked(from holder: String, at time: Timestamp) -> Self {
        Self(number: 0, holder: holder, time: time)
    }

    public var isUnasked: Bool { number == 0 }
}

/// A message that bears a ticket.
public protocol Ticketed {
    var ticket: Ticket { get }
    /// Whether this is the answer to the command with the same ticket: the last word, for which its caller waits.
    var isResponse: Bool { get }
}
