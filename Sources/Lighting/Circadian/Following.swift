import HashTreeCollections
public import Khipu

/// Lights that follow a course: a curve over the day, a sunrise, or a sunset.
public struct Following: Identifiable, Equatable, Codable, Sendable, ChangeTable {
    public let target: Target
    public let course: Course
    /// What it sets; what else its lights show is nobody's business.
    public let values: Set<FollowedValue>
    public private(set) var started: Timestamp
    /// When it ends; `nil` if somebody ends it. A sunrise and a sunset end by themselves.
    public private(set) var until: Timestamp?
    /// How long after a change by hand a light follows again; `nil` if only once it was off.
    public let resumesAfter: Duration?
    /// Lights of its target that do not follow it, or not any more.
    public internal(set) var left: Set<Light.ID> = []
    /// Lights that a sunrise has still to turn on.
    var sleeping: Set<Light.ID> = []
    /// What the lights showed when a sunset began.
    var from: [Light.ID: Curve.Point] = [:]

    public enum Course: Hashable, Codable, Sendable {
        /// By its name.
        case curve(String)
        /// From a glow to full light. Lights that are on already stay as they are.
        case wakeUp(over: Duration)
        /// From what its lights show down to a glow, and off.
        case sleep(over: Duration)

        /// "daylight", "wake-up", "sleep"
        public var name: String {
            switch self {
            case let .curve(name): name
            case .wakeUp: "wake-up"
            case .sleep: "sleep"
            }
        }

        var isWakeUp: Bool { if case .wakeUp = self { true } else { false } }

        /// How long it takes; `nil` for a curve, which has no end.
        public var duration: Duration? {
            switch self {
            case .curve: nil
            case let .wakeUp(over: time), let .sleep(over: time): time
            }
        }
    }

    /// A target follows one curve, and above it one sunrise or sunset.
    public struct ID: Hashable, Codable, Sendable {
        public let target: Target
        public let isTimed: Bool
    }

    public init(
        _ course: Course, on target: Target, values: Set<FollowedValue> = Set(FollowedValue.allCases),
        started: Timestamp, until: Timestamp? = nil, resumesAfter: Duration? = nil
    ) {
        self.course = course
        self.target = target
        self.values = values
        self.started = started
        self.until = course.duration.map { started.advanced(by: $0) } ?? until
        self.resumesAfter = resumesAfter
    }

    public var id: ID { ID(target: target, isTimed: course.duration != nil) }

    /// The least time between two steps, and how long a step takes: at most one group command a minute goes to a room. A
    /// sunrise or sunset has at least thirty steps, unless it is shorter than as many seconds.
    public var interval: Duration {
        course.duration.map { min(max($0 / 30, .seconds(1)), .seconds(60)) } ?? .seconds(60)
    }

    /// The part of a sunrise or sunset that is over, 0…1; `nil` if nobody knows: a clock that cannot be right says nothing
    /// of what began by one that was.
    func progress(at time: Timestamp) -> Double? {
        guard time.isPlausible || !started.isPlausible else { return nil }
        guard let duration = course.duration, duration > .zero else { return 1 }
        return min(max(time.since(started) / duration, 0), 1)
    }

    /// The clock was set: what takes a time goes on as if it had not been. What ends at an hour does so by the new clock.
    func moved(by step: ClockStep) -> Self {
        with {
            $0.started = step.moved(started)
            if let duration = course.duration { $0.until = $0.started.advanced(by: duration) }
        }
    }
}

extension Following {
    /// The lights of a target.
    static func members(of target: Target, in state: AppState) -> [Light.ID] {
        switch target {
        case let .light(id): [id]
        case let .room(id): state.rooms[id]?.lights ?? []
        case .all: Array(state.lights.keys)
        }
    }

    /// Whether its time is over. The end of a sunset waits for its bridge.
    func isOver(at now: Timestamp, in state: AppState) -> Bool {
        guard let until, until <= now else { return false }
        return !isOfUnreadBridge(in: state) || !isStillMeant(at: now)
    }

    /// Whether its end may still be carried out, if nobody was there to do it in time.
    func isStillMeant(at now: Timestamp) -> Bool { until.map { now.since($0) < .seconds(600) } ?? true }

    var bridge: Bridge.ID? {
        switch target {
        case let .light(id): id.bridge
        case let .room(id): id.bridge
        case .all: nil
        }
    }

    /// Whether it is not known yet which lights its target has.
    func isOfUnreadBridge(in state: AppState) -> Bool {
        bridge.map(state.isUnread) ?? (state.missingBridge != nil)
    }

    /// Whether its target no longer exists.
    func isGone(in state: AppState) -> Bool {
        guard let bridge else { return false }
        guard state.bridges[bridge] != nil else { return true }
        guard !isOfUnreadBridge(in: state) else { return false }
        return switch target {
        case let .light(id): state.lights[id] == nil
        case let .room(id): state.rooms[id] == nil
        case .all: false
        }
    }

    /// Whether a light follows it.
    public func leads(_ light: Light.ID, in state: AppState) -> Bool {
        guard !left.contains(light) else { return false }
        return switch target {
        case let .light(id): id == light
        case let .room(id): state.rooms[id]?.lights.contains(light) ?? false
        case .all: true
        }
    }
}
