/// One verb: its fields, how they make a ``Command``, and how a command gives them back.
struct CommandDescription: Sendable {
    let verb: String
    let summary: String
    let role: TokenAccess
    let effect: Effect
    /// Whether a step of an automation that has missed its time is still wanted, and may be carried out twice.
    let mayComeLate: Bool
    let fields: [Field]
    let read: @Sendable (KeyedDecodingContainer<CommandKey>) throws -> Command
    /// Whether a command has this verb; only such a command is written and checked.
    let describes: @Sendable (Command) -> Bool
    let write: @Sendable (Command, inout KeyedEncodingContainer<CommandKey>) throws -> Void
    let check: @Sendable (Command) throws(ErrorReply) -> Void
    let replacingNames: @Sendable (Command, (NameRole, String) -> String) -> Command

    /// What it does to bridges.
    enum Effect: Sendable {
        /// It writes nothing that can be rehearsed.
        case none
        /// It writes: it takes `dry_run`.
        case written
        /// It writes, and the bridges confirm what it changes, so that a caller may wait for that: it also takes `wait`
        /// and `gesture`.
        case confirmed
    }

    struct Field: Sendable {
        let name: String
        let isRequired: Bool
        let schema: JSONSchema
        /// The name under which the schema stands once among OpenAPI's components, for a field that many commands share.
        let component: String?
    }

    /// - Parameters:
    ///   - role: what a token must allow for it: `full` unless the command only uses the home as it is arranged.
    ///   - make: the command of these values, in the order of the fields.
    ///   - values: the values of a command, in the same order; `nil` for a command of another verb.
    init<each Value: Sendable>(
        _ verb: String, _ summary: String, role: TokenAccess = .full, effect: Effect = .none,
        mayComeLate: Bool = false,
        _ field: repeat CommandField<each Value>,
        make: @escaping @Sendable (repeat each Value) -> Command,
        values: @escaping @Sendable (Command) -> (repeat each Value)?
    ) {
        self.verb = verb
        self.summary = summary
        self.role = role
        self.effect = effect
        self.mayComeLate = mayComeLate
        var fields: [Field] = []
        for field in repeat each field {
            fields += field.fields
        }
        switch effect {
        case .none: break
        case .written: fields.append(Self.dryRun)
        case .confirmed: fields += [Self.dryRun, Self.wait, Self.gesture]
        }
        self.fields = fields
        read = { container in make(repeat try (each field).read(container)) }
        describes = { values($0) != nil }
        write = { command, container in
            guard let values = values(command) else { return }
            try container.encode(verb, forKey: Self.verbKey)
            repeat try (each field).write(each values, &container)
        }
        check = { command throws(ErrorReply) in
            guard let values = values(command) else { return }
            repeat try (each field).check(each values)
        }
        replacingNames = { command, name in
            guard let values = values(command) else { return command }
            return make(repeat (each field).replacingNames(each values, name))
        }
    }

    static let verbKey = CommandKey("command")

    // Read and written by `CommandRequest`: they are about the request, not about the command.
    private static let wait = flag("wait", "Answer only when the bridges have confirmed it.", component: "Wait")
    private static let dryRun = flag(
        "dry_run", "Send nothing; answer with the requests that would go to the bridges now.", component: "DryRun")
    private static let gesture = {
        var schema = JSONSchema()
        (schema.type, schema.maxLength) = ("string", CommandRequest.longestGesture)
        schema.description =
            "Names the gesture that it is a part of: one client's commands with the same name in a row are undone in "
            + "one step; a scene is always a step of its own."
        return Field(name: "gesture", isRequired: false, schema: schema.orNull, component: "Gesture")
    }()

    private static func flag(_ name: String, _ summary: String, component: String) -> Field {
        var schema = JSONSchema()
        (schema.type, schema.default, schema.description) = ("boolean", .bool(false), summary)
        return Field(name: name, isRequired: false, schema: schema.orNull, component: component)
    }
}

extension Command: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CommandKey.self)
        let verb = try container.decode(String.self, forKey: CommandDescription.verbKey)
        guard let description = Self.descriptions.first(where: { $0.verb == verb }) else {
            throw DecodingError.said(
                "unknown command '\(verb)'; " + didYouMean(verb, of: Self.descriptions.map(\.verb), else: "use one of"),
                of: container)
        }
        let known = description.fields.map(\.name)
        let unknown = container.allKeys.map(\.stringValue)
            .filter { $0 != CommandDescription.verbKey.stringValue && !known.contains($0) }
        if let field = unknown.min() {
            throw DecodingError.said(
                "'\(verb)' has no field '\(field)'; " + didYouMean(field, of: known.sorted(), else: "it has"),
                of: container)
        }
        self = try description.read(container)
    }

    public func encode(to encoder: any Encoder) throws {
        guard let description else {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "the table of commands has no row for it")
            )
        }
        var container = encoder.container(keyedBy: CommandKey.self)
        try description.write(self, &container)
    }

    /// What a token must allow for it. A timer (`schedule`) also needs what its steps need.
    public var role: TokenAccess { description?.role ?? .full }

    /// Whether a step of an automation that has missed its time is still wanted, and may be carried out twice.
    public var mayComeLate: Bool { description?.mayComeLate ?? false }

    /// With other names of what it is about.
    public func replacingNames(by name: (NameRole, String) -> String) -> Self {
        description?.replacingNames(self, name) ?? self
    }

    /// Its row in the table.
    var description: CommandDescription? { Self.rows.lazy.map { $0() }.first { $0.describes(self) } }
}

// MARK: OpenAPI

extension Command {
    /// One schema for each verb.
    public static var schema: JSONSchema {
        var schema = JSONSchema()
        schema.oneOf = descriptions.map(\.schema)
        return schema
    }

    /// The schemas to which ``schema`` refers, by their names among OpenAPI's components.
    public static var schemaComponents: [String: JSONSchema] {
        var components: [String: JSONSchema] = [:]
        for field in descriptions.flatMap(\.fields) {
            if let component = field.component { components[component] = field.schema }
        }
        return components
    }
}

extension CommandDescription {
    fileprivate var schema: JSONSchema {
        var schema = schema { $0.component.map(JSONSchema.component) ?? $0.schema }
        schema.description = summary + (role == .full ? "" : " The role '\(role.rawValue)' suffices.")
        schema.required?.insert(Self.verbKey.stringValue, at: 0)
        var const = JSONSchema()
        const.const = verb
        schema.properties?[Self.verbKey.stringValue] = const
        return schema
    }

    /// Of its fields, without the verb.
    fileprivate func schema(of field: (Field) -> JSONSchema) -> JSONSchema {
        JSONSchema.object(
            Dictionary(uniqueKeysWithValues: fields.map { ($0.name, field($0)) }),
            required: fields.filter(\.isRequired).map(\.name))
    }
}

// MARK: Tools

extension Command {
    /// A command as those see it who name its verb elsewhere than in its JSON, such as assistants, to which it is a tool.
    public struct Usage: Sendable {
        /// What the command does, in a sentence or two.
        public let summary: String
        /// What a token must allow for it.
        public let role: TokenAccess
        /// Whether carrying it out twice does no more than once.
        public let mayBeRepeated: Bool
        /// Its fields without `command`, each with its schema in place. None may be null: what is not set is left out.
        public let schema: JSONSchema
    }

    /// - Returns: `nil` if no command has this verb.
    public static func usage(of verb: String) -> Usage? {
        descriptions.first { $0.verb == verb }.map { description in
            Usage(
                summary: description.summary, role: description.role, mayBeRepeated: description.mayComeLate,
                schema: description.schema(of: \.schema.withoutNull))
        }
    }
}
