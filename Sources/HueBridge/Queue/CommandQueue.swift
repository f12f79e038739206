import HueWire
import Khipu
import Lighting

/// What is still to be sent to one bridge, and who waits for it. A value: `now` and chance come in; requests to send
/// and answers to callers come out.
///
/// ``CommandScheduler`` decides what goes next; the queue keeps the callers and answers each of them.
struct CommandQueue: Sendable {
    /// Carries out a request that is not an update of lights.
    typealias Work = @Sendable (BridgeConnection) async -> Delivery

    /// What a job does.
    struct JobContent: Sendable {
        /// What it writes, given the home at the moment when it is sent; nothing if it reads.
        let operations: @Sendable (HomeMirror) -> [Operation]
        /// Whether it must not be sent once its caller was answered.
        var isDecided = false
        let work: Work
    }

    /// Who asked for something, and for which lights.
    struct Caller: Sendable {
        var lights: [ResourceID] = []
        /// Whether it waits for an answer rather than for a change.
        var isReading = false
        /// Whether its request must not be sent once the caller was told that it came too late: it was decided by what
        /// the home was then.
        var isDecided = false
        /// Whether values that follow when the connection is back wait for some of its lights: then all of its own follow
        /// instead.
        fileprivate(set) var isReplacing = false
        fileprivate(set) var reply: Reply<Outcome>
    }

    /// The answer to a caller; given outside the lock, because the caller may send its next command at once.
    struct Answer: Sendable {
        let reply: Reply<Outcome>
        let outcome: Outcome

        func give() { reply(outcome) }
    }

    let bridge: Bridge.ID
    private(set) var state = ConnectionState.connecting
    var scheduler: CommandScheduler
    /// Who waits for which token.
    private(set) var callers: [UInt64: Caller] = [:]
    private(set) var work: [UInt64: JobContent] = [:]
    /// The command that asked last for a change of each light.
    private(set) var tickets: [ResourceID: Ticket] = [:]
    /// The tokens of what is sent once more.
    private var repairs: Set<UInt64> = []
    private var answers: [Answer] = []
    private var tokens: UInt64 = 0
    private var deadline: Duration
    private var lifetime: Duration

    /// A connection often breaks only for a moment: a command that comes then waits this long for its return.
    static let briefLoss = Duration.seconds(3)
    private static let repairDeadline = Duration.seconds(60)

    init(_ bridge: Bridge.ID, _ settings: GatewaySettings) {
        self.bridge = bridge
        scheduler = CommandScheduler(settings.budget)
        scheduler.suspend()
        deadline = settings.commandDeadline
        lifetime = settings.returning.keeps
    }

    mutating func apply(_ settings: GatewaySettings) {
        scheduler.apply(settings.budget)
        deadline = settings.commandDeadline
        lifetime = settings.returning.keeps
    }

    // MARK: - The connection

    mutating func connect(at now: Duration) {
        guard state != .closed else { return }
        state = .connected
        settle(scheduler.resume(keeping: lifetime, at: now))
    }

    /// While the connection is lost nothing is sent, and nothing forgotten.
    mutating func lose(_ failure: Failure, at now: Duration) {
        switch state {
        case .closed: return
        case let .lost(_, since: since): state = .lost(failure, since: since)
        case .connecting, .connected: state = .lost(failure, since: now)
        }
        scheduler.suspend()
    }

    /// Accepts nothing more, and answers everybody who waits.
    mutating func close() {
        state = .closed
        scheduler.suspend()
        failAll(.unconfirmed(by: bridge, words: "its connection was closed before it answered"))
    }

    /// Which lights each grouped light stands for.
    mutating func arrange(_ layout: [CommandScheduler.Group]) { scheduler.arrange(layout) }

    // MARK: - Asking

    /// Queues new values for lights, each light once.
    mutating func ask(
        _ parts: [(update: LightUpdate, lights: [ResourceID])], by ticket: Ticket, for caller: Caller, at now: Duration
    ) {
        var caller = caller
        caller.isReplacing = caller.lights.contains(where: isPromised)
        guard let (token, deadline) = admit(caller, at: now) else { return }
        for light in caller.lights { tickets[light] = ticket }
        settle(scheduler.ask(parts, by: token, deadline: deadline, at: now))
    }

    /// Queues a request that is not an update.
    ///
    /// - Parameter operations: what the work writes.
    mutating func ask(
        _ cost: Job.Cost, writing operations: @escaping @Sendable (HomeMirror) -> [Operation] = { _ in [] },
        for caller: Caller, at now: Duration, _ work: @escaping Work
    ) {
        var caller = caller
        caller.isReading = cost == .read
        guard let (token, deadline) = admit(caller, at: now) else { return }
        self.work[token] = JobContent(operations: operations, isDecided: caller.isDecided, work: work)
        settle(scheduler.ask(job: token, cost: cost, touching: caller.lights, deadline: deadline, at: now))
    }

    /// Queues a request of the supervisor's, which waits for its turn as long as it takes: that a bridge is busy says
    /// nothing about its connection.
    ///
    /// - Parameter token: from ``nextToken()``.
    mutating func ask(
        _ token: UInt64, _ cost: Job.Cost, at now: Duration, reply: @escaping Reply<Outcome>, _ work: @escaping Work
    ) {
        let caller = Caller(reply: reply)
        guard state != .closed else { return refuse(caller, isClosed) }
        callers[token] = caller
        self.work[token] = JobContent(operations: { _ in [] }, work: work)
        settle(scheduler.ask(job: token, cost: cost, deadline: nil, at: now))
    }

    /// Drops a request that is not an update, unless it was sent already.
    mutating func withdraw(_ token: UInt64) { settle(scheduler.withdraw(job: token)) }

    /// A number for one command or request.
    mutating func nextToken() -> UInt64 {
        tokens += 1
        return tokens
    }

    /// Queues a read for which nobody waits.
    ///
    /// - Returns: whether it is queued: a connection that comes back reads everything.
    @discardableResult
    mutating func read(at now: Duration, _ work: @escaping Work) -> Bool {
        guard state == .connecting || state == .connected else { return false }
        let token = nextToken()
        self.work[token] = JobContent(operations: { _ in [] }, work: work)
        settle(scheduler.ask(job: token, cost: .read, deadline: now + deadline, at: now))
        return true
    }

    /// Queues for a light alone what a command did not bring to it. If something newer waits for that light, the newer
    /// values stay, and so does the ticket that asked for them.
    mutating func repair(_ repair: Repair, at now: Duration) {
        if let ticket = repair.ticket, !isAwaited(repair.light) { tickets[repair.light] = ticket }
        let token = nextToken()
        repairs.insert(token)
        settle(
            scheduler.askAgain(repair.update, of: repair.light, by: token, deadline: now + Self.repairDeadline, at: now)
        )
    }

    /// Somebody else has changed a light: what was asked of it before is not sent once more.
    ///
    /// - Parameter moment: what was asked before it is not sent at all; `nil` if nothing is known of that.
    mutating func yield(_ light: ResourceID, askedBefore moment: Duration? = nil) {
        let repairs = repairs
        settle(
            scheduler.yield(light) { asked in
                repairs.contains(asked.token) || moment.map { asked.asked < $0 } ?? false
            })
    }

    /// Whether something still waits to be sent to a light.
    func isAwaited(_ light: ResourceID) -> Bool { !scheduler.awaited(of: light).isEmpty }

    /// Whether something waits to be sent to a light of which its caller was told that it follows.
    private func isPromised(_ light: ResourceID) -> Bool {
        scheduler.tokens(waitingFor: light).contains { callers[$0] == nil }
    }

    /// Opens a token for a caller, or answers at once why the bridge cannot take a request now.
    private mutating func admit(_ caller: Caller, at now: Duration) -> (token: UInt64, deadline: Duration)? {
        var deadline = deadline
        switch state {
        case .connecting, .connected: break
        case let .lost(failure, since: since):
            guard case .unreachable = failure, caller.isReplacing || now - since < Self.briefLoss else {
                refuse(caller, failure)
                return nil
            }
            deadline = min(Self.briefLoss, deadline)
        case .closed:
            refuse(caller, isClosed)
            return nil
        }
        let token = nextToken()
        callers[token] = caller
        return (token, now + deadline)
    }

    /// Answers a caller why nothing is queued for it.
    mutating func refuse(_ caller: Caller, _ failure: Failure) {
        answers.append(Answer(reply: caller.reply, outcome: .failed(failure)))
    }

    private var isClosed: Failure { .unreachable(bridge, because: "its connection was closed") }

    // MARK: - Sending

    /// What is to be sent now, and when to ask again if nothing happens.
    mutating func next(at now: Duration) -> (requests: [ScheduledRequest], wake: Duration?) {
        settle(scheduler.overdue(at: now))
        // Work lasts as long as its job, which may end long after its caller was answered.
        if work.count != scheduler.jobs.count { work = work.filter { scheduler.jobs[$0.key] != nil } }
        var requests: [ScheduledRequest] = []
        while true {
            switch scheduler.next(at: now) {
            case let .send(request): requests.append(request)
            case let .wait(until: time): return (requests, time)
            case .rest: return (requests, nil)
            }
        }
    }

    /// Takes in what became of a request.
    ///
    /// - Parameter chance: from 0 to 1, for the length of a pause.
    mutating func finish(_ request: ScheduledRequest, _ delivery: Delivery, chance: Double, at now: Duration) {
        switch delivery {
        case .keyRefused where scheduler.isKeyLost(by: request.id): failAll(.keyRefused(by: bridge))
        case let .certificateRefused(words): failAll(.certificateRefused(of: bridge, because: words))
        default: break
        }
        settle(scheduler.answer(request.id, with: delivery, chance: chance, at: now))
        if case let .job(token) = request.content, work[token]?.isDecided == true, callers[token] == nil {
            withdraw(token)
        }
    }

    /// Takes a request that is under way as accepted, for a copy of the queue that sends nothing.
    mutating func accept(_ request: UInt64, at now: Duration) {
        settle(scheduler.answer(request, with: .done, chance: 0, at: now))
    }

    // MARK: - Answering

    /// Answers nobody who waits now, in a copy of the queue. Who waits for what stays known.
    mutating func muteCallers() {
        callers = callers.mapValues { caller in
            var caller = caller
            caller.reply = { _ in }
            return caller
        }
        answers = []
    }

    /// The answers that have become due since this was last called.
    mutating func takeAnswers() -> [Answer] {
        defer { answers = [] }
        return answers
    }

    /// Tells every caller that what waits will not be done. Of a command of which some lights have got their part, only
    /// the others are named: it is still a step that can be undone.
    private mutating func failAll(_ failure: Failure) {
        settle(scheduler.forget(before: .seconds(Int64.max / 2)), dropped: failure)
        // What is under way is answered to nobody.
        for caller in callers.values { answers.append(Answer(reply: caller.reply, outcome: .failed(failure))) }
        callers = [:]
    }

    /// - Parameter failure: why values were dropped; `nil` if they were too old.
    private mutating func settle(_ completions: [Completion], dropped failure: Failure? = nil) {
        var rest = completions[...]
        while let completion = rest.popFirst() {
            repairs.remove(completion.token)
            guard let caller = callers.removeValue(forKey: completion.token) else { continue }
            answers.append(Answer(reply: caller.reply, outcome: outcome(completion, for: caller, dropped: failure)))
            // A command that was answered as failed must not be carried out later.
            if case .late(isSent: false, _) = completion.result,
                caller.isDecided || state != .connected && !caller.isReplacing
            {
                rest +=
                    caller.lights.flatMap { scheduler.withdraw(completion.token, from: $0) }
                    + scheduler.withdraw(job: completion.token)
            }
        }
    }
}
