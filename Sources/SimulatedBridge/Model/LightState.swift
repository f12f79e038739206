public import HueWire

/// What a lamp shows: on or off, how bright, in which tint, with which effect.
public struct LightState: Equatable, Codable, Sendable, ChangedByCopy {
    public private(set) var isOn: Bool
    /// 1…254.
    public private(set) var level: Int
    public private(set) var tint: Tint
    public private(set) var effect: Effect
    /// The points of a gradient, from one end to the other; empty if the lamp shows one colour.
    public private(set) var gradient: [XY]

    public enum Tint: Equatable, Codable, Sendable {
        case white(mirek: Int)
        case color(XY)
        /// As API v1 writes it: hue 0…65535, saturation 0…254.
        case shade(hue: Int, saturation: Int)
        case none
    }

    public enum Effect: Equatable, Codable, Sendable {
        case none
        /// "candle", "fire" …; "colorloop" only from API v1.
        case running(String, parameters: JSONValue? = nil)
        /// "sunrise" or "sunset", and how long it takes.
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

    // One row, one axiom. A tint ends a running effect and a gradient, as on emulators and, as far as known, on lamps.
    // swift-format-ignore
    private func altered(by change: Change) -> Self {
        switch change {
        case let .turning(.it      (on: o)): with(\.isOn, o)
        case let .setting(.level   (to: l)): with(\.level, min(max(l, 1), 254))
        case let .setting(.tint    (to: t)): with(\.tint, t).with(\.effect, .none).with(\.gradient, [])
        case let .setting(.effect  (to: e)): with(\.effect, e)
        case let .setting(.gradient(to: g)): with(\.tint, g.first.map { .color($0) } ?? tint).with(\.effect, .none).with(\.gradient, g)
        }
    }
}

extension LightState {
    /// The state at a point of a fade to another one. Levels fade evenly; tints evenly in mirek between two whites, in
    /// xy otherwise. A lamp that turns off stays lit until the end; one that turns on begins at the lowest level.
    ///
    /// - Parameter share: the part of the fade that is over, 0…1.
    public func moved(towards end: Self, by share: Double) -> Self {
        // A fade between two dark states shows nothing.
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

    /// Its point in the CIE 1931 diagram.
    var point: XY {
        switch self {
        case let .color(xy): xy
        case let .white(mirek): Whites.xy(mirek: mirek).rounded
        case let .shade(hue, saturation):
            HueSaturation(hue: Double(hue) / 65536, saturation: Double(saturation) / 254).xy.rounded
        case .none: XY(x: 0, y: 0)
        }
    }

    /// Its white, or the nearest one to its colour.
    var mirek: Int {
        switch self {
        case let .white(mirek): mirek
        case .color, .shade: Whites.mirek(point)
        case .none: 366
        }
    }
}
