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
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        let isBound = Self.withAddress(host, port) { [descriptor] in Glibc.bind(descriptor, $0, $1) } == 0
        var (name, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        let hasName = withUnsafeMutablePointer(to: &name) { [descriptor] in
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
        }
        self.port = Int(in_port_t(bigEndian: name.sin_port))
        guard isBound, hasName, listen(descriptor, 1) == 0 else { throw TestError("cannot listen on \(host)") }
    }

    init(connectedTo host: String, _ port: Int) throws {
        (self.host, self.port) = (host, port)
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        let code = Self.withAddress(host, port) { [descriptor] in Glibc.connect(descriptor, $0, $1) }
        guard code == 0 else {
            Glibc.close(descriptor)
            throw TestError("cannot connect to \(host)")
        }
    }

    func close() { Glibc.close(descriptor) }

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

    private static func withAddress(
        _ host: String, _ port: Int, _ use: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(port).bigEndian
        inet_aton(host, &name.sin_addr)
        return withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
