public import Khipu

extension Light {
    /// What a bridge reported about one light. What it does not name was not reported and has not changed.
    public struct Report: Hashable, Sendable {
        public let values: LightPatch
        /// Whether the bridge reaches the lamp.
        public let reachable: Bool?
        public let configuration: LightConfiguration
        /// Who or what changed the light; `nil` if unknown.
        public let source: Cause.Kind?
        /// Whether it also replaces expected values, because the lamp was read after the bridge had accepted the
        /// command.
        public let overrules: Bool?
        /// The command because of which it was read; `nil` if none is known. The values of a newer one are not replaced: it
        /// may not have been sent yet.
        public let judged: Ticket?
        /// What is kept for the lamp from now on; `nil` if that is as it was.
        public let kept: Kept?

        public init(
            _ values: LightPatch, reachable: Bool? = nil, configuration: LightConfiguration = LightConfiguration(),
            source: Cause.Kind? = nil, overrules: Bool? = nil, judged: Ticket? = nil, kept: Kept? = nil
        ) {
            self.values = values
            self.reachable = reachable
            self.configuration = configuration
            self.source = source
            self.overrules = overrules
            self.judged = judged
            self.kept = kept
        }

        /// A report of all that the light shows.
        public init(
            _ values: Values, reachable: Bool, configuration: LightConfiguration = LightConfiguration(),
            source: Cause.Kind? = nil, overrules: Bool? = nil
        ) {
            self.init(
                values.patch, reachable: reachable, configuration: configuration, source: source, overrules: overrules)
        }

        /// One report in place of this and the next one.
        public func merged(with next: Self) -> Self {
            Self(
                values.merged(with: next.values), reachable: next.reachable ?? reachable,
                configuration: configuration.merged(with: next.configuration), source: next.source,
                overrules: next.overrules, judged: next.judged, kept: next.kept ?? kept)
        }

        /// Whether it only says to which colour a dynamic scene has moved the light.
        var isMove: Bool {
            let rest = LightPatch(power: values.power, brightness: values.brightness)
            return values.tone?.isMoving == true && source == nil && reachable == nil && rest == LightPatch()
        }

        /// Whether it only says what is kept for the lamp: its bridge has reported nothing, and nobody has done anything.
        var isOnlyOfKept: Bool { kept != nil && self == Self(LightPatch(), kept: kept) }

        /// The same report, with another source.
        public func from(_ source: Cause.Kind?) -> Self {
            Self(
                values, reachable: reachable, configuration: configuration, source: source, overrules: overrules,
                judged: judged, kept: kept)
        }

        /// Whether it replaces what a command has set.
        func replaces(_ ticket: Ticket) -> Bool {
            overrules == true && judged.map { ticket.time <= $0.time } ?? true
        }
    }

    /// What is kept for a lamp that its bridge does not reach, to be sent as soon as it is back.
    public struct Kept: Hashable, Codable, Sendable {
        /// `nil` if nothing is kept.
        public let values: LightPatch?

        public init(_ values: LightPatch?) { self.values = values }
    }
}

// As journals have it.
extension Light.Report: Codable {
    private struct Stored: Codable {
        var power: Turn?
        var brightness, hue, saturation: Double?
        var temperature: Mirek?
        var mode: Light.Mode?
        var reachable: Bool?
        var source: Cause.Kind?
        var overrules: Bool?
        var kept: Light.Kept?
    }

    public init(from decoder: any Decoder) throws {
        let stored = try Stored(from: decoder)
        let white = stored.temperature.map { LightPatch.Tone.white($0) }
        let color = LightPatch.hsb(hue: stored.hue, saturation: stored.saturation, brightness: nil).tone
        let tone: LightPatch.Tone? =
            switch stored.mode {
            case .ct: white
            case .hsb: color
            case .unset: nil
            case nil: white ?? color
            }
        let whole = try LightPatch.Tone.Additions(from: decoder).tone(with: tone)
        self.init(
            LightPatch(power: stored.power, brightness: stored.brightness, tone: whole), reachable: stored.reachable,
            configuration: try LightConfiguration(from: decoder), source: stored.source, overrules: stored.overrules,
            kept: stored.kept)
    }

    public func encode(to encoder: any Encoder) throws {
        var stored = Stored(
            power: values.power, brightness: values.brightness, reachable: reachable, source: source,
            overrules: overrules, kept: kept)
        switch values.tone?.base {
        case let .white(mirek): (stored.temperature, stored.mode) = (mirek, .ct)
        case let .color(hue, saturation): (stored.hue, stored.saturation, stored.mode) = (hue, saturation, .hsb)
        case .gradient, .effect, nil: break
        }
        try stored.encode(to: encoder)
        try LightPatch.Tone.Additions(values.tone).encode(to: encoder)
        try configuration.encode(to: encoder)
    }
}

/// Something a bridge reported, whether we asked for it or not.
public enum BridgeUpdate: Equatable, Codable, Sendable {
    /// Everything on a bridge, after it was connected or loaded. What it does not list no longer exists.
    case home(Bridge.ID, lights: [Light], rooms: [Room], scenes: [Scene], sensors: [Sensor] = [])
    /// Some values of a light.
    case light(Light.ID, Light.Report)
    /// A light tells something by blinking, or no longer does.
    case signal(Light.ID, Light.RunningSignal?)
    /// What a sensor told just now: only this may trigger anything.
    case sensor(Sensor.ID, Sensor.Report)
    /// The bridge's own firmware is another, or has an update, or no longer has one.
    case firmware(Bridge.ID, Bridge.Firmware)
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
        case let .home(bridge, _, _, _, _), let .firmware(bridge, _): bridge
        case let .light(id, _), let .signal(id, _): id.bridge
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
