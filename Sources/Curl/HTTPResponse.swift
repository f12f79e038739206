/// The status line and headers of a response.
public struct HTTPHead: Equatable, Sendable {
    public let status: Int
    public let headers: [HTTPRequest.Header]
    /// "1.1", "2"…
    public let version: String

    public init(status: Int, headers: [HTTPRequest.Header] = [], version: String = "1.1") {
        self.status = status
        self.headers = headers
        self.version = version
    }

    /// The first header with that name, ignoring case.
    public subscript(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}

/// A whole response.
public struct HTTPResponse: Equatable, Sendable {
    public let head: HTTPHead
    public let body: [UInt8]
    /// The server's own certificate (PEM), if the request wanted it.
    public let certificate: String?

    public init(head: HTTPHead, body: [UInt8], certificate: String? = nil) {
        self.head = head
        self.body = body
        self.certificate = certificate
    }

    public var status: Int { head.status }
}

/// A response whose body arrives in pieces. Dropping or cancelling the iteration ends the transfer.
public struct HTTPStream: Sendable {
    public let head: HTTPHead
    /// The body as it arrives. Ends when the server ends it and throws a ``CurlError`` if the connection breaks.
    public let pieces: AsyncThrowingStream<[UInt8], any Error>
}

/// Receives the response to one request. Called on the engine's thread; each handler ends exactly once.
enum ResponseHandler: Sendable {
    case buffered(@Sendable (Result<HTTPResponse, CurlError>) -> Void)
    case streamed(
        head: @Sendable (Result<HTTPHead, CurlError>) -> Void, AsyncThrowingStream<[UInt8], any Error>.Continuation)

    func fail(_ error: CurlError) {
        switch self {
        case let .buffered(complete): complete(.failure(error))
        case let .streamed(head, body):
            head(.failure(error))
            body.finish(throwing: error)
        }
    }
}

/// Why a request failed. The description can be shown to the user.
public enum CurlError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No connection was made and nothing was sent: refused, no route, unknown name, or timed out.
    case noConnection(String)
    /// The certificate has the wrong name, root or key. Only the TLS handshake was sent.
    case certificateRefused(String)
    /// The deadline passed after the request was sent.
    case timedOut
    /// The connection was lost before the response was complete.
    case broken(String)
    /// The response is longer than the request allows, or its reader fell too far behind.
    case tooMuch
    case cancelled
    /// The client was shut down.
    case closed
    /// The request is malformed.
    case invalid(String)

    public var description: String {
        switch self {
        case let .noConnection(text), let .certificateRefused(text), let .broken(text), let .invalid(text): text
        case .timedOut: "no answer in time"
        case .tooMuch: "the response is too long"
        case .cancelled: "cancelled"
        case .closed: "the client was shut down"
        }
    }
}
