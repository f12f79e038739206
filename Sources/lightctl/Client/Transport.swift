import FoundationEssentials

/// The way to lightd, as functions, so that tests and the real socket stand in the same place.
struct Transport: Sendable {
    enum Request: Equatable, Sendable {
        case get(String)
        case post(String, Data)
    }

    struct Response: Equatable, Sendable {
        var status: Int
        var body: Data
    }

    /// Sends and waits for the whole answer, at most so long.
    var send: @Sendable (Request, Duration) async throws(TransportError) -> Response
    /// Opens a stream of events: path, the last event's id after a break, how long to wait for it to open.
    var stream: @Sendable (String, String?, Duration) async throws(TransportError) -> Stream

    struct Stream: Sendable {
        var status: Int
        /// The next bytes, as they arrive; `nil` when lightd has ended the stream. Asked by one reader, one call after the other.
        var next: @Sendable () async throws(TransportError) -> [UInt8]?
    }
}

enum TransportError: Error, Equatable, Sendable {
    /// Nothing was sent.
    case noConnection(String)
    case timedOut
    /// The connection was lost after it was made.
    case broken(String)
}
