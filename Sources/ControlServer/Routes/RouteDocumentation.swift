import ControlProtocol
import ControlSurface

/// What a route is for, what it takes and what it answers: an operation of the API's description.
struct RouteDocumentation: Sendable {
    let summary: String
    let description: String?
    let parameters: [Parameter]
    let body: Body?
    /// Whether answers have an ETag, by which a client learns that nothing has changed.
    let isCached: Bool
    let answers: [Answer]
    let errors: OpenAPI.Errors

    struct Parameter: Sendable {
        let name: String
        /// `nil` in a header.
        let field: Routes.Query?
        let description: String?
        let schema: Schema
        let isRequired: Bool

        static func query(
            _ field: Routes.Query, _ description: String? = nil, _ schema: Schema = .text, isRequired: Bool = false
        ) -> Self {
            Self(
                name: field.rawValue, field: field, description: description, schema: schema, isRequired: isRequired)
        }

        static func header(_ name: String, _ description: String? = nil) -> Self {
            Self(name: name, field: nil, description: description, schema: .text, isRequired: false)
        }
    }

    struct Body: Sendable {
        let type: String
        let schema: Schema
        var isRequired = true

        static func json(_ component: String, isRequired: Bool = true) -> Self {
            Self(type: "application/json", schema: .component(component), isRequired: isRequired)
        }
        static func yaml(_ description: String) -> Self {
            Self(type: "application/yaml", schema: .text(description: description))
        }
        static func file(_ type: String) -> Self { Self(type: type, schema: .text) }
    }

    struct Answer: Sendable {
        let status: Int
        let description: String
        /// Types and what is in them.
        let content: [(type: String, schema: Schema)]
        let setsCookie: Bool
        /// Whether a header names the bridges of which nothing is listed.
        let mayLackBridges: Bool
        /// One among the components that stands for all this.
        let component: String?

        static func of(
            _ description: String, _ content: [(type: String, schema: Schema)], status: Int = 200,
            setsCookie: Bool = false, mayLackBridges: Bool = false, component: String? = nil
        ) -> Self {
            Self(
                status: status, description: description, content: content, setsCookie: setsCookie,
                mayLackBridges: mayLackBridges, component: component)
        }
        static func one(
            _ component: String, _ description: String, status: Int = 200, setsCookie: Bool = false
        ) -> Self {
            of(description, [("application/json", .component(component))], status: status, setsCookie: setsCookie)
        }
        static func list(of component: String, _ description: String, mayLackBridges: Bool = false) -> Self {
            of(description, [("application/json", .list(of: component))], mayLackBridges: mayLackBridges)
        }
        static func shared(_ component: String) -> Self { of("", [], component: component) }
        static var stream: Self { of("A stream that ends with the daemon", [("text/event-stream", .text)]) }
    }

    /// A JSON schema, as text.
    struct Schema: Sendable {
        let json: String

        static let text = Self(json: #"{"type": "string"}"#)
        static let moment = Self(json: #"{"type": "string", "format": "date-time"}"#)
        static let number = Self(json: #"{"type": "integer"}"#)
        static let flag = Self(json: #"{"type": "boolean", "default": false}"#)
        static let object = Self(json: #"{"type": "object"}"#)

        static func text(description: String) -> Self {
            Self(
                json: RouteDocumentation.object([
                    ("type", #""string""#), ("description", RouteDocumentation.quoted(description)),
                ]))
        }
        static func number(in range: ClosedRange<Int>, orElse value: Int) -> Self {
            let bounds = #""minimum": \#(range.lowerBound), "maximum": \#(range.upperBound)"#
            return Self(json: #"{"type": "integer", \#(bounds), "default": \#(value)}"#)
        }
        static func words<Word: CaseIterable & RawRepresentable<String>>(_ type: Word.Type) -> Self {
            Self(json: #"{"type": "string", "enum": \#(OpenAPI.words(type))}"#)
        }
        static func component(_ name: String) -> Self { Self(json: RouteDocumentation.reference("schemas/\(name)")) }
        static func list(of name: String) -> Self {
            Self(json: #"{"type": "array", "items": \#(RouteDocumentation.reference("schemas/\(name)"))}"#)
        }
    }
}

extension RouteDocumentation {
    /// As OpenAPI writes it.
    func json(for access: AccessLevel) -> String {
        let parameters = parameters.map(\.json) + (isCached ? [Self.reference("parameters/IfNoneMatch")] : [])
        var responses = answers.map { ("\($0.status)", $0.json(isCached: isCached)) }
        if isCached { responses.append(("304", Self.reference("responses/NotModified"))) }
        responses += errors.statuses.map { ("\($0)", Self.reference("responses/Error\($0)")) }
        return Self.object([
            ("security", Self.requirement(access)),
            ("summary", Self.quoted(summary)),
            ("description", description.map(Self.quoted)),
            ("parameters", parameters.isEmpty ? nil : "[\(parameters.joined(separator: ", "))]"),
            ("requestBody", body?.json),
            ("responses", Self.object(responses.sorted { $0.0 < $1.0 })),
        ])
    }

    /// `{}` is the unix socket, whose file's mode decides who may use it; OpenAPI 3.1 allows a security requirement to name
    /// roles.
    private static func requirement(_ access: AccessLevel) -> String {
        if access == .none { return "[]" }
        return access.role.map { #"[{}, {"token": ["\#($0.rawValue)"]}]"# } ?? "[{}]"
    }

    fileprivate static func reference(_ component: String) -> String { ##"{"$ref": "#/components/\##(component)"}"## }

    /// Without the members that are `nil`.
    fileprivate static func object(_ members: [(name: String, value: String?)]) -> String {
        "{"
            + members.compactMap { member in member.value.map { "\(quoted(member.name)): \($0)" } }
            .joined(separator: ", ") + "}"
    }

    /// A string in JSON. Texts of ours contain no control characters.
    fileprivate static func quoted(_ text: String) -> String {
        "\"" + text.map { #""\"#.contains($0) ? "\\\($0)" : "\($0)" }.joined() + "\""
    }
}

extension RouteDocumentation.Parameter {
    fileprivate var json: String {
        RouteDocumentation.object([
            ("name", RouteDocumentation.quoted(name)), ("in", field == nil ? #""header""# : #""query""#),
            ("required", isRequired ? "true" : nil), ("description", description.map(RouteDocumentation.quoted)),
            ("schema", schema.json),
        ])
    }
}

extension RouteDocumentation.Body {
    fileprivate var json: String {
        RouteDocumentation.object([
            ("required", "\(isRequired)"),
            ("content", RouteDocumentation.object([(type, RouteDocumentation.object([("schema", schema.json)]))])),
        ])
    }
}

extension RouteDocumentation.Answer {
    fileprivate func json(isCached: Bool) -> String {
        if let component { return RouteDocumentation.reference("responses/\(component)") }
        var headers: [(String, String?)] = []
        if isCached { headers.append(("ETag", RouteDocumentation.reference("headers/ETag"))) }
        if mayLackBridges {
            headers.append((Routes.unreadBridgesHeader, RouteDocumentation.reference("headers/UnreadBridges")))
        }
        if setsCookie { headers.append(("Set-Cookie", #"{"schema": {"type": "string"}}"#)) }
        let types = content.map { ($0.type, RouteDocumentation.object([("schema", $0.schema.json)])) }
        return RouteDocumentation.object([
            ("description", RouteDocumentation.quoted(description)),
            ("headers", headers.isEmpty ? nil : RouteDocumentation.object(headers)),
            ("content", types.isEmpty ? nil : RouteDocumentation.object(types)),
        ])
    }
}
