import AnyJSON
import ControlProtocol
import FoundationEssentials

/// A message of an assistant: JSON-RPC 2.0, one in a line.
///
/// Source: https://www.jsonrpc.org/specification, and for ids, which are not null here,
/// https://modelcontextprotocol.io/specification/2025-11-25/basic
struct MCPMessage {
    let method: String
    /// `nil` if nothing is to be answered.
    let id: JSONValue?
    let params: [String: JSONValue]

    /// - Returns: `nil` if it is nothing to be answered, nor to be heeded: an empty line, or an answer, though nothing was asked.
    /// - Throws: what to answer if it is not a message.
    init?(_ line: MessageLines.Line) throws(MCPRefusal) {
        guard case let .whole(bytes) = line else {
            throw MCPRefusal(.invalidRequest, "a message has at most \(MessageLines.longest) bytes")
        }
        guard bytes.contains(where: { !" \t\r".utf8.contains($0) }) else { return nil }
        guard String(validating: bytes, as: UTF8.self) != nil,
            // Why is said below.
            let json = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        else { throw MCPRefusal(.parseError, "the line is not JSON: a message is one JSON object in a line of UTF-8") }
        guard let message = json.object else {
            let found = json.array == nil ? "not an object" : "a batch, which is not supported: send one message a line"
            throw MCPRefusal(.invalidRequest, "the message is \(found)")
        }
        switch message["id"] {
        case nil: id = nil
        case let given? where given.string != nil || given.double != nil: id = given
        default: throw MCPRefusal(.invalidRequest, "'id' must be text or a number")
        }
        guard message["jsonrpc"]?.string == "2.0" else {
            throw MCPRefusal(.invalidRequest, "'jsonrpc' must be \"2.0\"", to: id)
        }
        guard let method = message["method"]?.string else {
            if message["method"] == nil, message["result"] != nil || message["error"] != nil { return nil }
            throw MCPRefusal(.invalidRequest, "'method' must be text", to: id)
        }
        self.method = method
        switch message["params"] {
        case nil, .null?: params = [:]
        case let .object(members)?: params = members
        default:
            // A notification is never answered.
            guard let id else { return nil }
            throw MCPRefusal(.invalidParams, "'params' must be an object", to: id)
        }
    }
}

/// Why a message is refused: a mistake in the protocol. What lightd refuses is the result of a tool.
struct MCPRefusal: Error {
    /// JSON-RPC's, and the one of the Model Context Protocol.
    enum Code: Int, Encodable {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParams = -32602
        case unsupportedRevision = -32022
    }

    let code: Code
    let message: String
    /// `nil` if that is not known.
    let id: JSONValue?
    var data: [String: JSONValue]?

    /// - Parameter id: of what is refused.
    init(_ code: Code, _ message: String, to id: JSONValue? = nil, data: [String: JSONValue]? = nil) {
        (self.code, self.message, self.id, self.data) = (code, message, id, data)
    }
}

extension MCPRefusal: Encodable {
    private enum CodingKeys: String, CodingKey { case jsonrpc, id, error }
    private enum ErrorKeys: String, CodingKey { case code, message, data }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("2.0", forKey: .jsonrpc)
        try container.encode(id ?? .null, forKey: .id)
        var error = container.nestedContainer(keyedBy: ErrorKeys.self, forKey: .error)
        try error.encode(code, forKey: .code)
        try error.encode(message, forKey: .message)
        try error.encodeIfPresent(data, forKey: .data)
    }
}

/// The answer to a request that was carried out.
struct MCPAnswer: Encodable {
    let id: JSONValue
    let result: MCPResult

    private enum CodingKeys: String, CodingKey { case jsonrpc, id, result }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("2.0", forKey: .jsonrpc)
        try container.encode(id, forKey: .id)
        try container.encode(result, forKey: .result)
    }
}
