// The bodies of the control API. Units are those of ``Command``, so that values can be sent back. Times are ISO 8601 in
// UTC.

/// A light as it is listed: what it shows and how it is set up, flat beside what else is known of it.
@dynamicMemberLookup
public struct LightBody: Equatable, Sendable, Identifiable {
    public var id: String
    public var name: String
    /// The name of the room it is in.
    public var room: String?
    public var zones: [String]
    public var power: Turn
    public var values: LightValuesBody
    public var freshness: Freshness
    /// When `freshness` began; for `confirmed`, when the bridge last reported the lamp.
    public var since: String
    public var bridge: String
    public var display: LevelControl
    public var limits: Limits
    public var configuration: LightConfiguration
    /// What it tells by blinking; absent if nothing.
    public var signal: Signal?
    /// Who or what set it to these values; for `expected`, the command that is not yet confirmed.
    public var cause: CauseBody
    /// What of it follows something; absent if nothing does.
    public var follows: [FollowedValueBody]?
    /// What leaves it out; absent if nothing does.
    public var excludedFrom: [Exclusion]?

    public enum Freshness: String, Codable, Sendable, CaseIterable { case confirmed, expected, stale, unreachable }

    public struct Signal: Codable, Equatable, Sendable {
        /// Each "#rrggbb": one in which it blinks, or two that it shows in turns; empty if it blinks in what it shows.
        public var colors: [String]
        /// When it ends.
        public var until: String

        public init(_ colors: [String], until: String) { (self.colors, self.until) = (colors, until) }
    }

    public struct Limits: Codable, Equatable, Sendable {
        public var coolest: Int?
        public var warmest: Int?
        public var minimumDimLevel: Double?
        /// What it can run; absent if it can run nothing.
        public var effects: [String]?
        /// How many colours a gradient may have; absent if it shows one.
        public var gradientPoints: Int?

        enum CodingKeys: String, CodingKey {
            case coolest, warmest, effects
            case minimumDimLevel = "minimum_dim_level"
            case gradientPoints = "gradient_points"
        }

        public init(
            coolest: Int? = nil, warmest: Int? = nil, minimumDimLevel: Double? = nil, effects: [String]? = nil,
            gradientPoints: Int? = nil
        ) {
            self.coolest = coolest
            self.warmest = warmest
            self.minimumDimLevel = minimumDimLevel
            self.effects = effects
            self.gradientPoints = gradientPoints
        }
    }

    public init(
        id: String, name: String, room: String? = nil, zones: [String] = [], power: Turn,
        _ values: LightValuesBody = LightValuesBody(), freshness: Freshness, since: String, bridge: String,
        display: LevelControl = .slider, limits: Limits = Limits(),
        configuration: LightConfiguration = LightConfiguration(), signal: Signal? = nil,
        cause: CauseBody, follows: [FollowedValueBody]? = nil, excludedFrom: [Exclusion]? = nil
    ) {
        self.id = id
        self.name = name
        self.room = room
        self.zones = zones
        self.power = power
        self.values = values
        self.freshness = freshness
        self.since = since
        self.bridge = bridge
        self.display = display
        self.limits = limits
        self.configuration = configuration
        self.signal = signal
        self.cause = cause
        self.follows = follows
        self.excludedFrom = excludedFrom
    }

    public subscript<Value>(dynamicMember path: WritableKeyPath<LightValuesBody, Value>) -> Value {
        get { values[keyPath: path] }
        set { values[keyPath: path] = newValue }
    }
}

extension LightBody: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, room, zones, power, freshness, since, bridge, display, limits, signal, cause, follows
        case excludedFrom = "excluded_from"
    }

    /// The names of all its fields.
    static let names =
        CodingKeys.allCases.map(\.rawValue) + LightValuesBody.fields.map(\.name)
        + LightConfiguration.Property.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(String.self, forKey: .id),
            name: try container.decode(String.self, forKey: .name),
            room: try container.decodeIfPresent(String.self, forKey: .room),
            zones: try container.decode([String].self, forKey: .zones),
            power: try container.decode(Turn.self, forKey: .power),
            try LightValuesBody(from: decoder),
            freshness: try container.decode(Freshness.self, forKey: .freshness),
            since: try container.decode(String.self, forKey: .since),
            bridge: try container.decode(String.self, forKey: .bridge),
            display: try container.decode(LevelControl.self, forKey: .display),
            limits: try container.decode(Limits.self, forKey: .limits),
            configuration: try LightConfiguration(from: decoder),
            signal: try container.decodeIfPresent(Signal.self, forKey: .signal),
            cause: try container.decode(CauseBody.self, forKey: .cause),
            follows: try container.decodeIfPresent([FollowedValueBody].self, forKey: .follows),
            excludedFrom: try container.decodeIfPresent([Exclusion].self, forKey: .excludedFrom))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(room, forKey: .room)
        try container.encode(zones, forKey: .zones)
        try container.encode(power, forKey: .power)
        try values.encode(to: encoder)
        try container.encode(freshness, forKey: .freshness)
        try container.encode(since, forKey: .since)
        try container.encode(bridge, forKey: .bridge)
        try container.encode(display, forKey: .display)
        try container.encode(limits, forKey: .limits)
        try configuration.encode(to: encoder)
        try container.encodeIfPresent(signal, forKey: .signal)
        try container.encode(cause, forKey: .cause)
        try container.encodeIfPresent(follows, forKey: .follows)
        try container.encodeIfPresent(excludedFrom, forKey: .excludedFrom)
    }
}

public struct RoomBody: Codable, Equatable, Sendable, Identifiable {
    public var id: String
    public var name: String
    public var kind: RoomKind
    /// Ids, in the bridge's order.
    public var lights: [String]
    /// How many of them are on; those whose state is in doubt do not count.
    public var on: Int
    /// How many of them their bridge does not reach; absent if it reaches all.
    public var unreachable: Int?
    /// How many of them are as they were before their bridge was lost; absent if none.
    public var stale: Int?
    /// The mean of the lights that are on, per cent; absent if none is on.
    public var brightness: Double?
    /// The scene that was last recalled for it; absent if none of its lights shows it any more.
    public var scene: ShownScene?
    public var bridge: String

    public struct ShownScene: Codable, Equatable, Sendable {
        public var id: String
        public var name: String
        /// Whether something else has changed one of its lights since.
        public var changed: Bool

        public init(id: String, name: String, changed: Bool) {
            self.id = id
            self.name = name
            self.changed = changed
        }
    }

    public init(
        id: String, name: String, kind: RoomKind, lights: [String], on: Int, unreachable: Int? = nil, stale: Int? = nil,
        brightness: Double? = nil, scene: ShownScene? = nil, bridge: String
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.lights = lights
        self.on = on
        self.unreachable = unreachable
        self.stale = stale
        self.brightness = brightness
        self.scene = scene
        self.bridge = bridge
    }
}

public struct SceneBody: Codable, Equatable, Sendable, Identifiable {
    public var id: String
    public var name: String
    /// The name of its room or zone.
    public var room: String?
    /// The ids of the lights that it sets.
    public var lights: [String]
    public var bridge: String
    /// Its place in the order into which somebody has put the scenes of its room or zone, from 1. Those without one
    /// follow, by name; a scene that is gone leaves a gap.
    public var place: Int?
    /// Absent unless it is a smart scene.
    public var smart: SmartSceneBody?

    public init(
        id: String, name: String, room: String? = nil, lights: [String] = [], bridge: String, place: Int? = nil,
        smart: SmartSceneBody? = nil
    ) {
        self.id = id
        self.name = name
        self.room = room
        self.lights = lights
        self.bridge = bridge
        self.place = place
        self.smart = smart
    }
}

/// What a smart scene does: while it is active, its bridge recalls other scenes at their times, by its own clock.
public struct SmartSceneBody: Codable, Equatable, Sendable {
    public var active: Bool
    /// The slot whose scene was recalled last; absent while it is not active.
    public var current: Slot?
    /// How long the change from one scene to the next takes, in milliseconds.
    public var transition: Int?
    public var week: [Days]

    /// Days that have the same slots.
    public struct Days: Codable, Equatable, Sendable {
        /// "mon-fri", "sat,sun".
        public var days: String
        /// Each lasts until the next one begins.
        public var slots: [Slot]

        public init(days: String, slots: [Slot]) { (self.days, self.slots) = (days, slots) }
    }

    public struct Slot: Codable, Equatable, Sendable {
        /// "06:45", "sunrise", "sunset".
        public var start: String
        /// The scene's name.
        public var scene: String
        /// The scene's id.
        public var id: String

        public init(start: String, scene: String, id: String) {
            (self.start, self.scene, self.id) = (start, scene, id)
        }
    }

    public init(active: Bool, current: Slot? = nil, transition: Int? = nil, week: [Days]) {
        self.active = active
        self.current = current
        self.transition = transition
        self.week = week
    }
}

/// A scene with what it sets on each light, as its bridge stores it.
public struct SceneValuesBody: Codable, Equatable, Sendable {
    public var id: String
    public var name: String
    /// The name of its room or zone.
    public var room: String?
    public var bridge: String
    public var values: [Value]
    /// Absent unless it is a smart scene, which sets nothing itself.
    public var smart: SmartSceneBody?

    /// What it sets on one light. What is absent is left as it is.
    @dynamicMemberLookup
    public struct Value: Equatable, Sendable {
        /// The light's id, which commands take as a target.
        public var target: String
        public var name: String
        public var power: Turn?
        public var values: LightValuesBody

        public init(
            target: String, name: String, power: Turn? = nil, _ values: LightValuesBody = LightValuesBody()
        ) {
            self.target = target
            self.name = name
            self.power = power
            self.values = values
        }

        public subscript<Value>(dynamicMember path: WritableKeyPath<LightValuesBody, Value>) -> Value {
            get { values[keyPath: path] }
            set { values[keyPath: path] = newValue }
        }
    }

    public init(
        id: String, name: String, room: String? = nil, bridge: String, values: [Value], smart: SmartSceneBody? = nil
    ) {
        self.smart = smart
        self.id = id
        self.name = name
        self.room = room
        self.bridge = bridge
        self.values = values
    }
}

extension SceneValuesBody.Value: Codable {
    private enum CodingKeys: String, CodingKey { case target, name, power }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            target: try container.decode(String.self, forKey: .target),
            name: try container.decode(String.self, forKey: .name),
            power: try container.decodeIfPresent(Turn.self, forKey: .power), try LightValuesBody(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(target, forKey: .target)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(power, forKey: .power)
        try values.encode(to: encoder)
    }
}

public struct BridgeBody: Codable, Equatable, Sendable, Identifiable {
    public var id: String
    public var name: String
    public var model: String
    /// "192.0.2.10:443".
    public var address: String
    public var connected: Bool
    public var since: String
    /// Why it is not connected.
    public var reason: String?
    /// What commands for its lights fail with for that reason.
    public var reasonCode: ErrorCode?
    public var lights: Int
    /// How lightd learns of changes; absent while it is not connected.
    public var updates: Updates?
    /// With `polling`: the bridge is polled this often, and a change is known this much later at most.
    public var intervalSeconds: Double?
    /// The version that is installed; absent as long as the bridge has not said. Opaque.
    public var firmware: String?
    /// Absent if it is unknown.
    public var firmwareUpdate: FirmwareUpdate?

    public enum Updates: String, Codable, Sendable, CaseIterable { case stream, polling }

    enum CodingKeys: String, CodingKey {
        case id, name, model, address, connected, since, reason, lights, updates, firmware
        case reasonCode = "reason_code"
        case intervalSeconds = "interval_seconds"
        case firmwareUpdate = "firmware_update"
    }

    public init(
        id: String, name: String, model: String, address: String, connected: Bool, since: String, reason: String? = nil,
        reasonCode: ErrorCode? = nil, lights: Int, updates: Updates? = nil, intervalSeconds: Double? = nil,
        firmware: String? = nil, firmwareUpdate: FirmwareUpdate? = nil
    ) {
        self.id = id
        self.name = name
        self.model = model
        self.address = address
        self.connected = connected
        self.since = since
        self.reason = reason
        self.reasonCode = reasonCode
        self.lights = lights
        self.updates = updates
        self.intervalSeconds = intervalSeconds
        self.firmware = firmware
        self.firmwareUpdate = firmwareUpdate
    }
}

/// A switch or dial that is bound to lights.
public struct BindingBody: Codable, Equatable, Sendable, Identifiable {
    /// The switch's id.
    public var id: String
    /// The switch's name.
    public var name: String
    /// "all", a light's id, or "@" and a room's id: commands take it as a target.
    public var target: String
    /// "@Living", "Desk", "all".
    public var targetName: String
    /// The names of the scenes that it recalls, in this order.
    public var scenes: [String]
    /// What its buttons and its dial do; empty until its bridge has reported the switch.
    public var controls: [Control]
    /// Why it does nothing, or less than it should; absent if nothing is wrong.
    public var problem: String?
    /// What else acts on the switch; absent if nothing does, as far as the bridge tells.
    public var warning: String?

    public struct Control: Codable, Equatable, Sendable {
        /// "button 1", "dial".
        public var control: String
        /// In words.
        public var does: String

        public init(control: String, does: String) {
            self.control = control
            self.does = does
        }
    }

    enum CodingKeys: String, CodingKey {
        case id, name, target, scenes, controls, problem, warning
        case targetName = "target_name"
    }

    public init(
        id: String, name: String, target: String, targetName: String, scenes: [String] = [], controls: [Control] = [],
        problem: String? = nil, warning: String? = nil
    ) {
        self.id = id
        self.name = name
        self.target = target
        self.targetName = targetName
        self.scenes = scenes
        self.controls = controls
        self.problem = problem
        self.warning = warning
    }
}

public struct PinBody: Codable, Equatable, Sendable {
    /// "all", a light's id, or "@" and a room's id: commands take it as a target.
    public var target: String
    /// The light's or room's name; absent until its bridge has reported it.
    public var name: String?
    public var display: LevelControl

    public init(target: String, name: String? = nil, display: LevelControl) {
        self.target = target
        self.name = name
        self.display = display
    }
}

public struct LogBody: Codable, Equatable, Sendable {
    public var number: Int64
    public var time: String
    /// "lighting", "bridges", "dashboard", "logging".
    public var feature: String
    /// The ticket that a response shares with its command; absent for events that nobody asked for.
    public var ticket: UInt64?
    /// Who asked, or which bridge reported.
    public var holder: String
    /// One line a person can read.
    public var text: String
    /// "succeeded" or "failed"; absent if it is not a response.
    public var outcome: String?
    /// The gesture that the command is a part of, as its sender named it; absent for a command by itself.
    public var gesture: String?
    /// The ticket of the command whose effect a bridge reports; absent if it reports something else.
    public var causedBy: UInt64?

    private enum CodingKeys: String, CodingKey {
        case number, time, feature, ticket, holder, text, outcome, gesture
        case causedBy = "caused_by"
    }

    public init(
        number: Int64, time: String, feature: String, ticket: UInt64? = nil, holder: String, text: String,
        outcome: String? = nil, gesture: String? = nil, causedBy: UInt64? = nil
    ) {
        self.number = number
        self.time = time
        self.feature = feature
        self.ticket = ticket
        self.holder = holder
        self.text = text
        self.outcome = outcome
        self.gesture = gesture
        self.causedBy = causedBy
    }
}

public struct StatusBody: Codable, Equatable, Sendable {
    public var version: String
    public var started: String
    public var uptimeSeconds: Double
    public var bridges: [BridgeBody]
    public var lights: Int
    /// Without those in doubt.
    public var lightsOn: Int
    /// Lights that are stale or unreachable.
    public var lightsInDoubt: Int
    /// Absent from lightd of before it knew sensors.
    public var sensors: Int?
    public var journal: Bool
    /// The presence replay that goes on; absent if none does.
    public var away: Away?
    /// What a person should know of the state with which lightd began, each as one sentence; absent if there is nothing.
    public var warnings: [String]?
    /// What came of a backup with which lightd began; absent if it began without one.
    public var restored: Restored?
    /// The MQTT broker on which the home is shown; absent if none is configured.
    public var mqtt: Broker?

    public struct Broker: Codable, Equatable, Sendable {
        /// Host and port.
        public var address: String
        public var connected: Bool
        /// Since when it is connected, or is not.
        public var since: String?
        /// Why it is not connected.
        public var reason: String?

        public init(address: String, connected: Bool, since: String? = nil, reason: String? = nil) {
            self.address = address
            self.connected = connected
            self.since = since
            self.reason = reason
        }
    }

    public struct Restored: Codable, Equatable, Sendable {
        /// Why nothing was restored; absent if the backup was.
        public var error: String?

        public init(error: String? = nil) { self.error = error }
    }

    public struct Away: Codable, Equatable, Sendable {
        public var since: String
        /// When it ends at the latest; absent if only a sign of life ends it.
        public var until: String?

        public init(since: String, until: String? = nil) { (self.since, self.until) = (since, until) }
    }

    enum CodingKeys: String, CodingKey {
        case version, started
        case uptimeSeconds = "uptime_seconds"
        case bridges, lights
        case lightsOn = "lights_on"
        case lightsInDoubt = "lights_in_doubt"
        case sensors, journal, away, warnings, restored, mqtt
    }

    public init(
        version: String, started: String, uptimeSeconds: Double, bridges: [BridgeBody], lights: Int, lightsOn: Int,
        lightsInDoubt: Int, sensors: Int? = nil, journal: Bool, away: Away? = nil,
        warnings: [String]? = nil, restored: Restored? = nil, mqtt: Broker? = nil
    ) {
        self.version = version
        self.started = started
        self.uptimeSeconds = uptimeSeconds
        self.bridges = bridges
        self.lights = lights
        self.lightsOn = lightsOn
        self.lightsInDoubt = lightsInDoubt
        self.sensors = sensors
        self.journal = journal
        self.warnings = warnings
        self.restored = restored
        self.mqtt = mqtt
        self.away = away
    }
}

public struct DiscoveryBody: Codable, Equatable, Sendable {
    /// Absent if the attempts led to no bridge.
    public var id: String?
    public var name: String
    public var model: String
    public var address: String?
    public var paired: Bool
    public var attempts: [Attempt]

    public struct Attempt: Codable, Equatable, Sendable {
        /// "mdns", "configured", "last_known", "cloud".
        public var way: String
        public var asked: String
        public var result: String
        public var succeeded: Bool
        /// `true` if it was not tried, because the configuration turns it off. Otherwise absent.
        public var off: Bool?

        public init(way: String, asked: String, result: String, succeeded: Bool, off: Bool? = nil) {
            self.way = way
            self.asked = asked
            self.result = result
            self.succeeded = succeeded
            self.off = off
        }
    }

    public init(id: String?, name: String, model: String, address: String?, paired: Bool, attempts: [Attempt]) {
        self.id = id
        self.name = name
        self.model = model
        self.address = address
        self.paired = paired
        self.attempts = attempts
    }
}

/// A request to a bridge, as a dry run shows it: exactly what would be sent.
public struct PlannedRequestBody: Codable, Equatable, Sendable {
    /// The bridge's id.
    public var bridge: String
    public var method: String
    /// With "KEY" in place of lightd's key, which API v1 has in its paths, and "NEW" in place of the id that the bridge
    /// will give to what it creates.
    public var path: String
    /// JSON, byte for byte; empty for a DELETE.
    public var body: String
    /// Why it would not be sent at once: the bridge is not connected. Absent if it is.
    public var held: String?

    public init(bridge: String, method: String, path: String, body: String, held: String? = nil) {
        self.bridge = bridge
        self.method = method
        self.path = path
        self.body = body
        self.held = held
    }
}

/// The reply to a command that succeeded.
public struct CommandReply: Codable, Equatable, Sendable {
    /// 0 after a dry run, which has none.
    public var ticket: UInt64
    /// The lights as they are shown now, if the command was aimed at lights; after `apply`, those that it changed.
    public var lights: [LightBody]?
    /// After `rename`: that other lights have this name, too, and what names this one.
    public var warning: String?
    /// After `discover`.
    public var discovered: [DiscoveryBody]?
    /// After `pair`.
    public var bridge: BridgeBody?
    /// The room or zone that was created or changed.
    public var room: RoomBody?
    /// After `create_room` and `add_to_room`: the lights that left another room for it, or after a dry run would leave.
    public var moved: [Moved]?
    /// The scene that was saved or changed.
    public var scene: SceneBody?
    /// The sensor that was enabled or disabled.
    public var sensor: SensorBody?
    /// After `delete_room`: the names of its scenes, which are deleted with it, or after a dry run would be. After
    /// `reorder_scenes`: the names of all scenes of the room or zone, in their order then.
    public var scenes: [String]?
    /// After `apply`: the lights whose listed values were not sent because they are off and stay so.
    public var withheld: [LightBody]?
    /// The lights that are not able to take all that the command asks of them, and so took a part of it, or nothing.
    public var leftOut: [LeftOut]?
    /// The automation that was changed or run; after `schedule` the timer. Absent if it is gone.
    public var automation: AutomationBody?
    /// After `follow`, `wake` and `sleep`: what was begun, with how many lights.
    public var following: FollowingBody?
    /// After a dashboard command.
    public var dashboard: [PinBody]?
    /// After `bind`.
    public var binding: BindingBody?
    /// After `away`: the replay, or what one would do.
    public var away: AwayBody?
    /// After `undo` and `redo`: how many commands were taken back or done again. Fewer than asked for if there were no
    /// more.
    public var steps: Int?
    /// After `undo` and `redo`: the commands taken back or done again, in words, in that order.
    public var commands: [String]?
    /// After a dry run of `undo`: the tickets of ``commands``, by which `undo` takes back these and no others.
    public var tickets: [UInt64]?
    /// After `undo` and `redo`: the lights that were left as they are, because something else has changed them since.
    public var skipped: [Skipped]?
    /// After a dry run: what would be sent, bridge by bridge, each in its order.
    public var requests: [PlannedRequestBody]?
    /// After a dry run: the parts of the command that would fail.
    public var failing: [ErrorReply.Part]?

    private enum CodingKeys: String, CodingKey {
        case ticket, lights, warning, discovered, bridge, room, moved, scene, sensor, scenes, withheld
        case leftOut = "left_out"
        case automation, following, dashboard, binding, away, steps, commands, tickets, skipped, requests, failing
    }

    public struct LeftOut: Codable, Equatable, Sendable {
        /// The light's id, which commands take as a target.
        public var target: String
        public var name: String
        /// What it takes: "brightness", "temperature", "color"; empty if it takes nothing.
        public var given: [String]
        /// "'Stove' cannot change its white tone".
        public var reason: String

        public init(target: String, name: String, given: [String], reason: String) {
            self.target = target
            self.name = name
            self.given = given
            self.reason = reason
        }
    }

    public struct Skipped: Codable, Equatable, Sendable {
        /// The light's id, which commands take as a target.
        public var target: String
        public var name: String
        /// "changed since by another app or a switch".
        public var reason: String
        public var cause: CauseBody

        public init(target: String, name: String, cause: CauseBody) {
            self.target = target
            self.name = name
            self.reason = cause.passedOver
            self.cause = cause
        }
    }

    public struct Moved: Codable, Equatable, Sendable {
        /// The light's id.
        public var target: String
        public var name: String
        /// The name of the room that it left.
        public var room: String
        /// The names of that room's scenes that set the light before, and no longer do.
        public var scenes: [String]

        public init(target: String, name: String, room: String, scenes: [String] = []) {
            self.target = target
            self.name = name
            self.room = room
            self.scenes = scenes
        }
    }

    public init(
        ticket: UInt64, lights: [LightBody]? = nil, warning: String? = nil, discovered: [DiscoveryBody]? = nil,
        bridge: BridgeBody? = nil, room: RoomBody? = nil, moved: [Moved]? = nil, scene: SceneBody? = nil,
        dashboard: [PinBody]? = nil, steps: Int? = nil, commands: [String]? = nil, skipped: [Skipped]? = nil,
        requests: [PlannedRequestBody]? = nil, failing: [ErrorReply.Part]? = nil, scenes: [String]? = nil,
        withheld: [LightBody]? = nil, tickets: [UInt64]? = nil, automation: AutomationBody? = nil,
        binding: BindingBody? = nil, following: FollowingBody? = nil, away: AwayBody? = nil,
        leftOut: [LeftOut]? = nil, sensor: SensorBody? = nil
    ) {
        self.away = away
        self.sensor = sensor
        self.leftOut = leftOut
        self.ticket = ticket
        self.warning = warning
        self.scenes = scenes
        self.withheld = withheld
        self.tickets = tickets
        self.automation = automation
        self.lights = lights
        self.discovered = discovered
        self.bridge = bridge
        self.room = room
        self.moved = moved
        self.scene = scene
        self.dashboard = dashboard
        self.binding = binding
        self.following = following
        self.steps = steps
        self.commands = commands
        self.skipped = skipped
        self.requests = requests
        self.failing = failing
    }
}

/// What a person can type to name each thing of the home: its name, or what tells it from others of that name. For the
/// completions of shells.
public struct NamesBody: Codable, Equatable, Sendable {
    /// "Desk", or if there are several "Living/Desk".
    public var lights: [String]
    /// "@Kitchen".
    public var rooms: [String]
    /// "@Downstairs".
    public var zones: [String]
    public var scenes: [String]
    public var bridges: [String]
    /// "Dial Living". Absent from lightd of before it knew sensors.
    public var sensors: [String]?

    public init(
        lights: [String], rooms: [String], zones: [String], scenes: [String], bridges: [String],
        sensors: [String]? = nil
    ) {
        self.lights = lights
        self.rooms = rooms
        self.zones = zones
        self.scenes = scenes
        self.bridges = bridges
        self.sensors = sensors
    }
}

/// What `lightctl snapshot` writes and `lightctl restore` reads.
///
///     {"lights":[{"brightness":40,"id":"…","mode":"temperature","name":"Desk","power":"on","temperature":366}],
///      "taken":"2026-11-21T10:42:03Z","version":1}
public struct SnapshotBody: Codable, Equatable, Sendable {
    /// The form of the lights. A field that a light did not have takes another version: an older lightctl would restore
    /// the light without it.
    public var version: Int
    /// ISO 8601 in UTC.
    public var taken: String
    public var lights: [Command.LightState]

    public static let newestVersion = 1

    public init(taken: String, lights: [Command.LightState]) {
        version = Self.newestVersion
        self.taken = taken
        self.lights = lights
    }
}
