import Foundation
import TestSupport

/// A TCP socket at a loopback address.
final class LoopbackSocket: Sendable {
    let host: String
    let port: Int
    private let descriptor: CInt

    /// - Parameter port: 0: the system chooses one.
    init(listeningOn host: String, _ port: Int = 0) throws {
        self.host = host
        descriptor = try BlockingSocket.listening(at: .ip(host: host, port: port))
        self.port = BlockingSocket.port(of: descriptor)
    }

    init(connectedTo host: String, _ port: Int) throws {
        (self.host, self.port) = (host, port)
        descriptor = try BlockingSocket.connected(to: .ip(host: host, port: port))
    }

    func close() { Glibc.close(descriptor) }

    /// A few bytes, which the buffers of the system take.
    func send(_ bytes: Data) {
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Whether the other side has closed the connection.
    var isEnded: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT)) >= 0 || errno != EAGAIN
    }

    static func canConnect(to host: String, _ port: Int) -> Bool {
        guard let client = try? LoopbackSocket(connectedTo: host, port) else { return false }
        client.close()
        return true
    }

    /// Runs `body` while clients connect and leave again, without a pause.
    static func whileConnecting(to host: String, _ port: Int, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            let (untilDone, done) = AsyncStream<Never>.makeStream()
            group.addTask {
                try await withThrowingTaskGroup { clients in
                    for _ in 1...2 {
                        clients.addTask {
                            while !Task.isCancelled {
                                try await onOwnThread {
                                    for _ in 1...20 { _ = canConnect(to: host, port) }
                                }
                            }
                        }
                    }
                    for await _ in untilDone {}
                    clients.cancelAll()
                    try await clients.waitForAll()
                }
            }
            defer { done.finish() }
            try await body()
            done.finish()
            try await group.waitForAll()
        }
    }
}
