import ControlProtocol
import Curl
import Foundation
import Glibc
import HueWire
import SimulatedBridge
import TestSupport

/// Commands, people, power cuts and disturbances, the same for the same seed; and the laws by which they are judged.
actor Chaos {
    typealias Instant = ContinuousClock.Instant

    let bridge: SimulatedBridge
    let daemon: DaemonProcess
    let clock: DaemonClock
    let app: OtherApp
    var random: SplitMix
    /// What people and lightd asked of the lamps.
    var history: LampHistory
    /// Lamps with which one thing at a time is done.
    var reserved: Set<String> = []
    var unpowered: Set<String> = []
    /// Lamps that lightd wakes somebody by.
    var sunrises: Set<String> = []
    /// When somebody ended one, if a step may have arrived after that.
    var endedSunrises: [String: Instant] = [:]
    /// Of those whose end the event stream has left out: the acts by which they go on.
    var hiddenEnds: [String: Set<Int>] = [:]
    /// The faults by which the stream leaves events out now.
    var hidingEvents: Set<FaultKind> = []
    /// The grouped lights of the rooms.
    let groups: [String: ResourceID]
    /// Where the app has put the bystander.
    var bystanderRoom = "Hall"
    /// Until when the bridge may report of a lamp what nobody asked.
    var excused: [String: Instant] = [:]
    private(set) var counts: [String: Int] = [:]
    private(set) var broken: [String] = []
    private var refused: [String: Int] = [:]
    private var recoveries = RecoveryTimes()
    /// What disturbs now.
    private var disturbing: [Disturbance] = []
    /// Whether it disturbs no longer.
    private(set) var isOver = false

    init(
        bridge: SimulatedBridge, daemon: DaemonProcess, clock: DaemonClock, app: OtherApp, seed: UInt64
    ) async {
        (self.bridge, self.daemon, self.clock, self.app) = (bridge, daemon, clock, app)
        random = SplitMix(seed: seed)
        let home = await bridge.controls.home
        history = LampHistory(home, at: .now)
        groups = Dictionary(home.rooms.map { ($0.name, $0.groupedLight) }) { $1 }
    }

    var summary: String {
        func list(_ counts: [String: Int]) -> String {
            counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }
        return "\(list(counts)); commands that failed: \(list(refused))"
    }

    /// Disturbs no longer: something went wrong that ends it.
    func stop() { isOver = true }

    func count(_ what: String) { counts[what, default: 0] += 1 }

    /// A law is broken.
    func breaks(_ law: String, _ how: String) {
        count("laws broken")
        let text = "\(law): \(how)"
        if broken.count < 20 { broken.append(text) }
        print("\(Date().formatted(.iso8601)) \(text)")
    }

    /// Disturbs for this long: one disturbance at a time, all of them before one comes again, and after every fourth
    /// several at once.
    func run(_ disturbances: [Disturbance], for length: Duration) async throws -> RecoveryTimes {
        defer { isOver = true }
        let end = Instant.now + length
        var coming: [Disturbance] = []
        var round = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            while Instant.now < end, !isOver {
                round += 1
                if coming.isEmpty { coming = disturbances.shuffled(using: &random) }
                let some = round.isMultiple(of: 5) ? 4 : 1
                try await disturb(by: Array(coming.prefix(some)), &group)
                coming.removeFirst(min(some, coming.count))
                // As long as a bridge may take to find out that a lamp did not follow.
                if round.isMultiple(of: 5) { try await Task.sleep(for: .seconds(12)) }
                try await judge()
                if round.isMultiple(of: 6) { try await keepPromise() }
            }
            try await group.waitForAll()
        }
        return recoveries
    }

    // MARK: - Disturbing

    /// - Parameter lasting: for what people do that goes on beyond the disturbance.
    private func disturb(
        by disturbances: [Disturbance], _ lasting: inout ThrowingTaskGroup<Void, any Error>
    ) async throws {
        let isMomentary = disturbances.allSatisfy(\.isMomentary)
        // One in four is long enough to be noticed by everything that watches the connection. After one that is over at
        // once the clock is running: what follows it must not take longer than the recovery.
        let isLong = disturbances.contains(where: \.isRare) || random.next() % 4 == 0
        let steps = isMomentary ? 4 : isLong ? 60 : 6 + Int(random.next() % 12)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Several at once may lose what none of them would.
            let wish = disturbances.count == 1 ? try await wish(before: disturbances[0]) : nil
            let began = Instant.now
            disturbing = disturbances
            for disturbance in disturbances {
                try await begin(disturbance)
                try await use(steps / disturbances.count, &group, &lasting)
            }
            try await end(disturbances, begunAt: began)
            let ended = isMomentary ? began : .now
            let name = disturbances.count == 1 ? "\(disturbances[0])" : "several at once"
            try await measure(name, since: ended)
            if let wish { try await judge(wish) }
            try await group.waitForAll()
        }
    }

    private func begin(_ disturbance: Disturbance) async throws {
        switch disturbance {
        case let .fault(kind, with: more):
            if kind == .stragglers { excuse(ChaosHome.lamps, for: .seconds(60)) }
            try await begin(kind, more)
        case .stop: try await daemon.end(by: SIGTERM)
        case .kill: try await daemon.end(by: SIGKILL)
        case .suspend: daemon.signal(SIGSTOP)
        case .zone: try await moveHome()
        case .clock: try setClock()
        case .bootIn1970:
            try await daemon.end(by: SIGKILL)
            try clock.forget()
            try daemon.start()
        case .lateBridge:
            try await daemon.end(by: SIGKILL)
            try await begin(.reboot, #""value":6"#)
            try daemon.start()
        case .lampWithoutMains: break
        }
    }

    func begin(_ fault: FaultKind, _ more: String) async throws {
        if [.silentStream, .loseEvents].contains(fault) { hidingEvents.insert(fault) }
        let body = #"{"name":"\#(fault.rawValue)"\#(more.isEmpty ? "" : ",")\#(more)}"#
        let details = try await bridge.ready
        try await daemon.client.begin(fault: body, at: "http://\(details.host):\(details.controlPort)")
    }

    private func end(_ disturbances: [Disturbance], begunAt began: Instant) async throws {
        for disturbance in disturbances {
            guard let off = disturbance.off else { continue }
            try await Task.sleep(until: began + off)
            _ = try await bridge.ready
        }
        await bridge.controls.end()
        hidingEvents = []
        if disturbances.contains(.suspend) { daemon.signal(SIGCONT) }
        if disturbances.contains(.bootIn1970) { try clock.remember() }
        guard !daemon.isRunning else { return }
        guard disturbances.contains(where: { [.stop, .kill].contains($0) }) else {
            throw TestError("lightd has ended: \(daemon.lines.suffix(5))")
        }
        try daemon.start()
    }

    /// Uses a wall switch, and records how long it takes until everything that lightd shows is true.
    private func measure(_ name: String, since ended: Instant) async throws {
        let isOn = await bridge.controls.home.lamp(called: ChaosHome.plug)?.isOn == true
        if !reserved.contains(ChaosHome.plug) {
            // It cannot be told from a lamp that has missed a command just before.
            let isNew = !history.isCommanded(ChaosHome.plug, at: .now)
            await byHand("wall", ChaosHome.plug, power: .it(!isOn), isNew: isNew) {
                await self.bridge.controls.alter(ChaosHome.plug, by: .turning(.it(on: !isOn)))
            }
        }
        var wrong = ""
        while let untrue = try await untrueLights() {
            guard .now - ended < .seconds(120) else { throw TestError("after '\(name)' it is still wrong: \(untrue)") }
            wrong = untrue
            try await Task.sleep(for: .milliseconds(20))
        }
        recoveries.record(name, .now - ended, wrong: wrong)
        guard .now - ended > ChaosTests.recovery else { return }
        print("after \(disturbing) it was wrong for \(seconds(.now - ended)): \(wrong)")
        print(daemon.lines.suffix(20).joined(separator: "\n"))
    }

    /// What lightd shows wrongly; `nil` if everything is true.
    private nonisolated func untrueLights() async throws -> String? {
        guard let lights = try await lights(), lights.count == ChaosHome.everything.count else {
            return "lightd does not answer"
        }
        let home = await bridge.controls.home
        let untrue = lights.filter { !$0.isTrue(in: home) }
        return untrue.isEmpty ? nil : untrue.map { "\($0.name) \($0.freshness) \($0.power)" }.joined(separator: ", ")
    }

    /// What lightd shows; `nil` while it does not run.
    nonisolated func lights() async throws -> [LightBody]? {
        let starts = daemon.starts
        do {
            return try await daemon.client.get([LightBody].self, Routes.lights)
        } catch {
            try mayBeUnanswered(since: starts, error)
            return nil
        }
    }

    /// A request is left unanswered, or put off until lightd runs again, only by a daemon that ends or does not listen yet.
    private nonisolated func mayBeUnanswered(since starts: Int, _ error: any Error) throws {
        let ends = !daemon.isRunning || daemon.isEnding || daemon.starts != starts
        switch error {
        case CurlError.noConnection: break
        case is CurlError where ends: break
        case let refused as CommandRefused where refused.reply.error.code == .daemonStopping && ends: break
        case is CurlError: throw TestError("a request was not answered: \(error); \(daemon.lines.suffix(3))")
        default: throw error
        }
    }

    // MARK: - Using the lights

    private func use(
        _ steps: Int, _ group: inout ThrowingTaskGroup<Void, any Error>,
        _ lasting: inout ThrowingTaskGroup<Void, any Error>
    ) async throws {
        for _ in 0..<steps {
            switch random.next() % 32 {
            case 0...13:
                let (command, lamps, power, level) = command()
                if let command { group.addTask { try await self.send(command, to: lamps, power, level) } }
            case 14...17: await useWallSwitch()
            case 18...19: group.addTask { try await self.useApp() }
            case 20...21: group.addTask { try await self.useAppOnRoom() }
            case 22: group.addTask { try await self.recallByApp() }
            case 23: await pressSwitchOfBridge()
            case 24: await pressSwitchOfLightd()
            case 25: await togglePower()
            case 26: lasting.addTask { try await self.wake() }
            case 27: lasting.addTask { try await self.takeBack() }
            case 28: lasting.addTask { try await self.moveBystander() }
            case 29: group.addTask { try await self.walkThroughHall() }
            default: break
            }
            try await Task.sleep(for: .milliseconds(50 + Int(random.next() % 400)))
        }
    }

    func pick<Value>(_ values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }

    /// A command, with what it asks of which lamps; `nil` if one of them is reserved.
    private func command() -> (Command?, [String], LampHistory.Asked<Bool>, LampHistory.Asked<Int>) {
        let targets =
            ChaosHome.lamps.map { ($0, [$0]) }
            + ChaosHome.rooms.sorted { $0.key < $1.key }.filter { $0.key != "Study" }
            .map { ("@\($0.key)", $0.value) } + [("@Downstairs", ChaosHome.zone)]
        let (target, lamps) = pick(targets)
        let over = random.next() % 3 == 0 ? Int(random.next() % 2000) : nil
        let percent = Double(1 + random.next() % 100)
        let kind = random.next() % 7
        guard reserved.isDisjoint(with: lamps) else { return (nil, [], .untouched, .untouched) }
        switch kind {
        case 0: return (.turn(to: .on, target: target, over: over), lamps, .it(true), .untouched)
        case 1: return (.turn(to: .off, target: target, over: over), lamps, .it(false), .untouched)
        case 2 where lamps == ["Desk"]:
            return (.set(.init(color: "#ff8800"), target: "Desk", over: over), lamps, .anything, .untouched)
        case 3 where lamps == ["Sofa"]:
            let mirek = 200 + Int(percent)
            return (.set(.init(temperature: mirek), target: "Sofa", over: over), lamps, .anything, .untouched)
        case 4: return (.increase(.brightness, by: 10, target: target, over: over), lamps, .anything, .anything)
        case 5 where lamps == ChaosHome.rooms["Living"]:
            return (.recall(scene: "Evening", over: over), [], .untouched, .untouched)
        default:
            return (
                .set(.init(brightness: percent), target: target, over: over), lamps, .it(true), .it(level(percent))
            )
        }
    }

    /// Sends a command, and waits until it has taken effect. It may fail, but it is always answered, unless lightd ends.
    func send(
        _ command: Command, to lamps: [String] = [], _ power: LampHistory.Asked<Bool> = .untouched,
        _ level: LampHistory.Asked<Int> = .untouched, wait: Bool = true
    ) async throws {
        count("commands")
        let home = await bridge.controls.home
        let words = "lightd: \(command)"
        var acts: Set<Int> = []
        if case .recall = command {
            acts = beginScene("Evening", .command, words, home)
        } else {
            for lamp in lamps {
                // It can be on or off only.
                let isDimmed = lamp != ChaosHome.plug
                acts.insert(
                    history.begin(
                        .command, words, lamp, isDimmed || level == .untouched ? power : .anything,
                        isDimmed ? level : .untouched, in: home, at: .now))
            }
        }
        let starts = daemon.starts
        do {
            let reply = try await daemon.client.post(command, wait: wait)
            history.finish(acts, isCertain: true, ticket: reply.ticket, at: .now)
        } catch let error as CommandRefused {
            refused["\(error.reply.error.code.rawValue) (\(error.reply.error.message))", default: 0] += 1
            // The bridge has refused it once, and once is not for good.
            if error.reply.error.code == .keyRefused, disturbing.count(where: \.isRare) < 2 {
                breaks("no lost wish", "\(words): \(error.reply.error.message)")
            }
            history.finish(acts, isCertain: false, at: .now)
        } catch let error as CurlError {
            try mayBeUnanswered(since: starts, error)
            refused["lightd ended", default: 0] += 1
            // What was on its way may arrive after lightd has ended.
            history.finish(acts, isCertain: false, at: .now + .seconds(3))
        }
    }

    /// Both scenes say of all their lamps what they show.
    func beginScene(_ name: String, _ author: LampHistory.Author, _ words: String, _ home: SimulatedHome) -> Set<Int> {
        guard let scene = home.scenes.first(where: { $0.name == name }) else { return [] }
        return Set(
            scene.actions.compactMap { action in
                home.lamp(action.lamp).map { lamp in
                    history.begin(
                        author, words, lamp.name, action.on.map { .it($0) } ?? .untouched,
                        action.level.map { .it($0) } ?? .untouched, in: home, at: .now)
                }
            })
    }

    func excuse(_ lamps: [String], for time: Duration) {
        for lamp in lamps { excused[lamp] = max(excused[lamp] ?? .now, .now + time) }
    }

    // MARK: - The laws

    /// How long a lamp may show what nobody asked for.
    private static let tolerance = Duration.milliseconds(1500)
    private var wrongSince: [String: (since: Instant, why: String)] = [:]
    /// For how long lightd may take a lamp that shows what it showed before for one that missed a command, or that is
    /// reported late.
    private static let repairable = Duration.seconds(25)
    /// What each lamp has shown in this time.
    private var shown: [String: [(at: Instant, level: Int)]] = [:]

    /// Whether a lamp has lately shown about this level.
    func hasShown(_ level: Int, _ lamp: String) -> Bool {
        (shown[lamp] ?? []).contains { abs($0.level - level) <= 5 }
    }

    /// What the bridge was asked for lately that may have changed a lamp, for people who look for the cause.
    private func requests(about lamp: Lamp) async -> String {
        let began = Date.now.addingTimeInterval(-20)
        return await bridge.controls.requests.suffix(200).filter { $0.method == "PUT" && $0.time > began }
            .filter { $0.path.hasSuffix("\(lamp.id)") || !$0.path.contains("/light/") }
            .map { request in
                let time = request.time.formatted(.iso8601.time(includingFractionalSeconds: true))
                return "    \(time) \(request.key ?? "") \(request.path) \(request.body): \(request.status)"
            }
            .joined(separator: "\n")
    }

    /// *The last hand wins*, and *no lamp changes that nobody named*: asked of the bridge five times a second.
    func observe(_ before: SimulatedHome, _ after: SimulatedHome) async {
        let now = Instant.now
        for lamp in after.lamps {
            shown[lamp.name] =
                (shown[lamp.name] ?? []).filter { now - $0.at < Self.repairable } + [(now, lamp.lightState.level)]
            let isExcused = excused[lamp.name].map { now <= $0 } ?? false
            if !isExcused { await allowLateStep(lamp, after) }
            guard !unpowered.contains(lamp.name), !isExcused, let was = before.lamp(lamp.id),
                history.objection(to: was.lightState, of: lamp.name, at: now) != nil,
                let objection = history.objection(to: lamp.lightState, of: lamp.name, at: now)
            else {
                wrongSince[lamp.name] = nil
                continue
            }
            let since = wrongSince[lamp.name]?.since ?? now
            wrongSince[lamp.name] = (since, objection)
            guard now - since > Self.tolerance else { continue }
            await allowSimultaneous(lamp, after)
            guard history.objection(to: lamp.lightState, of: lamp.name, at: now) != nil else { continue }
            breaks("the last hand wins", "\(objection); during \(disturbing)\n" + (await self.requests(about: lamp)))
            // Said once; from now on it is what it is.
            let id = history.begin(.mains, "as found", lamp.name, .anything, .anything, in: after, at: now)
            history.finish([id], isCertain: true, at: now)
        }
        if let room = after.rooms.first(where: { room in
            room.lamps.contains { after.lamp($0)?.name == ChaosHome.bystander }
        })?.name, room != bystanderRoom, !reserved.contains(ChaosHome.bystander) {
            breaks("no lamp changes that nobody named", "\(ChaosHome.bystander) is in \(room), not \(bystanderRoom)")
            bystanderRoom = room
        }
    }

    /// When it was last not known what the sensor in the hall sees.
    private var lastUnknown = Instant.now
    /// When the runs began that were seen of what waits for nobody to move.
    private var quietRuns: Set<Date>?

    /// *An unknown is never counted as a no*: nothing that waits for nobody to move has begun unless it was known for as
    /// long that nobody did.
    ///
    /// - Parameter lights: what lightd shows; `nil` if it does not answer.
    func observeQuiet(_ lights: [LightBody]?) async throws {
        let starts = daemon.starts
        let automation: AutomationBody?
        do {
            automation = try await lights == nil ? nil : self.automation(ChaosHome.quiet)
        } catch {
            try mayBeUnanswered(since: starts, error)
            automation = nil
        }
        // One that runs meanwhile is not seen to begin.
        guard let lights, let automation else { return (lastUnknown, quietRuns) = (.now, nil) }
        // The home may have moved to another time zone.
        let seen = Set((automation.running + automation.runs).compactMap { time($0.started) })
        if let quietRuns, let run = seen.subtracting(quietRuns).first {
            count("runs when nobody moved")
            // It began at this moment at the latest.
            let known = Instant.now - lastUnknown
            if known < ChaosHome.quietTime - .milliseconds(300) {
                breaks(
                    "an unknown is never counted as a no",
                    "\(ChaosHome.quiet) began at \(run), now \(clock.now.formatted(.iso8601)), although lightd knew for only "
                        + "\(seconds(known)) what the sensor sees; during \(disturbing); runs known \(quietRuns), "
                        + "\(automation)")
            }
        }
        quietRuns = seen
        if lights.contains(where: { $0.freshness == .stale }) { lastUnknown = .now }
    }

    /// *`why` names the one who did it*: when everything that lightd shows is true.
    private func judge() async throws {
        guard let lights = try await lights() else { return }
        let now = Instant.now
        for light in lights where light.freshness == .confirmed && !unpowered.contains(light.name) {
            guard let act = history.undisputed(light.name, at: now - .seconds(3)) else { continue }
            count("authors compared")
            let isRight =
                switch act.author {
                // It is known to have been so when lightd began to listen, if that was after it.
                case .command: light.cause.kind == .unseen || light.cause.ticket == act.ticket
                case .hand, .app: light.cause.kind != .command
                case .lightd, .mains: true
                }
            if !isRight {
                breaks(
                    "why names the one who did it",
                    "\(light.name): '\(act.words)' (ticket \(act.ticket ?? 0)) \(seconds(now - act.began)) ago; why says "
                        + "\(light.cause)")
            }
        }
    }

    // MARK: - The end

    /// Ends all power cuts.
    func restorePower() async {
        for lamp in unpowered.sorted() { await restorePower(of: lamp) }
    }

    nonisolated func agrees() async throws -> Bool {
        let home = await bridge.controls.home
        return try await lights()?.allSatisfy { $0.freshness == .confirmed && $0.agrees(with: home) } == true
    }

    nonisolated func isAll(at level: Double) async throws -> Bool {
        guard let lights = try await lights() else { return false }
        var shown = true
        for lamp in ChaosHome.lamps {
            guard let lightState = await bridge.controls.lightState(of: lamp) else { return false }
            let isLevel = lamp == ChaosHome.plug || abs(Double(lightState.level) / 2.54 - level) < 1
            shown = shown && lightState.isOn && isLevel
        }
        return shown
            && lights.filter { ChaosHome.lamps.contains($0.name) }.allSatisfy {
                $0.freshness == .confirmed && $0.power == .on
                    && ($0.name == ChaosHome.plug || abs(($0.brightness ?? 0) - level) < 1)
            }
    }
}
