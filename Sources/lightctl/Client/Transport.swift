import ControlProtocol
import FoundationEssentials
import Glibc

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

    /// The same, doing this while it waits for responses, where nothing else is to be done.
    func doing(_ work: @escaping Meanwhile) -> Transport {
        var transport = self
        transport.send = { send($0, $1, $2 ?? work) }
        return transport
    }
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

extension Transport {
    /// HTTP/1.1 to an endpoint, without threads. Each request has a connection of its own: connecting to a unix socket
    /// costs less than keeping a connection for later, and over TCP it is one way there and back.
    ///
    /// - Parameter client: what it calls itself, in one line.
    static func http(to endpoint: Endpoint, calling client: String = "lightctl") -> Transport {
        let cache = DestinationCache(of: endpoint)
        let identity = endpoint.headerFields(calling: client)
        return Transport(
            send: { requests, timeout, meanwhile in
                let start = ContinuousClock.now
                let destination: Destination
                do throws(TransportError) {
                    destination = try cache.destination(until: start + timeout)
                } catch {
                    return requests.map { _ in .failure(error) }
                }
                let bytes = requests.map { $0.bytes(with: identity) }
                let results = RequestBatch(bytes, to: destination, timeout - (.now - start)).run(meanwhile)
                if results.contains(where: \.hasNoConnection) { cache.forget() }
                return results
            },
            stream: { route, lastID, timeout throws(TransportError) in
                let deadline = ContinuousClock.now + timeout
                var fields = identity + ["Accept: text/event-stream"]
                if let lastID { fields.append("Last-Event-ID: \(lastID)") }
                let exchange: Exchange
                var early: [UInt8] = []
                do throws(TransportError) {
                    exchange = try Exchange(
                        Request.get(route).bytes(with: fields), to: try cache.destination(until: deadline),
                        until: deadline)
                    while exchange.status == nil {
                        guard .now < deadline else { throw exchange.timeOut() }
                        Poll.wait(for: [exchange], atMost: deadline - .now)
                        early += try exchange.advance()
                    }
                } catch {
                    if case .noConnection = error { cache.forget() }
                    throw error
                }
                return Stream(status: exchange.status ?? 0, mediaType: exchange.mediaType) {
                    (wait) throws(TransportError) in
                    defer { early = [] }
                    if !early.isEmpty { return .bytes(early) }
                    guard !exchange.isComplete else { return .end }
                    Poll.wait(for: [exchange], atMost: wait)
                    let bytes = try exchange.advance()
                    return bytes.isEmpty ? exchange.isComplete ? .end : .nothing : .bytes(bytes)
                }
            }
        )
    }
}

/// Requests that are sent at the same time, a few at once.
private struct RequestBatch {
    let requests: [[UInt8]]
    let destination: Destination
    let timeout: Duration

    /// How many at once. lightd takes many more; this leaves room for others. By ssh one after the other: sshd refuses many
    /// logins at once, and whoever is asked for a password is asked once at a time.
    var width: Int { if case .program = destination { 1 } else { 8 } }

    private struct Running {
        let place: Int
        let exchange: Exchange
        let deadline: ContinuousClock.Instant
        var body: [UInt8] = []
    }

    init(_ requests: [[UInt8]], to destination: Destination, _ timeout: Duration) {
        (self.requests, self.destination, self.timeout) = (requests, destination, timeout)
    }

    func run(_ meanwhile: Transport.Meanwhile?) -> [Result<Transport.Response, TransportError>] {
        var results = [Result<Transport.Response, TransportError>?](repeating: nil, count: requests.count)
        var waiting = requests.indices[...]
        var running: [Running] = []
        var next = ContinuousClock.now
        while true {
            while running.count < width, let place = waiting.popFirst() {
                do throws(TransportError) {
                    let deadline = ContinuousClock.now + timeout
                    let exchange = try Exchange(requests[place], to: destination, until: deadline)
                    running.append(Running(place: place, exchange: exchange, deadline: deadline))
                } catch {
                    results[place] = .failure(error)
                }
            }
            guard !running.isEmpty else { break }
            if let meanwhile, next <= .now { next = .now + meanwhile() }
            let until = (running.map(\.deadline) + (meanwhile == nil ? [] : [next])).min()
            Poll.wait(for: running.map(\.exchange), atMost: until.map { $0 - .now })
            running = running.compactMap { one in
                var one = one
                do throws(TransportError) {
                    one.body += try one.exchange.advance()
                    guard !one.exchange.isComplete else {
                        results[one.place] = .success(
                            .init(
                                status: one.exchange.status ?? 0, mediaType: one.exchange.mediaType,
                                unreadBridges: one.exchange.unreadBridges, body: Data(one.body)))
                        return nil
                    }
                    guard .now < one.deadline else { throw one.exchange.timeOut() }
                    return one
                } catch {
                    results[one.place] = .failure(error)
                    return nil
                }
            }
        }
        return results.compactMap { $0 }
    }
}

extension Result<Transport.Response, TransportError> {
    fileprivate var hasNoConnection: Bool {
        if case .failure(.noConnection) = self { true } else { false }
    }
}

extension Transport.Request {
    fileprivate func bytes(with fields: [String]) -> [UInt8] {
        let (line, body): (String, Data?) =
            switch self {
            case let .get(path): ("GET \(path)", nil)
            case let .post(path, body): ("POST \(path)", body)
            case let .put(path, body), let .putBackup(path, body): ("PUT \(path)", body)
            case let .postFile(path, body): ("POST \(path)", body)
            case let .delete(path): ("DELETE \(path)", nil)
            case let .getFile(path): ("GET \(path)", nil)
            }
        var head = ["\(line) HTTP/1.1"] + fields + ["Connection: close"]
        if case .getFile = self { head.append("Accept: application/yaml") }
        let type =
            switch self {
            case .put, .postFile: "application/yaml"
            case .putBackup: Routes.backupType
            case .get, .post, .delete, .getFile: "application/json"
            }
        if let body { head += ["Content-Type: \(type)", "Content-Length: \(body.count)"] }
        return Array(head.joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8) + (body ?? Data())
    }
}

/// A stream socket that does not block.
enum StreamSocket {
    /// Begins to connect to an address of the kernel's, such as `sockaddr_in`, and waits for nothing.
    ///
    /// - Returns: the descriptor, which can be written to as soon as it is connected.
    static func connect<Address>(_ family: Int32, _ address: inout Address) throws(SystemError) -> Int32 {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, flags, 0)
        guard descriptor >= 0 else { throw SystemError(number: errno) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        let number = errno
        guard code != 0, number != EINPROGRESS else { return descriptor }
        close(descriptor)
        throw SystemError(number: number)
    }
}

/// An error of the kernel, by its `errno`.
struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    let number: Int32

    /// "connection refused"
    var description: String { String(cString: strerror(number)).lowercased() }
}
