/// A light, complete or as the part that an event names: an absent feature is one that the lamp lacks, or one that has
/// not changed.
public struct LightResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    /// The device it belongs to.
    public let owner: ResourceReference?
    /// A v2 bridge names both the light and its device; the device's name counts (openhue/openhue-api).
    public let metadata: Metadata?
    public let on: On?
    public let dimming: Dimming?
    public let colorTemperature: ColorTemperature?
    public let color: ColorFeature?
    public let gradient: GradientFeature?
    /// What runs on the lamp, by the newest form that it has.
    public let effects: EffectsFeature?
    /// The form before `effects_v2`; bridges of before 2025 have it alone.
    public let oldEffects: EffectsFeature?
    public let timedEffects: EffectsFeature?
    public let signaling: SignalingFeature?
    public let dynamics: DynamicsFeature?
    /// "normal", or "streaming" during an entertainment session.
    public let mode: String?
    /// What the lamp does when its mains come back.
    public let powerup: PowerupFeature?

    enum CodingKeys: String, CodingKey {
        case id, owner, metadata, on, dimming, color, gradient, signaling, dynamics, mode, powerup
        case colorTemperature = "color_temperature"
        case effects = "effects_v2"
        case oldEffects = "effects"
        case timedEffects = "timed_effects"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        owner = container.feature(.owner)
        metadata = container.feature(.metadata)
        on = container.feature(.on)
        dimming = container.feature(.dimming)
        colorTemperature = container.feature(.colorTemperature)
        color = container.feature(.color)
        gradient = container.feature(.gradient)
        effects = container.feature(.effects)
        oldEffects = container.feature(.oldEffects)
        timedEffects = container.feature(.timedEffects)
        signaling = container.feature(.signaling)
        dynamics = container.feature(.dynamics)
        mode = container.feature(.mode)
        powerup = container.feature(.powerup)
    }

    public init(
        id: ResourceID, owner: ResourceReference?, metadata: Metadata? = nil, on: On? = nil, dimming: Dimming? = nil,
        colorTemperature: ColorTemperature? = nil, color: ColorFeature? = nil, gradient: GradientFeature? = nil,
        effects: EffectsFeature? = nil, oldEffects: EffectsFeature? = nil, timedEffects: EffectsFeature? = nil,
        signaling: SignalingFeature? = nil, dynamics: DynamicsFeature? = nil, mode: String? = nil,
        powerup: PowerupFeature? = nil
    ) {
        self.id = id
        self.owner = owner
        self.metadata = metadata
        self.on = on
        self.dimming = dimming
        self.colorTemperature = colorTemperature
        self.color = color
        self.gradient = gradient
        self.effects = effects
        self.oldEffects = oldEffects
        self.timedEffects = timedEffects
        self.signaling = signaling
        self.dynamics = dynamics
        self.mode = mode
        self.powerup = powerup
    }
}

/// What is asked of a light or a grouped light: only what is named is sent.
public struct LightUpdate: Hashable, Sendable {
    public var on: Bool?
    /// Per cent, 0…100.
    public var brightness: Double?
    public var color: Color?
    /// How long the change takes: 0…6,000,000; `nil` leaves it to the bridge.
    public var milliseconds: Int?
    /// Never beside the others.
    public var powerup: PowerupFeature?

    /// A light shows one of these.
    public indirect enum Color: Hashable, Sendable {
        case xy(XY)
        case mirek(Int)
        /// From one end of a strip to the other: 2 points or more. Without a mode the strip keeps its own.
        case gradient([XY], mode: String?)
        /// An effect that runs over one of the others; over what the light shows, if none is named.
        case effect(Effect, over: Color?)
    }

    /// What is asked to run on a light, and in which form.
    public struct Effect: Hashable, Sendable {
        /// "candle", "fire"…; "no_effect" ends what runs.
        public var name: String
        /// 0…1; only the newest form has it.
        public var speed: Double?
        /// A point or a white; only the newest form has it.
        public var color: Color?
        /// How long a timed effect takes.
        public var milliseconds: Int?
        public var form: Form

        /// The feature of the API that takes it: `effects_v2`, `effects` or `timed_effects`. The colours of a dynamic
        /// scene are told by `dynamics`, and only the scene begins them.
        public enum Form: Sendable { case new, old, timed, palette }

        public init(
            _ name: String, speed: Double? = nil, color: Color? = nil, milliseconds: Int? = nil, as form: Form = .new
        ) {
            (self.name, self.speed, self.color) = (name, speed, color)
            (self.milliseconds, self.form) = (milliseconds, form)
        }

        /// What an effect is called that is none.
        public static let none = "no_effect"
        /// A dynamic scene moves the light through the colours of its palette.
        public static let palette = "dynamic_palette"
    }

    public init(
        on: Bool? = nil, brightness: Double? = nil, color: Color? = nil, milliseconds: Int? = nil,
        powerup: PowerupFeature? = nil
    ) {
        self.on = on
        self.brightness = brightness
        self.color = color
        self.milliseconds = milliseconds
        self.powerup = powerup
    }
}

extension LightUpdate: Codable {
    fileprivate struct Features: Encodable {
        var on: On?
        var dimming: Dimming?
        var colorTemperature: White?
        var color: Point?
        var gradient: Gradient?
        var effects: OldEffect?
        var newEffects: NewEffect?
        var timedEffects: OldEffect?
        var dynamics: Dynamics?
        var powerup: PowerupFeature?

        struct White: Codable { var mirek: Int }
        struct Point: Codable { var xy: XY }
        struct Dynamics: Codable { var duration: Int }
        struct Gradient: Codable {
            var points: [Place]
            var mode: String?

            struct Place: Codable { var color: Point }
        }
        struct OldEffect: Codable {
            var effect: String
            var duration: Int?
        }
        struct NewEffect: Codable {
            var action: Action

            struct Action: Codable {
                var effect: String
                var parameters: EffectsFeature.Parameters?
            }
        }

        enum CodingKeys: String, CodingKey {
            case on, dimming, color, gradient, effects, dynamics, powerup
            case colorTemperature = "color_temperature"
            case newEffects = "effects_v2"
            case timedEffects = "timed_effects"
        }

        /// A light shows one of these.
        mutating func take(_ shown: Color) {
            switch shown {
            case let .xy(point): color = Point(xy: point)
            case let .mirek(mirek): colorTemperature = White(mirek: mirek)
            case let .gradient(points, mode):
                gradient = Gradient(points: points.map { Gradient.Place(color: Point(xy: $0)) }, mode: mode)
            case let .effect(effect, over: base):
                if let base { take(base) }
                switch effect.form {
                case .new:
                    newEffects = NewEffect(
                        action: NewEffect.Action(effect: effect.name, parameters: EffectsFeature.Parameters(effect)))
                case .old: effects = OldEffect(effect: effect.name)
                case .timed: timedEffects = OldEffect(effect: effect.name, duration: effect.milliseconds)
                case .palette: break
                }
            }
        }

        var shown: Color? {
            var base = color.map { Color.xy($0.xy) } ?? colorTemperature.map { .mirek($0.mirek) }
            if let points = gradient?.points.map(\.color.xy), points.count > 1 {
                base = .gradient(points, mode: gradient?.mode)
            }
            let effect: Effect? =
                if let action = newEffects?.action {
                    Effect(
                        action.effect, speed: action.parameters?.speed, color: action.parameters?.shown)
                } else if let timedEffects {
                    Effect(timedEffects.effect, milliseconds: timedEffects.duration, as: .timed)
                } else {
                    effects.map { Effect($0.effect, as: .old) }
                }
            // A scene that names no effect beside a colour sets none.
            guard let effect, effect.name != Effect.none || base == nil else { return base }
            return .effect(effect, over: base)
        }
    }

    public init(from decoder: any Decoder) throws {
        let features = try Features(from: decoder)
        self.init(
            on: features.on?.on, brightness: features.dimming?.brightness, color: features.shown,
            milliseconds: features.dynamics?.duration, powerup: features.powerup)
    }

    public func encode(to encoder: any Encoder) throws {
        var features = Features(
            on: on.map { On($0) }, dimming: brightness.map { Dimming($0) },
            dynamics: milliseconds.map { Features.Dynamics(duration: $0) }, powerup: powerup)
        if let color { features.take(color) }
        try features.encode(to: encoder)
    }
}

extension LightUpdate.Features: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            on: try container.decodeIfPresent(On.self, forKey: .on),
            dimming: try container.decodeIfPresent(Dimming.self, forKey: .dimming),
            colorTemperature: try container.decodeIfPresent(White.self, forKey: .colorTemperature),
            color: try container.decodeIfPresent(Point.self, forKey: .color),
            gradient: container.feature(.gradient), effects: container.feature(.effects),
            newEffects: container.feature(.newEffects), timedEffects: container.feature(.timedEffects),
            dynamics: try container.decodeIfPresent(Dynamics.self, forKey: .dynamics),
            powerup: try container.decodeIfPresent(PowerupFeature.self, forKey: .powerup))
    }
}

/// Whether a dynamic scene moves the lamp through the colours of its palette.
public struct DynamicsFeature: Hashable, Decodable, Sendable {
    /// "none" or "dynamic_palette"; `nil` if it is not named.
    public let status: String?
    /// 0…1; `nil` if it is not named, or the bridge calls it invalid, as it does while nothing moves.
    public let speed: Double?

    enum CodingKeys: String, CodingKey {
        case status, speed
        case isValid = "speed_valid"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = container.feature(.status)
        let speed: Double? = container.feature(.speed)
        self.speed = container.feature(.isValid) == false ? nil : speed
    }

    public init(status: String?, speed: Double? = nil) { (self.status, self.speed) = (status, speed) }
}

/// What a lamp tells by blinking. Its `status` is there only while it does.
public struct SignalingFeature: Hashable, Decodable, Sendable {
    /// `nil` while it tells nothing.
    public let status: Status?

    public struct Status: Hashable, Decodable, Sendable {
        /// "on_off", "on_off_color" or "alternating".
        public let signal: String
        /// By the bridge's clock.
        public let end: ReportTime?
        public let colors: [XY]

        private enum CodingKeys: String, CodingKey {
            case signal, colors
            case end = "estimated_end"
        }

        private struct Place: Decodable { let xy: XY }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            signal = try container.decode(String.self, forKey: .signal)
            end = container.feature(.end)
            colors = container.feature(.colors, as: [Place].self)?.map(\.xy) ?? []
        }
    }

    private enum CodingKeys: String, CodingKey { case status }

    public init(from decoder: any Decoder) throws {
        let told: Status? = try decoder.container(keyedBy: CodingKeys.self).feature(.status)
        status = told?.signal == "no_signal" ? nil : told
    }
}

/// Several colours along a strip.
public struct GradientFeature: Hashable, Decodable, Sendable {
    /// 0…5 of them; fewer than two while the lamp shows a single colour. `nil` if they are not named, or cannot be read.
    public let points: [XY]?
    /// "interpolated_palette", "interpolated_palette_mirrored", "random_pixelated" or "segmented_palette".
    public let mode: String?
    /// Those that the lamp has.
    public let modes: [String]?
    /// How many points the lamp takes.
    public let most: Int?

    enum CodingKeys: String, CodingKey {
        case points, mode
        case modes = "mode_values"
        case most = "points_capable"
    }

    private struct Place: Decodable {
        let color: Color

        struct Color: Decodable { let xy: XY }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        points = container.feature(.points, as: [Place].self)?.map(\.color.xy)
        mode = container.feature(.mode)
        modes = container.feature(.modes)
        most = container.feature(.most)
    }

    public init(points: [XY]?, mode: String? = nil, modes: [String]? = nil, most: Int? = nil) {
        (self.points, self.mode, self.modes, self.most) = (points, mode, modes, most)
    }
}

/// What runs on a lamp, and what could: `effects_v2`, `effects` or `timed_effects`, of which each names it differently.
public struct EffectsFeature: Hashable, Decodable, Sendable {
    /// "candle", "fire"…, or "no_effect"; `nil` if it is not named.
    public let effect: String?
    /// What the lamp can run, "no_effect" among it; `nil` if it is not named.
    public let values: [String]?
    public let parameters: Parameters?
    /// Of a timed effect, in milliseconds.
    public let duration: Int?

    /// How an effect runs.
    public struct Parameters: Hashable, Codable, Sendable {
        public var xy: XY?
        public var mirek: Int?
        /// 0…1
        public var speed: Double?
    }

    private enum CodingKeys: String, CodingKey {
        case action, status, effect, parameters, duration
        case values = "effect_values"
        case statusValues = "status_values"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        duration = container.feature(.duration)
        if let status = try? container.nestedContainer(keyedBy: CodingKeys.self, forKey: .status) {
            effect = status.feature(.effect)
            parameters = status.feature(.parameters)
            let action = try? container.nestedContainer(keyedBy: CodingKeys.self, forKey: .action)
            values = action?.feature(.values) ?? status.feature(.values)
        } else {
            effect = container.feature(.status)
            parameters = nil
            values = container.feature(.values) ?? container.feature(.statusValues)
        }
    }

    public init(effect: String?, values: [String]? = nil, parameters: Parameters? = nil, duration: Int? = nil) {
        (self.effect, self.values, self.parameters, self.duration) = (effect, values, parameters, duration)
    }
}

extension EffectsFeature.Parameters {
    private enum CodingKeys: String, CodingKey {
        case color, speed
        case white = "color_temperature"
    }

    private typealias Point = LightUpdate.Features.Point
    private typealias White = LightUpdate.Features.White

    /// `nil` if nothing is asked but the effect.
    init?(_ effect: LightUpdate.Effect) {
        guard effect.speed != nil || effect.color != nil else { return nil }
        speed = effect.speed
        switch effect.color {
        case let .xy(point): xy = point
        case let .mirek(mirek): self.mirek = mirek
        case .gradient, .effect, nil: break
        }
    }

    /// Its point or its white.
    public var shown: LightUpdate.Color? { xy.map { .xy($0) } ?? mirek.map { .mirek($0) } }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        xy = container.feature(.color, as: Point.self)?.xy
        mirek = container.feature(.white, as: White.self)?.mirek
        speed = container.feature(.speed)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(xy.map { Point(xy: $0) }, forKey: .color)
        try container.encodeIfPresent(mirek.map { White(mirek: $0) }, forKey: .white)
        try container.encodeIfPresent(speed, forKey: .speed)
    }
}

/// `{"on":true}`. A lamp at its lowest level is on, too.
public struct On: Hashable, Codable, Sendable {
    public let on: Bool

    public init(_ on: Bool) { self.on = on }
}

/// A level in per cent, 0…100. 0 is the lowest level, not off.
public struct Dimming: Hashable, Codable, Sendable {
    public let brightness: Double
    /// The light output at the lowest level, in per cent of full.
    public let minDimLevel: Double?

    enum CodingKeys: String, CodingKey {
        case brightness
        case minDimLevel = "min_dim_level"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        brightness = try container.decode(Double.self, forKey: .brightness)
        minDimLevel = container.feature(.minDimLevel)
    }

    public init(_ brightness: Double, minDimLevel: Double? = nil) {
        self.brightness = brightness
        self.minDimLevel = minDimLevel
    }
}

/// The white tone. `mirek` is absent, and `mirekValid` false, while the lamp shows a colour.
public struct ColorTemperature: Hashable, Decodable, Sendable {
    public let mirek: Int?
    public let mirekValid: Bool?
    public let mirekSchema: MirekSchema?

    enum CodingKeys: String, CodingKey {
        case mirek
        case mirekValid = "mirek_valid"
        case mirekSchema = "mirek_schema"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // `{}` means "not available", or for a group "can be written"; neither is a white.
        guard !container.allKeys.isEmpty else { throw container.lacking(.mirek) }
        mirek = container.feature(.mirek)
        mirekValid = container.feature(.mirekValid)
        mirekSchema = container.feature(.mirekSchema)
    }

    public init(mirek: Int?, valid: Bool? = nil, schema: MirekSchema? = nil) {
        self.mirek = mirek
        mirekValid = valid
        mirekSchema = schema
    }

    /// The white that the lamp shows now; `nil` while it shows a colour, and for the 0 and 65535 that broken lamps
    /// report (home-assistant-libs/aiohue, `feature.py`).
    public var shown: Int? {
        guard mirekValid != false, let mirek, (1..<65535).contains(mirek) else { return nil }
        return mirek
    }
}

/// The range of whites that a lamp can show.
public struct MirekSchema: Hashable, Codable, Sendable {
    public let minimum: Int
    public let maximum: Int

    enum CodingKeys: String, CodingKey {
        case minimum = "mirek_minimum"
        case maximum = "mirek_maximum"
    }

    public init(_ minimum: Int, _ maximum: Int) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// As a range; broken lamps report 0…65535 and get the common 153…500 (aiohue, `feature.py`).
    public var range: ClosedRange<Int> {
        guard minimum > 0, maximum < 65535, minimum <= maximum else { return 153...500 }
        return minimum...maximum
    }
}

/// A colour, and what the lamp can mix.
public struct ColorFeature: Hashable, Decodable, Sendable {
    public let xy: XY
    public let gamut: Gamut?
    public let gamutType: String?

    enum CodingKeys: String, CodingKey {
        case xy, gamut
        case gamutType = "gamut_type"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        xy = try container.decode(XY.self, forKey: .xy)
        gamut = container.feature(.gamut)
        gamutType = container.feature(.gamutType)
    }

    public init(_ xy: XY, gamut: Gamut? = nil, gamutType: String? = nil) {
        self.xy = xy
        self.gamut = gamut
        self.gamutType = gamutType
    }

    /// The triangle to limit colours to: the reported one unless it is degenerate (third-party lamps report zeros,
    /// home-assistant/core#20447), then that of the type, then C.
    public var triangle: Gamut {
        if let gamut, !gamut.isDegenerate { return gamut }
        switch gamutType {
        case "A": return .a
        case "B": return .b
        default: return .c
        }
    }
}

/// `{"preset":"safety"}`; the parts of "custom" are not read.
public struct PowerupFeature: Hashable, Codable, Sendable {
    /// "safety", "powerfail", "last_on_state", "custom", or a preset newer than this code.
    public let preset: String

    public init(preset: String) { self.preset = preset }
}
