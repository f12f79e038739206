import Glibc
import Synchronization

/// A service of ours that avahi-daemon tells the network of, from the moment this exists until ``stop()``.
///
/// While avahi-daemon is missing it waits for it, and offers the service again when it returns.
/// ```swift
/// let registration = try ServiceRegistration(name: "Hue Bridge - A1B2C3", type: "_hue._tcp", port: 443)
/// let name = try await registration.established()   // "Hue Bridge - A1B2C3 #2", if somebody had the name
/// ```
public final class ServiceRegistration: Sendable {
    public enum State: Equatable, Sendable {
        /// Asked for, not yet answered.
        case waiting

        /// The network accepted it under this name: another than the one asked for, `… #2`, where that was taken.
        case offered(name: String)

        /// Not offered now; tried again by itself, except after ``DiscoveryError/badRequest(_:)``.
        case failed(DiscoveryError)
        case stopped
    }

    private let desk: Desk

    /// - Parameters:
    ///   - name: for people, 1 to 63 bytes of UTF-8
    ///   - type: `_hue._tcp`
    ///   - port: 1...65535
    ///   - host: the host of the SRV record, `name.local`; nil is this machine. Another host's address records must be
    ///     published by somebody, for Avahi's dns_sd cannot: without them nobody can resolve the service.
    ///   - text: the TXT record; each `key=value` at most 255 bytes
    ///   - interface: `eth0`; nil is every interface
    ///   - retry: how long to wait before asking again a daemon that did not answer
    public init(
        name: String, type: String, port: Int, host: String? = nil, text: [String: String] = [:],
        interface: String? = nil, retry: Duration = .seconds(3)
    ) throws(DiscoveryError) {
        guard (1...65_535).contains(port) else { throw .badRequest("port \(port)") }
        guard (1...63).contains(name.utf8.count) else { throw .badRequest("the name '\(name)'") }
        var index: UInt32 = 0
        if let interface {
            index = if_nametoindex(interface)
            guard index > 0 else { throw .noSuchInterface(interface) }
        }
        let record = try TXTRecord(text).wire()
        let bell = try Bell()
        let desk = Desk(bell: bell)
        self.desk = desk
        let offer = Offer(name: name, type: type, port: port, host: host, interface: index, text: record)
        try OwnThread.begin {
            var post = Post(offer: offer, retry: retry)
            while let orders = desk.orders(), post.turn(orders, bell, desk.tell) {}
        }
    }

    deinit { desk.stop() }

    /// What became of it, as far as is known now.
    public var state: State { desk.state }

    /// The present state, then each new one; ends after ``State/stopped``. A slow reader sees the newest only.
    public func states() -> AsyncStream<State> { desk.states() }

    /// Waits for avahi's first answer.
    ///
    /// - Returns: the name under which the service is offered.
    /// - Throws: why it is not. It may be yet, after ``DiscoveryError/daemonMissing``; after
    ///   ``DiscoveryError/stopped`` it will not, which is also what a cancelled task gets.
    public func established() async throws(DiscoveryError) -> String {
        for await state in states() {
            switch state {
            case .waiting: continue
            case let .offered(name): return name
            case let .failed(error): throw error
            case .stopped: throw .stopped
            }
        }
        throw .stopped
    }

    /// Replaces the whole TXT record, also for the times the daemon comes back. Returns before the network knows.
    public func update(text: [String: String]) throws(DiscoveryError) {
        desk.update(try TXTRecord(text).wire())
    }

    /// Takes the service back; its goodbye leaves a moment later, from the registration's thread. No state but
    /// ``State/stopped`` is told after this returns. More than once is once.
    public func stop() { desk.stop() }
}
