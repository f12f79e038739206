import FoundationEssentials
import HueWire

/// The bridge's mind: its home, its lamps, its keys, its limits. Every request is looked at here, one at a time.
actor BridgeCore {
    struct Key: Codable, Equatable, Sendable {
        let name: String
        let created: Date
        var lastUse: Date?
    }

    /// What is still to go wrong.
    struct Faults: Codable, Sendable {
        /// Answer the next `count` requests with this status and the bridge's page.
        var status: Int?
        var count: Int?
        /// Cut the connection instead of answering, for the next `count` requests.
        var hangUp: Bool?
        /// Streams stay open and say nothing.
        var silentStream: Bool?

        enum CodingKeys: String, CodingKey {
            case status, count
            case hangUp = "hang_up"
            case silentStream = "silent_stream"
        }
    }

    /// How a mind is made.
    struct Making: Sendable {
        var home: SimulatedHome
        var keys: [String: Key] = [:]
        var pairings = 0
        var seed: UInt64 = 1
        var quirks: Set<Quirk> = []
        /// How long pairing is open after the button was pressed.
        var window: Duration = .seconds(30)
        /// Since the start, in the bridge's time.
        var now: @Sendable () -> Duration
        /// Since the start, in real time: what clients are measured by. As ``now`` where nothing else is said.
        var elapsed: (@Sendable () -> Duration)?
        var today: @Sendable () -> Date = { Date() }
        /// Called whenever something is worth keeping over a restart.
        var keep: (@Sendable (SimulatedHome, [String: Key], _ pairings: Int) -> Void)?
    }

    var home: SimulatedHome
    var keys: [String: Key]
    var mesh: Mesh
    /// Made when it is first read from: a start waits for nothing that nobody asks for.
    private var shelf: Shelf?
    var hub: EventHub
    var pairings: Int
    var buttonUntil: Duration?
    var searchUntil: Duration?
    /// Lamps that somebody has screwed in, and those of them that the last search has found.
    var newcomers: [Newcomer] = []
    var found: [ResourceID] = []
    var diary = Diary()
    let derive: DerivedID
    let quirks: Set<Quirk>
    let now: @Sendable () -> Duration
    let today: @Sendable () -> Date
    private let elapsed: @Sendable () -> Duration
    private let keep: (@Sendable (SimulatedHome, [String: Key], Int) -> Void)?
    let window: Duration

    private var inFlight = 0
    private var lights: Throttle
    private var groups: Throttle
    private var faults = Faults()
    private(set) var record = Record()
    private let changed: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    /// When somebody has to look at what the mesh has found out.
    let alarms: AsyncStream<Duration>
    private let alarm: AsyncStream<Duration>.Continuation
    private var nextAlarm: Duration?

    init(_ making: Making) {
        home = making.home.alter(by: Chore.leftovers(of: making.home))
        keys = making.keys
        mesh = Mesh(home)
        pairings = making.pairings
        derive = DerivedID(seed: making.seed)
        hub = EventHub(derive: derive)
        quirks = making.quirks
        window = making.window
        now = making.now
        elapsed = making.elapsed ?? making.now
        today = making.today
        keep = making.keep
        lights = Throttle(perSecond: making.quirks.lightsPerSecond)
        groups = Throttle(perSecond: making.quirks.groupsPerSecond)
        (changed, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (alarms, alarm) = AsyncStream.makeStream()
    }

    // MARK: - Requests

    /// Looks at a request. Whoever calls must call ``end()`` when the answer is out.
    func begin(_ ask: Ask) -> Reaction {
        let reaction = limited(ask) ?? respond(to: ask)
        inFlight += 1
        record.began(ask, reaction, at: elapsed(), date: today())
        return reaction
    }

    /// A stream occupies no place among the requests in flight.
    func end() {
        inFlight -= 1
        record.ended()
    }

    func forgetRequests() { record.clear() }

    private func limited(_ ask: Ask) -> Reaction? {
        if let count = faults.count, count > 0, faults.status != nil || faults.hangUp == true {
            faults.count = count - 1
            return faults.hangUp == true ? .hangUp : .answer(.page(faults.status ?? 503))
        }
        if !quirks.contains(.unlimited), inFlight >= quirks.inFlight { return .answer(.page(429)) }
        return nil
    }

    private func respond(to ask: Ask) -> Reaction {
        switch (ask.path.first, ask.isSecure) {
        case ("api", _): .answer(v1(ask))
        case ("clip", true) where home.bridge.model.hasV2: .answer(clip(ask))
        case ("eventstream", true) where home.bridge.model.hasV2: events(ask)
        case ("auth", true) where home.bridge.model.hasV2: .answer(auth(ask))
        case ("description.xml", false) where ask.method == "GET" && ask.path.count == 1: .answer(description(ask))
        case (nil, _) where ask.method == "GET":
            .answer(
                Answer(
                    status: 200, type: "text/html",
                    body: Array("<html><title>hue personal wireless lighting</title></html>\n".utf8)))
        default: .answer(.page(404))
        }
    }

    func isKnown(_ key: String?) -> Bool { key.map { keys[$0] != nil } ?? false }

    /// Whether the bridge's budget has a place for a command of that cost.
    func affords(_ cost: Cost) -> Bool {
        if quirks.contains(.unlimited) { return true }
        return switch cost {
        case .light: lights.take(at: now())
        case .group: groups.take(at: now())
        case .nothing: true
        }
    }

    var situation: Situation {
        Situation(
            home: home, mesh: mesh, keys: keys, derive: derive, now: now(), date: today(), searchUntil: searchUntil,
            found: found)
    }

    /// The documents of these types, all where none is named, or the one of that id, as they go over the wire; `nil` where there
    /// is no such id.
    func text(of types: Set<String>?, id: String?) -> [UInt8]? {
        if shelf == nil { shelf = Shelf(home) }
        return shelf?.text(types, id: id)
    }

    // MARK: - What happens

    /// Does what was decided, and hands back the answer.
    func carryOut(_ decision: Decision) -> Answer {
        let sessions = EntertainmentArea.active(in: home)
        alter(by: decision.changes)
        for session in EntertainmentArea.active(in: home).subtracting(sessions) {
            diary.note(Chore(.endStream(session), at: now() + EntertainmentArea.patience))
        }
        for message in decision.radio { mesh.send(message, wanted: home, at: now()) }
        for chore in decision.chores { diary.note(chore) }
        if decision.searches {
            let end = now() + .seconds(40)
            searchUntil = end
            diary.note(Chore(.endSearch, at: end))
            alter(by: [.setting(.searching(true))])
            found = []
            awaitNewcomers()
        }
        if !decision.revoked.isEmpty {
            for key in decision.revoked { keys[key] = nil }
            save()
        }
        setAlarm()
        return decision.answer
    }

    /// Changes the bridge's picture, and tells of it.
    func alter(by changes: [SimulatedHome.Change]) {
        guard !changes.isEmpty else { return }
        let before = home
        home = home.alter(by: changes)
        let differences = SimulatedHome.differences(from: before, to: home)
        if !differences.isEmpty {
            shelf?.apply(differences)
            for difference in differences { hub.note(difference) }
            if quirks.contains(.unlimited) { hub.flush(at: today()) } else { change.yield() }
        }
        save()
    }

    /// Takes over what the bridge has found out about its lamps by now, and does what is due.
    func findOut() {
        alter(by: mesh.findings(by: now(), in: home))
        for chore in diary.take(by: now()) {
            _ = carryOut(chore.decide(in: situation))
            if case let .join(newcomer) = chore.what { welcomed(newcomer) }
        }
        nextAlarm = nil
        setAlarm()
    }

    func setAlarm() {
        guard let next = [mesh.nextNotice, diary.next].compactMap({ $0 }).min(), next != nextAlarm else { return }
        nextAlarm = next
        alarm.yield(next)
    }

    /// Sends what has changed: at once after a quiet second, gathered otherwise. Runs until cancelled.
    ///
    /// - Parameter interval: in real time.
    func tellChanges(every interval: Duration) async throws {
        for await _ in changed {
            hub.flush(at: today())
            if hub.hasMore { change.yield() }
            try await Task.sleep(for: interval)
        }
    }

    func set(_ faults: Faults) {
        self.faults = faults
        hub.isSilent = faults.silentStream ?? false
    }

    func revokeKeys() {
        keys = [:]
        save()
    }

    /// What a reboot, or the end, does to those who listen.
    func endStreams() { hub.close() }

    func save() { keep?(home, keys, pairings) }
}

extension Set<Quirk> {
    var inFlight: Int { value { if case let .inFlight(count) = $0 { count } else { nil } } ?? 3 }
    var lightsPerSecond: Int { value { if case let .lightsPerSecond(count) = $0 { count } else { nil } } ?? 10 }
    var groupsPerSecond: Int { value { if case let .groupsPerSecond(count) = $0 { count } else { nil } } ?? 1 }
    var latency: Duration? { value { if case let .latency(count) = $0 { .milliseconds(count) } else { nil } } }

    /// How many lights a bridge of that model takes.
    func mostLights(_ model: BridgeModel) -> Int {
        if contains(.unlimited) { return .max }
        return value { if case let .mostLights(count) = $0 { count } else { nil } } ?? model.mostLights
    }

    private func value<Value>(_ of: (Quirk) -> Value?) -> Value? { lazy.compactMap(of).first }
}
