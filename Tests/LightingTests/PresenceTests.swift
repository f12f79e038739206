import FoundationEssentials
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// A presence replay in a whole domain: what it does to lamps, what ends it, and what a restart does to it.
@DomainActor
struct PresenceTests {
    nonisolated private static let lights = [
        Light.make("desk", name: "Desk", power: .off), Light.make("sofa", name: "Sofa", power: .off),
        Light.make("stove", name: "Stove", power: .off, modes: [.ct]), Light.plug("iron", name: "Iron", power: .off),
    ]
    nonisolated private static let room = Room.make("living", name: "Living", lights: lights)
    nonisolated private static let dial = Sensor(
        id: Sensor.ID(bridge: .sample, resource: "dial"), name: "Dial", abilities: [.dial], buttons: [.init(1)])
    nonisolated private static let motion = Sensor(
        id: Sensor.ID(bridge: .sample, resource: "motion"), name: "Hall sensor", abilities: [.motion])
    nonisolated private static let door = Sensor(
        id: Sensor.ID(bridge: .sample, resource: "door"), name: "Door", abilities: [.contact])
    private var desk: Light { Self.lights[0] }

    private func home(_ clock: ManualClock = ManualClock(), stack: MemoryStack? = nil, journal days: Int = 28)
        -> DomainFixture
    {
        let state = AppState.make(lights: Self.lights, rooms: [Self.room]).alter(
            by: .adding(.sensor(Self.dial)), .adding(.sensor(Self.motion)), .adding(.sensor(Self.door)))
        let home = DomainFixture(
            state, stack: stack ?? MemoryStack(lights: Self.lights, rooms: [Self.room]), clock: clock)
        for day in stride(from: days, to: 0, by: -1) { evening(day, in: home) }
        return home
    }

    /// What people did so many days ago: it is about two in the afternoon now.
    private func evening(_ day: Int, in home: DomainFixture) {
        let person = Cause.Kind.command(Ticket(number: 1, holder: "lightctl (uid 1000)", time: .sample))
        for (number, light) in Self.lights.enumerated() {
            for (hours, report) in [
                (4 + number, Light.Report(power: .on, brightness: 0.25 * Double(number + 1), source: person)),
                (6 + number, Light.Report(power: .off, source: person)),
            ] {
                let time = Timestamp.sample.advanced(by: .seconds(hours * 3600 - day * 86_400))
                home.journal.journal.append(
                    .lighting(.reported(.light(light.id, report)), ticket: .unasked(from: "bridge", at: time)),
                    Journal.Names(), time)
            }
        }
    }

    @discardableResult
    private func begin(_ home: DomainFixture, _ settings: PresenceReplay.Settings = .init(seed: 7)) -> Ticket {
        home.send { .presence(.begin(settings), ticket: $0) }
    }

    private func isOn(_ light: Light, _ home: DomainFixture) -> Bool { home.light(light.id)?.power == .on }

    /// What the replay has sent, in words.
    private func sent(_ home: DomainFixture) -> [String] {
        home.recorder.messages.compactMap { message in
            guard case let .lighting(command, ticket) = message, ticket.holder == "away", !message.isResponse else {
                return nil
            }
            return switch command {
            case let .turn(turn, .light(light), _): "\(ticket.time.milliseconds) \(light.resource) \(turn)"
            case let .apply(.values(patch), on: .light(light), _):
                "\(ticket.time.milliseconds) \(light.resource) \(patch.brightness ?? -1)"
            default: nil
            }
        }
    }

    private func advance(_ home: DomainFixture, _ duration: Duration, by step: Duration = .seconds(60)) {
        let end = home.clock.now.advanced(by: duration)
        while home.clock.now < end { home.wait(step) }
    }

    /// lightd as it is started again, after what the archive has was written and read again.
    private func restarted(_ home: DomainFixture) throws -> DomainFixture {
        let replay = home.archive.items.reversed().lazy.compactMap { item -> PresenceReplay? in
            if case let .presence(replay) = item { replay } else { nil }
        }.first
        let saved = try JSONDecoder().decode(PresenceReplay?.self, from: JSONEncoder().encode(replay))
        let state = home.store.state()
        let again = DomainFixture(
            AppState.make(lights: Array(state.lights.values), rooms: [Self.room]).alter(
                by: .replacing(.presence(by: saved))),
            stack: home.stack, clock: home.clock, firstTicket: 100_000)
        if let saved { again.archive.archive.keep(.presence(saved)) { _ in } }
        return again
    }

    @Test func `lamps that people used burn again, as bright as then, and every one is turned off`() {
        let home = home()
        begin(home)
        advance(home, .seconds(3 * 86_400))
        let sent = sent(home).map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
        // Three evenings, in which the plug takes no part.
        #expect(Set(sent) == ["desk 0.25", "desk off", "sofa 0.5", "sofa off", "stove 0.75", "stove off"])
        #expect(sent.count == 18)
        #expect(Self.lights.allSatisfy { !isOn($0, home) })
        #expect(home.store.state().presence?.isGoingOn == true)
    }

    @Test func `the journal and 'why' say that it was the replay`() {
        let home = home()
        begin(home)
        advance(home, .seconds(5 * 3600))
        let cause = home.light(desk.id)?.cause
        #expect(cause?.ticket?.holder == "away")
        #expect(
            home.journal.entries.contains {
                if case .presence(.planned(let uses), _) = $0.message { !uses.isEmpty } else { false }
            })
        // A month of somebody's life is not written down once more.
        #expect(!home.journal.entries.contains { if case .presence(.recalled, _) = $0.message { true } else { false } })
    }

    @Test func `plugs take part if they are asked to`() {
        let home = home()
        begin(home, .init(seed: 7, includesPlugs: true))
        advance(home, .seconds(86_400))
        #expect(sent(home).contains { $0.hasSuffix("iron on") } && sent(home).contains { $0.hasSuffix("iron off") })
    }

    @Test func `a replay of replays is not: after three weeks it still plays the weeks before it`() {
        let home = home()
        begin(home)
        advance(home, .seconds(21 * 86_400), by: .seconds(600))
        let count = sent(home).count
        advance(home, .seconds(86_400), by: .seconds(600))
        #expect(sent(home).count == count + 6)
    }

    @Test(arguments: [0, 2]) func `too short a journal is refused, and a plain evening made up if asked for`(days: Int)
        throws
    {
        let home = home(journal: days)
        let refused = begin(home)
        #expect(home.response(to: refused)?.outcome == .failed(.tooFewDays(days, of: 3)))
        #expect(home.store.state().presence == nil)
        let ticket = begin(home, .init(seed: 1, isPlain: true))
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        advance(home, .seconds(86_400))
        #expect(!sent(home).isEmpty && !sent(home).contains { $0.contains("iron") })
        #expect(Self.lights.allSatisfy { !isOn($0, home) })
    }

    @Test func `it ends at its time, and what burns is turned off`() {
        let home = home()
        let end = home.clock.now.advanced(by: .seconds(4 * 3600 + 1800 + 1200))
        begin(home, .init(until: end, seed: 7))
        advance(home, .seconds(4 * 3600 + 1800))
        #expect(isOn(desk, home))
        advance(home, .seconds(1800))
        #expect(!isOn(desk, home))
        let count = sent(home).count
        advance(home, .seconds(2 * 86_400), by: .seconds(600))
        #expect(sent(home).count == count)
        #expect(home.store.state().presence?.ending?.reason == .over)
        let past = begin(home, .init(until: end, seed: 7))
        #expect(home.response(to: past)?.outcome?.failure != nil)
    }

    @Test func `ending it turns off what it has turned on, and nothing else`() {
        let home = home()
        begin(home)
        advance(home, .seconds(4 * 3600 + 1800))
        #expect(isOn(desk, home))
        home.send("automation 'Evening'") {
            .lighting(.turn(.on, .light(Self.lights[2].id), over: .usual), ticket: $0.own)
        }
        let ticket = home.send { .presence(.end, ticket: $0) }
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        #expect(!isOn(desk, home) && isOn(Self.lights[2], home))
        let again = home.send { .presence(.end, ticket: $0) }
        #expect(home.response(to: again)?.outcome == .succeeded)
    }

    @Test func `a lamp that is on already is left alone`() {
        let home = home()
        begin(home)
        home.send("automation 'Evening'") { .lighting(.turn(.on, .light(desk.id), over: .usual), ticket: $0.own) }
        advance(home, .seconds(86_400))
        #expect(isOn(desk, home))
        #expect(!sent(home).contains { $0.contains("desk") })
    }

    enum Sign: CaseIterable {
        case command, following, sceneOfAnotherApp, accessory, anotherApp, button, dial
        case motion, motionSensorAtTheWall, doorOpened, doorClosed
        case noMotion, brightness, smartScene, ownEcho, automation, power, reread, reading

        var isOfLife: Bool {
            switch self {
            case .command, .following, .sceneOfAnotherApp, .accessory, .anotherApp, .button, .dial, .motion,
                .motionSensorAtTheWall, .doorOpened, .doorClosed:
                true
            case .noMotion, .brightness, .smartScene, .ownEcho, .automation, .power, .reread, .reading: false
            }
        }
    }

    /// - Returns: the light that is touched.
    private func give(_ sign: Sign, _ home: DomainFixture, _ light: Light) -> Light.ID? {
        func changed(_ source: Cause.Kind) -> Light.ID {
            let values = home.light(light.id)
            home.stack.tell(
                .light(
                    light.id,
                    .init(power: .on, brightness: (values?.brightness ?? 0) > 0.5 ? 0.1 : 0.9, source: source)))
            home.settle()
            return light.id
        }
        switch sign {
        case .command:
            home.send("lightctl (uid 0)") {
                .lighting(.apply(.values(.bri(0.77)), on: .light(light.id), over: .usual), ticket: $0)
            }
            return light.id
        case .sceneOfAnotherApp: return changed(.scene(HomeFixture.relax.id, by: nil))
        // The clock goes on to its next scene.
        case .smartScene:
            let day = Scene(id: Scene.ID(bridge: .sample, resource: "day"), name: "Day", smart: SmartScene(week: []))
            home.stack.tell(.added(.scene(day)))
            return changed(.scene(day.id, by: nil))
        case .accessory: return changed(.accessory("Dial"))
        case .anotherApp: return changed(.otherApp)
        case .power: return changed(.power)
        case .motionSensorAtTheWall: return changed(.accessory("Hall sensor"))
        case .button: home.stack.tell(.sensor(Self.dial.id, .init(press: .init(1, .pressed))))
        case .dial: home.stack.tell(.sensor(Self.dial.id, .init(rotation: -30)))
        case .following:
            home.send("page") { .following(.unfollow(.light(light.id)), ticket: $0) }
            return light.id
        case .motion: home.stack.tell(.sensor(Self.motion.id, .init(motion: true)))
        case .noMotion: home.stack.tell(.sensor(Self.motion.id, .init(motion: false)))
        case .brightness: home.stack.tell(.sensor(Self.motion.id, .init(lightLevel: 12)))
        case .doorOpened: home.stack.tell(.sensor(Self.door.id, .init(contact: .open)))
        case .doorClosed: home.stack.tell(.sensor(Self.door.id, .init(contact: .closed)))
        case .automation:
            home.send("automation 'Evening'") {
                .lighting(.apply(.values(.bri(0.33)), on: .light(light.id), over: .usual), ticket: $0.own)
            }
        case .ownEcho:
            let values = home.light(light.id)
            home.stack.tell(.light(light.id, .init(power: values?.power, brightness: values?.brightness)))
        case .reread: home.send(.load)
        case .reading: home.send(.change(.name("Desk lamp"), on: .light(light.id)))
        }
        home.settle()
        return nil
    }

    @Test(arguments: Sign.allCases, 1...6 as ClosedRange<UInt64>)
    func `the first sign of life ends it, and what the person has not touched is turned off`(sign: Sign, seed: UInt64) {
        var random = SplitMix(seed: seed)
        let home = home()
        begin(home, .init(seed: seed))
        advance(home, .seconds(Int.random(in: 700...2 * 86_400, using: &random)))
        let light = Self.lights[Int.random(in: 0..<3, using: &random)]
        let touched = give(sign, home, light)
        #expect((home.store.state().presence?.isGoingOn == false) == sign.isOfLife)
        guard sign.isOfLife else { return }
        let before = Self.lights.map { isOn($0, home) }
        home.wait(.seconds(4))
        for (lamp, wasOn) in zip(Self.lights, before) {
            #expect(isOn(lamp, home) == (lamp.id == touched ? wasOn : false), "\(lamp.name)")
        }
        let count = sent(home).count
        advance(home, .seconds(2 * 86_400), by: .seconds(600))
        #expect(sent(home).count == count)
    }

    @Test func `what a switch does to its lamps after it was noticed is not taken back`() {
        let home = home()
        begin(home)
        advance(home, .seconds(5 * 3600 + 1800))
        #expect(isOn(desk, home) && isOn(Self.lights[1], home))
        home.stack.tell(.sensor(Self.dial.id, .init(press: .init(1, .pressed))))
        home.wait(.seconds(1))
        home.stack.tell(.light(desk.id, .init(power: .on, brightness: 1, source: .accessory("Dial"))))
        home.settle()
        home.wait(.seconds(10))
        #expect(isOn(desk, home) && !isOn(Self.lights[1], home))
    }

    @Test func `whoever leaves may use the switches for ten minutes`() {
        let home = home()
        begin(home)
        home.wait(.seconds(300))
        _ = give(.accessory, home, desk)
        _ = give(.button, home, desk)
        #expect(home.store.state().presence?.isGoingOn == true)
        home.wait(.seconds(301))
        _ = give(.button, home, desk)
        #expect(home.store.state().presence?.isGoingOn == false)
    }

    @Test func `a pet does not end it if motion is ignored, but a door does`() {
        let home = home()
        begin(home, .init(seed: 7, ignoresMotion: true))
        home.wait(.seconds(700))
        _ = give(.motion, home, desk)
        _ = give(.motionSensorAtTheWall, home, desk)
        #expect(home.store.state().presence?.isGoingOn == true)
        _ = give(.doorOpened, home, desk)
        #expect(home.store.state().presence?.isGoingOn == false)
    }

    @Test func `an evening is made up only of lamps that are there`() {
        let empty = DomainFixture(AppState(), stack: MemoryStack(lights: [], rooms: []))
        let refused = begin(empty, .init(seed: 1, isPlain: true))
        #expect(empty.response(to: refused)?.outcome == .failed(.noLights(in: .all)))
        let plugs = DomainFixture(AppState.make(lights: [Self.lights[3]]), stack: MemoryStack(lights: [Self.lights[3]]))
        let none = begin(plugs, .init(seed: 1, isPlain: true))
        #expect(plugs.response(to: none)?.outcome?.failure != nil && plugs.store.state().presence == nil)
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `restarts at random moments change nothing and repeat nothing`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let plain = home()
        begin(plain, .init(seed: seed))
        advance(plain, .seconds(2 * 86_400))
        var home = home()
        begin(home, .init(seed: seed))
        var all: [String] = []
        let end = home.clock.now.advanced(by: .seconds(2 * 86_400))
        while home.clock.now < end {
            home.wait(.seconds(60))
            if Int.random(in: 0..<60, using: &random) == 0 {
                all += sent(home)
                home = try restarted(home)
                home.settle()
            }
        }
        all += sent(home)
        #expect(all == sent(plain))
        #expect(home.store.state().presence?.plan == plain.store.state().presence?.plan)
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `after lightd was down for hours the lamps are as they should be then`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var home = home()
        begin(home, .init(seed: seed))
        advance(home, .seconds(Int.random(in: 4 * 3600...7 * 3600, using: &random)))
        let before = home.store.state().presence
        home = try restarted(home)
        home.clock.set(to: home.clock.now.advanced(by: .seconds(Int.random(in: 600...20 * 3600, using: &random))))
        home.wait(.milliseconds(1))
        let now = home.clock.now
        for lamp in Self.lights {
            let isDue = before?.plan.contains { $0.use.light == lamp.id && $0.use.start <= now && now < $0.use.end }
            #expect(isOn(lamp, home) == isDue, "\(lamp.name)")
        }
    }

    @Test func `a lamp whose bridge is lost when it should go off is turned off when the bridge is back`() {
        let home = home()
        begin(home)
        advance(home, .seconds(5 * 3600))
        #expect(isOn(desk, home))
        home.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        home.settle()
        advance(home, .seconds(3 * 3600))
        #expect(!sent(home).contains { $0.hasSuffix("desk off") })
        home.stack.tell(.connected(.sample, by: .stream))
        home.settle()
        #expect(sent(home).contains { $0.hasSuffix("desk off") })
    }

    @Test func `what it would do can be seen before, and is what it does`() throws {
        let home = home()
        let ticket = home.send { .presence(.preview(.init(seed: 7)), ticket: $0) }
        guard case let .presence(.previewing(uses, .succeeded), _)? = home.response(to: ticket) else {
            Issue.record("no preview")
            return
        }
        #expect(home.store.state().presence == nil && !uses.isEmpty)
        begin(home)
        #expect(home.store.state().presence?.plan.map(\.use) == uses)
    }

    // MARK: - A clock that is wrong, or is set

    @Test func `by a clock that cannot be right no lamp burns, and the evening is played once it is set`() {
        let home = home()
        begin(home)
        let right = home.clock.now
        home.clock.set(to: Timestamp(milliseconds: 50_000))
        home.settle()
        advance(home, .seconds(86_400), by: .seconds(600))
        #expect(sent(home).isEmpty)
        home.clock.set(to: right.advanced(by: .seconds(86_400)))
        home.settle()
        advance(home, .seconds(86_400))
        #expect(sent(home).count >= 4)
    }

    @Test func `a replay cannot begin by a clock that cannot be right, and is not told that too little is known`() {
        let home = home()
        home.clock.set(to: Timestamp(milliseconds: 50_000))
        let ticket = begin(home)
        let words = "the clock of this machine shows 1970-01-01, which cannot be right; it has to be set first"
        #expect(home.response(to: ticket)?.outcome?.failure == .impossible(words))
    }

    /// A clock that was a year ahead, or a day.
    @Test(arguments: [365, 1]) func `after a clock that was ahead evenings are played as ever, and lamps go off`(
        days: Int
    ) {
        let home = home()
        begin(home)
        advance(home, .seconds(86_400))
        home.clock.set(to: home.clock.now.advanced(by: .seconds(days * 86_400)))
        home.settle()
        // Until a lamp burns.
        var minutes = 0
        while !Self.lights.contains(where: { isOn($0, home) }), minutes < 3 * 1440 {
            home.wait(.seconds(60))
            minutes += 1
        }
        home.clock.set(to: home.clock.now.advanced(by: .seconds(-days * 86_400)))
        home.settle()
        advance(home, .seconds(4 * 3600))
        #expect(!Self.lights.contains { isOn($0, home) })
        let before = sent(home).count
        advance(home, .seconds(2 * 86_400))
        #expect(sent(home).count >= before + 4)
    }

    @Test(arguments: [-86_400, -20_000 * 86_400])
    func `whoever comes home ends it though the clock was set back`(step: Int) {
        let home = home()
        begin(home)
        home.wait(.seconds(900))
        home.clock.set(to: home.clock.now.advanced(by: .seconds(step)))
        home.settle()
        home.wait(.seconds(60))
        home.stack.tell(.light(desk.id, Light.Report(power: .on, source: .accessory("Hall"))))
        home.settle()
        #expect(home.store.state().presence?.isGoingOn == false)
    }

    @Test func `a dry run of another command ends nothing`() {
        let home = home()
        begin(home)
        home.wait(.seconds(700))
        let command = Message.lighting(
            .turn(.on, .all, over: .usual),
            ticket: Ticket(number: .max, holder: "lightctl (uid 0)", time: home.clock.now))
        _ = rehearse(command, on: home.store.state(), home.stack.rehearsal(), time: .utc)
        #expect(home.store.state().presence?.isGoingOn == true)
    }
}
