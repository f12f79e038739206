import CoreMetrics
import Curl
import HueWire
import Khipu
import Lighting
import Logging
import Synchronization

/// The connection to one bridge, in three parts: ``BridgeClient`` sends typed requests, ``CommandQueue`` holds what is
/// still to be sent and who waits for it, ``HomeMirror`` holds what is known of the home and expected of it.
///
/// One lock guards queue and mirror, because what a report means depends on both: which command was sent, and whether a
/// newer one waits. Updates are published under it, so that none overtakes a newer one. The client has a lock of its
/// own, for the address only.
final class BridgeConnection: Sendable {
    struct Parts: Sendable {
        let dialect: Dialect
        /// Whether the bridge keeps scenes in their groups, as deCONZ does.
        let hasScenesInGroups: Bool
        var queue: CommandQueue
        var mirror: HomeMirror
        /// Who waits until the bridge reports a room or scene that it has changed.
        var reports = AwaitedReports()
        /// Whether the bridge is asked for changes, instead of reporting them.
        var isPolled = false
        /// How often the connection was lost: an answer from before a loss says nothing about the time after it.
        var losses = 0
        /// When it was last lost: what was asked before is older than what somebody did meanwhile.
        var lost: Duration?
    }

    let id: Bridge.ID
    let client: BridgeClient
    /// What the supervisor probes the event stream with.
    let geofence: GeofenceClient
    let metrics: BridgeMetrics
    private let live: Live<GatewaySettings>
    let clock: BridgeClock
    let logger: Logger
    private let log: DedupedLog
    let parts: Mutex<Parts>
    /// The wall clock.
    let now: @Sendable () -> Timestamp
    private let publishUpdate: @Sendable (BridgeUpdate) -> Void
    private let publishEvent: @Sendable (ConnectionEvent) -> Void
    /// Returns once what was published before has been taken in.
    let untilTakenIn: @Sendable () async -> Void
    /// Signals that the queue may have something to send. One signal is as good as many.
    private let workSignals: AsyncStream<Void>
    private let workSignal: AsyncStream<Void>.Continuation
    private let writeListener = Mutex<AsyncStream<Bool>.Continuation?>(nil)

    init(
        _ pairing: Pairing, settings live: Live<GatewaySettings>, remembering colors: [Light.ID: [HueSaturation]] = [:],
        metrics factory: any MetricsFactory = NOOPMetricsHandler.instance, logger: Logger,
        now: @escaping @Sendable () -> Timestamp, publishUpdate: @escaping @Sendable (BridgeUpdate) -> Void,
        publishEvent: @escaping @Sendable (ConnectionEvent) -> Void,
        untilTakenIn: @escaping @Sendable () async -> Void = {}
    ) {
        let settings = live.value
        id = pairing.bridge.id
        var logger = logger
        logger[metadataKey: "bridge"] = "\(id)"
        (workSignals, workSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        log = DedupedLog(logger, now: settings.clock.now) { [workSignal] in workSignal.yield() }
        self.logger = log.logger
        self.live = live
        clock = settings.clock
        self.now = now
        self.publishUpdate = publishUpdate
        self.publishEvent = publishEvent
        self.untilTakenIn = untilTakenIn
        metrics = BridgeMetrics(id, factory)
        client = BridgeClient(pairing, settings: live, metrics: metrics, logger: self.logger)
        geofence = GeofenceClient(client, instance: settings.instance)
        parts = Mutex(
            Parts(
                dialect: client.dialect, hasScenesInGroups: pairing.bridge.model == "deCONZ",
                queue: CommandQueue(id, settings),
                mirror: HomeMirror(id, settings.returning, remembering: colors)))
    }

    var settings: GatewaySettings { live.value }
    var elapsed: Duration { clock.now() }
    var state: ConnectionState { parts.withLock { $0.queue.state } }
    var home: HomeResources { parts.withLock { $0.mirror.resources } }
    var losses: Int { parts.withLock { $0.losses } }
    var isPolled: Bool { parts.withLock { $0.isPolled } }

    // MARK: - State

    func markConnected() { change { $0.queue.connect(at: $1) } }

    func markLost(_ failure: Failure) {
        change { parts, now in
            parts.losses += 1
            parts.queue.lose(failure, at: now)
            parts.mirror.lose(at: now)
            parts.lost = now
        }
    }

    /// Takes over settings that were replaced.
    func applySettings() {
        let settings = settings
        change { parts, _ in
            parts.queue.apply(settings)
            parts.mirror.apply(settings.returning)
        }
    }

    /// Accepts nothing more, and answers everybody who waits.
    func close() {
        change { parts, _ in
            parts.queue.close()
            parts.reports.close(id)
        }
        workSignal.finish()
    }

    func publish(_ event: ConnectionEvent) {
        if case let .connected(_, by: mode) = event { parts.withLock { $0.isPolled = mode != .stream } }
        publishEvent(event)
    }

    // MARK: - Changing the parts

    /// Changes queue and mirror in one step, then answers the callers whose outcome is known.
    @discardableResult
    func change<Result: Sendable>(_ change: (inout Parts, Duration) -> Result) -> Result {
        let now = elapsed
        let (result, answers) = parts.withLock { parts in
            let result = change(&parts, now)
            publishNewsOfKept(&parts, at: now)
            parts.reports.check(parts.mirror.resources)
            return (result, parts.takeAnswers())
        }
        for answer in answers { answer.give() }
        workSignal.yield()
        return result
    }

    /// Takes in what the bridge reported: publishes what follows from it, and queues what must be sent or read
    /// because of it.
    ///
    /// - Parameter losses: what ``losses`` was when this was asked for.
    /// - Returns: `nil` if the connection was lost since; then nothing is taken in.
    @discardableResult
    func report<Result: Sendable>(
        since losses: Int, _ take: (inout HomeMirror, CommandQueue, Duration) -> (HomeMirror.Effects, Result)
    ) -> Result? {
        change { parts, now in
            guard parts.losses == losses else { return nil }
            let (effects, result) = take(&parts.mirror, parts.queue, now)
            follow(effects, &parts, at: now)
            return result
        }
    }

    func follow(_ effects: HomeMirror.Effects, _ parts: inout Parts, at now: Duration) {
        for update in effects.updates { publishUpdate(update) }
        if effects.isRearranged { parts.queue.arrange(parts.mirror.resources.layout) }
        for light in effects.yields { parts.queue.yield(light, askedBefore: parts.lost) }
        let missed = effects.repairs.filter { $0.missed != nil }
        let isChecked =
            !missed.isEmpty && parts.queue.read(at: now) { await $0.repairUnlessTakenBack(missed) }
        for repair in effects.repairs where !isChecked || repair.missed == nil { parts.queue.repair(repair, at: now) }
        for light in effects.reads { parts.queue.read(at: now) { await $0.reread(.light(light)) } }
    }

    private func publishNewsOfKept(_ parts: inout Parts, at now: Duration) {
        for update in parts.mirror.newsOfKept(at: now) { publishUpdate(update) }
    }

    // MARK: - Sending

    /// Sends what is due, until the connection is closed.
    func run() async {
        await withDiscardingTaskGroup { group in
            var timer: Duration?
            for await _ in workSignals {
                log.writeWhatIsDue()
                let (requests, wake) = nextRequests()
                for request in requests { group.addTask { await self.send(request) } }
                if let time = timer, time <= elapsed { timer = nil }
                guard let wake, timer.map({ wake < $0 }) ?? true else { continue }
                timer = wake
                group.addTask {
                    await self.clock.rest(until: wake)
                    self.workSignal.yield()
                }
            }
            group.cancelAll()
        }
    }

    private func nextRequests() -> ([ScheduledRequest], wake: Duration?) {
        let now = elapsed
        let (requests, wake, answers) = parts.withLock { parts in
            let isConnected = parts.queue.state == .connected
            if isConnected { queueWhatIsDue(&parts, at: now) }
            publishNewsOfKept(&parts, at: now)
            let (requests, wake) = parts.queue.next(at: now)
            parts.reports.expire(on: id, at: now)
            let mirrorDue = isConnected ? parts.mirror.nextDue : parts.mirror.nextExpiry
            let due = [wake, mirrorDue, parts.reports.next, log.due].compactMap(\.self).min()
            return (requests, due, parts.takeAnswers())
        }
        for answer in answers { answer.give() }
        return (requests, wake)
    }

    /// Lights without a confirmation are read, and everything if a change of a room or scene was not reported; lights
    /// that are back get what they missed.
    private func queueWhatIsDue(_ parts: inout Parts, at now: Duration) {
        let (unconfirmed, effects) = parts.mirror.due(at: now)
        // More than a few are read in one answer. Nothing is said of a light before its own answer has come.
        let reads = unconfirmed.count > 3 ? [(Query.lights, unconfirmed)] : unconfirmed.map { (.light($0), [$0]) }
        for (query, lights) in reads { parts.queue.read(at: now) { await $0.verify(query, lights) } }
        follow(effects, &parts, at: now)
        if parts.reports.takeReads(at: now) { parts.queue.read(at: now) { await $0.rereadEverything() } }
    }

    // MARK: - Writes

    /// Signals each write that the event stream should confirm, and whether the bridge has answered it, as long as the
    /// supervisor listens. A new listener replaces the one before.
    func writes() -> AsyncStream<Bool> {
        let (writes, listener) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingNewest(16))
        writeListener.withLock { $0 = listener }
        return writes
    }

    func signalWrite(isAnswered: Bool) { _ = writeListener.withLock { $0 }?.yield(isAnswered) }
}

extension BridgeConnection.Parts {
    /// The answers that have become due since this was last called.
    fileprivate mutating func takeAnswers() -> [CommandQueue.Answer] { queue.takeAnswers() + reports.takeAnswers() }
}

/// Whether requests reach the bridge, with what belongs to each state.
enum ConnectionState: Equatable, Sendable {
    case connecting
    case connected
    /// Why the bridge is out of reach, and since when.
    case lost(Failure, since: Duration)
    /// For good: the bridge was forgotten or paired anew, or the gateway has ended.
    case closed
}
