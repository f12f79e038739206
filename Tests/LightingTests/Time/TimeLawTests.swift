import Foundation
import HashTreeCollections
import Khipu
import LightingTestKit
import Synchronization
import TestSupport
import Testing

@testable import Lighting

/// A thousand days, or ten thousand, in twenty homes with a whole lightd in each, in which the clocks change, are set and
/// are wrong from the start, the home moves, the machine sleeps, the bridge goes, and lightd is stopped and killed at any
/// line: between any two messages, any two saves, and between a save and its answer. What the clock starts comes once, or
/// late by the automation's own rule; no wait is longer or shorter than it says; no timer and no wish for a while is lost,
/// and none is done twice.
@DomainActor
struct TimeLawTests {
    private nonisolated static let environment = ProcessInfo.processInfo.environment
    /// Of each of the homes.
    private nonisolated static let days = triesForLong ? 500 : 15
    /// LIGHTD_TEST_SEED=7 lives in that home only.
    private nonisolated static let seeds: [UInt64] =
        environment["LIGHTD_TEST_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? Array(1...20)

    @Test(arguments: seeds)
    func `what is to happen in time happens once and in its time, whatever clocks, machines and lightd do`(
        seed: UInt64
    ) throws {
        let home = TimedHome(seed: seed)
        for day in 1...Self.days {
            do {
                try home.liveADay()
            } catch {
                throw TestError(
                    "LIGHTD_TEST_SEED=\(seed), day \(day): \(error)\n\(home.story.suffix(30).joined(separator: "\n"))")
            }
        }
        // Things did happen.
        #expect(home.ledger.done > 5 * Self.days)
        #expect(home.kills > Self.days / 5)
    }
}

/// One lightd, from its start to its end.
@DomainActor
private final class RunningDaemon {
    let clock: ManualClock
    let store: AppStore
    let stack: MemoryStack
    let time: Live<HomeTime>
    let mailbox = ManualMailbox<Message>()
    let requests: PendingRequests<Message>
    let archive = SlowArchive()
    let recorder = MessageRecorder<Message>()
    private let domain: Input<Message>

    init(
        _ automations: AutomationState, lights: [Light], sensor: Sensor, at shown: Timestamp, in home: HomeTime,
        firstTicket: UInt64
    ) {
        let (clock, stack, time) = (ManualClock(at: shown.milliseconds), MemoryStack(lights: lights), Live(home))
        let requests = PendingRequests(firstNumber: firstTicket, post: mailbox.post)
        (self.clock, self.stack, self.time, self.requests) = (clock, stack, time, requests)
        store = createAppStore(
            AppState.make(bridges: [.make(connection: .lost(since: shown, because: .notReachedYet(.sample)))])
                .alter(by: .replacing(.automations(by: automations))))
        domain = createAppDomain(
            store: store, lights: stack.lights, bridges: stack.bridges, rooms: stack.roomStack,
            scenes: stack.sceneStack, sensors: stack.sensorStack, archive: archive.archive,
            journal: MemoryJournal().journal, clock: clock.clock,
            time: time, resolve: TestCommands.resolve,
            tickets: { requests.issue(to: $0, at: $1, gesture: $2) },
            receivers: [recorder.receiver, requests.receiver], output: mailbox.post)
        connect(sensor, lights)
    }

    func connect(_ sensor: Sensor, _ lights: [Light]? = nil) {
        stack.tell(
            .home(
                .sample, lights: lights ?? Array(store.state().lights.values), rooms: HomeFixture.rooms, scenes: [],
                sensors: [sensor]))
        stack.tell(.connected(.sample, by: .stream))
    }

    /// The next line: a message is delivered, or something is saved.
    ///
    /// - Returns: what was saved, and how to say so; `nil` if nothing is left to do.
    func goOn(savesFirst: Bool) -> (item: Archive.Item, reply: Reply<Outcome>)?? {
        if savesFirst || mailbox.isEmpty, let write = archive.takeNext() { return write }
        return mailbox.deliverOne(to: domain) ? .some(nil) : nil
    }
}

/// Saves when it is told to.
private final class SlowArchive: Sendable {
    private let waiting = Mutex<[(item: Archive.Item, reply: Reply<Outcome>)]>([])

    func takeNext() -> (item: Archive.Item, reply: Reply<Outcome>)? {
        waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    var archive: Archive {
        Archive(
            keep: { item, reply in self.waiting.withLock { $0.append((item, reply)) } },
            drop: { _, reply in reply(.succeeded) }, check: { $0(.succeeded) }, remember: { _ in })
    }
}

@DomainActor
private final class TimedHome {
    private var random: SplitMix
    /// What a clock that is right shows.
    private var real: Timestamp
    /// How much more the machine's clock shows.
    private var offset = Duration.zero
    private var daemon: RunningDaemon?
    private(set) var ledger: TimeLedger
    private(set) var story: [String] = []
    private(set) var kills = 0

    // What is on the disk.
    private var kept: (automations: [Automation], memory: AutomationState.Memory) = ([], .init())
    private var nextTicket: UInt64 = 1
    /// After so many lines lightd is killed.
    private var linesToLive: Int?
    /// How many of the recorded messages have been looked at.
    private var read = 0

    // The home.
    private var lights = HomeFixture.lights
    private var sensor = Sensor.make("hall", name: "Hall", motion: false)
    private var isLost = false

    // What must be true for a while.
    private var quietFired = false
    /// When the run that waits for quiet ends in any case.
    private var limit: (from: Timestamp, to: Timestamp)?
    private var arrived: Timestamp?

    // Wishes for a while on one lamp.
    private var wishes: [TimeLedger.Wish] = []
    private var base: Int?
    /// When a hand set it last.
    private var touched: Timestamp?
    /// Until when runs last whose wishes it has ended.
    private var outlived: Timestamp?
    /// When lightd began by a clock that it could not compare with the one before.
    private var lost: Timestamp?
    private var nextNumber = 20

    private static let zones: [(ReferenceZone, HomeTime)] = [
        (.berlin, SunTests.berlin), (.newYork, HomeTime(zone: ZoneFixture.newYork)),
        (.kathmandu, HomeTime(zone: ZoneFixture.kathmandu, place: Place(latitude: 27.72, longitude: 85.32))),
        (.newYork, HomeTime(zone: ZoneFixture.newYork, place: Place(latitude: 40.7, longitude: -74))),
    ]
    private static let (quiet, arrival, left) = (10, 11, 12)
    /// How long what has these numbers waits.
    private static let waits = [3: 2400, 5: 5400, 8: 20, 10: 300, 12: 7200]

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        real = time("2026-02-20T12:00:00Z").advanced(by: .seconds(86_400 * .random(in: 0..<700, using: &random)))
        ledger = TimeLedger(rules: Self.rules, zones: Self.zones, at: real)
        start()
        daemon?.mailbox.post(.automations(.replace(Self.automations), ticket: ticket()))
        settle()
        expectQuiet()
    }

    private static func deed(_ number: Int, _ mayRepeat: Bool = true) -> TimeLedger.Deed {
        TimeLedger.Deed(number: number, mayRepeat: mayRepeat)
    }

    private static let all = Set(0...6)
    private static let rules: [TimeLedger.Rule] = [
        .init(name: "Gap", days: all, when: .time(9000), first: deed(1), catchesUp: true),
        .init(
            name: "Workdays", days: Set(0...4), when: .time(24_300), first: deed(2), then: (2400, deed(3)),
            catchesUp: true),
        .init(
            name: "Evening", days: all, when: .sunset(-1200), first: deed(4), then: (5400, deed(5, false)),
            catchesUp: false),
        .init(
            name: "Night", days: all, when: .every(10_800, from: 79_200, to: 21_600), first: deed(6, false),
            catchesUp: false),
        .init(
            name: "Late", days: all, when: .time(83_400), first: deed(7, false), then: (20, deed(8)), catchesUp: true),
        .init(name: "Noon", days: all, when: .time(43_200), first: deed(9), catchesUp: false),
    ]

    private static func step(_ number: Int, _ mayRepeat: Bool = true) -> Automation.Step {
        let text = "dim desk \(number)"
        return .command(StoredCommand(text: text, json: text, mayComeLate: mayRepeat))
    }

    private static let automations = [
        Automation(name: "Gap", triggers: [.clock(trigger("02:30"))], steps: [step(1)]),
        Automation(
            name: "Workdays", triggers: [.clock(trigger("06:45 mon-fri"))],
            steps: [step(2), .wait(.seconds(2400)), step(3)]),
        Automation(
            name: "Evening", triggers: [.clock(trigger("sunset - 20m"))],
            steps: [step(4), .wait(.seconds(5400)), step(5, false)]),
        Automation(
            name: "Night", triggers: [.clock(trigger("every 3h between 22:00 and 06:00"))], steps: [step(6, false)]),
        Automation(
            name: "Late", triggers: [.clock(trigger("23:10"))], steps: [step(7, false), .wait(.seconds(20)), step(8)],
            lateness: .catchUp),
        Automation(name: "Noon", triggers: [.clock(trigger("12:00"))], steps: [step(9)], lateness: .skip),
        Automation(
            name: "Quiet", triggers: [.becomes(.motion("Hall", false), for: .seconds(300))], steps: [step(quiet)]),
        Automation(
            name: "Arrival", triggers: [.becomes(.motion("Hall", true))],
            steps: [
                step(arrival), .waitFor(.motion("Hall", false), for: .seconds(600), atMost: .seconds(7200)), step(left),
            ]),
    ]

    private var shown: Timestamp { real.advanced(by: offset) }

    private func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

    private func tell(_ text: String) {
        story.append("\(real.utcText) (\(offset == .zero ? "right" : shown.utcText)): \(text)")
        if story.count > 200 { story.removeFirst(100) }
    }

    private func ticket() -> Ticket {
        guard let daemon else { return Ticket(number: 0, holder: "test", time: shown) }
        return daemon.requests.issue(to: "test", at: shown, gesture: nil)
    }

    // MARK: - A day

    func liveADay() throws {
        let end = real.advanced(by: .seconds(86_400))
        let moments = (0..<Int.random(in: 4...14, using: &random)).map { _ in
            real.advanced(by: .milliseconds(.random(in: 0..<86_400_000, using: &random)))
        }
        for moment in moments.sorted() {
            try pass(to: moment)
            try happen()
        }
        try pass(to: end)
    }

    private func pass(to end: Timestamp) throws {
        while real < end {
            guard let daemon else { return }
            let due = [daemon.clock.nextAlarm, ledger.next(after: shown)].compactMap(\.self).min() ?? .max
            let next = min(max(real, real.advanced(by: due.since(shown))), end)
            let step = max(next.since(real), .milliseconds(1))
            if chance(0.03) { linesToLive = .random(in: 0..<14, using: &random) }
            real = real.advanced(by: step)
            daemon.clock.advance(by: step)
            try look()
        }
    }

    private func happen() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...5: try move(sensor.motion?.value != true)
        case 6, 7, 8: try setTimer()
        case 9, 10, 11: try wish()
        case 12: try setClock()
        case 13: try moveHome()
        case 14: try sleep()
        case 15: try end(after: 0)
        case 16: try end(after: .random(in: 0..<20, using: &random))
        case 17: try loseBridge()
        case 18: if isLost { try findBridge() }
        default: try touch()
        }
        if let daemon, !isLost || daemon.mailbox.isEmpty { try look() }
    }

    // MARK: - lightd

    private func start() {
        let memory = try? JSONDecoder().decode(
            AutomationState.Memory.self, from: JSONEncoder().encode(kept.memory))
        isLost = false
        read = 0
        daemon = RunningDaemon(
            AutomationState(kept.automations, memory ?? .init()), lights: lights, sensor: sensor, at: shown,
            in: Self.zones[ledger.home].1, firstTicket: nextTicket)
    }

    /// Does all that is to be done, line by line.
    ///
    /// - Returns: whether lightd still runs.
    @discardableResult
    private func settle(until isEnough: () -> Bool = { false }) -> Bool {
        while let daemon, !isEnough() {
            if isOver() { return false }
            guard let line = daemon.goOn(savesFirst: chance(0.5)) else { return true }
            guard let write = line else { continue }
            switch write.item {
            case let .automations(automations): kept.automations = automations
            case let .automationMemory(memory): kept.memory = memory
            default: break
            }
            // Saved, and not said.
            if isOver() { return false }
            write.reply(.succeeded)
        }
        return daemon != nil
    }

    /// - Returns: whether it was answered.
    @discardableResult
    private func settle(untilAnswered ticket: Ticket) -> Bool {
        guard let daemon else { return false }
        func isAnswered() -> Bool {
            daemon.recorder.messages[read...].contains { $0.isResponse && $0.ticket == ticket }
        }
        settle(until: isAnswered)
        return isAnswered()
    }

    private func isOver() -> Bool {
        guard let lines = linesToLive else { return false }
        linesToLive = lines > 0 ? lines - 1 : nil
        if lines == 0 { isKilled = true }
        return lines == 0
    }

    private var isKilled = false

    /// What the clock says, what lightd does, and whether that is right.
    private func look() throws {
        guard let daemon else { return }
        ledger.look(shown: shown, real: real)
        settle()
        try readMessages()
        if isKilled { return try die() }
        if let missing = ledger.close(at: real) { throw TestError(missing) }
        if let limit, limit.to < real, !ledger.isExpected(Self.left) { self.limit = nil }
        if !ledger.isExpected(Self.left) { limit = nil }
        try checkLamp(daemon)
    }

    private func readMessages() throws {
        guard let daemon else { return }
        let messages = daemon.recorder.messages
        for message in messages[read...] {
            guard case let .lighting(.apply(.values(patch), on: .light(light), _), ticket) = message,
                light == HomeFixture.desk.id, let level = patch.brightness
            else { continue }
            let number = Int((level * 100).rounded())
            tell("\(ticket.holder) does \(number)")
            if let wrong = ledger.note(number, at: real) { throw TestError(wrong) }
            if number == Self.quiet { quietFired = true }
            if number == Self.arrival { beginToWait() }
        }
        read = messages.count
        nextTicket = max(nextTicket, daemon.requests.issue(to: "test", at: shown, gesture: nil).number + 1)
    }

    private func die() throws {
        kills += 1
        isKilled = false
        linesToLive = nil
        let pause = chance(0.7) ? Int.random(in: 0..<50, using: &random) : Int.random(in: 50..<30_000, using: &random)
        tell("killed for \(pause) s")
        let again = real.advanced(by: .seconds(pause))
        // Commands of this moment may have come from others' saves; runs that did not wait yet may be forgotten.
        for index in ledger.expected.indices where ledger.expected[index].deed.number == Self.quiet {
            ledger.forgive(index)
        }
        if arrived == real { ledger.doubt(Self.left) }
        let mayBeOver = ledger.isDue(Self.left, at: real)
        ledger.wasKilled(at: real, again: again)
        try restart(after: pause, knowsTime: true, isKill: true, mayBeOver: mayBeOver)
    }

    private func end(after pause: Int) throws {
        guard daemon != nil else { return }
        let pause = pause == 0 ? 0 : chance(0.5) ? pause : Int.random(in: 60..<40_000, using: &random)
        settle()
        try readMessages()
        tell("ended for \(pause) s")
        try restart(after: pause, knowsTime: pause == 0 || chance(0.85))
    }

    /// - Parameter mayBeOver: whether what a run waits for may have come before.
    private func restart(after pause: Int, knowsTime: Bool, isKill: Bool = false, mayBeOver: Bool = false) throws {
        if let daemon {
            let cut = daemon.clock.now
            let known = daemon.store.state().lights.values
            if !known.isEmpty {
                lights = known.sorted { $0.id < $1.id }.map { light in
                    // The lamp has what was sent to it. What caused that is saved later than that it was done.
                    let light = light.arrived(at: cut)
                    return isKill && light.snapshot.cause.time == cut ? light.readAnew : light
                }
            }
            // A hand that is forgotten by that cannot be told from what was wished.
            if isKill, touched == real || outlived.map({ real <= $0.advanced(by: .seconds(60)) }) ?? false {
                (base, wishes) = (nil, [])
            }
        }
        let isLostAgain = isKill && lost == real
        daemon = nil
        real = real.advanced(by: .seconds(pause))
        if chance(0.2) { sensor = .make("hall", name: "Hall", motion: chance(0.5)) }
        ledger.wasAway(until: real, knowsTime: knowsTime)
        for index in wishes.indices where wishes[index].to < real { wishes[index].to = real }
        if isLostAgain {
            // It may not even have saved that it waits anew.
            lostTrack(by: .zero - .seconds(1))
            lost = real
        }
        if !knowsTime {
            lost = real
            // A machine without a clock of its own.
            let before = offset
            let boot = Timestamp(milliseconds: .random(in: 5000...60_000, using: &random))
            offset = boot.since(real)
            tell("the machine starts in 1970")
            lostTrack(by: offset - before)
        }
        start()
        ledger.withdraw(Self.quiet, at: real)
        quietFired = false
        isLost = false
        expectQuiet()
        if ledger.isExpected(Self.left) { waitAnew(from: mayBeOver ? real : nil) }
        try look()
    }

    private func lostTrack(by step: Duration) {
        ledger.lostTrack(by: step, at: real, waits: Self.waits.merging(timers) { $1 })
        for index in wishes.indices {
            if step > .zero { wishes[index].from = min(wishes[index].from, real) }
            wishes[index].to = max(wishes[index].to, real.advanced(by: .seconds(86_400)))
        }
        if let limit { self.limit = (limit.from, max(limit.to, real.advanced(by: .seconds(7200)))) }
    }

    // MARK: - What lasts

    private func expectQuiet() {
        guard sensor.motion?.value == false, !quietFired, !isLost, !ledger.isCertain(Self.quiet) else { return }
        let due = real.advanced(by: .seconds(300))
        ledger.expect(.init(deed: Self.deed(Self.quiet), from: due, to: due))
    }

    private func beginToWait() {
        let end = real.advanced(by: .seconds(7200))
        (limit, arrived) = ((end, end), real)
        ledger.withdraw(Self.left, at: real)
        ledger.expect(.init(deed: Self.deed(Self.left), from: end, to: end))
        waitAnew()
    }

    /// What a run waits for is true since now, or is not true.
    private func waitAnew(from earliest: Timestamp? = nil) {
        guard let limit else { return }
        let quiet = sensor.motion?.value == false && !isLost ? real.advanced(by: .seconds(600)) : .max
        ledger.move(
            Self.left, from: earliest ?? max(real, min(limit.from, quiet)), to: max(real, min(limit.to, quiet)))
    }

    private func move(_ isSeen: Bool) throws {
        guard let daemon, !isLost else { return }
        let was = sensor.motion?.value
        sensor = .make("hall", name: "Hall", motion: isSeen)
        tell(isSeen ? "motion" : "quiet")
        if isSeen {
            ledger.withdraw(Self.quiet, at: real)
            quietFired = false
            if was == false, !ledger.isCertain(Self.left) {
                ledger.expect(
                    .init(
                        deed: Self.deed(Self.arrival), from: real, to: real,
                        isRequired: !ledger.isExpected(Self.left), isDurable: false))
            }
        } else {
            expectQuiet()
        }
        if ledger.isExpected(Self.left) { waitAnew() }
        daemon.stack.tell(.sensor(sensor.id, .init(motion: isSeen)))
        if chance(0.1) { linesToLive = .random(in: 0..<14, using: &random) }
        try look()
    }

    private func loseBridge() throws {
        guard let daemon, !isLost else { return }
        isLost = true
        tell("the bridge is lost")
        ledger.withdraw(Self.quiet, at: real)
        if ledger.isExpected(Self.left) { waitAnew() }
        daemon.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        try look()
    }

    private func findBridge() throws {
        guard let daemon else { return }
        isLost = false
        tell("the bridge is back")
        daemon.connect(sensor)
        expectQuiet()
        if ledger.isExpected(Self.left) { waitAnew() }
        try look()
    }

    // MARK: - Timers and wishes

    private var timers: [Int: Int] = [:]

    /// "in 20m turn off all"
    private func setTimer() throws {
        guard let daemon else { return }
        let (number, wait, mayRepeat) = (nextNumber, Int.random(in: 5...14_400, using: &random), chance(0.6))
        nextNumber = nextNumber == 99 ? 20 : nextNumber + 1
        timers[number] = wait
        tell("in \(wait) s do \(number)")
        let ticket = ticket()
        daemon.mailbox.post(
            .automations(
                .schedule(
                    Automation(
                        name: "timer", triggers: [.clock(.after(.seconds(wait), since: shown))],
                        steps: [Self.step(number, mayRepeat)], kind: .once(by: "test"))), ticket: ticket))
        if chance(0.2) { linesToLive = .random(in: 0..<10, using: &random) }
        let due = real.advanced(by: .seconds(wait))
        let isPromised = settle(untilAnswered: ticket)
        if isPromised, chance(0.1) { isKilled = true }
        ledger.expect(
            .init(
                deed: Self.deed(number, mayRepeat), from: due, to: due, isRequired: isPromised, isTimer: true))
        if isKilled {
            try readMessages()
            try die()
        } else {
            try look()
        }
    }

    /// "dim sink 40% --for 10m"
    private func wish() throws {
        guard let daemon, base != nil, !isLost else { return }
        let (level, wait) = (newLevel(), Int.random(in: 10...7200, using: &random))
        tell("sink at \(level) for \(wait) s")
        let ticket = ticket()
        daemon.mailbox.post(
            .automations(
                .schedule(
                    Automation(
                        name: "timer", triggers: [],
                        steps: [
                            .command(TestCommands.command("dim sink \(level)")), .wait(.seconds(wait)),
                            .restore("sink"),
                        ], kind: .once(by: "test"))), ticket: ticket))
        linesToLive = nil
        settle(untilAnswered: ticket)
        let due = real.advanced(by: .seconds(wait))
        wishes.append(.init(level: level, from: due, to: due))
        // Promised is promised.
        if chance(0.2) {
            isKilled = true
            try readMessages()
            try die()
        } else {
            try look()
        }
    }

    /// Often what it shows already: that is a wish, too.
    private func newLevel() -> Int {
        let shown = daemon?.store.state().lights[HomeFixture.sink.id]?.values.brightness
        guard let shown, chance(0.3) else { return .random(in: 1...99, using: &random) }
        return Int((shown * 100).rounded())
    }

    /// A hand ends what was wished before.
    private func touch() throws {
        guard let daemon, !isLost else { return }
        let level = newLevel()
        (touched, outlived) = (real, (wishes.map(\.to) + [outlived].compactMap(\.self)).max())
        tell("a hand sets the sink to \(level)")
        linesToLive = nil
        daemon.mailbox.post(
            .lighting(
                .apply(.values(.bri(Double(level) / 100)), on: .light(HomeFixture.sink.id), over: .usual),
                ticket: ticket()))
        (wishes, base) = ([], level)
        try look()
    }

    private func checkLamp(_ daemon: RunningDaemon) throws {
        let tolerance = TimeLedger.tolerance
        wishes.removeAll { $0.to.advanced(by: tolerance) < real }
        guard let base, !wishes.contains(where: { $0.from.advanced(by: .zero - tolerance) <= real }) else { return }
        let level = wishes.last?.level ?? base
        guard let shows = daemon.store.state().lights[HomeFixture.sink.id]?.values.brightness else { return }
        guard Int((shows * 100).rounded()) == level else {
            throw TestError("the sink shows \(shows) instead of \(level)% (\(wishes), \(base))")
        }
    }

    // MARK: - Time

    private func setClock() throws {
        guard let daemon else { return }
        let most: [Int64] = [1000, 600_000, 72_000_000, 40 * 86_400_000, 50 * 365 * 86_400_000]
        var new = Duration.zero
        if offset == .zero || chance(0.3) {
            let most = most[Int.random(in: most.indices, using: &random)]
            let step = most == 1000 ? (chance(0.5) ? most : -most) : Int64.random(in: -most...most, using: &random)
            new = offset + .milliseconds(step)
        }
        let shown = real.advanced(by: new)
        guard shown.milliseconds > 0, shown.milliseconds < 4_200_000_000_000,
            // Whether a clock was set back by more than a day may depend on when it was looked at last.
            !ledger.isBehind(shown, by: .seconds(72_000)) || ledger.isBehind(shown, by: .seconds(4 * 86_400))
        else { return }
        offset = new
        tell("the clock is set to \(shown.utcText)")
        // Otherwise nobody could know later by how much it was.
        linesToLive = nil
        daemon.clock.set(to: shown)
        try look()
    }

    private func moveHome() throws {
        let home = Int.random(in: Self.zones.indices, using: &random)
        guard let daemon, shown.isPlausible else { return }
        linesToLive = nil
        tell("the home moves to \(home): \(Self.zones[home].1.zone.name)")
        daemon.clock.set(to: shown)
        try look()
        guard self.daemon === daemon else { return }
        daemon.time.value = Self.zones[home].1
        daemon.clock.set(to: shown)
        ledger.move(to: home, shown: shown, isRunning: true)
        try look()
    }

    private func sleep() throws {
        guard let daemon else { return }
        let pause = Duration.seconds(.random(in: 1..<(chance(0.5) ? 900 : 40_000), using: &random))
        tell("the machine sleeps for \(pause)")
        linesToLive = nil
        real = real.advanced(by: pause)
        daemon.clock.sleep(for: pause)
        ledger.wasAway(until: real)
        for index in wishes.indices where wishes[index].to < real { wishes[index].to = real }
        try look()
    }
}

extension Light {
    /// With what was sent to it and not reported yet.
    fileprivate func arrived(at time: Timestamp) -> Light {
        guard case .expected = freshness else { return self }
        return alter(by: .reporting(.it(.init(power: values.power, brightness: values.brightness), at: time)))
    }

    /// As a lightd that has just started reads it from its bridge.
    fileprivate var readAnew: Self {
        Light(
            id: id, name: name, values: reported, modes: modes, limits: limits, configuration: configuration,
            heard: heard)
    }
}
