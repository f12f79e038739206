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

/// A name that a person gave.
public struct Metadata: Hashable, Codable, Sendable {
    /// 1 to 32 characters on a Hue bridge; a longer name of another gateway is cut after 256 bytes.
    public let name: String?
    public let archetype: String?

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = container.feature(.name, as: String.self)?.heldToName
        archetype = container.feature(.archetype)
    }

    public init(name: String?, archetype: String? = nil) {
        self.name = name?.heldToName
        self.archetype = archetype
    }
}

public struct ProductData: Hashable, Decodable, Sendable {
    /// "LCA001", "BSB002"…
    public let modelID: String?
    public let productName: String?
    /// Opaque: usually "1.122.2", but not always.
    public let softwareVersion: String?

    enum CodingKeys: String, CodingKey {
        case modelID = "model_id"
        case productName = "product_name"
        case softwareVersion = "software_version"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        modelID = container.feature(.modelID)
        productName = container.feature(.productName)
        softwareVersion = container.feature(.softwareVersion)
    }

    public init(modelID: String?, productName: String?, softwareVersion: String?) {
        self.modelID = modelID
        self.productName = productName
        self.softwareVersion = softwareVersion
    }
}

extension KeyedDecodingContainer {
    /// A feature of a resource; `nil` if it is missing, `null`, `{}` or unreadable. Bridges use all four for "not
    /// available" (aiohue, `util.py`), and one odd feature must not cost the lamp.
    func feature<Feature: Decodable>(_ key: Key, as type: Feature.Type = Feature.self) -> Feature? {
        try? decodeIfPresent(type, forKey: key)
    }

    /// The elements of a list that can be read; a missing list is empty.
    func list<Element: Decodable>(_ key: Key, of type: Element.Type = Element.self) -> [Element] {
        listIfPresent(key) ?? []
    }

    /// The elements of a list that can be read; `nil` if there is no list, as in an event that does not name it.
    func listIfPresent<Element: Decodable>(_ key: Key, of type: Element.Type = Element.self) -> [Element]? {
        feature(key, as: [Lenient<Element>].self)?.compactMap(\.value)
    }

    func lacking(_ key: Key) -> DecodingError {
        .keyNotFound(key, DecodingError.Context(codingPath: codingPath, debugDescription: "nothing is said"))
    }
}

/// Reads an element, or notes why it could not.
struct Lenient<Value: Decodable>: Decodable {
    let value: Value?
    let problem: String?

    init(from decoder: any Decoder) throws {
        do {
            value = try Value(from: decoder)
            problem = nil
        } catch {
            value = nil
            problem = "\(error)"
        }
    }
}

/// `{"preset":"safety"}`; the parts of "custom" are not read.
public struct PowerupFeature: Hashable, Codable, Sendable {
    /// "safety", "powerfail", "last_on_state", "custom", or a preset newer than this code.
    public let preset: String

    public init(preset: String) { self.preset = preset }
}
