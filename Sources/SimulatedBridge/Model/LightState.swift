public import HueWire

/// What a lamp shows: lit or not, how bright, in which tint, with which effect.
public struct LightState: Equatable, Codable, Sendable {
    public let isOn: Bool
    /// 1…254.
    public let level: Int
    public let tint: Tint
    public let effect: Effect
    /// The points of a gradient, from one end to the other; empty where the lamp shows one colour.
    public let gradient: [XY]

    public enum Tint: Equatable, Codable, Sendable {
        case white(mirek: Int)
        case color(XY)
        /// As API v1 writes it: hue 0…65535, saturation 0…254.
        case shade(hue: Int, saturation: Int)
        case none
    }

    public enum Effect: Equatable, Codable, Sendable {
        case none
        /// "candle", "fire" …; "colorloop" where API v1 asked for it.
        case running(String, parameters: JSONValue? = nil)
        /// "sunrise" or "sunset", over so many milliseconds.
        case timed(String, milliseconds: Int)
    }

    // swift-format-ignore
    public enum Change: Equatable, Sendable {
        case turning(Turning); public enum Turning: Equatable, Sendable { case it(on: Bool) }
        case setting(Setting); public enum Setting: Equatable, Sendable { case level(to: Int), tint(to: Tint), effect(to: Effect), gradient(to: [XY]) }
    }

    public init(
        isOn: Bool = false, level: Int = 254, tint: Tint, effect: Effect = .none, gradient: [XY] = []
    ) {
        self.init(isOn, level, tint, effect, gradient)
    }

    private init(_ isOn: Bool, _ level: Int, _ tint: Tint, _ effect: Effect, _ gradient: [XY]) {
        self.isOn = isOn
        self.level = min(max(level, 1), 254)
        self.tint = tint
        self.effect = effect
        self.gradient = gradient
    }

    public func alter(by changes: Change...) -> Self { alter(by: changes) }
    public func alter(by changes: [Change]) -> Self { changes.reduce(self) { $0.altered(by: $1) } }

    /// One row, one axiom. A tint ends a running effect and a gradient, as on emulators and, as far as is known, on lamps.
    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .turning(.it      (on: o)): Self(o   , level, tint                            , effect, gradient)
        case let .setting(.level   (to: l)): Self(isOn, l    , tint                            , effect, gradient)
        case let .setting(.tint    (to: t)): Self(isOn, level, t                               , .none , []      )
        case let .setting(.effect  (to: e)): Self(isOn, level, tint                            , e     , gradient)
        case let .setting(.gradient(to: g)): Self(isOn, level, g.first.map { .color($0) } ?? tint, .none , g       )
        }
    }
}

extension LightState {
    /// What is to be seen on the way to another look. The way of a level is even on the grid of levels, that of a tint even in mirek
    /// between two whites and in xy otherwise; who goes out is lit to the end, who comes on begins at the lowest level.
    ///
    /// - Parameter share: of the way, 0…1.
    public func moved(towards end: Self, by share: Double) -> Self {
        // In the dark there is nothing to see of a way.
        guard isOn || end.isOn else { return end }
        guard share > 0 else { return Self(true, isOn ? level : 1, tint, end.effect, gradient) }
        guard share < 1 else { return end }
        let (from, to) = (isOn ? level : 1, end.isOn ? end.level : 1)
        return Self(
            true, Self.between(from, to, share), tint.moved(towards: end.tint, by: share), end.effect,
            end.gradient)
    }

    fileprivate static func between(_ from: Int, _ to: Int, _ share: Double) -> Int {
        from + Int((Double(to - from) * share).rounded())
    }
}

extension LightState.Tint {
    fileprivate func moved(towards end: Self, by share: Double) -> Self {
        switch (self, end) {
        case let (.white(from), .white(to)): .white(mirek: LightState.between(from, to, share))
        case let (.shade(hue, from), .shade(same, to)) where hue == same:
            .shade(hue: hue, saturation: LightState.between(from, to, share))
        case (.none, _), (_, .none): end
        default:
            .color(
                XY(
                    x: point.x + (end.point.x - point.x) * share, y: point.y + (end.point.y - point.y) * share
                ).rounded)
        }
    }

    /// Where it lies in the CIE 1931 diagram.
    var point: XY {
        switch self {
        case let .color(xy): xy
        case let .white(mirek): Whites.xy(mirek: mirek).rounded
        case let .shade(hue, saturation):
            HueSaturation(hue: Double(hue) / 65536, saturation: Double(saturation) / 254).xy.rounded
        case .none: XY(x: 0, y: 0)
        }
    }
}
