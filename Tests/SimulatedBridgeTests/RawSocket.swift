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
        let socket: Int32
        do {
            socket = try BlockingSocket.connected(to: .ip(port: port))
        } catch let error as SystemCallError {
            return Ending(bytes: "", error: error.code)
        }
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

    /// Sets how long a read waits.
    static func wait(for patience: Duration, at socket: Int32) {
        let parts = patience.components
        var limit = timeval(tv_sec: Int(parts.seconds), tv_usec: Int(parts.attoseconds / 1_000_000_000_000))
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
}
