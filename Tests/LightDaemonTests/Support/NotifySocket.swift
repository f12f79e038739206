import Foundation
import Synchronization
import TestSupport

/// What a service manager hears: every datagram, in order, from a thread of its own.
final class NotifySocket: Sendable {
    let name: String
    private let socket: UnixSocket
    private let heard = Mutex<[String]>([])

    init(_ name: String) throws {
        self.name = name
        socket = try UnixSocket(SOCK_DGRAM, listeningOn: name)
        Thread.detachNewThread { [weak self, socket] in
            // An empty datagram, or nobody for a minute: the test is long over.
            while let bytes = try? socket.receive(within: .seconds(60)), !bytes.isEmpty {
                guard let self else { return }
                self.heard.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            }
        }
    }

    var datagrams: [String] { heard.withLock(\.self) }
    /// All assignments so far: "READY=1", "STATUS=…".
    var lines: [String] { datagrams.flatMap { $0.split(separator: "\n").map(String.init) } }

    /// Waits for the first datagram that holds `line`.
    func hears(_ line: String) async throws {
        try await until("'\(line)' is told") { self.lines.contains(line) }
    }
}
