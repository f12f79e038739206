public import Khipu

/// How people light their home: which lamp was on from when to when, and how brightly. What lightd did by itself is not
/// in it.
public struct UsageHistory: Equatable, Codable, Sendable {
    /// By their beginning.
    public let uses: [Use]

    /// A lamp that a person turned on, until it went off; or one that is to be lit like that.
    public struct Use: Hashable, Codable, Sendable {
        public let light: Light.ID
        public let start: Timestamp
        /// After ``start``.
        public let end: Timestamp
        /// The brightness at which it burned longest, 0…1; `nil` if unknown.
        public let level: Double?

        public init(_ light: Light.ID, from start: Timestamp, to end: Timestamp, level: Double? = nil) {
            self.light = light
            self.start = start
            self.end = end
            self.level = level
        }
    }

    public init(uses: [Use] = []) {
        self.uses = uses.sorted { ($0.start, $0.light) < ($1.start, $1.light) }
    }

    /// How far back people's habits are read.
    public static let length = Duration.seconds(28 * 86_400)
    /// Lamps must have been used on this many days, or chance alone would decide what a replay looks like.
    public static let fewestDays = 3

    func filtered(_ isIncluded: (Use) -> Bool) -> Self { Self(uses: uses.filter(isIncluded)) }
}

extension UsageHistory.Use {
    /// A lamp that was on for longer was forgotten, which is not a habit.
    static let longest = Duration.seconds(16 * 3600)
    /// A lamp that was on for less was only tried.
    static let shortest = Duration.seconds(60)

    /// Whether it says something of how people light their home.
    public var isHabit: Bool { (Self.shortest...Self.longest).contains(duration) }

    var duration: Duration { end.since(start) }

    func moved(by step: Duration) -> Self {
        Self(light, from: start.advanced(by: step), to: end.advanced(by: step), level: level)
    }
}

extension Cause.Kind {
    /// Whether a person did it: by a command, at the wall, or with another app.
    var isOfPerson: Bool {
        switch self {
        case let .command(ticket), let .scene(_, by: ticket?): ticket.isOfPerson
        case .scene(_, by: nil), .wall, .elsewhere: true
        // Mains power returns to all lamps of a street at once, and at any hour.
        case .power, .unseen: false
        }
    }
}
