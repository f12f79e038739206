import Curl
import HueWire
import Khipu
import Lighting
import Logging
import Synchronization

/// The line to one bridge, as its keeper and its commands see it: where the bridge is, what is known of its home, in which state
/// the connection is, and what is still to be sent (``Plan``) and to be seen (``Echoes``).
final class BridgeLine: Sendable {
    enum State: Equatable, Sendable {
        case connecting
        case connected
        case lost(Failure)
    }

    /// A request that is no patch of lamps.
    typealias Job = @Sendable (BridgeLine) async -> Fate

    struct Desk: Sendable {
        var call: BridgeCall
        var map: HomeMap
        var state = State.connecting
        /// When the line was lost.
        var lostAt: Duration?
        var plan: Plan
        var echoes = Echoes()
        var witness = Witness()
        var absent: Absent
        /// Who waits for which token.
        var callers: [UInt64: Caller] = [:]
        var jobs: [UInt64: Job] = [:]
        /// What the plan settled while something was taken in; answered when the bell rings.
        var settlements: [Settlement] = []
        /// Whose wish for a lamp was the last.
        var wishers: [ResourceID: Ticket] = [:]
        var tokens: UInt64 = 0
        /// When the bell rings by itself next.
        var alarm: Duration?
        /// Our geofence client on the bridge, and whether its name has the dot.
        var geofence: ResourceID?
        var isStirredOddly = false
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
    private let rings: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation
    private let start = ContinuousClock.now
    let now: @Sendable () -> Timestamp
    let tell: @Sendable (Tidings) -> Void
    let news: @Sendable (LineNews) -> Void

    init(
        _ pairing: Pairing, client: HTTPClient, settings: GatewaySettings, logger: Logger,
        now: @escaping @Sendable () -> Timestamp, tell: @escaping @Sendable (Tidings) -> Void,
        news: @escaping @Sendable (LineNews) -> Void
    ) {
        id = pairing.bridge.id
        dialect = Dialect(pairing.api)
        self.client = client
        self.settings = settings
        self.now = now
        self.tell = tell
        self.news = news
        var logger = logger
        logger[metadataKey: "bridge"] = "\(id)"
        self.logger = logger
        var plan = Plan(settings.budget)
        plan.suspend()
        desk = Mutex(
            Desk(
                call: BridgeCall(pairing, makerRoots: settings.makerRoots), map: HomeMap(bridge: id), plan: plan,
                absent: Absent(settings.returning)))
        // A bell holds no news: one ring is as good as many.
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var call: BridgeCall { desk.withLock { $0.call } }
    var state: State { desk.withLock { $0.state } }
    var map: HomeMap { desk.withLock { $0.map } }
    /// Since the line began.
    var elapsed: Duration { ContinuousClock.now - start }

    func move(to address: Bridge.Address) { desk.withLock { $0.call.address = address } }

    /// While the line is lost nothing is sent, and nothing forgotten.
    func set(_ state: State) {
        let settlements = desk.withLock { desk in
            desk.state = state
            guard state == .connected else {
                desk.lostAt = desk.lostAt ?? elapsed
                desk.plan.suspend()
                desk.echoes.forget()
                return [Settlement]()
            }
            desk.lostAt = nil
            return desk.plan.resume(keeping: settings.returning.keeps, at: elapsed)
        }
        answer(settlements)
        ring()
    }

    // MARK: - Sending

    func ring() { bell.yield() }

    /// Sends what is due, until the line is closed.
    func work() async {
        await withDiscardingTaskGroup { group in
            for await _ in rings {
                let (shipments, alarm) = nextSteps()
                for shipment in shipments { group.addTask { await self.carry(shipment) } }
                guard let alarm else { continue }
                group.addTask {
                    // Cut short only where the line ends.
                    try? await Task.sleep(for: alarm - self.elapsed)
                    self.desk.withLock { if $0.alarm == alarm { $0.alarm = nil } }
                    self.ring()
                }
            }
            group.cancelAll()
        }
    }

    /// What is to be sent now, and when to look again, where no earlier look is planned already.
    private func nextSteps() -> ([Shipment], alarm: Duration?) {
        let now = elapsed
        var shipments: [Shipment] = []
        let (settlements, alarm): ([Settlement], Duration?) = desk.withLock { desk in
            desk.askForWhatIsDue(at: now, deadline: now + settings.commandDeadline)
            let settlements = desk.settlements + desk.plan.overdue(at: now)
            desk.settlements = []
            desk.dropIdleJobs()
            var wake = [desk.echoes.next, desk.absent.next].compactMap(\.self).min()
            steps: while true {
                switch desk.plan.next(at: now) {
                case let .send(shipment): shipments.append(shipment)
                case let .wait(until: time):
                    wake = min(wake ?? time, time)
                    break steps
                case .rest: break steps
                }
            }
            guard let wake, desk.alarm.map({ wake < $0 }) ?? true else { return (settlements, nil) }
            desk.alarm = wake
            return (settlements, wake)
        }
        answer(settlements)
        return (shipments, alarm)
    }

    /// Takes no more, and answers all who wait.
    func close() {
        let ending = Failure.unconfirmed(by: id, words: "its line was closed before it answered")
        desk.withLock { $0.isClosed = true }
        failAll(ending)
        bell.finish()
    }

    // MARK: - Answering

    /// Every caller is told that nothing of it will be done.
    func failAll(_ failure: Failure) {
        let callers = desk.withLock { desk in
            // What is in flight comes back to nobody.
            _ = desk.plan.forget(before: .seconds(Int64.max / 2))
            desk.settlements = []
            defer { desk.callers = [:] }
            return Array(desk.callers.values)
        }
        for caller in callers { caller.reply(.failed(failure)) }
    }

    func answer(_ settlements: [Settlement]) {
        for settlement in settlements {
            let (caller, state) = desk.withLock { desk in
                (desk.callers.removeValue(forKey: settlement.token), desk.state)
            }
            guard let caller else { continue }
            caller.reply(outcome(of: settlement, caller, state))
        }
    }

    private func outcome(of settlement: Settlement, _ caller: Caller, _ state: State) -> Outcome {
        switch settlement.outcome {
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
                caller.lights.flatMap { desk.plan.withdraw($0) } + desk.plan.withdraw(errand: settlement.token)
            }
            answer(others)
            if case let .lost(failure) = state { return .failed(failure) }
            return .failed(.unreachable(id, because: "not connected yet"))
        }
    }

    private func outcome(_ misses: [Settlement.Miss], of lights: [ResourceID]) -> Outcome {
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

    private func failure(of reason: Settlement.Miss.Reason) -> Failure {
        switch reason {
        case let .refused(words): .refused(by: id, words: words)
        case let .doubted(words): .unconfirmed(by: id, words: words)
        case .withdrawn: .unconfirmed(by: id, words: "the lamp went, or somebody else changed it meanwhile")
        case .expired: .unreachable(id, because: "it was away for too long; the command is forgotten")
        }
    }
}

extension BridgeLine.Desk {
    /// Lines break for a moment: what is asked then waits for their return, as what was asked just before does.
    static let moment = Duration.seconds(3)

    func mayReturn(_ failure: Failure, at now: Duration) -> Bool {
        guard case .unreachable = failure, let lostAt else { return false }
        return now - lostAt < Self.moment
    }

    /// A job lasts as long as its errand, which may be answered long after its caller was.
    mutating func dropIdleJobs() {
        guard jobs.count != plan.errands.count else { return }
        jobs = jobs.filter { plan.errands[$0.key] != nil }
    }

    /// Lamps of which nothing was heard are read; lamps that are back are told what they missed.
    mutating func askForWhatIsDue(at now: Duration, deadline: Duration) {
        guard state == .connected else { return }
        let silent = echoes.overdue(at: now)
        // More than a few are read in one answer.
        for question in silent.count > 3 ? [.lights] : silent.map({ Question.light($0) }) {
            let token = nextToken()
            jobs[token] = { await $0.verify(question, silent) }
            settlements += plan.ask(errand: token, cost: .read, deadline: deadline, at: now)
        }
        for (light, patch, ticket) in absent.due(at: now) where map.lights[light] != nil {
            repair(light, patch, ticket, at: now)
        }
    }
}
