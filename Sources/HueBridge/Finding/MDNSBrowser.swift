import Lighting
import Logging
import ServiceDiscovery
import Synchronization

/// The bridges that announce themselves by mDNS: one browser for the whole gateway, shared by all its connections.
final class MDNSBrowser: Sendable {
    struct View: Equatable, Sendable {
        var seen: [Announced] = []
        /// Why browsing is impossible.
        var problem: DiscoveryError?
    }

    /// One announced bridge, with all its addresses.
    struct Announced: Equatable, Sendable {
        let name: String
        let id: Bridge.ID?
        let addresses: [Bridge.Address]
    }

    private struct State {
        var services: [String: DiscoveredService] = [:]
        var problem: DiscoveryError?
        var isOn = true
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    /// The bridges whose announcements matter most, if there are very many.
    let followed: FollowedBridges
    private let browse: (@Sendable () -> AsyncStream<DiscoveryEvent>)?
    private let switches: AsyncStream<Bool>
    private let switching: AsyncStream<Bool>.Continuation

    init(
        following followed: FollowedBridges = FollowedBridges(),
        _ browse: (@Sendable () -> AsyncStream<DiscoveryEvent>)?
    ) {
        self.followed = followed
        self.browse = browse
        (switches, switching) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        switching.yield(true)
    }

    /// Begins or ends browsing. What was seen is forgotten when it ends.
    func turn(on isOn: Bool) {
        let isChanged = state.withLock { state in
            defer { state.isOn = isOn }
            return state.isOn != isOn
        }
        if isChanged { switching.yield(isOn) }
    }

    /// Browses by avahi-daemon.
    static var mdns: MDNSBrowser {
        let followed = FollowedBridges()
        return MDNSBrowser(following: followed) {
            ServiceBrowser().browse(
                "_hue._tcp", following: { followed.contains($0.bridge) })
        }
    }

    /// Sees nothing: for when mDNS is off.
    static var blind: MDNSBrowser { MDNSBrowser(nil) }

    /// Browses while it is on, until cancelled. Logs one line if avahi-daemon goes, and one if it comes back: configured and last known
    /// addresses work without it.
    func run(_ logger: Logger) async {
        guard let browse else { return }
        await withDiscardingTaskGroup { group in
            var browsing: CancellableTask?
            for await isOn in switches {
                if isOn, browsing == nil {
                    browsing = group.addCancellableTask { _ in await self.follow(browse(), logger) }
                } else if !isOn, let task = browsing.take() {
                    task.cancel()
                    change { ($0.services, $0.problem) = ([:], nil) }
                }
            }
            group.cancelAll()
        }
    }

    private func follow(_ events: AsyncStream<DiscoveryEvent>, _ logger: Logger) async {
        for await event in events {
            // Off already: this is one of the last.
            guard state.withLock(\.isOn) else { return }
            switch event {
            case let .found(service), let .changed(service): change { $0.services[service.name] = service }
            case let .removed(name, _, _): change { $0.services[name] = nil }
            case let .failed(error):
                change { $0.problem = error }
                logger.warning("bridges cannot be found by mDNS", metadata: ["reason": "\(error)"])
            case .resumed:
                change { $0.problem = nil }
                logger.notice("bridges can be found by mDNS again")
            }
        }
    }

    var view: View {
        state.withLock { state in
            View(
                seen: state.services.values.sorted { $0.name < $1.name }.map { service in
                    Announced(
                        name: service.name,
                        id: service.bridge,
                        addresses: service.addresses.map { Bridge.Address(host: "\($0)", port: service.port) })
                }, problem: state.problem)
        }
    }

    /// Waits for the duration, until `enough` accepts what is seen, or until browsing is impossible.
    func wait(
        _ duration: Duration, on clock: BridgeClock = .system, _ enough: @escaping @Sendable ([Announced]) -> Bool
    ) async -> View {
        guard browse != nil, state.withLock(\.isOn) else { return View() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in self.changes() {
                    let view = self.view
                    if enough(view.seen) || view.problem != nil { return }
                }
            }
            group.addTask { await clock.rest(duration) }  // cancelled: enough is known
            await group.next()
            group.cancelAll()
        }
        return view
    }

    /// The addresses at which a bridge announces itself. Emulators do not always name their id: those count too.
    static func addresses(of id: Bridge.ID, in seen: [Announced]) -> Set<Bridge.Address> {
        Set(seen.filter { $0.id == nil || $0.id == id }.flatMap(\.addresses))
    }

    /// The same, and those of them at which nothing says that it is this bridge.
    func addresses(of id: Bridge.ID) -> (all: Set<Bridge.Address>, anonymous: Set<Bridge.Address>) {
        let seen = view.seen
        let all = Self.addresses(of: id, in: seen)
        return (all, all.subtracting(seen.filter { $0.id == id }.flatMap(\.addresses)))
    }

    /// Signals at once, and whenever the view has changed.
    func changes() -> AsyncStream<Void> {
        let (changes, listener) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            defer { state.next += 1 }
            state.listeners[state.next] = listener
            return state.next
        }
        listener.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        listener.yield()
        return changes
    }

    private func change(_ alter: (inout State) -> Void) {
        let listeners = state.withLock { state in
            alter(&state)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield() }
    }
}

/// The paired bridges, for a browser on another thread.
final class FollowedBridges: Sendable {
    private let ids = Mutex<Set<Bridge.ID>>([])

    /// False for a service that does not say which bridge it is.
    func contains(_ id: Bridge.ID?) -> Bool { id.map { id in ids.withLock { $0.contains(id) } } ?? false }

    func insert(_ id: Bridge.ID) { ids.withLock { _ = $0.insert(id) } }

    func remove(_ id: Bridge.ID) { ids.withLock { _ = $0.remove(id) } }
}

extension DiscoveredService {
    /// The bridge that it says it is.
    fileprivate var bridge: Bridge.ID? { Bridge.ID(told: text["bridgeid"]) }
}
