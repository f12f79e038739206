@_exported public import AnyJSON
public import FoundationEssentials

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

/// When a bridge says that something happened, by its own clock, which may be wrong. Its text tells one report from
/// another.
public struct ReportTime: Hashable, Sendable {
    /// As the bridge writes it: "2026-01-31T10:00:00.123Z" in API v2, "2026-01-31T10:00:00" in API v1.
    public let text: String

    public init(_ text: String) { self.text = text }

    /// `nil` if it is no such time.
    public var date: Date? {
        let utc = text.hasSuffix("Z") ? text : text + "Z"
        return try? Date(utc, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")))
    }

    /// How long this is after another time of the same clock, in seconds; `nil` if one of them is no time.
    public func seconds(since other: ReportTime) -> Double? {
        guard let date, let earlier = other.date else { return nil }
        return date.timeIntervalSince(earlier)
    }
}

extension ReportTime: Decodable {
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }
}

extension String {
    /// The longest name that is taken from a bridge, in bytes of UTF-8. A Hue bridge allows 32 characters, and gateways of
    /// others more; but every list, event and journal entry repeats a name.
    static let longestName = 256

    /// The name as it is, or its beginning with "…" if it is longer than that.
    var heldToName: String {
        guard utf8.count > Self.longestName else { return self }
        let end: Character = "…"
        var held = ""
        for character in self {
            guard held.utf8.count + character.utf8.count + end.utf8.count <= Self.longestName else { break }
            held.append(character)
        }
        return held + String(end)
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
