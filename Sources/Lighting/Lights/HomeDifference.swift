import HashTreeCollections

/// What a full read of a bridge found different from what was known. The journal keeps this instead of the whole home,
/// which is read at every connection and seldom differs.
public struct HomeDifference: Equatable, Codable, Sendable {
    public let bridge: Bridge.ID
    public let lights: Part<Light>
    public let rooms: Part<Room>
    public let scenes: Part<Scene>
    /// Without those that have only measured something else. Empty in what older versions have recorded.
    public let sensors: Part<Sensor>

    public struct Part<Item>: Equatable, Codable, Sendable
    where Item: Identifiable & Equatable & Codable & Sendable, Item.ID: Codable & Sendable {
        /// How many the bridge has.
        public let count: Int
        /// Those that were not known, or differed.
        public let changed: [Item]
        /// Those that were known, and no longer exist.
        public let gone: [Item.ID]

        init(from known: [Item], to items: [Item], isSame: (Item, Item) -> Bool) {
            let before = Dictionary(known.map { ($0.id, $0) }) { $1 }
            let now = Set(items.map(\.id))
            count = items.count
            changed = items.filter { item in before[item.id].map { !isSame($0, item) } ?? true }
            gone = known.map(\.id).filter { !now.contains($0) }
        }

        /// All that the bridge has, given what was known.
        func completed(from known: [Item]) -> [Item] {
            let replaced = Set(changed.map(\.id) + gone)
            return known.filter { !replaced.contains($0.id) } + changed
        }
    }

    init(
        from state: AppState, of bridge: Bridge.ID, lights: [Light], rooms: [Room], scenes: [Scene], sensors: [Sensor]
    ) {
        self.bridge = bridge
        self.lights = Part(from: state.lights(of: bridge), to: lights) { $0.isReported(as: $1) }
        self.rooms = Part(from: state.rooms(of: bridge), to: rooms, isSame: ==)
        self.scenes = Part(from: state.scenes(of: bridge), to: scenes, isSame: ==)
        self.sensors = Part(from: state.sensors(of: bridge), to: sensors) { $0.isReported(as: $1) }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        bridge = try container.decode(Bridge.ID.self, forKey: .bridge)
        lights = try container.decode(Part<Light>.self, forKey: .lights)
        rooms = try container.decode(Part<Room>.self, forKey: .rooms)
        scenes = try container.decode(Part<Scene>.self, forKey: .scenes)
        sensors =
            try container.decodeIfPresent(Part<Sensor>.self, forKey: .sensors)
            ?? Part(from: [], to: [], isSame: ==)
    }

    /// The update that this is the difference of, given the state before it.
    func update(from state: AppState) -> BridgeUpdate {
        .home(
            bridge,
            lights: lights.completed(from: state.lights(of: bridge).map(\.asReported)),
            rooms: rooms.completed(from: state.rooms(of: bridge)),
            scenes: scenes.completed(from: state.scenes(of: bridge)),
            sensors: sensors.completed(from: state.sensors(of: bridge).map(\.asReported))
        )
    }
}

extension Message {
    /// The message as the journal keeps it: a full read as its difference from the state before it.
    func condensed(from state: AppState) -> Self {
        guard
            case let .lighting(
                .reported(.home(bridge, lights: lights, rooms: rooms, scenes: scenes, sensors: sensors)), ticket) = self
        else { return self }
        let difference = HomeDifference(
            from: state, of: bridge, lights: lights, rooms: rooms, scenes: scenes, sensors: sensors)
        return .lighting(.reread(difference), ticket: ticket)
    }
}

extension AppState {
    fileprivate func lights(of bridge: Bridge.ID) -> [Light] {
        [lights, unreadLights].flatMap { $0.values.filter { $0.id.bridge == bridge } }
    }
    fileprivate func rooms(of bridge: Bridge.ID) -> [Room] { rooms.values.filter { $0.id.bridge == bridge } }
    fileprivate func scenes(of bridge: Bridge.ID) -> [Scene] { scenes.values.filter { $0.id.bridge == bridge } }
    fileprivate func sensors(of bridge: Bridge.ID) -> [Sensor] { sensors.values.filter { $0.id.bridge == bridge } }
}

extension Light {
    /// Whether the bridge, which now reports `other`, last reported the same.
    fileprivate func isReported(as other: Light) -> Bool {
        reported.patch == other.values.patch && isUnreachable == other.isUnreachable && name == other.name
            && modes == other.modes && limits == other.limits && configuration == other.configuration
    }

    /// The light as its bridge last reported it, without what is expected of it.
    fileprivate var asReported: Light {
        Light(
            id: id, name: name, values: reported, display: display, modes: modes, limits: limits,
            configuration: configuration, freshness: isUnreachable ? freshness : .confirmed(at: heard), heard: heard)
    }
}

extension Sensor {
    /// Whether the bridge, which now reports `other`, last reported the same of what the journal keeps.
    fileprivate func isReported(as other: Sensor) -> Bool {
        asReported.unmeasured == asReported.alter(by: .reading(other)).unmeasured
    }
}
