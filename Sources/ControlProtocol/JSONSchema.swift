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
    /// What an object may have besides its properties.
    public var additionalProperties: Others?
    public var oneOf: [JSONSchema]?
    /// What an array consists of.
    public var items: Others?
    public var minItems: Int?
    public var maxItems: Int?
    /// Where the schema itself stands, if this is only a reference to it: "#/components/schemas/Target".
    public var reference: String?

    public init() {}

    /// One among OpenAPI's components.
    public static func component(_ name: String) -> Self {
        var schema = Self()
        schema.reference = "#/components/schemas/\(name)"
        return schema
    }

    /// An object with these properties and no others.
    public static func object(_ properties: [String: JSONSchema], required: [String]) -> Self {
        var schema = Self()
        (schema.type, schema.additionalProperties) = ("object", .refused)
        (schema.properties, schema.required) = (properties, required)
        return schema
    }

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
    public var orNull: Self {
        var schema = self
        if case let .one(name) = type { schema.type = .orNull(name) }
        schema.values = values.map { $0 + [nil] }
        return schema
    }

    /// The schema of such a field for those who leave out what they do not set: not all readers of schemas know that a type
    /// can be two.
    var withoutNull: Self {
        var schema = self
        if case let .orNull(name) = type { schema.type = .one(name) }
        schema.values = values.map { $0.filter { $0 != nil } }
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

    /// The schema of whatever else there is.
    public indirect enum Others: Encodable, Equatable, Sendable {
        case refused
        case each(JSONSchema)

        public func encode(to encoder: any Encoder) throws {
            switch self {
            case .refused: try false.encode(to: encoder)
            case let .each(schema): try schema.encode(to: encoder)
            }
        }
    }

    enum CodingKeys: String, CodingKey {
        case type, format, const, minimum, maximum, minLength, maxLength, `default`, description, required, properties,
            additionalProperties, oneOf, items, minItems, maxItems
        case values = "enum"
        case reference = "$ref"
    }
}
