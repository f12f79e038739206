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
