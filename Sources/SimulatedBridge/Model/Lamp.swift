public import HueWire

/// One lamp as the bridge believes it to be. A command changes it at once, as on a real bridge: what the bridge shows is the
/// target, not the lamp's answer. What the lamp itself shows meanwhile, the ``Mesh`` knows.
public struct Lamp: Equatable, Codable, Sendable, Identifiable {
    public typealias Tint = LightState.Tint

    public let id: ResourceID
    public let name: String
    /// How its fixture looks: "sultan_bulb", "plug" …
    public let archetype: String
    public let kind: LampKind
    /// Its number in API v1, from 1.
    public let number: Int
    public let ids: Services
    public let lightState: LightState
    public let powerup: Powerup
    /// Whether the bridge can reach it. Where not, the bridge still takes commands for it, and they come to nothing.
    public let hasMains: Bool
    /// The last `alert` that API v1 wrote.
    public let alert: String
    /// How fast a dynamic palette runs on it, 0…1; `nil` where none does.
    public let palette: Double?
    /// Whether an entertainment session has it.
    public let isStreaming: Bool
    public let traits: Traits

    /// The names in saved state; the wire has its own.
    private enum CodingKeys: String, CodingKey {
        case id, name, archetype, kind, number, ids, powerup, hasMains, alert, palette, isStreaming, traits
        case lightState = "look"
    }

    /// Its other resources, and its address on the mesh.
    public struct Services: Equatable, Codable, Sendable {
        public let device: ResourceID
        public let connectivity: ResourceID
        public let entertainment: ResourceID
        public let zigbee: String
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming (Renaming ); public enum Renaming : Equatable, Sendable { case it(to: String) }
        case turning  (Turning  ); public enum Turning  : Equatable, Sendable { case it(on: Bool) }
        case setting  (Setting  ); public enum Setting  : Equatable, Sendable { case level(to: Int), tint(to: Tint), effect(to: LightState.Effect), gradient(to: [XY]), lightState(to: LightState), archetype(to: String), powerup(to: Powerup), alert(to: String), function(to: String), mode(to: String) }
        /// The bridge has found out that it has no mains.
        case cutting  (Cutting  ); public enum Cutting  : Equatable, Sendable { case mains }
        /// Mains came back, and with them the lamp's own power-on behaviour.
        case powering (Powering ); public enum Powering : Equatable, Sendable { case up }
        case playing  (Playing  ); public enum Playing  : Equatable, Sendable { case palette(speed: Double), nothing }
        case streaming(Streaming); public enum Streaming: Equatable, Sendable { case begins, ends }
        /// Begins to signal, or has done it.
        case signaling(Signaling); public enum Signaling: Equatable, Sendable { case it(Signal?) }
    }

    init(
        id: ResourceID, name: String, archetype: String? = nil, kind: LampKind, number: Int, ids: Services,
        lightState: LightState, powerup: Powerup = .safety, hasMains: Bool = true
    ) {
        self.init(
            id, name, archetype ?? kind.product.archetype, kind, number, ids, lightState, powerup, hasMains, "none",
            nil,
            false, Traits())
    }

    private init(
        _ id: ResourceID, _ name: String, _ archetype: String, _ kind: LampKind, _ number: Int, _ ids: Services,
        _ lightState: LightState, _ powerup: Powerup, _ hasMains: Bool, _ alert: String, _ palette: Double?,
        _ isStreaming: Bool,
        _ traits: Traits
    ) {
        self.id = id
        self.name = name
        self.archetype = archetype
        self.kind = kind
        self.number = number
        self.ids = ids
        self.lightState = lightState
        self.powerup = powerup
        self.hasMains = hasMains
        self.alert = alert
        self.palette = palette
        self.isStreaming = isStreaming
        self.traits = traits
    }

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    /// One row, one axiom. Whatever sets the look by hand ends a running palette.
    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming (.it       (to: n)): Self(id, n   , archetype, kind, number, ids, lightState                                  , powerup, hasMains, alert, palette, isStreaming, traits)
        case let .turning  (.it       (on: o)): Self(id, name, archetype, kind, number, ids, lightState.alter(by: .turning(.it(on: o)))     , powerup, hasMains, alert, o ? palette : nil, isStreaming, traits)
        case let .setting  (.level    (to: l)): Self(id, name, archetype, kind, number, ids, lightState.alter(by: .setting(.level(to: l)))   , powerup, hasMains, alert, palette, isStreaming, traits)
        case let .setting  (.tint     (to: t)): Self(id, name, archetype, kind, number, ids, lightState.alter(by: .setting(.tint(to: t)))    , powerup, hasMains, alert, nil    , isStreaming, traits)
        case let .setting  (.effect   (to: e)): Self(id, name, archetype, kind, number, ids, lightState.alter(by: .setting(.effect(to: e)))  , powerup, hasMains, alert, nil    , isStreaming, traits)
        case let .setting  (.gradient (to: g)): Self(id, name, archetype, kind, number, ids, lightState.alter(by: .setting(.gradient(to: g))), powerup, hasMains, alert, nil    , isStreaming, traits)
        case let .setting  (.lightState     (to: l)): Self(id, name, archetype, kind, number, ids, l                                     , powerup, hasMains, alert, nil    , isStreaming, traits)
        case let .setting  (.archetype(to: a)): Self(id, name, a        , kind, number, ids, lightState                                  , powerup, hasMains, alert, palette, isStreaming, traits)
        case let .setting  (.powerup  (to: p)): Self(id, name, archetype, kind, number, ids, lightState                                  , p      , hasMains, alert, palette, isStreaming, traits)
        case let .setting  (.alert    (to: a)): Self(id, name, archetype, kind, number, ids, lightState                                  , powerup, hasMains, a    , palette, isStreaming, traits)
        case     .cutting  (.mains           ): Self(id, name, archetype, kind, number, ids, lightState                                  , powerup, false   , alert, nil    , isStreaming, traits)
        case     .powering (.up              ): Self(id, name, archetype, kind, number, ids, powerup.lightState(after: lightState, of: kind)      , powerup, true    , alert, nil    , isStreaming, traits)
        case let .playing  (.palette(speed: s)): Self(id, name, archetype, kind, number, ids, lightState                                 , powerup, hasMains, alert, s      , isStreaming, traits)
        case     .playing  (.nothing         ): Self(id, name, archetype, kind, number, ids, lightState                                  , powerup, hasMains, alert, nil    , isStreaming, traits)
        case     .streaming(.begins          ): Self(id, name, archetype, kind, number, ids, lightState                                  , powerup, hasMains, alert, nil    , true       , traits)
        case let .setting  (.function (to: f)): Self(id, name, archetype, kind, number, ids, lightState                                  , powerup, hasMains, alert, palette, isStreaming, traits.with(function: f))
        case let .setting  (.mode     (to: m)): Self(id, name, archetype, kind, number, ids, lightState                                  , powerup, hasMains, alert, palette, isStreaming, traits.with(gradientMode: m))
        case let .signaling(.it       (    g)): Self(id, name, archetype, kind, number, ids, lightState                                  , powerup, hasMains, alert, palette, isStreaming, traits.with(signal: g))
        case     .streaming(.ends            ): Self(id, name, archetype, kind, number, ids, lightState                                  , powerup, hasMains, alert, palette, false      , traits)
        }
    }

    public var isOn: Bool { lightState.isOn }
    /// 1…254.
    public var level: Int { lightState.level }
    public var tint: Tint { lightState.tint }
}

extension LampKind {
    /// How a lamp of this kind looks when mains come (`powerup`, preset "safety").
    var powerOnTint: LightState.Tint {
        if whites != nil { return .white(mirek: 366) }
        return gamut == nil ? .none : .color(Whites.xy(mirek: 366).rounded)
    }
}
