import Executors
import Glibc
import Synchronization

/// Registers a service with avahi-daemon until ``stop()`` or deinit.
///
/// If avahi-daemon is not running, waits for it, and registers the service again whenever it returns.
/// ```swift
/// let registration = try ServiceRegistration(name: "Hue Bridge - A1B2C3", type: "_hue._tcp", port: 443)
/// let name = try await registration.established()   // "Hue Bridge - A1B2C3 #2" if the name was taken
/// ```
public final class ServiceRegistration: Sendable {
    public enum State: Equatable, Sendable {
        /// Avahi has not answered yet.
        case waiting

        /// Registered under this name: `… #2` if the requested one was taken.
        case offered(name: String)

        /// Not registered at present. Retried automatically, except after ``DiscoveryError/badRequest(_:)``.
        case failed(DiscoveryError)
        case stopped
    }

    private let shared: RegistrationState

    /// - Parameters:
    ///   - name: 1 to 63 bytes of UTF-8
    ///   - type: `_hue._tcp`
    ///   - port: 1...65535
    ///   - host: the host of the SRV record, `name.local`; `nil` is this machine. Avahi's dns_sd cannot publish another
    ///     host's address records, and nothing can resolve the service without them.
    ///   - text: the TXT record; each `key=value` at most 255 bytes
    ///   - interface: `eth0`; `nil` is every interface
    ///   - retry: the pause before the next attempt after a failure
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
        let wakeup = try WakeupDescriptor.make()
        let shared = RegistrationState(wakeup: wakeup)
        self.shared = shared
        let offer = ServiceOffer(name: name, type: type, port: port, host: host, interface: index, text: record)
        try WorkerThread.start {
            var worker = RegistrationWorker(offer: offer, retry: retry)
            while let work = shared.takeWork(), worker.run(work, wakeup, shared.publish) {}
        }
    }

    deinit { shared.stop() }

    public var state: State { shared.state }

    /// The current state, then each new one. Ends after ``State/stopped``. A slow reader sees only the newest.
    public func states() -> AsyncStream<State> { shared.states() }

    /// Waits for avahi's first answer.
    ///
    /// - Returns: the name under which the service is registered.
    /// - Throws: why it is not registered. After ``DiscoveryError/daemonMissing`` it may still be later; a cancelled
    ///   task gets ``DiscoveryError/stopped``.
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

    /// Replaces the whole TXT record, now and for later registrations. Returns before the change is published.
    public func update(text: [String: String]) throws(DiscoveryError) {
        shared.update(try TXTRecord(text).wire())
    }

    /// Ends the registration. The goodbye packet leaves a moment later, from the registration's thread. After this
    /// returns, no state but ``State/stopped`` is reported. Idempotent.
    public func stop() { shared.stop() }
}
