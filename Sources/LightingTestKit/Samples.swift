public import Khipu
public import Lighting

extension Timestamp {
    /// When the bridge in the samples last reported.
    public static let sample = Timestamp(milliseconds: 1_790_000_000_000)
}

extension Bridge.ID {
    public static let sample = Bridge.ID("ecb5fafffe010203")
}

extension Bridge {
    /// A connected bridge. A test names only what matters to it.
    public static func make(
        id: Bridge.ID = .sample,
        name: String = "Study bridge",
        model: String = "BSB002",
        address: Address = Address(host: "192.0.2.10", port: 443),
        connection: Connection = .connected(since: .sample, by: .stream),
        firmware: Firmware? = nil
    ) -> Self {
        Self(id: id, name: name, model: model, address: address, connection: connection, firmware: firmware)
    }
}

extension Light {
    /// A colour lamp that is on. A test names only what matters to it.
    public static func make(
        _ resource: String = "desk",
        name: String = "Desk",
        bridge: Bridge.ID = .sample,
        power: Turn = .on,
        brightness: Double = 0.5,
        hue: Double = 0.1,
        saturation: Double = 0.6,
        temperature: Int = 366,
        mode: Mode = .ct,
        modes: Set<Mode> = [.hsb, .ct],
        dims: Bool = true,
        gradient: Gradient? = nil,
        effect: Effect? = nil,
        limits: Limits? = nil,
        freshness: Freshness? = nil
    ) -> Self {
        Self(
            id: ID(bridge: bridge, resource: resource),
            name: name,
            values: Values(
                power: power, brightness: brightness, hue: hue, saturation: saturation, temperature: temperature.mirek,
                mode: modes.contains(mode) ? mode : .unset, gradient: gradient, effect: effect
            ),
            modes: modes,
            limits: limits ?? Limits(temperature: modes.contains(.ct) ? 153.mirek...500.mirek : nil, dims: dims),
            freshness: freshness,
            heard: .sample
        )
    }

    /// A plug: on or off, nothing else.
    public static func plug(_ resource: String = "plug", name: String = "Fan", power: Turn = .on) -> Self {
        make(resource, name: name, power: power, modes: [], dims: false)
    }
}

extension Room {
    public static func make(
        _ resource: String = "kitchen", name: String = "Kitchen", bridge: Bridge.ID = .sample, kind: RoomKind = .room,
        lights: [Light] = []
    ) -> Self {
        Self(id: ID(bridge: bridge, resource: resource), name: name, kind: kind, lights: lights.map(\.id))
    }
}

extension Scene {
    public static func make(
        _ resource: String = "relax", name: String = "Relax", bridge: Bridge.ID = .sample, room: Room.ID? = nil,
        lights: [Light.ID] = []
    ) -> Self {
        Self(id: ID(bridge: bridge, resource: resource), name: name, room: room, lights: lights)
    }
}

extension AppState {
    /// A home with these in it, and the bridge they are on.
    public static func make(
        lights: [Light] = [], rooms: [Room] = [], scenes: [Scene] = [], sensors: [Sensor] = [],
        bridges: [Bridge] = [.make()]
    ) -> Self {
        AppState().alter(
            by: lights.map { .adding(.light($0)) } + rooms.map { .adding(.room($0)) }
                + scenes.map { .adding(.scene($0)) } + sensors.map { .adding(.sensor($0)) }
                + bridges.map { .adding(.bridge($0)) }
        )
    }
}

extension Sensor {
    /// A motion sensor that saw nobody. A test names only what matters to it.
    public static func make(
        _ resource: String = "hall",
        name: String = "Hall",
        bridge: Bridge.ID = .sample,
        room: Room.ID? = nil,
        abilities: Set<Ability> = [.motion, .lightLevel, .temperature, .battery],
        motion: Bool? = false,
        buttons: Int = 0
    ) -> Self {
        Self(
            id: ID(bridge: bridge, resource: resource),
            name: name,
            room: room,
            abilities: abilities,
            motion: abilities.contains(.motion) ? motion.map { Reading($0, at: .sample) } : nil,
            buttons: buttons == 0 ? [] : (1...buttons).map { Button($0) }
        )
    }

    /// A dimmer switch with four buttons.
    public static func dimmer(_ resource: String = "dimmer", name: String = "Dimmer") -> Self {
        make(resource, name: name, abilities: [.battery], buttons: 4)
    }
}

extension Light.Report {
    /// The values by their names; a hue or saturation goes before a temperature.
    public init(
        power: Turn? = nil, brightness: Double? = nil, hue: Double? = nil, saturation: Double? = nil,
        temperature: Mirek? = nil, reachable: Bool? = nil, configuration: LightConfiguration = LightConfiguration(),
        source: Cause.Kind? = nil, overrules: Bool? = nil
    ) {
        let color = LightPatch.hsb(hue: hue, saturation: saturation, brightness: nil).tone
        self.init(
            LightPatch(power: power, brightness: brightness, tone: color ?? temperature.map { .white($0) }),
            reachable: reachable, configuration: configuration, source: source, overrules: overrules)
    }
}
