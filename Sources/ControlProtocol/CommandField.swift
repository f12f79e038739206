/// One part of a command: its key or its keys in JSON, whether it may be left out, and what it holds. Reading, writing, the
/// check of its range and its schema all come from here.
struct CommandField<Value: Sendable>: Sendable {
    let fields: [CommandDescription.Field]
    let read: @Sendable (KeyedDecodingContainer<CommandKey>) throws -> Value
    let write: @Sendable (Value, inout KeyedEncodingContainer<CommandKey>) throws -> Void
    let check: @Sendable (Value) throws(ErrorReply) -> Void
    /// The value with other names in the place of those that it holds.
    private(set) var replacingNames: @Sendable (Value, (NameRole, String) -> String) -> Value = { value, _ in value }

    /// The command is refused without it.
    static func required(
        _ name: String, _ kind: ValueKind<Value>, _ summary: String, component: String? = nil
    ) -> Self where Value: Codable {
        Self(
            fields: [.init(name: name, isRequired: true, schema: kind.schema(summary), component: component)],
            read: { try kind.read($0, CommandKey(name)) },
            write: { try $1.encode($0, forKey: CommandKey(name)) },
            check: { value throws(ErrorReply) in try kind.check(value, name, summary) })
    }

    /// `nil` if the field is left out or null.
    static func optional<Wrapped: Codable & Sendable>(
        _ name: String, _ kind: ValueKind<Wrapped>, _ summary: String, component: String? = nil
    ) -> Self where Value == Wrapped? {
        Self(
            fields: [.init(name: name, isRequired: false, schema: kind.schema(summary).orNull, component: component)],
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
            fields: [.init(name: name, isRequired: false, schema: schema, component: nil)],
            read: { try kind.readIfPresent($0, CommandKey(name)) ?? standard },
            write: { try $1.encode($0, forKey: CommandKey(name)) },
            check: { value throws(ErrorReply) in try kind.check(value, name, summary) })
    }
}

extension CommandField<LightValuesBody> {
    /// A field for each value that can be set; any may be left out or null.
    static var values: Self {
        let rows = LightValuesBody.settable
        return Self(
            fields: rows.map { .init(name: $0.name, isRequired: false, schema: $0.schema.orNull, component: nil) },
            read: { container in
                var values = LightValuesBody()
                for row in rows { try row.read(container, &values) }
                return values
            },
            write: { values, container in for row in rows { try row.write(values, &container) } },
            check: { values throws(ErrorReply) in
                for row in rows {
                    if let words = row.objection(values, "'\(row.name)'") {
                        throw ErrorReply(.invalid, words, hint: row.summary)
                    }
                }
            })
    }
}

extension CommandField {
    fileprivate func replacing(_ names: @escaping @Sendable (Value, (NameRole, String) -> String) -> Value) -> Self {
        var field = self
        field.replacingNames = names
        return field
    }
}

extension CommandField<String> {
    /// The field holds the name of such a thing.
    func naming(_ role: NameRole) -> Self { replacing { $1(role, $0) } }
}

extension CommandField<String?> {
    func naming(_ role: NameRole) -> Self { replacing { name, new in name.map { new(role, $0) } } }
}

extension CommandField<[String]> {
    func naming(_ role: NameRole) -> Self { replacing { names, new in names.map { new(role, $0) } } }
}

/// A key of a command's JSON object. Any text is one, so that an unknown field can be refused by its name.
struct CommandKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
