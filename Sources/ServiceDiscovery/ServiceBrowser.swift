import Synchronization

/// Looks for the services of a type with avahi-daemon, for as long as somebody listens.
///
/// ```swift
/// for await event in ServiceBrowser().browse("_hue._tcp") {
///     if case let .found(bridge) = event { print(bridge.name, bridge.addresses, bridge.text["bridgeid"] ?? "") }
/// }
/// ```
/// Addresses are asked of avahi itself, by the host that SRV names (its dns_sd has no `DNSServiceGetAddrInfo`). They
/// never come from getaddrinfo, which would ask the router's DNS for names that are not its own: a host without
/// addresses is not told of.
public struct ServiceBrowser: Sendable {
    /// How long to wait before looking again for a daemon, or a host, that did not answer.
    public var retry: Duration

    /// How long a daemon that came back is given to show again what was found before. What it has not shown by then is
    /// removed.
    public var patience: Duration

    /// How many events wait for a reader; one that falls further behind loses the oldest.
    static let buffered = 4_096

    public init(retry: Duration = .seconds(3), patience: Duration = .seconds(8)) {
        self.retry = retry
        self.patience = patience
    }

    /// Begins at once, on a thread of its own. The thread, its sockets and requests are freed when the stream's last
    /// reader has gone or its task is cancelled. The stream ends by itself only after
    /// ``DiscoveryError/badRequest(_:)``, or where the system gives no thread.
    ///
    /// - Parameters:
    ///   - type: `_hue._tcp`, or with a subtype `_http._tcp,_printer`
    ///   - domain: nil is `local`
    public func browse(_ type: String, domain: String? = nil) -> AsyncStream<DiscoveryEvent> {
        let (stream, teller) = AsyncStream.makeStream(
            of: DiscoveryEvent.self, bufferingPolicy: .bufferingNewest(Self.buffered)
        )
        let retry = retry
        let patience = patience
        do throws(DiscoveryError) {
            let bell = try Bell()
            let stop = StopSign()
            teller.onTermination = { _ in
                stop.raise()
                bell.ring()
            }
            try OwnThread.begin {
                var watch = Watch(type: type, domain: domain, retry: retry, patience: patience) { teller.yield($0) }
                while !stop.isRaised, watch.turn(bell) {}
                teller.finish()
            }
        } catch {
            teller.yield(.failed(error))
            teller.finish()
        }
        return stream
    }
}

/// Raised once, seen by another thread.
final class StopSign: Sendable {
    private let raised = Atomic(false)

    var isRaised: Bool { raised.load(ordering: .acquiring) }

    func raise() { raised.store(true, ordering: .releasing) }
}
