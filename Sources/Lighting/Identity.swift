/// What a command applies to. It names lights instead of copying them: a step is computed from the state at the moment
/// the command is carried out.
public enum Target: Hashable, Codable, Sendable {
    case light(Light.ID)
    case room(Room.ID)
    /// Every light of every bridge.
    case all
}

/// Identifies a light, room or scene: the bridge's id and the resource's id on that bridge, written "BRIDGE/RESOURCE".
/// Ids of two bridges never collide.
public struct QualifiedID<Model>: Hashable, Sendable {
    public let bridge: Bridge.ID
    /// The id the bridge itself uses (a UUID on v2 bridges, a number on v1).
    public let resource: String

    public init(bridge: Bridge.ID, resource: String) {
        self.bridge = bridge
        self.resource = resource
    }

    /// Parses what ``description`` writes; `nil` if there is no slash, or one side is empty.
    public init?(_ text: String) {
        guard let slash = text.firstIndex(of: "/") else { return nil }
        let (bridge, resource) = (text[..<slash], text[text.index(after: slash)...])
        guard !bridge.isEmpty, !resource.isEmpty else { return nil }
        self.init(bridge: Bridge.ID(String(bridge)), resource: String(resource))
    }
}

extension QualifiedID: CustomStringConvertible {
    public var description: String { "\(bridge)/\(resource)" }
}

extension QualifiedID: Comparable {
    public static func < (one: Self, other: Self) -> Bool {
        (one.bridge, one.resource) < (other.bridge, other.resource)
    }
}

extension QualifiedID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "'\(text)' is not an id of the form BRIDGE/RESOURCE"
            )
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// An id that is one text, as which it is also encoded and sorted.
public protocol TextID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    init(_ text: String)
}

extension TextID {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    public static func < (one: Self, other: Self) -> Bool { one.description < other.description }
}
