import ControlProtocol
import Foundation
import ServerSentEvents
import TestSupport

/// A plain HTTP/1.1 client on its own threads, which shows the server's bytes as a client receives them.
final class ClientFixture: @unchecked Sendable {  // the descriptor is used by one call at a time
    enum Address: Sendable {
        case socket(String)
        case port(Int)
    }

    struct Answer: Sendable {
        let status: Int
        /// Names in lower case.
        let headers: [String: String]
        var body = Data()

        func decoded<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
            try JSONDecoder().decode(type, from: body)
        }

        var error: ErrorReply.Body { get throws { try decoded(ErrorReply.self).error } }
    }

    struct ConnectionError: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: CInt
    private var pending = Data()
    private var parser = ServerSentEvent.Parser()
    private var events: [ServerSentEvent] = []
    private(set) var raw = Data()

    init(_ address: Address, timeout: Int = 30) throws {
        descriptor =
            switch address {
            case let .socket(path): try BlockingSocket.connected(to: .unix(path))
            case let .port(port): try BlockingSocket.connected(to: .ip(port: Int(port)))
            }
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// One request over a connection of its own.
    static func ask(
        _ address: Address, _ method: String = "GET", _ path: String, _ headers: [String: String] = [:],
        body: String? = nil
    ) async throws -> Answer {
        let client = try ClientFixture(address)
        return try await client.ask(method, path, headers, body: body)
    }

    func ask(_ method: String = "GET", _ path: String, _ headers: [String: String] = [:], body: String? = nil)
        async throws
        -> Answer
    {
        try await onOwnThread {
            try self.send(method, path, headers, body)
            return try self.read()
        }
    }

    /// The answer to a request that was written with ``send(_:)``.
    func answer(hasBody: Bool = true) async throws -> Answer {
        try await onOwnThread { hasBody ? try self.read() : try self.head() }
    }

    private func read() throws -> Answer {
        var answer = try self.head()
        if answer.headers["transfer-encoding"] == "chunked" {
            while let piece = try self.chunk() { answer.body.append(piece) }
        } else {
            let length = Int(answer.headers["content-length"] ?? "0") ?? 0
            answer.body = try self.take(length)
        }
        return answer
    }

    /// Opens a stream; ``event()`` returns its events.
    func open(_ path: String, _ headers: [String: String] = [:]) async throws -> Answer {
        try await onOwnThread {
            try self.send("GET", path, headers, nil)
            return try self.head()
        }
    }

    /// The next event; `nil` when the server has ended the stream.
    func event() async throws -> ServerSentEvent? {
        try await onOwnThread {
            while self.events.isEmpty {
                guard let piece = try self.chunk() else { return nil }
                self.raw.append(piece)
                self.events += self.parser.read(piece)
            }
            return self.events.removeFirst()
        }
    }

    func event<Body: Decodable>(_ name: EventName, _: Body.Type = Body.self) async throws -> Body {
        guard let event = try await event() else { throw ConnectionError(description: "the stream ended") }
        guard event.name == name.rawValue else { throw ConnectionError(description: "\(event)") }
        return try JSONDecoder().decode(Body.self, from: Data(event.data.utf8))
    }

    /// The next piece as received, including comments.
    func piece() async throws -> String? {
        try await onOwnThread { try self.chunk().map { String(decoding: $0, as: UTF8.self) } }
    }

    /// The next bytes as received.
    func text(_ length: Int) async throws -> String {
        try await onOwnThread { String(decoding: try self.take(length), as: UTF8.self) }
    }

    func send(_ text: String) async throws {
        try await onOwnThread { try self.write(text) }
    }

    /// Closes the connection for sending; answers can still be received.
    func endSending() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Whether the other end has closed.
    func isEnded() async throws -> Bool {
        try await onOwnThread {
            var byte: UInt8 = 0
            let count = recv(self.descriptor, &byte, 1, 0)
            // It may have closed before it had read what was sent.
            return count == 0 || (count < 0 && errno == ECONNRESET)
        }
    }

    /// Whether the connection is open and nothing has come over it, as far as is known now.
    var isSilent: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    /// The server's end of a connection over TCP, which is in this process, too.
    var serverEnd: CInt? {
        let ours = BlockingSocket.port(of: descriptor)
        return (0..<CInt(4096)).first { $0 != descriptor && BlockingSocket.peerPort(of: $0) == ours }
    }

    // MARK: Bytes

    private func send(_ method: String, _ path: String, _ headers: [String: String], _ body: String?) throws {
        var lines = ["\(method) \(path) HTTP/1.1"]
        if headers["Host"] == nil { lines.append("Host: localhost") }
        lines += headers.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)" }
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        try write(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    }

    private func write(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { throw ConnectionError(description: "send: \(String(cString: strerror(errno)))") }
            bytes = bytes.dropFirst(count)
        }
    }

    private func more() throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else {
            throw ConnectionError(description: count == 0 ? "closed" : "recv: \(String(cString: strerror(errno)))")
        }
        pending.append(contentsOf: buffer[..<count])
    }

    private func take(_ length: Int) throws -> Data {
        while pending.count < length { try more() }
        defer { pending = Data(pending.dropFirst(length)) }
        return Data(pending.prefix(length))
    }

    private func line() throws -> String {
        while true {
            if let end = pending.range(of: Data("\r\n".utf8)) {
                let line = String(decoding: pending[..<end.lowerBound], as: UTF8.self)
                pending = Data(pending[end.upperBound...])
                return line
            }
            try more()
        }
    }

    private func head() throws -> Answer {
        let status = try line().split(separator: " ")
        var headers: [String: String] = [:]
        while case let text = try line(), !text.isEmpty {
            let halves = text.split(separator: ":", maxSplits: 1)
            headers[halves[0].lowercased()] = halves[1].trimmingCharacters(in: .whitespaces)
        }
        return Answer(status: Int(status[1])!, headers: headers)
    }

    private func chunk() throws -> Data? {
        guard let length = Int(try line(), radix: 16) else { throw ConnectionError(description: "no chunk") }
        let piece = try take(length + 2).dropLast(2)
        return length == 0 ? nil : piece
    }
}
