import Foundation
import TestSupport

/// A unix socket, closed on deinit.
final class UnixSocket: Sendable {
    let descriptor: CInt

    /// - Parameter name: a path, or "@name" in the abstract namespace.
    init(_ kind: __socket_type, listeningOn name: String) throws {
        descriptor = socket(AF_UNIX, CInt(kind.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        try call("bind", name) { bind(descriptor, $0, $1) }
        if kind == SOCK_STREAM { listen(descriptor, 8) }
    }

    init(_ kind: __socket_type, connectedTo name: String) throws {
        descriptor = socket(AF_UNIX, CInt(kind.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        try call("connect", name) { connect(descriptor, $0, $1) }
    }

    deinit { close(descriptor) }

    private func call(_ what: String, _ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
        guard code == 0 else { throw TestError("\(what) \(name): \(String(cString: strerror(errno)))") }
    }

    /// The next datagram, or some bytes of a stream; empty at its end.
    func receive(within limit: Duration) throws -> [UInt8] {
        var time = timeval(tv_sec: Int(limit.components.seconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw TestError("recv: \(String(cString: strerror(errno)))") }
        return Array(buffer[..<count])
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        guard count == bytes.count else { throw TestError("send: \(String(cString: strerror(errno)))") }
    }
}

/// One plain GET over a unix socket.
func ask(_ socket: String, _ path: String) async throws -> (status: Int, body: Data) {
    try await onOwnThread {
        let wire = try UnixSocket(SOCK_STREAM, connectedTo: socket)
        try wire.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        var bytes = Data()
        while case let more = try wire.receive(within: .seconds(10)), !more.isEmpty { bytes.append(contentsOf: more) }
        guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)),
            let status = Int(String(decoding: bytes.dropFirst("HTTP/1.1 ".utf8.count).prefix(3), as: UTF8.self))
        else { throw TestError("no answer to \(path): \(String(decoding: bytes, as: UTF8.self))") }
        return (status, Data(bytes[end.upperBound...]))
    }
}
