/// Identifies a command: a number, who sent it, and when. Its response has the same ticket, so that it finds its caller
/// and a journal can tell cause from effect.
public struct Ticket: Hashable, Codable, Sendable {
    /// Unique among commands; 0 for a fact that no command asked for.
    public let number: UInt64
    /// Who sent the command, for people: "anna (uid 1000) with lightctl", "bridge ecb5fafffe010203".
    public let holder: String
    /// When the command was sent, or the fact became known.
    public let time: Timestamp
    /// What the commands of one gesture have in common, as its holder named it; `nil` for a command by itself.
    public let gesture: String?
    /// Whether it only keeps up what an earlier command began; `nil` means no. A step of a curve that lights follow is not
    /// who set them.
    private let keepsUp: Bool?
    /// Whether the domain itself sent the command, and not a client; `nil` if it did not.
    public let isOwn: Bool?

    public init(
        number: UInt64, holder: String, time: Timestamp, gesture: String? = nil, isFollowUpStep: Bool = false,
        isOwn: Bool? = nil
    ) {
        self.number = number
        self.holder = holder
        self.time = time
        self.gesture = gesture
        keepsUp = isFollowUpStep ? true : nil
        self.isOwn = isOwn
    }

    /// Whether it only keeps up what an earlier command began, so that it is not the cause of what lights show.
    public var isFollowUpStep: Bool { keepsUp ?? false }

    /// The same, for a command that only keeps up what an earlier one began.
    public var followUpStep: Self {
        Self(number: number, holder: holder, time: time, gesture: gesture, isFollowUpStep: true, isOwn: isOwn)
    }

    /// The same ticket, for a command that the domain itself sends.
    public var own: Self {
        Self(number: number, holder: holder, time: time, gesture: gesture, isFollowUpStep: isFollowUpStep, isOwn: true)
    }

    /// Whether both are of one gesture of one holder.
    public func isOneGesture(with other: Self) -> Bool {
        gesture != nil && gesture == other.gesture && holder == other.holder
    }

    /// The ticket of a fact that no command asked for.
    ///
    /// - Parameter holder: the source of the fact.
    public static func unasked(from holder: String, at time: Timestamp) -> Self {
        Self(number: 0, holder: holder, time: time)
    }

    public var isUnasked: Bool { number == 0 }
}

/// A message with a ticket.
public protocol Ticketed {
    var ticket: Ticket { get }
    /// Whether this is the response to the command with the same ticket.
    var isResponse: Bool { get }
}
