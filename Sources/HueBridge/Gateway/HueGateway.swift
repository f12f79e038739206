public import CoreMetrics
import Curl
import FoundationEssentials
import HueWire
import Khipu
public import Lighting
public import Logging
public import ServiceLifecycle
import Synchronization

/// Connects the domain to real bridges: `LightStack` and `BridgeStack` over HTTP. The domain's calls start work and
/// return; the work runs as children of ``run()``, and each call's reply is given exactly once.
public final class HueGateway: Service {
    private typealias Work = @Sendable () async -> Void

    private let live: Live<GatewaySettings>
    private let clock: Clock
    private let metrics: any MetricsFactory
    private let logger: Logger
    /// For the search for bridges, and for pairing.
    private let http = HTTPClient()
    let finder: BridgeFinder
    /// What lights were asked to show before this start: a lamp that still shows it has it in the person's words.
    private let rememberedColors: [Light.ID: [HueSaturation]]
    private let connections = Mutex<[Bridge.ID: KeptConnection]>([:])
    private let listeners = Mutex(Listeners())
    private let untilTakenIn: @Sendable () async -> Void
    private let started: AsyncStream<Work>
    private let startedWork: AsyncStream<Work>.Continuation

    private struct Listeners: Sendable {
        var update: @Sendable (BridgeUpdate) -> Void = { _ in }
        var event: @Sendable (ConnectionEvent) -> Void = { _ in }
    }

    /// A connection, and how to end what keeps it.
    private struct KeptConnection: Sendable {
        let connection: BridgeConnection
        let supervisor: ConnectionSupervisor
        let end: AsyncStream<Void>.Continuation

        func stop() {
            connection.close()
            end.finish()
        }
    }

    /// - Parameters:
    ///   - lights: as they were remembered.
    ///   - metrics: counts what goes to bridges and comes from them, as `lightd_bridge_…`.
    ///   - untilTakenIn: returns once the listeners' messages before it have been taken in. An event stream is read no
    ///     further until then, so that no bridge fills the memory with events.
    public convenience init(
        _ settings: GatewaySettings, remembering lights: some Sequence<Light> = [], clock: Clock,
        metrics: any MetricsFactory, logger: Logger, untilTakenIn: @escaping @Sendable () async -> Void
    ) {
        self.init(
            settings, remembering: lights, clock: clock, metrics: metrics, logger: logger, browser: .mdns,
            untilTakenIn: untilTakenIn)
        finder.browser.turn(on: settings.usesMDNS)
    }

    init(
        _ settings: GatewaySettings, remembering lights: some Sequence<Light> = [], clock: Clock,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance, logger: Logger, browser: MDNSBrowser,
        untilTakenIn: @escaping @Sendable () async -> Void = {}
    ) {
        self.untilTakenIn = untilTakenIn
        rememberedColors = Dictionary(
            // A colour that was sent just before lightd ended has not been reported yet.
            lights.map { ($0.id, $0.wanted.colors.map { HueSaturation(hue: $0.hue, saturation: $0.saturation) }) }
        ) { first, _ in first }
        live = Live(settings)
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
        finder = BridgeFinder(client: http, settings: live, browser: browser)
        (started, startedWork) = AsyncStream.makeStream()
    }

    /// Runs until cancelled or shut down gracefully. Then unfinished work is given up, and its callers get an error.
    public func run() async throws {
        start { await self.finder.browser.run(self.logger) }
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await work in started { group.addTask { await work() } }
                // Ends every request, so that all work ends.
                for kept in connections.withLock({ Array($0.values) }) {
                    kept.connection.close()
                    kept.connection.client.shutdown()
                }
                http.shutdown()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.startedWork.finish()
        }
    }

    /// Returns once every thread that sends requests has come to this call, or when the task is cancelled: for a
    /// watchdog.
    public func ping() async {
        await http.ping()
        for connection in connections.withLock({ $0.values.map(\.connection) }) { await connection.client.ping() }
    }

    /// What waits to be sent to one bridge, and what it was spared since the connection to it was made.
    public struct Load: Equatable, Sendable {
        public let bridge: Bridge.ID
        /// Lights with new values, and other requests.
        public let waiting: Int
        /// Requests that were not needed, because values were sent together or in the place of older ones.
        public let folded: UInt64
    }

    public var loads: [Load] {
        connections.withLock { $0.values.map(\.connection) }.sorted { $0.id < $1.id }.map { connection in
            let (waiting, folded) = connection.parts.withLock { parts in
                (parts.queue.scheduler.waitingRequests, parts.queue.scheduler.folded)
            }
            return Load(bridge: connection.id, waiting: waiting, folded: folded)
        }
    }

    // MARK: - Settings

    var settings: GatewaySettings { live.value }

    /// Changes the settings. Connections, and what waits in their queues, stay as they are.
    public func apply(_ settings: GatewaySettings) {
        live.value = settings
        finder.browser.turn(on: settings.usesMDNS)
        for kept in connections.withLock({ Array($0.values) }) {
            kept.connection.applySettings()
            kept.supervisor.poll(every: settings.pollInterval)
        }
    }

    // MARK: - Lights

    public var lights: LightStack {
        LightStack(
            load: { [self] reply in
                let all = connections.withLock { $0.values.map(\.connection) }.sorted { $0.id < $1.id }
                guard !all.isEmpty else { return reply(.failed(.notPaired)) }
                let collector = OutcomeCollector(all.map { _ in [.all] }, reply)
                for (place, connection) in all.enumerated() {
                    connection.loadEverything { collector.put($0, at: place) }
                }
            },
            listen: { [self] listener in listeners.withLock { $0.update = listener } },
            ask: ask
        )
    }

    public var rooms: RoomStack { RoomStack(ask: ask) }
    public var scenes: SceneStack { SceneStack(ask: ask) }
    public var sensors: SensorStack { SensorStack(ask: ask) }

    private var ask: LightStack.Ask {
        { [self] bridge, reply, command in
            guard let connection = connection(bridge) else { return reply(.failed(.noSuchBridge(bridge))) }
            connection.change { command(&$0, $1) }
        }
    }

    /// Lights, rooms, scenes and sensors that are sent nothing: for what would be sent.
    public func rehearsal() -> LightRehearsal {
        let copies = RehearsedBridges(connections.withLock { $0.values.map(\.connection) })
        return LightRehearsal(
            lights: copies.lights, rooms: RoomStack(ask: copies.ask), scenes: SceneStack(ask: copies.ask),
            sensors: SensorStack(ask: copies.ask), requests: copies.requests)
    }

    func connection(_ bridge: Bridge.ID) -> BridgeConnection? { connections.withLock { $0[bridge]?.connection } }

    private static func ending(_ bridge: Bridge.ID) -> Failure {
        .unreachable(bridge, because: "its connection was closed")
    }

    // MARK: - Bridges

    public var bridges: BridgeStack {
        BridgeStack(
            discover: { [self] duration, reply in
                start {
                    reply(await self.finder.survey(for: duration, known: self.addresses).discoveries)
                } orElse: {
                    reply([])
                }
            },
            pair: { [self] bridge, timeout, reply in
                start {
                    reply(await self.pair(bridge, within: timeout))
                } orElse: {
                    reply(.failure(.noBridgeFound(because: "lightd is stopping")))
                }
            },
            connect: { [self] in connect($0) },
            revoke: { [self] pairing in start { await self.revoke(pairing) } },
            forget: { [self] bridge, reply in
                // At once, so that it is not the connection of a later pairing.
                guard let connection = disconnect(bridge) else { return reply(.failed(.noSuchBridge(bridge))) }
                start {
                    reply(await self.removeTraces(of: connection))
                } orElse: {
                    reply(.failed(Self.ending(bridge)))
                }
            },
            listen: { [self] listener in listeners.withLock { $0.event = listener } }
        )
    }

    /// - Parameter orElse: what happens instead if the gateway has ended.
    private func start(_ work: @escaping Work, orElse: () -> Void = {}) {
        if case .terminated = startedWork.yield(work) { orElse() }
    }

    private var addresses: [Bridge.ID: Bridge.Address] {
        connections.withLock { $0.mapValues(\.connection.client.call.address) }
    }

    private func pair(_ wanted: Bridge.ID?, within timeout: Duration) async -> Result<Pairing, Failure> {
        let survey = await finder.survey(for: .seconds(2), known: addresses)
        let sightings = survey.sightings
        guard
            let bridge = wanted.map({ id in sightings.first { $0.id == id } ?? sightings.only(called: id.description) })
                ?? sightings.first
        else { return .failure(survey.failure(toFind: wanted)) }
        if wanted == nil, sightings.count > 1 { return .failure(.whichBridge(sightings.map(\.id).sorted())) }
        let pairer = Pairer(client: http, settings: settings, now: clock.now)
        do throws(Failure) {
            let known = connections.withLock { $0[bridge.id]?.connection.client.call }
            return .success(
                try await pairer.pair(bridge, mayBePlain: known?.isPlain ?? true, within: timeout))
        } catch {
            return .failure(error)
        }
    }

    /// Connects to a paired bridge. A connection under another key or pin replaces the one before.
    private func connect(_ pairing: Pairing) {
        let listeners = listeners.withLock { $0 }
        let colors = rememberedColors.filter { $0.key.bridge == pairing.bridge.id }
        // Its series are its own: what ends late counts no more.
        connections.withLock { $0[pairing.bridge.id] }?.connection.metrics.end()
        let connection = BridgeConnection(
            pairing, settings: live, remembering: colors, metrics: metrics, logger: logger, now: clock.now,
            publishUpdate: listeners.update, publishEvent: listeners.event, untilTakenIn: untilTakenIn)
        let (ended, end) = AsyncStream<Void>.makeStream()
        let supervisor = ConnectionSupervisor(connection: connection, finder: finder)
        let kept = KeptConnection(connection: connection, supervisor: supervisor, end: end)
        let before = connections.withLock { $0.updateValue(kept, forKey: connection.id) }
        before?.stop()
        finder.browser.followed.insert(connection.id)
        start {
            await withDiscardingTaskGroup { group in
                group.addTask { await connection.run() }
                group.addTask { await supervisor.run() }
                for await _ in ended {}
                connection.close()
                group.cancelAll()
            }
        }
    }

    private func revoke(_ pairing: Pairing) async {
        do throws(Failure) {
            try await BridgeCall(pairing, settings).removeKey(over: http)
        } catch {
            logger.debug(
                "a key that could not be saved stays on the bridge",
                metadata: ["bridge": "\(pairing.bridge.id)", "because": "\(error)"])
        }
    }

    /// Ends the connection to a bridge. Requests of our own can still be sent over it.
    private func disconnect(_ bridge: Bridge.ID) -> BridgeConnection? {
        guard let kept = connections.withLock({ $0.removeValue(forKey: bridge) }) else { return nil }
        kept.stop()
        kept.connection.metrics.end()
        finder.browser.followed.remove(bridge)
        return kept.connection
    }

    /// Removes our geofence client and our key from the bridge, if the bridge can be reached and allows that.
    private func removeTraces(of connection: BridgeConnection) async -> Outcome {
        await connection.geofence.remove()
        do throws(Failure) {
            try await connection.client.removeKey()
            return .succeeded
        } catch {
            return .failed(error)
        }
    }
}

extension [BridgeFinder.Sighting] {
    /// The bridge of that name: one that is not paired yet may be named too.
    fileprivate func only(called name: String) -> BridgeFinder.Sighting? {
        let named = called(name)
        return named.count == 1 ? named.first : nil
    }

    fileprivate func called(_ name: String) -> Self { filter { $0.name.lowercased() == name } }
}

extension BridgeFinder.Survey {
    /// Why the bridge to pair with is not clear.
    ///
    /// - Parameter wanted: an id, or a name in its place; `nil` for any bridge.
    func failure(toFind wanted: Bridge.ID?) -> Failure {
        // A bridge is often tried at the same address in several ways.
        var tried: [String] = []
        for attempt in discoveries.flatMap(\.attempts) {
            let words = "\(attempt.asked): \(attempt.result)"
            if !tried.contains(words) { tried.append(words) }
        }
        let most = 4
        let more = tried.count > most ? "; and \(tried.count - most) more were tried" : ""
        let cause = tried.prefix(most).joined(separator: "; ") + more
        guard let wanted else { return .noBridgeFound(because: cause) }
        guard !sightings.isEmpty else { return .unreachable(wanted, because: cause) }
        let found = sightings.map { "\($0.name) (\($0.id))" }
        let isID = wanted.description.count == 16 && wanted.description.allSatisfy { $0.isASCII && $0.isHexDigit }
        if isID { return .unreachable(wanted, because: "it was not found, but \(found.joined(separator: ", "))") }
        let named = sightings.called(wanted.description)
        guard named.isEmpty else { return .whichBridge(named.map(\.id).sorted()) }
        return .noBridgeCalled(wanted.description, found: found)
    }
}
