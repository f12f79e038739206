/// One field of a command: its key in JSON, whether it may be left out, and what it holds. Reading, writing, the check
/// of its range and its schema all come from here.
struct CommandField<Value: Sendable>: Sendable {
    let name: String
    let isRequired: Bool
    let schema: JSONSchema
    /// The name under which the schema stands once among OpenAPI's components, for a field that many commands share.
    let component: String?
    let read: @Sendable (KeyedDecodingContainer<CommandKey>) throws -> Value
    let write: @Sendable (Value, inout KeyedEncodingContainer<CommandKey>) throws -> Void
    let check: @Sendable (Value) throws(ErrorReply) -> Void

    /// The command is refused without it.
    static func required(
        _ name: String, _ kind: ValueKind<Value>, _ summary: String, component: String? = nil
    ) -> Self where Value: Codable {
        Self(
            name: name, isRequired: true, schema: kind.schema(summary), component: component,
            read: { try kind.read($0, CommandKey(name)) },
            write: { try $1.encode($0, forKey: CommandKey(name)) },
            check: { value throws(ErrorReply) in try kind.check(value, name, summary) })
    }

    /// `nil` if the field is left out or null.
    static func optional<Wrapped: Codable & Sendable>(
        _ name: String, _ kind: ValueKind<Wrapped>, _ summary: String, component: String? = nil
    ) -> Self where Value == Wrapped? {
        Self(
            name: name, isRequired: false, schema: kind.schema(summary).orNull, component: component,
            read: { try kind.readIfPresent($0, CommandKey(name)) },
            write: { try $1.encodeIfPresent($0, forKey: CommandKey(name)) },
            check: { value throws(ErrorReply) in if let value { try kind.check(value, name, summary) } })
    }

    /// This value if the field is left out or null.
    static func optional(
        _ name: String, _ kind: ValueKind<Value>, default standard: Value, _ summary: String
    ) -> Self where Value: Codable {
        var schema = kind.schema(summary).orNull
        schema.default = kind.asDefault(standard)
        return Self(
            name: name, isRequired: false, schema: schema, component: nil,
            read: { try kind.readIfPresent($0, CommandKey(name)) ?? standard },
            write: { try $1.encode($0, forKey: CommandKey(name)) },
            check: { value throws(ErrorReply) in try kind.check(value, name, summary) })
    }
}

/// A key of a command's JSON object. Any text is one, so that an unknown field can be refused by its name.
struct CommandKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// The part of JSON Schema that OpenAPI 3.1 needs to describe our JSON.
public struct JSONSchema: Encodable, Equatable, Sendable {
    public var type: Types?
    /// What a string is: "date-time".
    public var format: String?
    public var const: String?
    public var values: [String?]?
    public var minimum: Double?
    public var maximum: Double?
    public var minLength: Int?
    public var maxLength: Int?
    public var `default`: Default?
    public var description: String?
    public var required: [String]?
    public var properties: [String: JSONSchema]?
    public var additionalProperties: Bool?
    public var oneOf: [JSONSchema]?
    /// What an array consists of.
    public var items: Reference?
    public var minItems: Int?
    public var maxItems: Int?
    /// Where the schema itself stands, if this is only a reference to it: "#/components/schemas/Target".
    public var reference: String?

    public init() {}

    /// Which JSON values it allows.
    public enum Types: Encodable, Equatable, Sendable, ExpressibleByStringLiteral {
        case one(String)
        case orNull(String)

        public init(stringLiteral name: String) { self = .one(name) }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case let .one(name): try container.encode(name)
            case let .orNull(name): try container.encode([name, "null"])
            }
        }
    }

    /// The schema of a field that may be left out: null means the same.
    var orNull: Self {
        var schema = self
        if case let .one(name) = type { schema.type = .orNull(name) }
        schema.values = values.map { $0 + [nil] }
        return schema
    }

    public enum Default: Encodable, Equatable, Sendable {
        case number(Double)
        case bool(Bool)
        case text(String)

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case let .number(number): try container.encode(number)
            case let .bool(bool): try container.encode(bool)
            case let .text(text): try container.encode(text)
            }
        }
    }

    /// A schema among OpenAPI's components.
    public struct Reference: Encodable, Equatable, Sendable {
        let path: String

        public init(to component: String) { path = "#/components/schemas/\(component)" }

        enum CodingKeys: String, CodingKey { case path = "$ref" }
    }

    enum CodingKeys: String, CodingKey {
        case type, format, const, minimum, maximum, minLength, maxLength, `default`, description, required, properties,
            additionalProperties, oneOf, items, minItems, maxItems
        case values = "enum"
        case reference = "$ref"
    }
}
