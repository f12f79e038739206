/// Every JSON answer of API v2: `{"errors":[…],"data":[…]}`. An element that cannot be read is noted, and never fatal.
public struct Envelope<Element: Decodable & Sendable>: Decodable, Sendable {
    public let errors: [HueError]
    public let data: [Element]
    /// Why elements were skipped.
    public let unreadable: [String]

    private enum CodingKeys: String, CodingKey { case errors, data }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        errors = container.list(.errors)
        let elements = try container.decodeIfPresent([Lenient<Element>].self, forKey: .data) ?? []
        data = elements.compactMap(\.value)
        unreadable = elements.compactMap(\.problem)
    }
}

/// One error, in the bridge's own words.
public struct HueError: Hashable, Codable, Sendable {
    public let description: String
    /// "communication_error", "attribute_may_have_no_effect", "client_error", "internal_error"; absent on older
    /// firmware.
    public let code: String?

    enum CodingKeys: String, CodingKey {
        case description
        case code = "error_code"
    }

    /// Anything counts as an error, however it is written: an emulator sends plain words (chrivers/bifrost), and a
    /// dropped error would read as success.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: CodingKeys.self) {
            description = container.feature(.description) ?? ""
            code = container.feature(.code)
        } else {
            description = (try? decoder.singleValueContainer().decode(String.self)) ?? ""
            code = nil
        }
    }

    public init(_ description: String, code: String? = nil) {
        self.description = description
        self.code = code
    }

    /// The bridge accepted the command, but doubts that the lamp received it. Older firmware says so in words only
    /// (openhab/openhab-addons#15511).
    public var isAdvisory: Bool {
        switch code {
        case "communication_error", "attribute_may_have_no_effect": true
        case nil: description.contains("may not have effect")
        default: false
        }
    }
}
