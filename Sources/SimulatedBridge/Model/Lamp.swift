public import FoundationEssentials
public import HueWire

/// One lamp as the bridge believes it to be. A command changes it at once, as on a real bridge: the bridge reports the
/// target, not the lamp's answer. What the lamp itself shows is in the ``Mesh``.
public struct Lamp: Equatable, Codable, Sendable, Identifiable, ChangedByCopy {
    public typealias Tint = LightState.Tint

    public let id: ResourceID
    public private(set) var name: String
    /// The shape of its fixture: "sultan_bulb", "plug" …
    public private(set) var archetype: String
    public let kind: LampKind
    /// Its number in API v1, from 1.
    public let number: Int
    public let ids: Services
    public private(set) var lightState: LightState
    public private(set) var powerup: Powerup
    /// Whether the bridge can reach it. If not, the bridge still accepts commands for it, without effect.
    public private(set) var hasMains: Bool
    /// The last `alert` that API v1 wrote.
    public private(set) var alert = "none"
    /// How fast a dynamic palette runs on it, 0…1; `nil` if none runs.
    public private(set) var palette: Double?
    /// Whether an entertainment session uses it.
    public private(set) var isStreaming = false
    public private(set) var traits = Traits()

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
        /// The bridge has found out that the lamp has no mains.
        case cutting  (Cutting  ); public enum Cutting  : Equatable, Sendable { case mains }
        /// Mains are back, and the lamp starts as its power-on behaviour says.
        case powering (Powering ); public enum Powering : Equatable, Sendable { case up }
        case playing  (Playing  ); public enum Playing  : Equatable, Sendable { case palette(speed: Double), color(XY), nothing }
        case streaming(Streaming); public enum Streaming: Equatable, Sendable { case begins, ends }
        /// Begins or ends a signal.
        case signaling(Signaling); public enum Signaling: Equatable, Sendable { case it(Signal?) }
    }

    init(
        id: ResourceID, name: String, archetype: String? = nil, kind: LampKind, number: Int, ids: Services,
        lightState: LightState, powerup: Powerup = .safety, hasMains: Bool = true
    ) {
        self.id = id
        self.name = name
        self.archetype = archetype ?? kind.product.archetype
        self.kind = kind
        self.number = number
        self.ids = ids
        self.lightState = lightState
        self.powerup = powerup
        self.hasMains = hasMains
    }

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // One row, one axiom. Setting a tint, an effect or a gradient ends a running palette; its own next colour does not.
    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming (.it        (to: n))   : with(\.name, n)
        case let .turning  (.it        (on: o))   : showing(.turning(.it(on: o))).with(\.palette, o ? palette : nil)
        case let .setting  (.level     (to: l))   : showing(.setting(.level(to: l)))
        case let .setting  (.tint      (to: t))   : showing(.setting(.tint(to: t))).with(\.palette, nil)
        case let .setting  (.effect    (to: e))   : showing(.setting(.effect(to: e))).with(\.palette, nil)
        case let .setting  (.gradient  (to: g))   : showing(.setting(.gradient(to: g))).with(\.palette, nil)
        case let .setting  (.lightState(to: l))   : with(\.lightState, l).with(\.palette, nil)
        case let .setting  (.archetype (to: a))   : with(\.archetype, a)
        case let .setting  (.powerup   (to: p))   : with(\.powerup, p)
        case let .setting  (.alert     (to: a))   : with(\.alert, a)
        case let .setting  (.function  (to: f))   : with(\.traits.function, f)
        case let .setting  (.mode      (to: m))   : with(\.traits.gradientMode, m)
        case     .cutting  (.mains)               : with(\.hasMains, false).with(\.palette, nil)
        case     .powering (.up)                  : with(\.hasMains, true).with(\.palette, nil).with(\.lightState, powerup.lightState(after: lightState, of: kind))
        case let .playing  (.palette(speed: s))   : with(\.palette, s)
        case let .playing  (.color     (c))       : showing(.setting(.tint(to: .color(c))))
        case     .playing  (.nothing)             : with(\.palette, nil)
        case     .streaming(.begins)              : with(\.isStreaming, true).with(\.palette, nil)
        case     .streaming(.ends)                : with(\.isStreaming, false)
        case let .signaling(.it(signal))          : with(\.traits.signal, signal)
        }
    }

    private func showing(_ change: LightState.Change) -> Self { with(\.lightState, lightState.alter(by: change)) }

    public var isOn: Bool { lightState.isOn }
    /// 1…254.
    public var level: Int { lightState.level }
    public var tint: Tint { lightState.tint }
}

extension LampKind {
    /// The tint of a lamp of this kind when its mains are switched on (`powerup`, preset "safety").
    var powerOnTint: LightState.Tint {
        if whites != nil { return .white(mirek: 366) }
        return gamut == nil ? .none : .color(Whites.xy(mirek: 366).rounded)
    }
}

extension Lamp {
    /// What API v2 stores of a lamp besides its light state.
    public struct Traits: Equatable, Codable, Sendable {
        /// "functional", "decorative", "mixed" or "unknown".
        public internal(set) var function = "mixed"
        /// How the points of a gradient are arranged.
        public internal(set) var gradientMode = "interpolated_palette"
        /// The signal that is running.
        public internal(set) var signal: Signal?
    }

    /// Draws attention for a while; afterwards the lamp shows its light state again.
    public struct Signal: Equatable, Codable, Sendable {
        /// "on_off", "on_off_color" or "alternating".
        public let name: String
        public let end: Date
        public let colors: [XY]
    }

    /// The ids of all resources of API v2 that belong to the lamp.
    var resources: Set<ResourceID> { [id, ids.device, ids.connectivity, ids.entertainment, softwareUpdate] }

    /// Its software update, which every device has; derived from the device's id.
    var softwareUpdate: ResourceID { DerivedID.fixed("device_software_update", ids.device.description) }

    /// The signals that a lamp of this kind supports.
    var signals: [String] {
        kind.gamut == nil ? ["no_signal", "on_off"] : ["no_signal", "on_off", "on_off_color", "alternating"]
    }
}

extension Accessory {
    /// The ids of all resources of API v2 that belong to the accessory.
    var resources: Set<ResourceID> { Set([id] + services.map(\.id)) }
}

/// A lamp that the bridge does not know yet. The next search finds it.
struct NewLamp: Hashable, Sendable {
    let name: String
    let kind: LampKind

    /// The lamp as the bridge adds it: on, in no room.
    func lamp(in context: DecisionContext) -> Lamp {
        let place = "made/\(context.home.made)"
        return Lamp(
            id: context.newID(.light), name: name, kind: kind, number: context.home.freeLampNumber,
            ids: Lamp.Services(context.derive, place), lightState: LightState(isOn: true, tint: kind.powerOnTint))
    }
}
