extension Light {
    /// What a bridge reported about one light. A value that is `nil` was not reported and has not changed.
    public struct Report: Hashable, Codable, Sendable {
        public let power: Turn?
        public let brightness: Double?
        public let hue: Double?
        public let saturation: Double?
        public let temperature: Mirek?
        public let mode: Mode?
        /// Whether the bridge reaches the lamp.
        public let reachable: Bool?
        public let powerup: Powerup?
        /// Who or what changed the light; `nil` if unknown.
        public let source: Cause.Kind?
        /// Whether it also replaces expected values, because the lamp was read after the bridge had accepted the
        /// command.
        public let overrules: Bool?

        public init(
            power: Turn? = nil,
            brightness: Double? = nil,
            hue: Double? = nil,
            saturation: Double? = nil,
            temperature: Mirek? = nil,
            mode: Mode? = nil,
            reachable: Bool? = nil,
            powerup: Powerup? = nil,
            source: Cause.Kind? = nil,
            overrules: Bool? = nil
        ) {
            self.power = power
            self.brightness = brightness
            self.hue = hue
            self.saturation = saturation
            self.temperature = temperature
            self.mode = mode
            self.reachable = reachable
            self.powerup = powerup
            self.source = source
            self.overrules = overrules
        }

        /// A report of all values.
        public init(
            _ values: Values, reachable: Bool, powerup: Powerup? = nil, source: Cause.Kind? = nil,
            overrules: Bool? = nil
        ) {
            self.init(
                power: values.power,
                brightness: values.brightness,
                hue: values.hue,
                saturation: values.saturation,
                temperature: values.temperature,
                mode: values.mode,
                reachable: reachable,
                powerup: powerup,
                source: source,
                overrules: overrules
            )
        }

        /// One report in place of this and the next one.
        public func merged(with next: Self) -> Self {
            Self(
                power: next.power ?? power,
                brightness: next.brightness ?? brightness,
                hue: next.hue ?? hue,
                saturation: next.saturation ?? saturation,
                temperature: next.temperature ?? temperature,
                mode: next.mode ?? mode,
                reachable: next.reachable ?? reachable,
                powerup: next.powerup ?? powerup,
                source: next.source,
                overrules: next.overrules
            )
        }
    }
}

/// Something a bridge reported, whether we asked for it or not.
public enum BridgeUpdate: Equatable, Codable, Sendable {
    /// Everything on a bridge, after it was connected or loaded. What it does not list no longer exists.
    case home(Bridge.ID, lights: [Light], rooms: [Room], scenes: [Scene], sensors: [Sensor] = [])
    /// Some values of a light.
    case light(Light.ID, Light.Report)
    /// What a sensor told just now: only this may trigger anything.
    case sensor(Sensor.ID, Sensor.Report)
    case renamed(Target, to: String)
    case added(Added)
    case changed(Changed)
    case removed(Removed)

    public enum Added: Equatable, Codable, Sendable { case light(Light), room(Room), scene(Scene), sensor(Sensor) }
    /// As it is now. Of a sensor also what was missed: it may have happened at any time.
    public enum Changed: Equatable, Codable, Sendable { case room(Room), scene(Scene), sensor(Sensor) }
    public enum Removed: Equatable, Codable, Sendable {
        case light(Light.ID), room(Room.ID), scene(Scene.ID), sensor(Sensor.ID)
    }

    /// The bridge that reported it.
    var bridge: Bridge.ID {
        switch self {
        case let .home(bridge, _, _, _, _): bridge
        case let .light(id, _): id.bridge
        case let .sensor(id, _), let .removed(.sensor(id)): id.bridge
        case let .renamed(.light(id), _), let .removed(.light(id)): id.bridge
        case let .renamed(.room(id), _), let .removed(.room(id)): id.bridge
        case let .removed(.scene(id)): id.bridge
        case let .added(.light(light)): light.id.bridge
        case let .added(.room(room)), let .changed(.room(room)): room.id.bridge
        case let .added(.scene(scene)), let .changed(.scene(scene)): scene.id.bridge
        case let .added(.sensor(sensor)), let .changed(.sensor(sensor)): sensor.id.bridge
        case .renamed(.all, _): Bridge.ID("")
        }
    }
}
