/// A scene that recalls other scenes of its room or zone at their times of the day, while it is active.
public struct SmartSceneResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let metadata: Metadata?
    public let group: ResourceReference?
    /// `nil` in an event that does not name them.
    public let week: [Days]?
    /// In milliseconds; `nil` in an event that does not name it.
    public let transition: Int?
    /// The slot whose scene was recalled last; named only while the scene is active.
    public let active: ActiveSlot?
    /// "active" or "inactive"; `nil` in an event that does not name it.
    public let state: String?

    /// Days of the week that have the same time slots.
    public struct Days: Hashable, Decodable, Sendable {
        public let slots: [Slot]
        /// "monday" to "sunday".
        public let days: [String]

        enum CodingKeys: String, CodingKey {
            case slots = "timeslots"
            case days = "recurrence"
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            slots = container.list(.slots)
            days = container.list(.days)
        }
    }

    /// Lasts until the next one begins.
    public struct Slot: Hashable, Decodable, Sendable {
        public let start: Start
        /// A scene of the same room or zone.
        public let target: ResourceReference

        enum CodingKeys: String, CodingKey {
            case start = "start_time"
            case target
        }
    }

    public struct Start: Hashable, Decodable, Sendable {
        /// "time", "sunrise", "sunset".
        public let kind: String
        /// Counts only with "time".
        public let time: Time?
    }

    /// By the bridge's clock, in its time zone.
    public struct Time: Hashable, Decodable, Sendable {
        public let hour: Int
        public let minute: Int
        public let second: Int?
    }

    public struct ActiveSlot: Hashable, Decodable, Sendable {
        /// Its place among those of the day, from 0.
        public let place: Int
        /// The day on which it began.
        public let weekday: String

        enum CodingKeys: String, CodingKey {
            case place = "timeslot_id"
            case weekday
        }
    }

    enum CodingKeys: String, CodingKey {
        case id, metadata, group, state
        case week = "week_timeslots"
        case transition = "transition_duration"
        case active = "active_timeslot"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        metadata = container.feature(.metadata)
        group = container.feature(.group)
        week = container.listIfPresent(.week)
        transition = container.feature(.transition)
        active = container.feature(.active)
        state = container.feature(.state)
    }

    private init(
        id: ResourceID, metadata: Metadata?, group: ResourceReference?, week: [Days]?, transition: Int?,
        active: ActiveSlot?, state: String?
    ) {
        (self.id, self.metadata, self.group, self.week) = (id, metadata, group, week)
        (self.transition, self.active, self.state) = (transition, active, state)
    }

    /// With the values that an event names.
    public func merged(with part: Self) -> Self {
        let state = part.state ?? state
        return Self(
            id: id, metadata: part.metadata ?? metadata, group: part.group ?? group, week: part.week ?? week,
            transition: part.transition ?? transition,
            active: state == "active" ? part.active ?? active : nil, state: state)
    }
}

/// `{"recall":{"action":"activate"}}`, or `"deactivate"`.
public struct SmartSceneRecall: Hashable, Encodable, Sendable {
    private let recall: [String: String]

    public init(activates: Bool) { recall = ["action": activates ? "activate" : "deactivate"] }
}
