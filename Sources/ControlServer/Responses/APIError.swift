import ControlProtocol
import ControlSurface
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// An error reply with its HTTP status and headers, if its code alone does not decide them.
struct APIError: Error {
    let reply: ErrorReply
    let status: HTTPResponse.Status
    let headers: HTTPFields

    init(_ reply: ErrorReply, status: HTTPResponse.Status? = nil, headers: HTTPFields = [:]) {
        self.reply = reply
        self.status = status ?? HTTPResponse.Status(code: reply.error.code.status)
        self.headers = headers
    }

    static let stopping = APIError(
        ErrorReply(.daemonStopping, "lightd is stopping", hint: "try again when it has started again"),
        headers: [.connection: "close"]
    )

    /// The daemon stops while the command's outcome is still unknown.
    static let abandoned = APIError(
        ErrorReply(
            .unconfirmed, "lightd stopped before the outcome was known; the command may have been carried out"),
        headers: [.connection: "close"]
    )

    /// The client has closed its side of the connection, or sent another request over it, while it waited.
    static let notWaited = APIError(
        ErrorReply(
            .unconfirmed,
            "the outcome is not known yet, and the connection was not left open for it; the command goes on",
            hint: "with \"wait\": true, send nothing more and close nothing until the answer has come"),
        headers: [.connection: "close"]
    )

    /// Nobody reads it, unless the client has closed only its own end.
    static let leftEarly = APIError(
        ErrorReply(
            .daemonUnreachable, "the connection was not left open for the answer",
            hint: "send nothing more and close nothing until it has come"),
        headers: [.connection: "close"]
    )

    static func busy(_ what: String) -> Self {
        APIError(
            ErrorReply(.daemonUnreachable, "lightd is busy: \(what)", hint: "try again in a moment"),
            headers: [.retryAfter: "1"]
        )
    }
}

extension Response {
    static func json(
        _ body: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        .json(text: try JSON.text(body) + "\n", status: status, headers: headers)
    }

    static func json(text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        .json(bytes: ByteBuffer(string: text), status: status, headers: headers)
    }

    static func json(bytes: ByteBuffer, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.cacheControl] = headers[.cacheControl] ?? "no-store"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }

    static func error(_ error: APIError) -> Response {
        do {
            return try .json(error.reply, status: error.status, headers: error.headers)
        } catch {
            // Never reached: JSON has a form for texts and arrays of texts.
            return Response(status: .internalServerError)
        }
    }
}
