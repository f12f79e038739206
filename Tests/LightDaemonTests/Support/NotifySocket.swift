import Foundation
import Synchronization
import TestSupport

/// A service manager's end of `NOTIFY_SOCKET`: records every datagram in order, on a thread of its own.
final class NotifySocket: Sendable {
    let name: String
    private let socket: UnixSocket
    private let received = Mutex<[String]>([])

    init(_ name: String) throws {
        self.name = name
        socket = try UnixSocket(SOCK_DGRAM, listeningOn: name)
        Thread.detachNewThread { [weak self, socket] in
            // Ends with an empty datagram, or after a minute without one, when the test has long ended.
            while let bytes = try? socket.receive(within: .seconds(60)), !bytes.isEmpty {
                guard let self else { return }
                self.received.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            }
        }
    }

    var datagrams: [String] { received.withLock(\.self) }
    /// All assignments so far: "READY=1", "STATUS=…".
    var lines: [String] { datagrams.flatMap { $0.split(separator: "\n").map(String.init) } }

    /// Waits for the first datagram that contains `line`.
    func receives(_ line: String) async throws {
        try await until("'\(line)' arrives") { self.lines.contains(line) }
    }
}
