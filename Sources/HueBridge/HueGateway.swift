import Curl
import FoundationEssentials
import HueWire
import Khipu
public import Lighting
public import Logging
public import ServiceLifecycle
import Synchronization

/// The way to real bridges: `LightStack` and `BridgeStack` over HTTP. The domain's calls drop an errand and return; the errands run
/// as children of ``run()``, and each answers its reply exactly once.
public final class HueGateway: Service {
    private typealias Errand = @Sendable () async -> Void

    private let settings: GatewaySettings
    private let clock: Clock
    private let logger: Logger
    private let client = HTTPClient()
    private let finder: Finder
    private let lines = Mutex<[Bridge.ID: Line]>([:])
    private let ears = Mutex(Ears())
    private let errands: AsyncStream<Errand>
    private let slot: AsyncStream<Errand>.Continuation

    private struct Ears: Sendable {
        var tell: @Sendable (Tidings) -> Void = { _ in }
        var news: @Sendable (LineNews) -> Void = { _ in }
    }

    /// A line, and the bell that ends its keeping.
    private struct Line: Sendable {
        let line: BridgeLine
        let end: AsyncStream<Void>.Continuation

        func stop() {
            line.close()
            end.finish()
        }
    }

    public convenience init(_ settings: GatewaySettings, clock: Clock, logger: Logger) {
        self.init(settings, clock: clock, logger: logger, neighbourhood: settings.usesMDNS ? .mdns : .blind)
    }

    init(_ settings: GatewaySettings, clock: Clock, logger: Logger, neighbourhood: Neighbourhood) {
        self.settings = settings
        self.clock = clock
        self.logger = logger
        finder = Finder(client: client, settings: settings, neighbourhood: neighbourhood)
        (errands, slot) = AsyncStream.makeStream()
    }

    /// Runs errands and keeps the lines until it is cancelled or shut down gracefully. What is under way is then given up, and
    /// answered so.
    public func run() async throws {
        errand { await self.finder.neighbourhood.run(self.logger) }
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await errand in errands { group.addTask { await errand() } }
                for line in lines.withLock({ Array($0.values) }) { line.line.close() }
                // Ends every request, so that every errand comes to its answer.
                client.shutdown()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.slot.finish()
        }
    }

    // MARK: - Lights

    public var lights: LightStack {
        LightStack(
            load: { [self] _, reply in
                let all = lines.withLock { $0.values.map(\.line) }.sorted { $0.id < $1.id }
                guard !all.isEmpty else { return reply(.failed(.notPaired)) }
                let gather = Gather(all.map { _ in [.all] }, reply)
                for (place, line) in all.enumerated() { line.loadEverything { gather.put($0, at: place) } }
            },
            set: { [self] orders, transition, ticket, reply in
                let parts = Dictionary(grouping: orders, by: \.light.bridge).sorted { $0.key < $1.key }
                let gather = Gather(parts.map { $0.value.map { .light($0.light) } }, reply)
                for (place, (bridge, orders)) in parts.enumerated() {
                    on(bridge, { gather.put($0, at: place) }) { $0.set(orders, transition, ticket, $1) }
                }
            },
            rename: { [self] target, name, reply in
                guard let bridge = target.bridge else { return reply(.failed(.invalid("a home has no name"))) }
                on(bridge, reply) { $0.rename(target, name, $1) }
            },
            recall: { [self] scene, transition, ticket, reply in
                on(scene.bridge, reply) { $0.recall(scene, transition, ticket, $1) }
            },
            powerup: { [self] lights, powerup, reply in
                let gather = Gather(lights.map { [.light($0)] }, reply)
                for (place, light) in lights.enumerated() {
                    on(light.bridge, { gather.put($0, at: place) }) { $0.set(powerup, of: light, $1) }
                }
            },
            listen: { [self] tell in ears.withLock { $0.tell = tell } }
        )
    }

    private func on(
        _ bridge: Bridge.ID, _ reply: @escaping Reply<Outcome>,
        _ work: (BridgeLine, @escaping Reply<Outcome>) -> Void
    ) {
        guard let line = line(bridge) else { return reply(.failed(.noSuchBridge(bridge))) }
        work(line, reply)
    }

    func line(_ bridge: Bridge.ID) -> BridgeLine? { lines.withLock { $0[bridge]?.line } }

    private static func ending(_ bridge: Bridge.ID) -> Failure {
        .unreachable(bridge, because: "its line was closed")
    }

    // MARK: - Bridges

    public var bridges: BridgeStack {
        BridgeStack(
            discover: { [self] duration, reply in
                errand {
                    reply(await self.finder.survey(for: duration, known: self.addresses).discoveries)
                } orElse: {
                    reply([])
                }
            },
            pair: { [self] bridge, patience, reply in
                errand {
                    reply(await self.pair(bridge, within: patience))
                } orElse: {
                    reply(.failure(.noBridgeFound(because: "lightd is stopping")))
                }
            },
            connect: { [self] in connect($0) },
            forget: { [self] bridge, reply in
                errand {
                    reply(await self.forget(bridge))
                } orElse: {
                    reply(.failed(Self.ending(bridge)))
                }
            },
            listen: { [self] news in ears.withLock { $0.news = news } }
        )
    }

    /// - Parameter orElse: answers where the gateway has ended.
    private func errand(_ errand: @escaping Errand, orElse: () -> Void = {}) {
        if case .terminated = slot.yield(errand) { orElse() }
    }

    private var addresses: [Bridge.ID: Bridge.Address] {
        lines.withLock { $0.mapValues(\.line.call.address) }
    }

    private func pair(_ wanted: Bridge.ID?, within patience: Duration) async -> Result<Pairing, Failure> {
        let survey = await finder.survey(for: .seconds(2), known: addresses)
        let sightings = survey.sightings
        guard
            let bridge = wanted.map({ id in sightings.first { $0.id == id } ?? sightings.only(called: id.description) })
                ?? sightings.first
        else {
            let tried = survey.discoveries.flatMap(\.attempts).map { "\($0.asked): \($0.result)" }.joined(
                separator: "; ")
            return .failure(wanted.map { .unreachable($0, because: tried) } ?? .noBridgeFound(because: tried))
        }
        if wanted == nil, sightings.count > 1 { return .failure(.whichBridge(sightings.map(\.id).sorted())) }
        let pairer = Pairer(client: client, settings: settings, now: clock.now)
        do throws(Failure) {
            let known = lines.withLock { $0[bridge.id]?.line.call }
            return .success(
                try await pairer.pair(bridge, mayBePlain: known?.isPlain ?? true, within: patience))
        } catch {
            return .failure(error)
        }
    }

    /// Begins to keep a line. A line under another key or pin takes the place of the one before.
    private func connect(_ pairing: Pairing) {
        let ears = ears.withLock { $0 }
        let line = BridgeLine(
            pairing, client: client, settings: settings, logger: logger, now: clock.now, tell: ears.tell,
            news: ears.news)
        let (ended, end) = AsyncStream<Void>.makeStream()
        let before = lines.withLock { $0.updateValue(Line(line: line, end: end), forKey: line.id) }
        before?.stop()
        let keeper = LineKeeper(line: line, finder: finder)
        errand {
            await withDiscardingTaskGroup { group in
                group.addTask { await line.work() }
                group.addTask { await keeper.run() }
                for await _ in ended {}
                line.close()
                group.cancelAll()
            }
        }
    }

    /// Ends the line and takes our key off the bridge, as far as it can be reached and allows that.
    private func forget(_ bridge: Bridge.ID) async -> Outcome {
        guard let line = lines.withLock({ $0.removeValue(forKey: bridge) }) else {
            return .failed(.noSuchBridge(bridge))
        }
        line.stop()
        await line.line.clearUp()
        let call = line.line.call
        guard let key = call.key else { return .succeeded }
        do throws(CurlError) {
            _ = try await client.send(call.request(.delete, Dialect.farewell(key), deadline: .seconds(3)))
            return .succeeded
        } catch {
            return .failed(error.failure(of: bridge))
        }
    }
}

extension Target {
    /// Whose it is; `nil` for a home, which may have several.
    fileprivate var bridge: Bridge.ID? {
        switch self {
        case let .light(id): id.bridge
        case let .room(id): id.bridge
        case .all: nil
        }
    }
}

extension [Finder.Sighting] {
    /// A bridge that is not ours yet may be asked for by its name, as one that is.
    fileprivate func only(called name: String) -> Finder.Sighting? {
        let named = filter { $0.name.lowercased() == name }
        return named.count == 1 ? named.first : nil
    }
}
