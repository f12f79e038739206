public import Khipu

/// A presence replay: lamps burn while nobody is at home, as they did when somebody was.
public struct PresenceReplay: Equatable, Codable, Sendable, ChangeTable {
    public let settings: Settings
    public private(set) var began: Timestamp
    /// What is replayed: it is read once, so that a replay never plays itself.
    public private(set) var history: UsageHistory
    /// What burns now, then what is still to come. No two of one lamp overlap.
    public private(set) var plan: [Planned]
    /// What happens until then is planned.
    public private(set) var horizon: Timestamp
    /// `nil` while it goes on.
    public private(set) var ending: Ending?

    public struct Settings: Equatable, Codable, Sendable {
        /// `nil`: until it is ended, or somebody comes home.
        public let until: Timestamp?
        /// The same seed and history give the same plan.
        public let seed: UInt64
        /// Whether things that are only on or off take part: a plug may have an iron in it.
        public let includesPlugs: Bool
        /// Whether motion does not end it: there are pets.
        public let ignoresMotion: Bool
        /// Whether an evening is made up, because too little is known of this home's.
        public let isPlain: Bool

        public init(
            until: Timestamp? = nil, seed: UInt64, includesPlugs: Bool = false, ignoresMotion: Bool = false,
            isPlain: Bool = false
        ) {
            self.until = until
            self.seed = seed
            self.includesPlugs = includesPlugs
            self.ignoresMotion = ignoresMotion
            self.isPlain = isPlain
        }
    }

    /// A lamp that is to burn from a moment to another.
    public struct Planned: Equatable, Codable, Sendable {
        public let use: UsageHistory.Use
        /// Whether the replay has turned it on.
        public let isLit: Bool

        public init(_ use: UsageHistory.Use, isLit: Bool = false) {
            self.use = use
            self.isLit = isLit
        }
    }

    /// Why it ended.
    public struct Ending: Equatable, Codable, Sendable {
        public let reason: Reason
        public let time: Timestamp

        public enum Reason: Equatable, Codable, Sendable {
            /// Its time was over.
            case over
            /// Somebody asked for it.
            case asked(by: Ticket)
            /// Somebody is at home: who or what did something, and to which light, if to one.
            case noticed(Cause.Kind, Light.ID?)
        }

        public init(_ reason: Reason, at time: Timestamp) {
            self.reason = reason
            self.time = time
        }

        /// When the lamps that still burn are turned off. What a switch at the wall does reaches its lamps only after the
        /// switch was noticed, and must not be taken back.
        public var settled: Timestamp {
            if case .noticed = reason { time.advanced(by: .seconds(3)) } else { time }
        }
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        /// Replaces what does not burn yet by these uses, which are all there are until a moment.
        case planning(Planning); public enum Planning: Equatable, Sendable { case uses([UsageHistory.Use], until: Timestamp) }
        case lighting(Lighting); public enum Lighting: Equatable, Sendable { case lamp(UsageHistory.Use) }
        /// Takes uses out of the plan: over, or no longer ours.
        case dropping(Dropping); public enum Dropping: Equatable, Sendable { case uses([UsageHistory.Use]), lamps(Set<Light.ID>) }
        case moving  (Moving  ); public enum Moving  : Equatable, Sendable { case clock(ClockStep) }
        /// What does not burn yet never will.
        case ending  (Ending  ); public enum Ending  : Equatable, Sendable { case it(PresenceReplay.Ending) }
    }

    /// - Parameter plan: what burns already.
    public init(_ settings: Settings, began: Timestamp, history: UsageHistory, plan: [Planned] = []) {
        self.settings = settings
        self.began = began
        self.history = history
        self.plan = plan
        horizon = began
    }

    /// The same with another history, which is saved apart from the rest.
    public func replaying(_ history: UsageHistory) -> Self { with { $0.history = history } }

    /// The same as if it had begun at another time.
    public func begun(_ time: Timestamp) -> Self { with { $0.began = time } }

    public func alter(by changes: Change...) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .planning(.uses (u, until: t)): with { $0.plan = plan.filter(\.isLit) + u.map { Planned($0) }; $0.horizon = t }
        case let .lighting(.lamp (u)          ): with { $0.plan = plan.map { $0.use == u ? Planned(u, isLit: true) : $0 } }
        case let .dropping(.uses (u)          ): with { $0.plan = plan.filter { !u.contains($0.use) } }
        case let .dropping(.lamps(l)          ): with { $0.plan = plan.filter { !($0.isLit && l.contains($0.use.light)) } }
        case let .moving  (.clock(s)          ): moved(by: s)
        case let .ending  (.it   (e)          ): with { $0.ending = e; $0.plan = plan.filter(\.isLit) }
        }
    }

    /// What takes a time takes as long as if the clock had not been set. What is planned goes by the hour; but what burns,
    /// by a clock that was ahead, does not burn until that hour comes again, and is planned anew if it was for other days.
    private func moved(by step: ClockStep) -> Self {
        with {
            $0.began = step.moved(began)
            $0.ending = ending.map { Ending($0.reason, at: step.moved($0.time)) }
            $0.plan = plan.map { planned in
                guard planned.isLit, planned.use.start > step.now else { return planned }
                return Planned(planned.use.moved(by: step.duration), isLit: true)
            }
            guard horizon.since(step.now) > Self.farthestHorizon else { return }
            $0.plan = $0.plan.filter(\.isLit)
            $0.horizon = step.now
        }
    }

    /// This day and the next are planned, each of at most 25 hours.
    private static let farthestHorizon = Duration.seconds(50 * 3600)

    /// Whether it goes on, or lamps still have to be turned off.
    public var isActive: Bool { ending == nil || !plan.isEmpty }
    public var isGoingOn: Bool { ending == nil }

    /// Whether it waits for a clock that can be right: an evening goes by the hour; what is to go off after its end does
    /// not.
    func awaitsClock(at now: Timestamp) -> Bool { isGoingOn && !now.isPlausible }

    /// The lamps that it has turned on.
    public var lit: [Light.ID] { plan.filter(\.isLit).map(\.use.light) }

    /// When signs of life begin to count: whoever leaves still uses the switches for a while.
    public var watchful: Timestamp { began.advanced(by: .seconds(600)) }
}
