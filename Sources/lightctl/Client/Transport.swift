import FoundationEssentials

/// HTTP to lightd, as functions: over a socket in production, a script in tests.
struct Transport {
    enum Request: Equatable, Sendable {
        case get(String)
        case post(String, Data)
        case put(String, Data)
        /// With a file in YAML.
        case postFile(String, Data)
        case putBackup(String, Data)
        case delete(String)
        /// A file in YAML.
        case getFile(String)
    }

    struct Response: Equatable, Sendable {
        var status: Int
        /// As in ``ResponseReader``.
        var mediaType: String? = "application/json"
        /// As in ``ResponseReader``.
        var unreadBridges: [String] = []
        var body: Data
    }

    /// Sends the requests, several at a time, and waits for the whole responses, for each at most for the given time.
    /// The results are in the order of the requests.
    var send:
        (_ requests: [Request], _ timeout: Duration, _ meanwhile: Meanwhile?) -> [Result<Response, TransportError>]
    /// Opens a stream of events. Arguments: the path, the id of the last event (after a break), how long opening may
    /// take.
    var stream: (_ path: String, _ lastID: String?, _ timeout: Duration) throws(TransportError) -> Stream

    struct Stream {
        var status: Int
        /// As in ``ResponseReader``.
        var mediaType: String?
        /// Waits for the next bytes, at most for the given time; `nil` waits as long as it takes.
        var next: (_ wait: Duration?) throws(TransportError) -> Piece

        /// All bytes up to the end.
        func all(within timeout: Duration) throws(TransportError) -> Data {
            var bytes = Data()
            let deadline = ContinuousClock.now + timeout
            while .now < deadline {
                switch try next(deadline - .now) {
                case let .bytes(more): bytes.append(contentsOf: more)
                case .nothing: break
                case .end: return bytes
                }
            }
            throw .timedOut
        }
    }

    enum Piece: Equatable, Sendable {
        case bytes([UInt8])
        /// The time is over, or a signal came in between.
        case nothing
        /// lightd has ended the stream.
        case end
    }

    /// Called at once, and again after the time that it returns.
    typealias Meanwhile = () -> Duration
}

enum TransportError: Error, Equatable, Sendable {
    /// No connection; nothing was sent.
    case noConnection(ConnectionFailure)
    case timedOut
    /// The connection was lost.
    case broken(String)
    /// The connection was closed before lightd had read the whole request: nothing was carried out.
    case unread(String)
}
