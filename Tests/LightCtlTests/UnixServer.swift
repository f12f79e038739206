import Foundation
import Glibc
import Synchronization

@testable import lightctl

extension Transport {
    static func unixSocket(_ path: String) -> Transport { .http(to: .unixSocket(path)) }
}

extension Endpoint {
    static func unixSocket(_ path: String) -> Endpoint { .socket(SocketPath(at: path)) }
}

extension DaemonClient {
    /// For tests whose transport is a script.
    init(transport: Transport) { self.init(transport, to: .unixSocket("/s")) }
}

/// A fake lightd: a unix socket in its own directory, with the answers scripted by the test.
final class UnixServer: Sendable {
    struct Request: Equatable, Sendable {
        var line: String
        /// Names in lowercase.
        var headers: [String: String]
        var body: String
    }

    /// One accepted connection.
    struct Connection: Sendable {
        let descriptor: Int32

        func write(_ text: String) {
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty {
                let sent = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard sent > 0 else { return }  // the client has closed the connection
                bytes = bytes.dropFirst(sent)
            }
        }

        func answer(_ body: String, status: Int = 200) {
            write(
                "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
        }

        func beginStream() { write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n") }

        /// Reads one request; `nil` when the client has closed the connection.
        func read() -> Request? {
            var bytes: [UInt8] = []
            func more() -> Bool {
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return false }
                bytes += buffer[..<count]
                return true
            }
            let blank = Array("\r\n\r\n".utf8)
            var end: Int?
            while end == nil {
                guard more() else { return nil }
                end = bytes.indices.first { bytes[$0...].starts(with: blank) }
            }
            let lines = String(decoding: bytes[..<end!], as: UTF8.self).components(separatedBy: "\r\n")
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let halves = line.split(separator: ":", maxSplits: 1)
                headers[halves[0].lowercased()] = halves[1].trimmingCharacters(in: .whitespaces)
            }
            let start = end! + 4
            while bytes.count - start < Int(headers["content-length"] ?? "0")! { guard more() else { return nil } }
            return Request(line: lines[0], headers: headers, body: String(decoding: bytes[start...], as: UTF8.self))
        }

        /// Blocks until the client closes its end.
        func waitForClose() {
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) > 0 {}
        }
    }

    let path: String
    private let directory: URL
    private let listener: Int32
    private let seen = Mutex<[Request]>([])
    private let open = Mutex<Set<Int32>>([])

    var requests: [Request] { seen.withLock { $0 } }

    /// - Parameter handle: called for each request on the connection's thread; `false` closes the connection.
    init(_ handle: @escaping @Sendable (Request, Connection) -> Bool) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "lightctl-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.appending(path: "s").path
        listener = Self.listen(at: path)
        Thread.detachNewThread { [self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                _ = open.withLock { $0.insert(descriptor) }
                Thread.detachNewThread { [self] in
                    let connection = Connection(descriptor: descriptor)
                    while let request = connection.read() {
                        seen.withLock { $0.append(request) }
                        guard handle(request, connection) else { break }
                    }
                    // Under the lock, so that stop() never touches a descriptor number that has been reused.
                    open.withLock {
                        $0.remove(descriptor)
                        close(descriptor)
                    }
                }
            }
            // Closed only after the last accept(): the number may be reused at once by another test's listener, whose
            // clients a late accept() would steal.
            close(listener)
        }
    }

    /// Answers each request by its method and path, for example "GET /v1/lights".
    convenience init(answers: [String: String]) throws {
        try self.init { request, connection in
            let key = request.line.split(separator: " ").prefix(2).joined(separator: " ")
            if let body = answers[key] {
                connection.answer(body)
            } else {
                connection.answer(#"{"error":{"code":"no_such_path","message":"no \#(key)"}}"#, status: 404)
            }
            return true
        }
    }

    /// Closes all connections and removes the socket.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        open.withLock { for descriptor in $0 { shutdown(descriptor, Int32(SHUT_RDWR)) } }
        try? FileManager.default.removeItem(at: directory)  // a leftover in /tmp does no harm
    }

    /// Binds a unix socket and listens on it.
    static func listen(at path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(code == 0 && Glibc.listen(descriptor, 16) == 0, "cannot listen at \(path): \(errno)")
        return descriptor
    }
}
