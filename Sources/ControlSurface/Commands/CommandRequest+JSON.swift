public import ControlProtocol
public import FoundationEssentials

extension CommandRequest {
    /// Reads a command as a surface receives it.
    ///
    /// - Throws: `invalid`, which says what is wrong with the text.
    public init(json: Data) throws(ErrorReply) {
        do {
            self = try JSONDecoder().decode(CommandRequest.self, from: json)
        } catch {
            throw ErrorReply(
                .invalid, words(for: error),
                hint: #"a command is JSON, such as {"command":"turn","to":"on","target":"@kitchen"}; see /openapi.json"#
            )
        }
    }
}

private func words(for error: any Error) -> String {
    func name(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty ? "the body" : "'\(context.codingPath.map(\.stringValue).joined(separator: "."))'"
    }
    switch error {
    case let DecodingError.keyNotFound(key, _): return "'\(key.stringValue)' is missing"
    case let DecodingError.valueNotFound(_, context): return "\(name(context)) has no value"
    case let DecodingError.typeMismatch(type, context): return "\(name(context)) must be \(word(for: type))"
    case let DecodingError.dataCorrupted(context):
        return context.codingPath.isEmpty ? "the body is not JSON" : "\(name(context)): \(context.debugDescription)"
    default: return "the body cannot be read: \(error)"
    }
}

private func word(for type: any Any.Type) -> String {
    switch type {
    case is String.Type: "text"
    case is [String].Type: "a list"
    case is Int.Type: "a whole number"
    case is Bool.Type: "true or false"
    case is Double.Type: "a number"
    default: "an object"
    }
}
