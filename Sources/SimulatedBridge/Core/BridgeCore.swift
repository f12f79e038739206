import FoundationEssentials
import HueWire

/// The bridge's mind: its home, its lamps, its keys, its limits. Every request is looked at here, one at a time.
actor BridgeCore {
    struct Key: Codable, Equatable, Sendable {
        let name: String
        let created: Date
        var lastUse: Date?
    }

    /// How a mind is made.
    struct Configuration: Sendable {
        var home: SimulatedHome
        var keys: [String: Key] = [:]
        var pairings = 0
        var seed: UInt64 = 1
        /// What goes wrong from the start.
        var quirks: [Fault] = []
        /// How long pairing is open after the button was pressed.
        var window: Duration = .seconds(30)
        /// How many times as fast as ours the bridge's time goes.
        var timeScale = 1.0
        /// Since the start, in the bridge's time.
        var now: @Sendable () -> Duration
        /// Since the start, in real time: what clients are measured by. As ``now`` where nothing else is said.
        var elapsed: (@Sendable () -> Duration)?
        var today: @Sendable () -> Date = { Date() }
        /// Called whenever something is worth keeping over a restart.
        var saveState: (@Sendable (SimulatedHome, [String: Key], _ pairings: Int) -> Void)?
    }

    var home: SimulatedHome
    var keys: [String: Key]
    var mesh: Mesh
    /// Made when it is first read from: a start waits for nothing that nobody asks for.
    private var documentCache: DocumentCache?
    var hub: EventHub
    var pairings: Int
    var buttonUntil: Duration?
    var searchUntil: Duration?
    /// Lamps that somebody has screwed in, and those of them that the last search has found.
    var newLamps: [NewLamp] = []
    var found: [ResourceID] = []
    var timers = Timers()
    let derive: DerivedID
    let now: @Sendable () -> Duration
    private let calendar: @Sendable () -> Date
    private let elapsed: @Sendable () -> Duration
    private let saveState: (@Sendable (SimulatedHome, [String: Key], Int) -> Void)?
    let window: Duration
    let timeScale: Double

    private(set) var inFlight = 0
    private var lights = TokenBucket(perSecond: Limits.usual.lights)
    private var groups = TokenBucket(perSecond: Limits.usual.groups)
    /// Whether the budget had no place for the command that is looked at.
    private var isTooMuch = false
    var faults: FaultRegistry
    var injector: EventFaultInjector
    /// The request that is being answered, where faults are to be asked about it.
    var trigger: FaultTrigger?
    /// What a fault does to the answer that is being made.
    var answering = ResponseFaults()
    var hung: [Int: AsyncStream<Never>.Continuation] = [:]
    var hangs = 0
    var booted: Duration = .zero
    private(set) var record = RequestLog()
    private let changed: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    /// When somebody has to look at what the mesh has found out.
    let alarms: AsyncStream<Duration>
    private let alarm: AsyncStream<Duration>.Continuation
    private var nextAlarm: Duration?

    init(_ making: Configuration) {
        home = making.home.alter(by: TimedTask.leftovers(of: making.home))
        keys = making.keys
        mesh = Mesh(home)
        pairings = making.pairings
        derive = DerivedID(seed: making.seed)
        hub = EventHub(derive: derive)
        window = making.window
        timeScale = making.timeScale
        now = making.now
        elapsed = making.elapsed ?? making.now
        calendar = making.today
        saveState = making.saveState
        faults = FaultRegistry(seed: making.seed)
        injector = EventFaultInjector(derive: derive)
        for quirk in making.quirks { faults.begin(quirk, at: .zero) }
        (changed, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (alarms, alarm) = AsyncStream.makeStream()
    }

    // MARK: - Requests

    /// Looks at a request. Whoever calls must call ``end()`` when the answer is out.
    func begin(_ request: BridgeRequest) -> ReplyTransmission {
        let handling = faults.isQuiet ? ReplyTransmission(answered(request)) : struck(request)
        inFlight += 1
        record.began(request, handling.reaction, on: target(of: request), at: elapsed(), date: calendar())
        return handling
    }

    /// Whom a command reaches, by the same name in both APIs: "light/ID", "grouped_light/ID", "scene/ID".
    private func target(of request: BridgeRequest) -> String? {
        guard request.method == "PUT", request.path.count == 5 else { return nil }
        switch (request.path[0], request.path[2]) {
        case ("api", "lights"):
            return Int(request.path[3]).flatMap { home.lamp(number: $0) }.map { "light/\($0.id)" }
                ?? "lights/\(request.path[3])"
        case ("api", "groups"):
            return Int(request.path[3]).flatMap { home.group(number: $0) }.map { "grouped_light/\($0.groupedLight)" }
                ?? "groups/\(request.path[3])"
        case ("clip", _): return "\(request.path[3])/\(request.path[4])"
        default: return nil
        }
    }

    /// A stream occupies no place among the requests in flight.
    func end() {
        inFlight -= 1
        record.ended()
    }

    /// The bridge's own clock, which may be wrong.
    func today() -> Date {
        guard let wrong = faults.lasting(.clockWrong, at: now()) else { return calendar() }
        return calendar() + Double(wrong.fault.number)
    }

    func forgetRequests() { record.clear() }

    /// What is answered within the bridge's limits.
    func answered(_ request: BridgeRequest) -> BridgeReply {
        let limits = faults.limits(at: now())
        if let most = limits.inFlight, inFlight >= most { return .response(.page(limits.status)) }
        isTooMuch = false
        let reaction = respond(to: request)
        // The first bridges say it in other words, and those stay.
        guard isTooMuch, case let .response(response) = reaction, response.status == Limits.usual.status else {
            return reaction
        }
        return .response(.page(limits.status))
    }

    private func respond(to request: BridgeRequest) -> BridgeReply {
        switch (request.path.first, request.isSecure) {
        case ("api", _): .response(v1(request))
        case ("clip", true) where home.bridge.model.hasV2: .response(clip(request))
        case ("eventstream", true) where home.bridge.model.hasV2: events(request)
        case ("auth", true) where home.bridge.model.hasV2: .response(auth(request))
        case ("description.xml", false) where request.method == "GET" && request.path.count == 1:
            .response(description(request))
        case (nil, _) where request.method == "GET":
            .response(
                BridgeResponse(
                    status: 200, type: "text/html",
                    body: Array("<html><title>hue personal wireless lighting</title></html>\n".utf8)))
        default: .response(.page(404))
        }
    }

    func isKnown(_ key: String?) -> Bool { key.map { known[$0] != nil } ?? false }

    /// The keys that are good for the request that is being answered.
    private var known: [String: Key] { answering.deniesKey ? [:] : keys }

    /// Whether the bridge's budget has a place for a command of that cost.
    func affords(_ cost: Cost) -> Bool {
        let limits = faults.limits(at: now())
        guard limits.inFlight != nil else { return true }
        switch cost {
        case .light: isTooMuch = !lights.take(at: now(), perSecond: limits.lights, burst: limits.lightBurst)
        case .group: isTooMuch = !groups.take(at: now(), perSecond: limits.groups, burst: limits.groupBurst)
        case .nothing: break
        }
        return !isTooMuch
    }

    var context: DecisionContext {
        DecisionContext(
            home: home, mesh: mesh, keys: known, derive: derive, now: now(), date: today(), searchUntil: searchUntil,
            found: found)
    }

    /// The documents of these types, all where none is named, or the one of that id, as they go over the wire; `nil` where there
    /// is no such id.
    func text(of types: Set<String>?, id: String?) -> [UInt8]? {
        if documentCache == nil { documentCache = DocumentCache(home) }
        return documentCache?.text(types, id: id)
    }

    // MARK: - What happens

    /// Does what was decided, and hands back the answer.
    func carryOut(_ decision: Decision) -> BridgeResponse {
        let orders = bent(decision)
        let sessions = EntertainmentArea.active(in: home)
        alter(by: orders.changes)
        for session in EntertainmentArea.active(in: home).subtracting(sessions) {
            timers.note(TimedTask(.endStream(session), at: now() + EntertainmentArea.patience))
        }
        for message in orders.radio { send(message) }
        for task in decision.timedTasks { timers.note(task) }
        if decision.searches {
            let end = now() + .seconds(40)
            searchUntil = end
            timers.note(TimedTask(.endSearch, at: end))
            alter(by: [.setting(.searching(true))])
            found = []
            awaitNewcomers()
        }
        if !decision.revoked.isEmpty {
            for key in decision.revoked { keys[key] = nil }
            save()
        }
        setAlarm()
        return decision.response
    }

    /// Changes the bridge's picture, and tells of it.
    func alter(by changes: [SimulatedHome.Change]) {
        guard !changes.isEmpty else { return }
        let before = home
        home = home.alter(by: changes)
        let differences = SimulatedHome.differences(from: before, to: home)
        if !differences.isEmpty {
            documentCache?.apply(differences)
            for difference in differences { hub.note(difference) }
            if faults.lasting(.unlimited, at: now()) != nil { tellNews() } else { change.yield() }
        }
        save()
    }

    /// Takes over what the bridge has found out about its lamps by now, and does what is due.
    func findOut() {
        alter(by: mesh.findings(by: now(), in: home))
        for task in timers.take(by: now()) {
            _ = carryOut(task.decide(in: context))
            if case let .join(newLamp) = task.kind { welcomed(newLamp) }
        }
        nextAlarm = nil
        setAlarm()
    }

    func setAlarm() {
        guard let next = [mesh.nextFinding, timers.next].compactMap({ $0 }).min(), next != nextAlarm else { return }
        nextAlarm = next
        alarm.yield(next)
    }

    /// Sends what has changed: a moment after a quiet second, so that what belongs together comes together and who has just loaded
    /// the home hears of its first command too; gathered otherwise. Runs until cancelled.
    ///
    /// - Parameter interval: in real time.
    func tellChanges(every interval: Duration) async throws {
        let moment = interval / 20
        for await _ in changed {
            try await Task.sleep(for: moment)
            tellNews()
            if hub.hasMore { change.yield() }
            try await Task.sleep(for: interval - moment)
        }
    }

    func revokeKeys() {
        keys = [:]
        save()
    }

    /// What a reboot, or the end, does to those who listen.
    func endStreams() { hub.close() }

    func save() { saveState?(home, keys, pairings) }
}
