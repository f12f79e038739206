import Foundation
import Synchronization
import TestSupport

/// An HTTP/1.1 server on loopback or a unix socket whose script controls every byte it sends. It records the requests.
/// Each connection has a thread, so a script may block.
final class ScriptedServer: Sendable {
    /// A request as received.
    struct Request: Sendable {
        let method: String
        let target: String
        /// Names in their original case.
        let headers: [(name: String, value: String)]
        let body: [UInt8]

        func values(_ name: String) -> [String] {
            headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        }
    }

    typealias Script = @Sendable (Request, Connection) -> Void

    enum Location: Sendable {
        case loopback
        case unixSocket(String)
    }

    let port: Int
    private let listener: Int32
    private let script: Script
    private let location: Location
    private let readsBodies: Bool
    private let handshake: [UInt8]?

    private struct Log {
        var requests: [Request] = []
        var accepted = 0
        var open: [Int32: Connection] = [:]
        var isStopped = false
    }
    private let log = Mutex(Log())

    /// - Parameters:
    ///   - readsBodies: whether the script is called after a request's body instead of after its headers.
    ///   - handshake: what the first bytes of each connection are answered with, in place of a request; the connection
    ///     ends after it.
    init(
        _ location: Location = .loopback, readsBodies: Bool = true, handshake: [UInt8]? = nil,
        _ script: @escaping Script
    ) throws {
        self.location = location
        self.handshake = handshake
        self.script = script
        self.readsBodies = readsBodies
        let address: BlockingSocket.Address =
            switch location {
            case .loopback: .ip()
            case let .unixSocket(path): .unix(path)
            }
        listener = try BlockingSocket.listening(at: address, backlog: 512)
        port = BlockingSocket.port(of: listener)
        Thread.detachNewThread { [self] in accept() }
    }

    var base: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { log.withLock { $0.requests } }
    /// The total number of connections. `open` counts those open now.
    var accepted: Int { log.withLock { $0.accepted } }
    var open: Int { log.withLock { $0.open.count } }

    /// Closes the listener and every connection, eventually: wait for `open` to be 0.
    func stop() {
        let connections = log.withLock { log in
            defer { log.isStopped = true }
            return log.isStopped ? nil : Array(log.open.values)
        }
        guard let connections else { return }
        // The accepting thread sees the end, and only then closes the descriptor.
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in connections { connection.hangUp() }
        if case let .unixSocket(path) = location { unlink(path) }
    }

    private func accept() {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                break
            }
            let connection = Connection(descriptor)
            let isWelcome = log.withLock { log in
                guard !log.isStopped else { return false }
                log.accepted += 1
                log.open[descriptor] = connection
                return true
            }
            guard isWelcome else {
                close(descriptor)
                break
            }
            Thread.detachNewThread { [self] in serve(connection) }
        }
        close(listener)
    }

    private func serve(_ connection: Connection) {
        if let handshake { connection.answer(handshake) }
        while let request = connection.nextRequest(withBody: readsBodies) {
            log.withLock { $0.requests.append(request) }
            script(request, connection)
        }
        // Removed before it is closed: the number may be reused at once.
        log.withLock { $0.open[connection.descriptor] = nil }
        connection.close()
    }
}

extension ScriptedServer {
    /// One connection, used by its own thread. Only ``hangUp()`` may be called from others.
    final class Connection: @unchecked Sendable {  // `pending` is touched by the connection's thread only
        let descriptor: Int32
        private var pending: [UInt8] = []
        private struct State {
            var isHungUp = false
            var isClosed = false
        }
        /// Guards the descriptor: once it is closed, its number may be reused.
        private let state = Mutex(State())

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }

        /// Shuts the connection down for both sides. Its thread reads no more and closes the descriptor.
        func hangUp() {
            state.withLock { state in
                state.isHungUp = true
                if !state.isClosed { shutdown(descriptor, Int32(SHUT_RDWR)) }
            }
        }

        fileprivate func close() {
            state.withLock { state in
                if !state.isClosed { Glibc.close(descriptor) }
                state.isClosed = true
            }
        }

        /// - Returns: whether the peer still reads.
        @discardableResult
        func send(_ bytes: some Collection<UInt8>) -> Bool {
            var left = Array(bytes)[...]
            while !left.isEmpty {
                let sent = left.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard sent > 0 else {
                    if sent < 0, errno == EINTR { continue }
                    return false
                }
                left = left.dropFirst(sent)
            }
            return true
        }

        @discardableResult
        func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        func reply(_ status: Int = 200, headers: [String] = [], _ body: String = "") {
            let head = ["HTTP/1.1 \(status) Words", "Content-Length: \(body.utf8.count)"] + headers
            send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }

        func beginChunks(headers: [String] = []) {
            let head = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"] + headers
            send(head.joined(separator: "\r\n") + "\r\n\r\n")
        }

        @discardableResult
        func chunk(_ text: String) -> Bool {
            send(String(text.utf8.count, radix: 16) + "\r\n" + text + "\r\n")
        }

        func endChunks() { send("0\r\n\r\n") }

        /// Answers the first bytes and sends nothing more, until the peer closes the connection.
        fileprivate func answer(_ handshake: [UInt8]) {
            guard fill() else { return }
            send(handshake)
            shutdown(descriptor, Int32(SHUT_WR))
            waitForEnd()
        }

        /// Reads and discards until the peer closes the connection.
        func waitForEnd() {
            while fill() {}
        }

        /// The next request, or `nil` if the peer closed the connection or sent something else.
        fileprivate func nextRequest(withBody: Bool) -> Request? {
            let mark = Array("\r\n\r\n".utf8)
            while pending.firstRange(of: mark) == nil { guard fill() else { return nil } }
            guard let end = pending.firstRange(of: mark) else { return nil }
            let lines = String(decoding: pending[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            pending.removeFirst(end.upperBound)
            let words = lines[0].split(separator: " ")
            guard words.count == 3, words[2] == "HTTP/1.1" else { return nil }
            let headers = lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return (
                    name: String(parts[0]),
                    value: parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "<none>"
                )
            }
            let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
            guard withBody else {
                return Request(method: String(words[0]), target: String(words[1]), headers: headers, body: [])
            }
            while pending.count < length { guard fill() else { return nil } }
            let body = Array(pending.prefix(length))
            pending.removeFirst(length)
            return Request(method: String(words[0]), target: String(words[1]), headers: headers, body: body)
        }

        private func fill() -> Bool {
            // What a peer sends after the shutdown could still be read.
            guard !state.withLock(\.isHungUp) else { return false }
            var bytes = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                pending.append(contentsOf: bytes[..<count])
                return true
            }
        }
    }
}
