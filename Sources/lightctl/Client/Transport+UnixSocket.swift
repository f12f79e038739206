import ControlProtocol
import FoundationEssentials
import Glibc

extension Transport {
    /// HTTP/1.1 over the unix socket at a path, without threads. Each request has a connection of its own: connecting
    /// to a unix socket costs less than keeping a connection for later.
    static func unixSocket(_ path: String) -> Transport {
        Transport(
            send: { requests, timeout, meanwhile in
                RequestBatch(requests.map(\.bytes), to: path, timeout).run(meanwhile)
            },
            stream: { route, lastID, timeout throws(TransportError) in
                var fields = ["Accept: text/event-stream"]
                if let lastID { fields.append("Last-Event-ID: \(lastID)") }
                let exchange = try Exchange(Request.get(route).bytes(with: fields), to: path)
                let deadline = ContinuousClock.now + timeout
                var early: [UInt8] = []
                while exchange.status == nil {
                    guard .now < deadline else { throw .timedOut }
                    Poll.wait(for: [exchange], atMost: deadline - .now)
                    early += try exchange.advance()
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
    let path: String
    let timeout: Duration

    /// lightd takes many more; this leaves room for others.
    static let width = 8

    private struct Running {
        let place: Int
        let exchange: Exchange
        let deadline: ContinuousClock.Instant
        var body: [UInt8] = []
    }

    init(_ requests: [[UInt8]], to path: String, _ timeout: Duration) {
        (self.requests, self.path, self.timeout) = (requests, path, timeout)
    }

    func run(_ meanwhile: Transport.Meanwhile?) -> [Result<Transport.Response, TransportError>] {
        var results = [Result<Transport.Response, TransportError>?](repeating: nil, count: requests.count)
        var waiting = requests.indices[...]
        var running: [Running] = []
        var next = ContinuousClock.now
        while true {
            while running.count < Self.width, let place = waiting.popFirst() {
                do throws(TransportError) {
                    running.append(
                        Running(
                            place: place, exchange: try Exchange(requests[place], to: path), deadline: .now + timeout))
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
                                body: Data(one.body)))
                        return nil
                    }
                    guard .now < one.deadline else { throw .timedOut }
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

extension Transport.Request {
    fileprivate var bytes: [UInt8] { bytes(with: []) }

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
        // The host name is arbitrary: the socket decides where the request goes.
        var head = [
            "\(line) HTTP/1.1", "Host: lightd", "\(Routes.clientHeader): lightctl (uid \(getuid()))",
            "Connection: close",
        ]
        if case .getFile = self { head.append("Accept: application/yaml") }
        let type =
            switch self {
            case .put, .postFile: "application/yaml"
            case .putBackup: Routes.backupType
            case .get, .post, .delete, .getFile: "application/json"
            }
        if let body { head += ["Content-Type: \(type)", "Content-Length: \(body.count)"] }
        return Array((head + fields).joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8) + (body ?? Data())
    }
}
