/// The model of the simulated bridge: its names, versions, ports and APIs.
public enum BridgeModel: String, Codable, Sendable, CaseIterable {
    /// The round bridge of the first generation: only API v1 over plain HTTP.
    case round = "BSB001"
    /// The square bridge: API v1 and v2, HTTP and HTTPS.
    case square = "BSB002"
    /// The Bridge Pro: HTTPS only, plain HTTP answers with a redirect.
    case pro = "BSB003"
    /// A gateway like deCONZ: API v1 over plain HTTP with real statuses, another port, no button.
    case deconz = "deCONZ"

    /// Whether it speaks API v2 and has an event stream.
    public var hasV2: Bool { self == .square || self == .pro }
    /// Whether it has an HTTPS port.
    public var hasTLS: Bool { hasV2 }

    /// Whether plain HTTP only redirects to HTTPS.
    var redirects: Bool { self == .pro }

    /// How many lights it has room for: the numbers that the makers recommend.
    public var mostLights: Int {
        switch self {
        case .round, .square: 50
        case .pro: 150
        case .deconz: 200
        }
    }

    /// How many lights it says that it can hold: a little more than the maker recommends for the round and the square one.
    var totalLights: Int { self == .round || self == .square ? 63 : mostLights }

    var productName: String {
        switch self {
        case .round, .square: "Hue Bridge"
        case .pro: "Hue Bridge Pro"
        case .deconz: "Phoscon-GW"
        }
    }

    var archetype: String { self == .pro ? "bridge_v3" : "bridge_v2" }

    /// A decimal number; from 1948086000 on clients expect API v2. deCONZ has another form.
    var softwareVersion: String {
        switch self {
        case .round: "1709131301"
        case .square: "1978293000"
        case .pro: "2071476020"
        case .deconz: "2.29.2"
        }
    }

    var apiVersion: String {
        switch self {
        case .round: "1.16.0"
        case .square, .pro: "1.78.0"
        case .deconz: "1.16.0"
        }
    }

    /// The first half of a bridge's id: the maker's prefix, and `fffe`; `ffff` for deCONZ.
    var prefix: String { self == .deconz ? "00212effff" : self == .pro ? "c42996fffe" : "ecb5fafffe" }
}

extension BridgeModel {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let model = Self(rawValue: text) else {
            let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath, debugDescription: "unknown model '\(text)'; known models: \(known)")
            )
        }
        self = model
    }
}

/// How many things a bridge has room for, whichever API creates them (v1 `capabilities`).
enum Capacity {
    /// Rooms and zones together; in API v1 also light groups and entertainment configurations.
    static let groups = 64
    static let scenes = 200
    static let sensors = 250
    static let entertainmentChannels = 20
    /// Resources of API v2 that are stored as written, of each type.
    static let storedResources = 100
}
