public import HueWire

/// One lamp as the bridge believes it to be. A command changes it at once, as on a real bridge: what the bridge shows is the
/// target, not the lamp's answer.
public struct Lamp: Equatable, Sendable, Identifiable {
    public let id: ResourceID
    public let name: String
    public let kind: LampKind
    /// Its number in API v1, from 1.
    public let number: Int
    public let ids: Services
    public let isOn: Bool
    /// 1…254.
    public let level: Int
    public let tint: Tint
    /// Whether it has mains. Without, the bridge still takes commands for it, and they come to nothing.
    public let hasMains: Bool

    public enum Tint: Equatable, Sendable {
        case white(mirek: Int)
        case color(XY)
        case none
    }

    /// Its other resources, and its address on the mesh.
    public struct Services: Equatable, Sendable {
        public let device: ResourceID
        public let connectivity: ResourceID
        public let zigbee: String
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case renaming(Renaming); public enum Renaming: Equatable, Sendable { case it(to: String) }
        case turning (Turning ); public enum Turning : Equatable, Sendable { case it(on: Bool) }
        case setting (Setting ); public enum Setting : Equatable, Sendable { case level(to: Int), tint(to: Tint) }
        case cutting (Cutting ); public enum Cutting : Equatable, Sendable { case mains }
        /// Mains come back, and with them the lamp's own power-on behaviour: on, full level, warm white.
        case powering(Powering); public enum Powering: Equatable, Sendable { case up }
    }

    init(
        id: ResourceID, name: String, kind: LampKind, number: Int, ids: Services,
        isOn: Bool = false, level: Int = 254, tint: Tint, hasMains: Bool = true
    ) {
        self.init(id, name, kind, number, ids, isOn, level, tint, hasMains)
    }

    private init(
        _ id: ResourceID, _ name: String, _ kind: LampKind, _ number: Int, _ ids: Services,
        _ isOn: Bool, _ level: Int, _ tint: Tint, _ hasMains: Bool
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.number = number
        self.ids = ids
        self.isOn = isOn
        self.level = min(max(level, 1), 254)
        self.tint = tint
        self.hasMains = hasMains
    }

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .renaming(.it   (to: n)): Self(id, n   , kind, number, ids, isOn, level, tint     , hasMains)
        case let .turning (.it   (on: o)): Self(id, name, kind, number, ids, o   , level, tint     , hasMains)
        case let .setting (.level(to: l)): Self(id, name, kind, number, ids, isOn, l    , tint     , hasMains)
        case let .setting (.tint (to: t)): Self(id, name, kind, number, ids, isOn, level, t        , hasMains)
        case     .cutting (.mains       ): Self(id, name, kind, number, ids, isOn, level, tint     , false   )
        case     .powering(.up          ): Self(id, name, kind, number, ids, true, 254  , kind.dawn, true    )
        }
    }
}

extension LampKind {
    /// How a lamp of this kind looks when mains come (`powerup`, preset "safety").
    var dawn: Lamp.Tint {
        if whites != nil { return .white(mirek: 366) }
        return gamut == nil ? .none : .color(Whites.xy(mirek: 366).rounded)
    }
}
