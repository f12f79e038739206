import FoundationEssentials
import HueWire

/// The bridge's state: its home, its lamps, its keys, its limits. It handles one request at a time.
actor BridgeCore {
    struct Key: Codable, Equatable, Sendable {
        let name: String
        let created: Date
        var lastUse: Date?
    }

    struct Configuration: Sendable {
        var home: SimulatedHome
        var keys: [String: Key] = [:]
        var pairings = 0
        var seed: UInt64 = 1
        /// Faults that are active from the start.
        var quirks: [Fault] = []
        /// Where the faults of the network strike.
        var network = BridgeNetwork()
        /// How long pairing stays open after the link button was pressed.
        var pairingWindow: Duration = .seconds(30)
        /// How many times faster than real time the bridge's time runs.
        var timeScale = 1.0
        /// Time since the start, in the bridge's time.
        var now: @Sendable () -> Duration
        /// Time since the start, in real time, by which clients are measured. Defaults to ``now``.
        var elapsed: (@Sendable () -> Duration)?
        /// Waits in real time.
        var sleep = SimulationClock.starting().sleep
        var today: @Sendable () -> Date = { Date() }
        /// Called whenever something that must survive a restart has changed.
        var saveState: (@Sendable (SimulatedHome, [String: Key], _ pairings: Int) -> Void)?
    }

    var home: SimulatedHome
    var keys: [String: Key]
    var mesh: Mesh
    /// Built on the first read, so that it does not delay the start.
    private var documentCache: DocumentCache?
    var hub: EventHub
    var pairings: Int
    var buttonUntil: Duration?
    var searchUntil: Duration?
    /// Lamps that are switched on nearby but not yet found.
    var newLamps: [NewLamp] = []
    /// The lamps that the last search has found.
    var foundLamps: [ResourceID] = []
    var timers = Timers()
    let derive: DerivedID
    let now: @Sendable () -> Duration
    private let calendar: @Sendable () -> Date
    private let elapsed: @Sendable () -> Duration
    let sleep: @Sendable (Duration) async throws -> Void
    private let saveState: (@Sendable (SimulatedHome, [String: Key], Int) -> Void)?
    let pairingWindow: Duration
    let timeScale: Double

    private(set) var inFlight = 0
    private var lightBudget = TokenBucket(perSecond: Limits.usual.lights)
    private var groupBudget = TokenBucket(perSecond: Limits.usual.groups)
    var faults: FaultRegistry
    var eventFaults: EventFaultInjector
    nonisolated let network: BridgeNetwork
    /// Requests that a fault leaves unanswered, by number.
    var hangingRequests: [Int: AsyncStream<Never>.Continuation] = [:]
    var hangCount = 0
    var booted: Duration = .zero
    /// When frames of a flood were last sent.
    var lastFlood: Duration = .zero
    private(set) var log = RequestLog()
    private let changed: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    /// When ``runDueWork()`` must be called next.
    let wakeTimes: AsyncStream<Duration>
    private let wakeTime: AsyncStream<Duration>.Continuation
    private var nextWakeTime: Duration?

    init(_ configuration: Configuration) {
        let firstReports = configuration.home.accessories.map { accessory in
            SimulatedHome.Change.updating(
                .accessory(accessory.id, by: accessory.firstReports(at: configuration.today())))
        }
        home = configuration.home.alter(by: TimedTask.leftovers(of: configuration.home) + firstReports)
        keys = configuration.keys
        mesh = Mesh(home)
        pairings = configuration.pairings
        derive = DerivedID(seed: configuration.seed)
        hub = EventHub(derive: derive)
        pairingWindow = configuration.pairingWindow
        timeScale = configuration.timeScale
        now = configuration.now
        elapsed = configuration.elapsed ?? configuration.now
        sleep = configuration.sleep
        calendar = configuration.today
        saveState = configuration.saveState
        faults = FaultRegistry(seed: configuration.seed)
        eventFaults = EventFaultInjector(derive: derive)
        network = configuration.network
        for quirk in configuration.quirks { faults.begin(quirk, at: .zero) }
        network.set(faults.network(at: .zero))
        for scene in home.scenes where scene.status == .dynamicPalette {
            timers.schedule(.move(scene, after: now()))
        }
        for (id, document) in home.storedResources where document["type"] == "smart_scene" {
            timers.schedule(TimedTask(.nextSlot(id), at: now()))
        }
        (changed, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (wakeTimes, wakeTime) = AsyncStream.makeStream()
    }

    // MARK: - Requests

    /// Handles one request. The caller must call ``finish()`` when the reply has been sent.
    ///
    /// The active faults take effect at five points, all in `RequestFaultInjector`: before the request is read, while
    /// its key is checked, while the command goes to the lamps, on the finished response, and on its way to the client.
    func handle(_ request: BridgeRequest) -> ReplyTransmission {
        var injector = RequestFaultInjector(request, at: now())
        let reply = reply(to: request, &injector)
        let transmission = injector.transmission(of: reply, &faults, date: today())
        inFlight += 1
        log.began(request, transmission.reply, on: target(of: request), at: elapsed(), date: calendar())
        return transmission
    }

    private func reply(to request: BridgeRequest, _ injector: inout RequestFaultInjector) -> BridgeReply {
        let uptime = now() - booted
        if let reply = injector.immediateReply(&faults, inFlight: inFlight, uptime: uptime, hang: makeHangingRequest) {
            return reply
        }
        injector.readRequest(&faults)
        let isKnown = isKnown(request.key, injector)
        if isKnown, injector.hidesGroupedLight(&faults, in: home) { return .response(.notFound) }
        let limits = faults.limits(at: now())
        if let limit = limits.inFlight, inFlight >= limit {
            return injector.altered(.response(.page(limits.status)), &faults, in: home, derive)
        }
        return injector.altered(route(request, injector), &faults, in: home, derive)
    }

    private func route(_ request: BridgeRequest, _ injector: RequestFaultInjector) -> BridgeReply {
        switch (request.path.first, request.isSecure) {
        case ("api", _): .response(carryOut(v1Decision(for: request, injector), injector))
        case ("clip", true) where home.bridge.model.hasV2:
            .response(carryOut(v2Decision(for: request, injector), injector))
        case ("eventstream", true) where home.bridge.model.hasV2: events(request, injector)
        case ("auth", true) where home.bridge.model.hasV2: .response(applicationID(request, injector))
        case ("description.xml", false) where request.method == "GET" && request.path.count == 1:
            .response(description(for: request))
        case (nil, _) where request.method == "GET":
            .response(
                BridgeResponse(
                    status: 200, type: "text/html",
                    body: Array("<html><title>hue personal wireless lighting</title></html>\n".utf8)))
        default: .response(.page(404))
        }
    }

    /// The resource that a command goes to, under one name for both APIs: "light/ID", "grouped_light/ID", "scene/ID".
    private func target(of request: BridgeRequest) -> String? {
        let path = request.trimmedPath
        guard request.method == "PUT", path.count == 5 else { return nil }
        switch (path[0], path[2]) {
        case ("api", "lights"):
            return Int(path[3]).flatMap { home.lamp(number: $0) }.map { "light/\($0.id)" } ?? "lights/\(path[3])"
        case ("api", "groups"):
            return Int(path[3]).flatMap { home.group(number: $0) }.map { "grouped_light/\($0.groupedLight)" }
                ?? "groups/\(path[3])"
        case ("clip", _): return "\(path[3])/\(path[4])"
        default: return nil
        }
    }

    /// Ends a request: its reply has been sent, or its event stream has begun, which does not count as in flight.
    func finish() {
        inFlight -= 1
        log.ended()
    }

    func forgetRequests() { log.clear() }

    func isKnown(_ key: String?, _ injector: RequestFaultInjector) -> Bool {
        key.map { keys[$0] != nil } ?? false && !injector.revokesKey
    }

    /// Takes the cost of a command from its budget; `false` if the budget is used up.
    func takeBudget(for cost: Cost) -> Bool {
        let limits = faults.limits(at: now())
        guard limits.inFlight != nil else { return true }
        return switch cost {
        case .light: lightBudget.take(at: now(), perSecond: limits.lights, burst: limits.lightBurst)
        case .group: groupBudget.take(at: now(), perSecond: limits.groups, burst: limits.groupBurst)
        case .nothing: true
        }
    }

    /// The state on which a decision is based.
    func context(_ injector: RequestFaultInjector? = nil) -> DecisionContext {
        DecisionContext(
            home: home, mesh: mesh, keys: injector?.revokesKey == true ? [:] : keys, derive: derive, now: now(),
            date: today(), searchUntil: searchUntil, foundLamps: foundLamps)
    }

    /// The documents of these types, or of all types if `types` is `nil`, or the one of that id, as JSON; `nil` for an
    /// unknown id.
    func text(of types: Set<String>?, id: String?) -> [UInt8]? {
        if documentCache == nil { documentCache = DocumentCache(home) }
        return documentCache?.text(types, id: id)
    }

    // MARK: - Decisions

    /// Carries out a decision and returns its response.
    ///
    /// - Parameter injector: the faults of the request; nil for a timed task.
    private func carryOut(_ decision: Decision, _ injector: RequestFaultInjector?) -> BridgeResponse {
        guard !decision.isOnlyResponse else { return decision.response }
        let effects = injector?.effects(of: decision, &faults) ?? decision.update
        let sessions = EntertainmentArea.active(in: home)
        alter(by: effects.changes)
        for session in EntertainmentArea.active(in: home).subtracting(sessions) {
            timers.schedule(TimedTask(.endStream(session), at: now() + EntertainmentArea.timeout))
        }
        for message in effects.radio {
            let unreached = injector?.unreachedLamps(by: message, &faults, in: home, mesh) ?? []
            mesh.send(message, wanted: home, at: now(), unreached: unreached)
        }
        for task in decision.timedTasks { timers.schedule(task) }
        if decision.searches { search() }
        if !decision.revoked.isEmpty {
            for key in decision.revoked { keys[key] = nil }
            save()
        }
        scheduleWake()
        return decision.response
    }

    /// Changes the home and records the events.
    func alter(by changes: [SimulatedHome.Change]) {
        guard !changes.isEmpty else { return }
        let before = home
        home = home.alter(by: changes)
        let differences = SimulatedHome.differences(from: before, to: home)
        if !differences.isEmpty {
            documentCache?.apply(differences)
            for difference in differences { hub.record(difference) }
            if faults.lasting(.unlimited, at: now()) != nil { sendEvents() } else { change.yield() }
        }
        save()
    }

    // MARK: - Time

    /// The bridge's own clock, which may be wrong.
    func today() -> Date {
        guard let wrong = faults.lasting(.clockWrong, at: now()) else { return calendar() }
        return calendar() + Double(wrong.fault.number)
    }

    /// Applies what the bridge has found out about its lamps, and runs the timed tasks that are due.
    func runDueWork() {
        sendHeldFrame()
        network.set(faults.network(at: now()))
        let takesBack = faults.lasting(.takesBack, at: now()) != nil
        alter(by: mesh.findings(by: now(), in: home, takingBack: takesBack))
        sendFlood()
        for task in timers.takeDue(by: now()) {
            _ = carryOut(task.decide(in: context()), nil)
            if case let .join(newLamp) = task.kind { joined(newLamp) }
        }
        nextWakeTime = nil
        scheduleWake()
    }

    func scheduleWake() {
        let release = eventFaults.holdsFrame ? faults.nextEnd(of: [.reorderEvents], after: now()) : nil
        let clearing = faults.nextEnd(of: .ofNetwork, after: now())
        guard let next = [mesh.nextFinding, timers.next, release, clearing, nextFlood].compactMap({ $0 }).min(),
            next != nextWakeTime
        else { return }
        nextWakeTime = next
        wakeTime.yield(next)
    }

    /// Sends events until cancelled, at most one frame per interval. After a quiet interval it waits a moment, so that
    /// changes made together share a frame.
    ///
    /// - Parameter interval: in real time.
    func sendEvents(every interval: Duration) async throws {
        let moment = interval / 20
        for await _ in changed {
            try await sleep(moment)
            sendEvents()
            if hub.hasMore { change.yield() }
            try await sleep(interval - moment)
        }
    }

    func pressButton() { buttonUntil = now() + pairingWindow }

    func revokeKeys() {
        keys = [:]
        save()
    }

    func save() { saveState?(home, keys, pairings) }
}
