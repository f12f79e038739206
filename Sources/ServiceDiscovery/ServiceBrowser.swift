import Executors
import Synchronization

/// Finds the services of one type through avahi-daemon.
///
/// ```swift
/// for await event in ServiceBrowser().browse("_hue._tcp") {
///     if case let .found(bridge) = event { print(bridge.name, bridge.addresses, bridge.text["bridgeid"] ?? "") }
/// }
/// ```
/// Addresses come from avahi, by the host in the SRV record (its dns_sd has no `DNSServiceGetAddrInfo`). They never
/// come from getaddrinfo, which would ask the router's DNS for `.local` names. A host without addresses is not
/// reported.
public struct ServiceBrowser: Sendable {
    /// The pause before asking again if the daemon or a host did not answer.
    public var retry: Duration

    /// How long a daemon that came back has to show the known services again. The others are then removed.
    public var settleTime: Duration

    /// How many events are buffered. A reader that falls further behind loses the oldest.
    static let buffered = 4_096

    public init(retry: Duration = .seconds(3), settleTime: Duration = .seconds(8)) {
        self.retry = retry
        self.settleTime = settleTime
    }

    /// Starts at once, on a thread of its own. The thread and its requests are freed when the stream is dropped or its
    /// reading task is cancelled. The stream ends by itself only after ``DiscoveryError/badRequest(_:)``, or if no
    /// thread can be created.
    ///
    /// - Parameters:
    ///   - type: `_hue._tcp`, or with a subtype `_http._tcp,_printer`
    ///   - domain: `nil` is `local`
    ///   - isFollowed: whether changes of a service are reported at once, however many services there are. Changes of
    ///     the others may take longer if there are more than sixteen.
    public func browse(
        _ type: String, domain: String? = nil,
        following isFollowed: @escaping @Sendable (DiscoveredService) -> Bool = { _ in false }
    ) -> AsyncStream<DiscoveryEvent> {
        let (stream, events) = AsyncStream.makeStream(
            of: DiscoveryEvent.self, bufferingPolicy: .bufferingNewest(Self.buffered)
        )
        let retry = retry
        let settleTime = settleTime
        do throws(DiscoveryError) {
            let wakeup = try WakeupDescriptor.make()
            let stop = StopFlag()
            events.onTermination = { _ in
                stop.raise()
                wakeup.signal()
            }
            try WorkerThread.start {
                var worker = BrowseWorker(
                    type: type, domain: domain, retry: retry, settleTime: settleTime, isFollowed: isFollowed,
                    publish: { events.yield($0) })
                while !stop.isRaised, worker.run(wakeup) {}
                events.finish()
            }
        } catch {
            events.yield(.failed(error))
            events.finish()
        }
        return stream
    }
}

/// Tells another thread to stop.
final class StopFlag: Sendable {
    private let raised = Mutex(false)

    var isRaised: Bool { raised.withLock { $0 } }

    func raise() { raised.withLock { $0 = true } }
}
