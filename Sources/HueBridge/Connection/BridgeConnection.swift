import Curl
import HueWire
import Khipu
import Lighting
import Logging
import Synchronization

/// The line to one bridge, as its keeper and its commands see it: where the bridge is, what is known of its home, in which state
/// the connection is, and what is still to be sent (``CommandScheduler``) and to be seen (``PendingConfirmations``).
final class BridgeConnection: Sendable {
    enum State: Equatable, Sendable {
        case connecting
        case connected
        case lost(Failure)
    }

    /// A request that is no patch of lamps.
    typealias JobWork = @Sendable (BridgeConnection) async -> Delivery

    struct Desk: Sendable {
        var call: BridgeCall
        var home: HomeMirror
        var state = State.connecting
        /// When the line was lost.
        var lostAt: Duration?
        var scheduler: CommandScheduler
        var confirmations = PendingConfirmations()
        var attribution = ChangeAttribution()
        var offline: OfflineCommands
        /// Who waits for which token.
        var callers: [UInt64: Caller] = [:]
        var jobs: [UInt64: JobWork] = [:]
        /// What the plan settled while something was taken in; answered when the bell rings.
        var completions: [Completion] = []
        /// Whose wish for a lamp was the last.
        var requesters: [ResourceID: Ticket] = [:]
        var tokens: UInt64 = 0
        /// When the bell rings by itself next.
        var alarm: Duration?
        /// Our geofence client on the bridge, and whether its name has the dot.
        var geofence: ResourceID?
        var isProbeNameOdd = false
        /// When lights were last spoken to, or answered.
        var touched: [ResourceID: Duration] = [:]
        var written: AsyncStream<Void>.Continuation?
        var isClosed = false

        mutating func nextToken() -> UInt64 {
            tokens += 1
            return tokens
        }
    }

    struct Caller: Sendable {
        let lights: [ResourceID]
        let reply: Reply<Outcome>
    }

    let id: Bridge.ID
    let dialect: Dialect
    let client: HTTPClient
    let settings: GatewaySettings
    let logger: Logger
    let desk: Mutex<Desk>
    private let workSignals: AsyncStream<Void>
    private let workSignal: AsyncStream<Void>.Continuation
    let now: @Sendable () -> Timestamp
    private let publishUpdate: @Sendable (BridgeUpdate) -> Void
    private let publishEvent: @Sendable (ConnectionEvent) -> Void

    init(
        _ pairing: Pairing, client: HTTPClient, settings: GatewaySettings, logger: Logger,
        now: @escaping @Sendable () -> Timestamp, publishUpdate: @escaping @Sendable (BridgeUpdate) -> Void,
        publishEvent: @escaping @Sendable (ConnectionEvent) -> Void
    ) {
        id = pairing.bridge.id
        dialect = Dialect(pairing.api)
        self.client = client
        self.settings = settings
        self.now = now
        self.publishUpdate = publishUpdate
        self.publishEvent = publishEvent
        var logger = logger
        logger[metadataKey: "bridge"] = "\(id)"
        self.logger = logger
        var scheduler = CommandScheduler(settings.budget)
        scheduler.suspend()
        desk = Mutex(
            Desk(
                call: BridgeCall(pairing, makerRoots: settings.makerRoots), home: HomeMirror(bridge: id),
                scheduler: scheduler,
                offline: OfflineCommands(settings.returning)))
        // A bell holds no news: one ring is as good as many.
        (workSignals, workSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var call: BridgeCall { desk.withLock { $0.call } }
    var state: State { desk.withLock { $0.state } }
    var home: HomeMirror { desk.withLock { $0.home } }
    var clock: BridgeClock { settings.clock }
    var elapsed: Duration { clock.now() }

    func move(to address: Bridge.Address) { desk.withLock { $0.call.address = address } }

    /// While the line is lost nothing is sent, and nothing forgotten.
    func set(_ state: State) {
        let completions = desk.withLock { desk in
            desk.state = state
            guard state == .connected else {
                desk.lostAt = desk.lostAt ?? elapsed
                desk.scheduler.suspend()
                desk.confirmations.forget()
                return [Completion]()
            }
            desk.lostAt = nil
            return desk.scheduler.resume(keeping: settings.returning.keeps, at: elapsed)
        }
        answer(completions)
        signalWork()
    }

    func publish(_ update: BridgeUpdate) { publishUpdate(update) }
    func publish(_ event: ConnectionEvent) { publishEvent(event) }

    // MARK: - Sending

    func signalWork() { workSignal.yield() }

    /// Sends what is due, until the line is closed.
    func work() async {
        await withDiscardingTaskGroup { group in
            for await _ in workSignals {
                let (requests, alarm) = nextSteps()
                for request in requests { group.addTask { await self.carry(request) } }
                guard let alarm else { continue }
                group.addTask {
                    // Cut short only where the line ends.
                    await self.clock.rest(until: alarm)
                    self.desk.withLock { if $0.alarm == alarm { $0.alarm = nil } }
                    self.signalWork()
                }
            }
            group.cancelAll()
        }
    }

    /// What is to be sent now, and when to look again, where no earlier look is planned already.
    private func nextSteps() -> ([ScheduledRequest], alarm: Duration?) {
        let now = elapsed
        var requests: [ScheduledRequest] = []
        let (completions, alarm): ([Completion], Duration?) = desk.withLock { desk in
            desk.askForWhatIsDue(at: now, deadline: now + settings.commandDeadline)
            let completions = desk.completions + desk.scheduler.overdue(at: now)
            desk.completions = []
            desk.dropIdleJobs()
            var wake = [desk.confirmations.next, desk.offline.next].compactMap(\.self).min()
            steps: while true {
                switch desk.scheduler.next(at: now) {
                case let .send(request): requests.append(request)
                case let .wait(until: time):
                    wake = min(wake ?? time, time)
                    break steps
                case .rest: break steps
                }
            }
            guard let wake, desk.alarm.map({ wake < $0 }) ?? true else { return (completions, nil) }
            desk.alarm = wake
            return (completions, wake)
        }
        answer(completions)
        return (requests, alarm)
    }

    /// Takes no more, and answers all who wait.
    func close() {
        let ending = Failure.unconfirmed(by: id, words: "its line was closed before it answered")
        desk.withLock { $0.isClosed = true }
        failAll(ending)
        workSignal.finish()
    }

    // MARK: - Answering

    /// Every caller is told that nothing of it will be done.
    func failAll(_ failure: Failure) {
        let callers = desk.withLock { desk in
            // What is in flight comes back to nobody.
            _ = desk.scheduler.forget(before: .seconds(Int64.max / 2))
            desk.completions = []
            defer { desk.callers = [:] }
            return Array(desk.callers.values)
        }
        for caller in callers { caller.reply(.failed(failure)) }
    }

    func answer(_ completions: [Completion]) {
        for completion in completions {
            let (caller, state) = desk.withLock { desk in
                (desk.callers.removeValue(forKey: completion.token), desk.state)
            }
            guard let caller else { continue }
            caller.reply(outcome(of: completion, caller, state))
        }
    }

    private func outcome(of completion: Completion, _ caller: Caller, _ state: State) -> Outcome {
        switch completion.outcome {
        case .done: return .succeeded
        case let .failed(misses): return outcome(misses, of: caller.lights)
        case let .late(isSent: isSent, _):
            if isSent {
                return .failed(
                    .unconfirmed(by: id, words: "it is busy and has not taken all of it in time; the rest is sent yet"))
            }
            guard state != .connected else {
                return .failed(.unconfirmed(by: id, words: "it is busy; the command is sent when its turn comes"))
            }
            // What cannot be done is not done later behind the caller's back.
            let others = desk.withLock { desk in
                caller.lights.flatMap { desk.scheduler.withdraw($0) } + desk.scheduler.withdraw(job: completion.token)
            }
            answer(others)
            if case let .lost(failure) = state { return .failed(failure) }
            return .failed(.unreachable(id, because: "not connected yet"))
        }
    }

    private func outcome(_ misses: [Completion.Miss], of lights: [ResourceID]) -> Outcome {
        let failures = misses.map { (light: $0.light, failure: failure(of: $0.reason)) }
        guard let first = failures.first, lights.count > 1, failures.allSatisfy({ $0.light != nil }) else {
            return failures.first.map { .failed($0.failure) } ?? .succeeded
        }
        let byLight = Dictionary(failures.compactMap { miss in miss.light.map { ($0, miss.failure) } }) { one, _ in one
        }
        if byLight.count == lights.count, failures.allSatisfy({ $0.failure == first.failure }) {
            return .failed(first.failure)
        }
        return .all(
            lights.map { light in (.light(Light.ID(id, light)), byLight[light].map { .failed($0) } ?? .succeeded) })
    }

    private func failure(of reason: Completion.Miss.Reason) -> Failure {
        switch reason {
        case let .refused(words): .refused(by: id, words: words)
        case let .doubted(words): .unconfirmed(by: id, words: words)
        case .withdrawn: .unconfirmed(by: id, words: "the lamp went, or somebody else changed it meanwhile")
        case .expired: .unreachable(id, because: "it was away for too long; the command is forgotten")
        }
    }
}

extension BridgeConnection.Desk {
    /// Lines break for a moment: what is asked then waits for their return, as what was asked just before does.
    static let moment = Duration.seconds(3)

    func mayReturn(_ failure: Failure, at now: Duration) -> Bool {
        guard case .unreachable = failure, let lostAt else { return false }
        return now - lostAt < Self.moment
    }

    /// A job lasts as long as its errand, which may be answered long after its caller was.
    mutating func dropIdleJobs() {
        guard jobs.count != scheduler.jobs.count else { return }
        jobs = jobs.filter { scheduler.jobs[$0.key] != nil }
    }

    /// Lamps of which nothing was heard are read; lamps that are back are told what they missed.
    mutating func askForWhatIsDue(at now: Duration, deadline: Duration) {
        guard state == .connected else { return }
        let silent = confirmations.overdue(at: now)
        // More than a few are read in one answer.
        for query in silent.count > 3 ? [.lights] : silent.map({ Query.light($0) }) {
            let token = nextToken()
            jobs[token] = { await $0.verify(query, silent) }
            completions += scheduler.ask(job: token, cost: .read, deadline: deadline, at: now)
        }
        for (light, patch, ticket) in offline.due(at: now) where home.lights[light] != nil {
            repair(light, patch, ticket, at: now)
        }
    }
}
