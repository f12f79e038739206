import HashTreeCollections

extension Journal {
    /// What lights, rooms, scenes and sensors were called when a message about them was recorded. Later they may have other names,
    /// or be gone.
    public struct Names: Equatable, Codable, Sendable {
        // By the texts of ids, so that JSON makes objects of them; nil if empty, so that it leaves them out.
        private var lights: [String: String]?
        private var rooms: [String: String]?
        private var scenes: [String: String]?
        private var sensors: [String: String]?

        public init() {}

        /// The names of what the message's words name; what has none in this state is left out.
        public init(of message: Message, in state: AppState) {
            var (lights, rooms): ([String: String], [String: String]) = ([:], [:])
            var (scenes, sensors): ([String: String], [String: String]) = ([:], [:])
            for thing in message.named + (message.outcome?.failure?.named ?? []) {
                switch thing {
                case let .target(.light(id)): lights[id.description] = state.name(of: id)
                case let .target(.room(id)): rooms[id.description] = state.rooms[id]?.name
                case let .scene(id): scenes[id.description] = state.scenes[id].map { state.name(of: $0) }
                case let .sensor(id): sensors[id.description] = state.sensors[id]?.name
                case .target(.all): break
                }
            }
            if !lights.isEmpty { self.lights = lights }
            if !rooms.isEmpty { self.rooms = rooms }
            if !scenes.isEmpty { self.scenes = scenes }
            if !sensors.isEmpty { self.sensors = sensors }
        }

        public var isEmpty: Bool { self == Self() }

        public func name(of light: Light.ID) -> String? { lights?[light.description] }
        public func name(of room: Room.ID) -> String? { rooms?[room.description] }
        public func name(of sensor: Sensor.ID) -> String? { sensors?[sensor.description] }

        /// Whether a sensor has this in its name; case is ignored.
        func hasSensor(called name: String) -> Bool {
            let wanted = name.lowercased()
            return sensors?.values.contains { $0.lowercased().utf8.contains(wanted.utf8) } ?? false
        }
        /// With its room: "Kitchen/Relax".
        public func name(of scene: Scene.ID) -> String? { scenes?[scene.description] }
    }
}

extension AppState {
    /// Also of a light that has not been read since lightd started; `nil` if it is gone.
    public func name(of light: Light.ID) -> String? { (lights[light] ?? unreadLights[light])?.name }

    /// "Kitchen/Relax": many rooms have scenes of the same name.
    public func name(of scene: Scene) -> String {
        (scene.room.flatMap { rooms[$0] }.map { "\($0.name)/" } ?? "") + scene.name
    }
}

extension Message {
    /// What its words name by an id. They only count some of what it is about, or have the name in the message.
    fileprivate var named: [Journal.Thing] {
        switch self {
        case .lighting(.restore, _), .lighting(.restoring, _), .lighting(.follow, _), .presence: []
        case let .lighting(.undoing(reversal, _), _), let .lighting(.redoing(reversal, _), _):
            reversal.skipped.map { .target(.light($0.light)) }
        case let .lighting(.reread(difference), _): difference.gone
        case let .lighting(.reported(.light(_, report)), _):
            if case let .scene(scene, _) = report.source { things + [.scene(scene)] } else { things }
        case let .rooms(.creating(_, _, _, _, leaving), _), let .rooms(.adding(_, _, _, leaving), _):
            things + (leaving ?? []).flatMap { [.target(.light($0.light)), .target(.room($0.room))] }
        default: things
        }
    }
}

extension Failure {
    /// What its words name by an id, of what a home can lose.
    fileprivate var named: [Journal.Thing] {
        switch self {
        case let .partly(parts, of: _): parts.flatMap { [.target($0.target)] + $0.failure.named }
        case let .roomExists(id): [.target(.room(id))]
        case let .sceneExists(id), let .noSuchScene(id): [.scene(id)]
        case let .notPinned(target), let .noLights(in: target): [.target(target)]
        case let .noSuchSensor(id), let .notBound(id): [.sensor(id)]
        default: []
        }
    }
}
