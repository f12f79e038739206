import ControlProtocol
import HTTPTypes

/// An error reply where its code alone does not say the status, or where headers go with it.
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
        ErrorReply(.daemonStopping, "lightd is stopping", hint: "try again when it has been started"),
        headers: [.connection: "close"]
    )

    static func busy(_ what: String) -> Self {
        APIError(
            ErrorReply(.daemonUnreachable, "lightd is busy: \(what)", hint: "try again in a moment"),
            headers: [.retryAfter: "1"]
        )
    }
}
