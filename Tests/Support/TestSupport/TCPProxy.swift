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

    /// On 127.0.0.1.
    public let port: Int
    private let listener: Int32
    private let target: BlockingSocket.Address
    private let state = Mutex(State())

    /// - Parameter host: an IPv4 address.
    public init(to host: String, _ port: Int) throws {
        target = .ip(host: host, port: port)
        listener = try BlockingSocket.listening(at: .ip())
        self.port = BlockingSocket.port(of: listener)
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
            guard let server = try? BlockingSocket.connected(to: target) else {
                close(client)
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
}
