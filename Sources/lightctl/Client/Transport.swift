import FoundationEssentials

/// HTTP to lightd, as functions: the unix socket in production, a script in tests.
struct Transport: Sendable {
    enum Request: Equatable, Sendable {
        case get(String)
        case post(String, Data)
    }

    struct Response: Equatable, Sendable {
        var status: Int
        var body: Data
    }

    /// Sends a request and waits for the whole response, at most for the given time.
    var send: @Sendable (Request, Duration) async throws(TransportError) -> Response
    /// Opens a stream of events. Arguments: the path, the id of the last event (after a break), how long opening may
    /// take.
    var stream: @Sendable (String, String?, Duration) async throws(TransportError) -> Stream

    struct Stream: Sendable {
        var status: Int
        /// The next bytes as they arrive; `nil` after lightd has ended the stream. Has one reader, which awaits each
        /// call.
        var next: @Sendable () async throws(TransportError) -> [UInt8]?
    }
}

enum TransportError: Error, Equatable, Sendable {
    /// No connection; nothing was sent.
    case noConnection(String)
    case timedOut
    /// The connection was lost.
    case broken(String)
}
