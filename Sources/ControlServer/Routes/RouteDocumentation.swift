import ControlProtocol

/// What a route is for, what it takes and what it answers, as OpenAPI 3.1 writes it: an operation.
struct RouteDocumentation: Encodable, Sendable {
    /// `[:]` is the unix socket, whose file's mode decides who may use it; OpenAPI 3.1 allows a security requirement to name
    /// roles.
    let security: [[String: [String]]]
    let summary: String
    let description: String?
    let parameters: [Parameter]?
    let requestBody: Body?
    let responses: [String: Answer]

    /// - Parameter isCached: whether answers have an ETag, by which a client learns that nothing has changed.
    init(
        for access: AccessLevel, _ summary: String, _ description: String?, _ parameters: [Parameter], _ body: Body?,
        isCached: Bool, _ answers: [Answer], _ errors: OpenAPI.Errors
    ) {
        security = access == .none ? [] : [[:]] + (access.role.map { [["token": [$0.rawValue]]] } ?? [])
        (self.summary, self.description, requestBody) = (summary, description, body)
        let all = parameters + (isCached ? [.ifNoneMatch] : [])
        self.parameters = all.isEmpty ? nil : all
        let successes = isCached ? answers.map { $0.with("ETag", .shared("ETag")) } + [.notModified] : answers
        responses = Dictionary(
            (successes + errors.statuses.map { .shared("Error\($0)", status: $0) }).map { ("\($0.status)", $0) }
        ) { first, _ in first }
    }

    struct Parameter: Encodable, Sendable {
        /// `nil` in a header.
        var field: Routes.Query?
        var name: String?
        var place: String?
        var isRequired: Bool?
        var description: String?
        var schema: JSONSchema?
        var reference: String?

        static func query(
            _ field: Routes.Query, _ description: String? = nil, _ schema: JSONSchema = .text, isRequired: Bool? = nil
        ) -> Self {
            Self(
                field: field, name: field.rawValue, place: "query", isRequired: isRequired, description: description,
                schema: schema)
        }
        static func header(_ name: String, _ description: String? = nil) -> Self {
            Self(name: name, place: "header", description: description, schema: .text)
        }
        static let ifNoneMatch = Self(reference: "#/components/parameters/IfNoneMatch")

        enum CodingKeys: String, CodingKey {
            case name, description, schema
            case place = "in"
            case isRequired = "required"
            case reference = "$ref"
        }
    }

    struct Body: Encodable, Sendable {
        let required: Bool
        let content: [String: Content]

        static func json(_ component: String, isRequired: Bool = true) -> Self {
            Self(required: isRequired, content: ["application/json": Content(schema: .component(component))])
        }
        static func yaml(_ description: String) -> Self {
            var schema = JSONSchema.text
            schema.description = description
            return Self(required: true, content: ["application/yaml": Content(schema: schema)])
        }
        static func file(_ type: String) -> Self { Self(required: true, content: [type: Content(schema: .text)]) }
    }

    struct Content: Encodable, Sendable {
        let schema: JSONSchema
    }

    struct Header: Encodable, Sendable {
        var schema: JSONSchema?
        var reference: String?

        static func shared(_ name: String) -> Self { Self(reference: "#/components/headers/\(name)") }

        enum CodingKeys: String, CodingKey {
            case schema
            case reference = "$ref"
        }
    }

    struct Answer: Encodable, Sendable {
        var status = 200
        var description: String?
        var headers: [String: Header]?
        /// By its type.
        var content: [String: Content]?
        var reference: String?

        static func of(_ description: String, _ content: [String: JSONSchema] = [:], status: Int = 200) -> Self {
            Self(
                status: status, description: description,
                content: content.isEmpty ? nil : content.mapValues(Content.init(schema:)))
        }
        static func one(_ component: String, _ description: String, status: Int = 200) -> Self {
            of(description, ["application/json": .component(component)], status: status)
        }
        static func list(of component: String, _ description: String) -> Self {
            of(description, ["application/json": .list(of: component)])
        }
        static func shared(_ name: String, status: Int = 200) -> Self {
            Self(status: status, reference: "#/components/responses/\(name)")
        }
        static let stream = of("A stream that ends with the daemon", ["text/event-stream": .text])
        fileprivate static let notModified = shared("NotModified", status: 304)

        /// A header names the bridges of which nothing is listed.
        var mayLackBridges: Self { with(Routes.unreadBridgesHeader, .shared("UnreadBridges")) }
        var setsCookie: Self { with("Set-Cookie", Header(schema: .text)) }

        fileprivate func with(_ name: String, _ header: Header) -> Self {
            // One among the components has its headers there.
            guard reference == nil else { return self }
            var answer = self
            answer.headers = (headers ?? [:]).merging([name: header]) { $1 }
            return answer
        }

        enum CodingKeys: String, CodingKey {
            case description, headers, content
            case reference = "$ref"
        }
    }
}

extension JSONSchema {
    static let text = of("string")
    static let number = of("integer")
    static let object = of("object")
    static let moment = of("string") { $0.format = "date-time" }
    static let flag = of("boolean") { $0.default = .bool(false) }

    static func number(in range: ClosedRange<Int>, orElse value: Int) -> Self {
        of("integer") {
            ($0.minimum, $0.maximum) = (Double(range.lowerBound), Double(range.upperBound))
            $0.default = .number(Double(value))
        }
    }
    /// A whole number above 0.
    static let ordinal = of("integer") { $0.minimum = 1 }
    static func words<Word: CaseIterable & RawRepresentable<String>>(_: Word.Type) -> Self {
        of("string") { $0.values = Word.allCases.map(\.rawValue) }
    }
    static func list(of component: String) -> Self { of("array") { $0.items = .each(.component(component)) } }

    static func of(_ type: Types, _ change: (inout Self) -> Void = { _ in }) -> Self {
        var schema = Self()
        schema.type = type
        change(&schema)
        return schema
    }
}
