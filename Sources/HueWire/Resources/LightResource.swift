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
    /// "normal", or "streaming" during an entertainment session.
    public let mode: String?
    /// What the lamp does when its mains come back.
    public let powerup: PowerupFeature?

    enum CodingKeys: String, CodingKey {
        case id, owner, metadata, on, dimming, color, mode, powerup
        case colorTemperature = "color_temperature"
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
        mode = container.feature(.mode)
        powerup = container.feature(.powerup)
    }

    public init(
        id: ResourceID, owner: ResourceReference?, metadata: Metadata? = nil, on: On? = nil, dimming: Dimming? = nil,
        colorTemperature: ColorTemperature? = nil, color: ColorFeature? = nil, mode: String? = nil,
        powerup: PowerupFeature? = nil
    ) {
        self.id = id
        self.owner = owner
        self.metadata = metadata
        self.on = on
        self.dimming = dimming
        self.colorTemperature = colorTemperature
        self.color = color
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

    /// A light shows one of the two.
    public enum Color: Hashable, Sendable {
        case xy(XY)
        case mirek(Int)
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
    private struct Features: Codable {
        var on: On?
        var dimming: Dimming?
        var colorTemperature: White?
        var color: Point?
        var dynamics: Dynamics?
        var powerup: PowerupFeature?

        struct White: Codable { var mirek: Int }
        struct Point: Codable { var xy: XY }
        struct Dynamics: Codable { var duration: Int }

        enum CodingKeys: String, CodingKey {
            case on, dimming, color, dynamics, powerup
            case colorTemperature = "color_temperature"
        }
    }

    public init(from decoder: any Decoder) throws {
        let features = try Features(from: decoder)
        self.init(
            on: features.on?.on, brightness: features.dimming?.brightness,
            color: features.color.map { .xy($0.xy) } ?? features.colorTemperature.map { .mirek($0.mirek) },
            milliseconds: features.dynamics?.duration, powerup: features.powerup)
    }

    public func encode(to encoder: any Encoder) throws {
        var features = Features(
            on: on.map { On($0) }, dimming: brightness.map { Dimming($0) },
            dynamics: milliseconds.map { Features.Dynamics(duration: $0) }, powerup: powerup)
        switch color {
        case let .xy(point): features.color = Features.Point(xy: point)
        case let .mirek(mirek): features.colorTemperature = Features.White(mirek: mirek)
        case nil: break
        }
        try features.encode(to: encoder)
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
