import AnyJSON
import ControlProtocol

/// Something that an assistant can ask for. Those that change something are commands of the API as they are.
struct MCPTool: Sendable {
    let name: String
    let summary: String
    /// What a token must allow for it.
    let role: TokenAccess
    let input: JSONSchema
    let effect: Effect
    let call: @Sendable (Session, [String: JSONValue]) throws -> Outcome

    enum Effect: Equatable {
        case none
        /// It changes what lights show, which `undo` takes back.
        case lights(mayBeRepeated: Bool)
    }

    /// What came of a call.
    struct Outcome {
        /// What a person would read.
        var text: String
        /// The same as the API has it, if there is more to it than the text.
        var structured: (any Encodable)?
        /// Whether lightctl would have failed.
        var isError = false
    }

    static let all = reading + commands

    /// Those that a token of this role may use.
    static func usable(with role: TokenAccess) -> [MCPTool] { all.filter { $0.role <= role } }

    /// - Parameter arguments: not looked at yet.
    func outcome(of arguments: [String: JSONValue], in session: Session) -> Outcome {
        do {
            return try call(session, arguments)
        } catch let error as ErrorReply {
            return Outcome(error)
        } catch {
            return Outcome(ErrorReply(.internalError, "\(error)"))
        }
    }
}

extension MCPTool {
    /// The answer to `tools/list`.
    struct List: Encodable {
        let tools: [MCPTool]
    }
}

extension MCPTool: Encodable {
    private enum CodingKeys: String, CodingKey { case name, description, inputSchema, annotations }
    private enum Hints: String, CodingKey { case readOnlyHint, destructiveHint, idempotentHint, openWorldHint }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(summary, forKey: .description)
        try container.encode(input, forKey: .inputSchema)
        var hints = container.nestedContainer(keyedBy: Hints.self, forKey: .annotations)
        try hints.encode(effect == .none, forKey: .readOnlyHint)
        try hints.encode(false, forKey: .openWorldHint)
        guard case let .lights(mayBeRepeated) = effect else { return }
        try hints.encode(false, forKey: .destructiveHint)
        try hints.encode(mayBeRepeated, forKey: .idempotentHint)
    }
}

extension MCPTool.Outcome: Encodable {
    init(_ error: ErrorReply) { self.init(text: error.text, structured: error, isError: true) }

    private enum CodingKeys: String, CodingKey { case content, structuredContent, isError }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode([["type": "text", "text": text]], forKey: .content)
        if let structured { try container.encode(structured, forKey: .structuredContent) }
        if isError { try container.encode(true, forKey: .isError) }
    }
}
