import Foundation
import Glibc
import TestSupport

/// A plain TCP connection, to see the bytes that a bridge sends and how the connection ends.
struct RawSocket {
    struct Ending: Equatable {
        let bytes: String
        /// The errno that ended the connection; 0 for an orderly end, EAGAIN if nothing more arrived in time.
        let error: Int32
    }

    /// Sends a text to a port of 127.0.0.1, and reads until the end or until nothing arrives for the time given.
    ///
    /// Blocks: call it with `onOwnThread`.
    static func send(_ text: String, port: Int, patience: Duration = .seconds(10)) throws -> Ending {
        guard let socket = try open(port) else { return Ending(bytes: "", error: errno) }
        defer { close(socket) }
        wait(for: patience, at: socket)
        guard text.withCString({ Glibc.send(socket, $0, strlen($0), Int32(MSG_NOSIGNAL)) }) == text.utf8.count else {
            return Ending(bytes: "", error: errno)
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else {
                return Ending(bytes: String(decoding: bytes, as: UTF8.self), error: count == 0 ? 0 : errno)
            }
            bytes += buffer.prefix(count)
        }
    }

    /// Connects to a port of 127.0.0.1; `nil`, with errno, if the connection is refused. The caller closes the socket.
    static func open(_ port: Int) throws -> Int32? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw TestError("no socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        if connected == 0 { return socket }
        let error = errno
        close(socket)
        errno = error
        return nil
    }

    /// Sets how long a read waits.
    static func wait(for patience: Duration, at socket: Int32) {
        let parts = patience.components
        var limit = timeval(tv_sec: Int(parts.seconds), tv_usec: Int(parts.attoseconds / 1_000_000_000_000))
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
}
