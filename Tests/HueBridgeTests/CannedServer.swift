import Foundation
import Glibc
import Synchronization
import TestSupport

/// A plain HTTP server on loopback that gives every client the same answer, or accepts connections and stays silent.
final class CannedServer: Sendable {
    let port: Int
    private let listener: Int32
    private let reply: String?
    private let heard = Mutex<[String]>([])
    private let accepted = Mutex(0)

    /// - Parameter body: `nil` for silence.
    init(_ status: Int = 200, _ body: String?) throws {
        reply = body.map {
            "HTTP/1.1 \(status) Words\r\nContent-Length: \($0.utf8.count)\r\nConnection: close\r\n\r\n\($0)"
        }
        listener = try BlockingSocket.listening(at: .ip())
        port = BlockingSocket.port(of: listener)
        Thread.detachNewThread { [self] in accept() }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The first lines of the requests, oldest first.
    var requests: [String] { heard.withLock { $0 } }

    /// How many connections it has accepted.
    var connections: Int { accepted.withLock { $0 } }

    private func accept() {
        var silent: [Int32] = []
        while case let client = Glibc.accept(listener, nil, nil), client >= 0 {
            accepted.withLock { $0 += 1 }
            var bytes = [UInt8](repeating: 0, count: 65536)
            guard let reply else {
                silent.append(client)
                continue
            }
            let count = recv(client, &bytes, bytes.count, 0)
            if count > 0 {
                let line = String(decoding: bytes[..<count], as: UTF8.self).prefix { !$0.isNewline }
                heard.withLock { $0.append(String(line)) }
                _ = send(client, Array(reply.utf8), reply.utf8.count, Int32(MSG_NOSIGNAL))
            }
            close(client)
        }
        for client in silent { close(client) }
        close(listener)
    }
}
