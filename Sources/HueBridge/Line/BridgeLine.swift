import Curl
import FoundationEssentials
import HueWire
import Khipu
import Lighting
import Logging
import Synchronization

/// The line to one bridge, as its keeper and its commands see it: where the bridge is, what is known of its home, and in which state
/// the connection is. Commands go out one after the other, in the order in which they were asked.
final class BridgeLine: Sendable {
    enum State: Equatable, Sendable {
        case connecting
        case connected
        case lost(Failure)
    }

    private struct Desk: Sendable {
        var call: BridgeCall
        var map: HomeMap
        var state = State.connecting
        var pacer: Pacer
        var written: AsyncStream<Void>.Continuation?
    }

    /// When the command that is being carried out was asked.
    @TaskLocal static var asked: ContinuousClock.Instant?

    let id: Bridge.ID
    let client: HTTPClient
    let settings: GatewaySettings
    let logger: Logger
    private let desk: Mutex<Desk>
    private let jobs: AsyncStream<Job>
    private let slot: AsyncStream<Job>.Continuation
    private let start = ContinuousClock.now
    let now: @Sendable () -> Timestamp
    let tell: @Sendable (Tidings) -> Void
    let news: @Sendable (LineNews) -> Void

    typealias Job = @Sendable (BridgeLine) async -> Void

    init(
        _ pairing: Pairing, client: HTTPClient, settings: GatewaySettings, logger: Logger,
        now: @escaping @Sendable () -> Timestamp, tell: @escaping @Sendable (Tidings) -> Void,
        news: @escaping @Sendable (LineNews) -> Void
    ) {
        id = pairing.bridge.id
        self.client = client
        self.settings = settings
        self.now = now
        self.tell = tell
        self.news = news
        var logger = logger
        logger[metadataKey: "bridge"] = "\(id)"
        self.logger = logger
        desk = Mutex(
            Desk(
                call: BridgeCall(pairing), map: HomeMap(bridge: id),
                pacer: Pacer(lightsPerSecond: settings.lightsPerSecond, groupsPerSecond: settings.groupsPerSecond)))
        (jobs, slot) = AsyncStream.makeStream()
    }

    /// Puts a job at the end of the queue. Never waits.
    ///
    /// - Returns: whether it was taken; after ``close()`` none is.
    @discardableResult
    func submit(_ job: @escaping Job) -> Bool {
        if case .terminated = slot.yield(job) { false } else { true }
    }

    /// Takes no more jobs; those that wait are still answered.
    func close() { slot.finish() }

    /// Carries out the jobs until the line is closed.
    func work() async {
        for await job in jobs { await job(self) }
    }

    var call: BridgeCall { desk.withLock { $0.call } }
    var state: State { desk.withLock { $0.state } }
    var map: HomeMap { desk.withLock { $0.map } }

    func move(to address: Bridge.Address) { desk.withLock { $0.call.address = address } }
    func set(_ state: State) { desk.withLock { $0.state = state } }

    /// Takes in everything, and tells it.
    func load(_ resources: [Resource]) {
        let time = now()
        tell(
            desk.withLock { desk in
                desk.map.load(resources)
                return desk.map.home(at: time)
            })
    }

    /// Takes in an event, and tells what it means; gives back the lamps to read afresh.
    func apply(_ event: EventContainer) -> [ResourceID] {
        let time = now()
        let (tidings, reread) = desk.withLock { $0.map.apply(event, at: time) }
        for one in tidings { tell(one) }
        return reread
    }

    /// Takes in lamps that were read afresh, and tells what is new of them.
    ///
    /// - Returns: whether anything was, a lamp that nobody has told of included.
    func refresh(_ lamps: [LightResource]) -> Bool {
        let (tidings, isAnyUnknown) = desk.withLock { desk in
            (lamps.compactMap { desk.map.refresh($0) }, lamps.contains { desk.map.lights[$0.id] == nil })
        }
        for one in tidings { tell(one) }
        return isAnyUnknown || !tidings.isEmpty
    }

    func wish(_ color: HueSaturation, as xy: XY, of lights: [ResourceID]) {
        desk.withLock { desk in
            for light in lights { desk.map.wish(color, as: xy, of: light) }
        }
    }

    /// Rings when something was written, for as long as a keeper listens; a new listener takes the place of the one before.
    func writes() -> AsyncStream<Void> {
        let (rings, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        desk.withLock { $0.written = bell }
        return rings
    }

    func tellOfWrite() { desk.withLock { $0.written }?.yield() }

    /// How long to wait for this command's turn.
    func book(_ kind: Pacer.Kind) -> Duration {
        let now = ContinuousClock.now - start
        return desk.withLock { $0.pacer.book(kind, at: now) }
    }
}
