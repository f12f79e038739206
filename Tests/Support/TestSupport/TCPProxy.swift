import Foundation
import Synchronization

/// Forwards TCP connections to a port of a host, each with two threads, until it is told to swallow their bytes.
public final class TCPProxy: Sendable {
    private struct State {
        /// The connections accepted before this number lose all bytes.
        var swallowed = 0
        var accepted = 0
        var descriptors: [Int32] = []
        var isStopped = false
    }

    public struct SystemCallError: Error {
        let call: String
        let code = errno
    }

    /// On 127.0.0.1.
    public let port: Int
    private let listener: Int32
    private let target: sockaddr_in
    private let state = Mutex(State())

    /// - Parameter host: an IPv4 address.
    public init(to host: String, _ port: Int) throws {
        target = Self.address(host, port)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var own = Self.address("127.0.0.1", 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard
            Self.withSocketAddress(&own, { bind(listener, $0, size) }) == 0, listen(listener, 64) == 0,
            Self.withSocketAddress(&own, { getsockname(listener, $0, &size) }) == 0
        else { throw SystemCallError(call: "listen") }
        self.port = Int(UInt16(bigEndian: own.sin_port))
        Thread.detachNewThread { self.accept() }
    }

    /// From now on the connections that are open lose all bytes, in both directions and without an error; new ones
    /// work.
    public func swallow() { state.withLock { $0.swallowed = $0.accepted } }

    /// Ends all connections that are open; new ones work.
    public func cut() {
        let descriptors = state.withLock(\.descriptors)
        for descriptor in descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// Closes all connections, and accepts no more.
    public func stop() {
        let descriptors = state.withLock { state in
            state.isStopped = true
            return state.descriptors
        }
        for descriptor in descriptors + [listener] { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0, !state.withLock({ $0.isStopped }) else { break }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var target = target
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard Self.withSocketAddress(&target, { connect(server, $0, size) }) == 0 else {
                close(client)
                close(server)
                continue
            }
            let number = state.withLock { state in
                state.accepted += 1
                state.descriptors += [client, server]
                return state.accepted
            }
            Thread.detachNewThread { self.forward(from: client, to: server, number) }
            Thread.detachNewThread { self.forward(from: server, to: client, number) }
        }
        close(listener)
    }

    /// Descriptors stay open until the process ends: closing one while the other thread uses it would let a new
    /// connection get its number.
    private func forward(from source: Int32, to sink: Int32, _ number: Int) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
            if state.withLock({ number <= $0.swallowed }) { continue }
            var rest = buffer[..<count]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard sent > 0 else { return }
                rest = rest.dropFirst(sent)
            }
        }
        // A half-dead connection says nothing of its end either.
        if !state.withLock({ number <= $0.swallowed }) { shutdown(sink, Int32(SHUT_WR)) }
    }

    private static func address(_ host: String, _ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return address
    }

    private static func withSocketAddress<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
    }
}
