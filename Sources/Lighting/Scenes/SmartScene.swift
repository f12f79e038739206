import HashTreeCollections

/// What makes a scene a smart one: while it is active, its bridge recalls other scenes of the room at their times of the
/// day, by the bridge's own clock and sun.
public struct SmartScene: Equatable, Codable, Sendable {
    public let week: [Days]
    /// How long the change from one scene to the next takes, in milliseconds; `nil` if the bridge does not say.
    public let transition: Int?
    public let isActive: Bool
    /// The slot whose scene the bridge recalled last; `nil` while the scene is not active.
    public let current: Slot?

    /// Days that have the same slots.
    public struct Days: Equatable, Codable, Sendable {
        public let weekdays: Weekdays
        public let slots: [Slot]

        public init(_ weekdays: Weekdays, _ slots: [Slot]) { (self.weekdays, self.slots) = (weekdays, slots) }
    }

    /// Lasts until the next one begins, which may be on another day.
    public struct Slot: Hashable, Codable, Sendable {
        public let start: Moment
        public let scene: Scene.ID

        public init(_ start: Moment, _ scene: Scene.ID) { (self.start, self.scene) = (start, scene) }
    }

    public init(week: [Days], transition: Int? = nil, isActive: Bool = false, current: Slot? = nil) {
        self.week = week
        self.transition = transition
        self.isActive = isActive
        self.current = current
    }

    /// The scenes that it recalls, each once.
    var scenes: [Scene.ID] { week.flatMap(\.slots).map(\.scene).unique }
}

extension AppState {
    /// The lights that a scene sets: those of its room if its bridge does not say, and of a smart one those of all its
    /// scenes. `nil` if there is no such scene.
    public func lights(of scene: Scene.ID) -> [Light.ID]? {
        guard let scene = scenes[scene] else { return nil }
        var lights = scene.lights
        if let smart = scene.smart {
            lights = smart.scenes.filter { scenes[$0]?.smart == nil }.flatMap { self.lights(of: $0) ?? [] }.unique
        }
        return lights.isEmpty ? scene.room.flatMap { rooms[$0]?.lights } ?? [] : lights
    }

    /// The active smart scene of a room that has recalled this scene, or is it, with the scene that it shows now.
    func activeSmartScene(of room: Room.ID?, showing scene: Scene.ID) -> (id: Scene.ID, current: Scene.ID)? {
        for other in scenes.values where other.room == room {
            guard let smart = other.smart, smart.isActive, let current = smart.current?.scene else { continue }
            if [other.id, current].contains(scene) { return (other.id, current) }
        }
        return nil
    }

    /// The smart scene that a command has activated: undo ends it, and redo activates it again. `nil` if the lights showed
    /// it before.
    func smartScene(activatedBy step: History.Step) -> Scene.ID? {
        guard case let .recall(scene, _, _) = step.command, let smart = scenes[scene]?.smart else { return nil }
        let own = Set(smart.scenes + [scene])
        let wasShown = step.before.values.contains { before in
            if case let .scene(id, by: _) = before.cause.kind { own.contains(id) } else { false }
        }
        return wasShown ? nil : scene
    }
}
