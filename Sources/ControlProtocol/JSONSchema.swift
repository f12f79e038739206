/// The part of JSON Schema that OpenAPI 3.1 needs to describe our JSON.
public struct JSONSchema: Encodable, Equatable, Sendable {
    public var type: Types?
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

        init(to component: String) { path = "#/components/schemas/\(component)" }

        enum CodingKeys: String, CodingKey { case path = "$ref" }
    }

    enum CodingKeys: String, CodingKey {
        case type, const, minimum, maximum, minLength, maxLength, `default`, description, required, properties,
            additionalProperties, oneOf, items, minItems, maxItems
        case values = "enum"
        case reference = "$ref"
    }
}
