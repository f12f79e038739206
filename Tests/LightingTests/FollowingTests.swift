import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// Lights that follow a curve, a sunrise or a sunset, and the hands that take them over.
@DomainActor
struct FollowingTests {
    nonisolated private static let lights = [
        Light.make("sofa", name: "Sofa", brightness: 0.8, temperature: 300),
        Light.make("shelf", name: "Shelf", power: .off, brightness: 0.8, temperature: 300, modes: [.ct]),
        Light.make("stairs", name: "Stairs", brightness: 0.8, modes: [], dims: true),
        Light.plug("fan", name: "Fan", power: .off),
    ]
    nonisolated private static let room = Room.make("living", name: "Living", lights: lights)
    nonisolated private static let scene = Scene.make("relax", name: "Relax", room: room.id, lights: [lights[0].id])
    private var sofa: Light.ID { Self.lights[0].id }
    private var shelf: Light.ID { Self.lights[1].id }
    private var stairs: Light.ID { Self.lights[2].id }
    private var fan: Light.ID { Self.lights[3].id }

    /// At midnight UTC, and a curve that is the same all day, unless a test says otherwise.
    private func home(_ points: String = "00:00 60% 2500K", following: Bool = true) throws -> DomainFixture {
        let home = DomainFixture(
            .make(lights: Self.lights, rooms: [Self.room], scenes: [Self.scene]),
            stack: MemoryStack(lights: Self.lights, rooms: [Self.room], scenes: [Self.scene]),
            clock: ManualClock(at: 1_789_948_800_000))
        let curve = try Curve(points.split(separator: ";").map { try Curve.Keyframe(String($0)) })
        send(home, .draw(curve, named: "flat"))
        if following { follow(home) }
        return home
    }

    private func send(_ home: DomainFixture, _ command: Message.Following) {
        home.send { .following(command, ticket: $0) }
    }

    private func follow(
        _ home: DomainFixture, _ target: Target = .room(room.id),
        values: Set<FollowedValue> = [.brightness, .temperature],
        until: Moment? = nil, resumesAfter: Duration? = nil
    ) {
        send(home, .follow(.curve("flat"), on: target, values: values, until: until, resumesAfter: resumesAfter))
    }

    private func sent(_ home: DomainFixture) -> [[DesiredState]] {
        home.stack.requests.compactMap { if case let .set(states, _) = $0 { states } else { nil } }
    }

    private func pauses(_ home: DomainFixture, _ light: Light.ID) -> Set<FollowedValue> {
        Set(home.store.state().followings.lights[light]?.pauses.keys.map { $0 } ?? [])
    }

    private func shows(_ home: DomainFixture, _ light: Light.ID, _ brightness: Double, _ mirek: Int? = nil) -> Bool {
        guard let light = home.light(light) else { return false }
        return abs(light.brightness - brightness) < 0.006
            && (mirek.map { abs(light.temperature.value - $0) <= 2 } ?? true)
    }

    @Test func `lights that are on go over to the curve, and those that are off stay off`() throws {
        let home = try home()
        #expect(shows(home, sofa, 0.6, 400))
        #expect(shows(home, stairs, 0.6))
        #expect(home.light(shelf)?.power == .off)
        #expect(home.light(fan)?.power == .off)
        #expect(
            sent(home) == [
                [
                    DesiredState(sofa, .ct(400.mirek, brightness: 0.6)),
                    DesiredState(stairs, .bri(0.6)),
                ]
            ])
    }

    @Test(arguments: [false, true])
    func `a light that is switched on is right at once`(atTheWall: Bool) throws {
        let home = try home()
        if atTheWall {
            home.stack.tell(.light(shelf, Light.Report(power: .on, source: .accessory("Hall"))))
            home.settle()
        } else {
            home.send(.turn(.on, .light(shelf), over: .usual))
        }
        #expect(home.light(shelf)?.power == .on)
        #expect(shows(home, shelf, 0.6, 400))
        #expect(pauses(home, shelf).isEmpty)
        // The one who switched it on is who set it.
        let cause = try #require(home.light(shelf)?.cause.kind)
        #expect(atTheWall ? cause == .accessory("Hall") : cause.ticket?.holder == "test")
    }

    @Test func `a curve goes on in steps of a minute that nobody sees`() throws {
        let home = try home("00:00 60% 2500K; 02:00 100% 4000K")
        let before = home.stack.requests.count
        for _ in 0..<60 { home.wait(.seconds(60)) }
        let steps = home.stack.requests.dropFirst(before)
        #expect((20...60).contains(steps.count))
        for case let .set(_, transition) in steps { #expect(transition == .milliseconds(60_000)) }
        #expect(pauses(home, sofa).isEmpty)
        let light = try #require(home.light(sofa))
        #expect(abs(light.temperature.value - 325) <= 4)
        // None of them is a step to undo, or a line of the journal.
        #expect(home.store.state().history.done.isEmpty)
        #expect(!home.journal.entries.contains { $0.message.ticket.holder.contains("flat on") })
    }

    @Test func `a curve that stands still sends nothing`() throws {
        let home = try home()
        let before = home.stack.requests.count
        for _ in 0..<100 { home.wait(.seconds(3600)) }
        #expect(home.stack.requests.count == before)
    }

    @Test func `a level set by hand is left alone, and the white tone goes on`() throws {
        let home = try home("00:00 60% 2500K; 02:00 100% 4000K")
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa), over: .usual))
        #expect(pauses(home, sofa) == [.brightness])
        for _ in 0..<60 { home.wait(.seconds(60)) }
        #expect(shows(home, sofa, 0.2))
        let light = try #require(home.light(sofa))
        #expect(light.temperature < 340.mirek)
        #expect(light.cause.ticket?.holder == "test")
    }

    @Test func `a level that is set by hand to what a light shows already is left alone too`() throws {
        let home = try home("00:00 60% 2500K; 02:00 100% 4000K")
        home.send(.apply(.values(.bri(0.6)), on: .light(sofa), over: .usual))
        #expect(pauses(home, sofa) == [.brightness])
    }

    @Test func `a step of the hue is no hand on a lamp that has only white tones`() throws {
        let home = try home()
        home.send(.turn(.on, .light(shelf), over: .usual))
        home.send(.increase(.hue, by: .pt(10), on: .room(Self.room.id), over: .usual))
        #expect(pauses(home, sofa) == [.temperature])
        #expect(pauses(home, shelf).isEmpty)
    }

    @Test func `a light that is turned on at a level keeps that level`() throws {
        let home = try home()
        home.send(.apply(.values(.bri(0.8)), on: .light(shelf), over: .usual))
        #expect(shows(home, shelf, 0.8, 400))
        #expect(pauses(home, shelf) == [.brightness])
    }

    @Test(arguments: [Cause.Kind.otherApp, .accessory("Dial")])
    func `what another app or a dial changes is left alone`(source: Cause.Kind) throws {
        let home = try home()
        home.stack.tell(.light(sofa, Light.Report(brightness: 0.3, source: source)))
        home.settle()
        #expect(pauses(home, sofa) == [.brightness])
        home.stack.tell(.light(sofa, Light.Report(temperature: 250.mirek, source: source)))
        home.settle()
        #expect(pauses(home, sofa) == [.brightness, .temperature])
        home.wait(.seconds(3600))
        #expect(shows(home, sofa, 0.3, 250))
    }

    @Test(arguments: [Cause.Kind.otherApp, .accessory("Dial")], [false, true])
    func `the step before is reported late, unless a switch has set it, and one of half a minute ago is a hand's`(
        source: Cause.Kind, isLongAgo: Bool
    ) throws {
        let home = try home("00:00 20% 2500K; 00:05 100% 2500K")
        func waitForStep() throws -> Double {
            let before = try #require(home.light(sofa)?.brightness)
            while home.light(sofa)?.brightness == before { home.wait(.seconds(1)) }
            return try #require(home.light(sofa)?.brightness)
        }
        let earlier = try waitForStep()
        _ = try waitForStep()
        for _ in 0..<(isLongAgo ? 30 : 0) { home.wait(.seconds(1)) }
        home.stack.tell(.light(sofa, Light.Report(brightness: earlier, source: source)))
        home.settle()
        #expect(pauses(home, sofa) == (source == .otherApp && !isLongAgo ? [] : [.brightness]))
    }

    @Test func `a scene takes over all that its lights show`() throws {
        let home = try home()
        home.send(.recall(Self.scene.id, over: .usual))
        #expect(pauses(home, sofa) == [.brightness, .temperature])
        #expect(pauses(home, stairs).isEmpty)
    }

    @Test func `a light that was off follows again`() throws {
        let home = try home()
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa), over: .usual))
        home.send(.turn(.off, .light(sofa), over: .usual))
        home.send(.turn(.on, .light(sofa), over: .usual))
        #expect(shows(home, sofa, 0.6, 400))
        #expect(pauses(home, sofa).isEmpty)
    }

    @Test func `a light that could not be turned off is left alone as before`() throws {
        let home = try home()
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa), over: .usual))
        home.stack.end(with: .failed(.refused(by: .sample, words: BridgeWords("busy"))))
        home.send(.turn(.off, .light(sofa), over: .usual))
        home.stack.end(with: .succeeded)
        home.wait(.seconds(3600))
        #expect(pauses(home, sofa) == [.brightness])
        #expect(shows(home, sofa, 0.2))
    }

    @Test func `a command that the bridge refuses is no hand`() throws {
        let home = try home()
        home.stack.end(with: .failed(.refused(by: .sample, words: BridgeWords("busy"))))
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa), over: .usual))
        #expect(pauses(home, sofa).isEmpty)
    }

    @Test func `resume lets lights follow again`() throws {
        let home = try home()
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa), over: .usual))
        send(home, .resume(.room(Self.room.id)))
        #expect(shows(home, sofa, 0.6, 400))
        #expect(pauses(home, sofa).isEmpty)
    }

    @Test func `what is asked of a light without power is left alone when its power returns`() throws {
        let home = try home()
        home.stack.tell(.light(sofa, Light.Report(LightPatch(), reachable: false)))
        home.settle()
        home.stack.end(with: .failed(.unconfirmed(by: .sample, words: "the lamp is out of reach")))
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa), over: .usual))
        home.stack.end(with: .succeeded)
        let before = sent(home).count
        // Its return is told before what it shows.
        home.stack.tell(.light(sofa, Light.Report(LightPatch(), reachable: true, source: .power)))
        home.stack.tell(.light(sofa, Light.Report(brightness: 1, source: .power)))
        home.settle()
        #expect(pauses(home, sofa) == [.brightness])
        let levels = sent(home).dropFirst(before).joined().filter { $0.light == sofa }.map(\.values.brightness)
        #expect(levels.allSatisfy { $0 == nil })
    }

    @Test func `a curve leads no more than it has`() throws {
        let home = try home("00:00 2500K")
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa), over: .usual))
        #expect(pauses(home, sofa).isEmpty)
        let state = home.store.state()
        #expect(state.followings.values(of: state.followings.all[0]) == [.temperature])
        #expect(state.followings.leader(of: .brightness, at: sofa, in: state) == nil)
        #expect(try !state.followings.leads(state.followings.all[0], #require(state.lights[stairs]), in: state))
    }

    @Test func `a plug in a room that follows a curve follows nothing`() throws {
        let home = try home()
        let state = home.store.state()
        let lights = [sofa, stairs, fan].compactMap { state.lights[$0] }
        #expect(lights.map { state.followings.leads(state.followings.all[0], $0, in: state) } == [true, true, false])
        let ticket = home.send { .following(.resume(.light(fan)), ticket: $0) }
        #expect(home.response(to: ticket)?.outcome == .failed(.followsNothing(.light(fan))))
    }

    @Test func `a scene of another app is over once lights are told to follow again`() throws {
        let home = try home()
        home.stack.tell(
            .light(sofa, Light.Report(brightness: 0.3, source: .scene(Self.scene.id, by: nil))))
        home.settle()
        #expect(pauses(home, sofa) == [.brightness, .temperature])
        send(home, .resume(.room(Self.room.id)))
        #expect(shows(home, sofa, 0.6, 400))
        #expect(pauses(home, sofa).isEmpty)
    }

    @Test func `a level that the curve showed hours ago is a hand's if it comes back`() throws {
        let home = try home("00:00 60% 2500K; 02:00 100% 4000K; 22:00 100% 4000K")
        for _ in 0..<150 { home.wait(.seconds(60)) }
        home.wait(.seconds(3600))
        home.stack.tell(.light(sofa, Light.Report(brightness: 0.98, source: .otherApp)))
        home.settle()
        #expect(pauses(home, sofa) == [.brightness])
    }

    @Test func `a light follows again so long after a change by hand as it was told`() throws {
        let home = try home(following: false)
        follow(home, resumesAfter: .seconds(1800))
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa), over: .usual))
        home.wait(.seconds(1799))
        #expect(shows(home, sofa, 0.2))
        home.wait(.seconds(2))
        #expect(shows(home, sofa, 0.6))
    }

    @Test func `undo of a change by hand gives the light back`() throws {
        let home = try home("00:00 60% 2500K; 02:00 100% 4000K")
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa), over: .usual))
        for _ in 0..<30 { home.wait(.seconds(60)) }
        home.send(.undo(1, over: .usual))
        #expect(pauses(home, sofa).isEmpty)
        let followed = try #require(home.light(stairs))
        #expect(shows(home, sofa, followed.brightness))
        home.send(.redo(1, over: .usual))
        #expect(pauses(home, sofa).contains(.brightness))
        #expect(shows(home, sofa, 0.2))
    }

    @Test func `undo turns a light off again that somebody has turned on, though it has followed since`() throws {
        let home = try home()
        home.send(.turn(.on, .light(shelf), over: .usual))
        #expect(shows(home, shelf, 0.6))
        home.send(.undo(1, over: .usual))
        #expect(home.light(shelf)?.power == .off)
        home.send(.redo(1, over: .usual))
        #expect(home.light(shelf)?.power == .on)
        #expect(shows(home, shelf, 0.6, 400))
    }

    @Test func `undo of turning off brings back what a hand had set`() throws {
        let home = try home()
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa), over: .usual))
        home.send(.turn(.off, .light(sofa), over: .usual))
        home.send(.undo(1, over: .usual))
        #expect(shows(home, sofa, 0.2))
        #expect(pauses(home, sofa) == [.brightness])
    }

    @Test func `a change that nobody saw is a hand only if it is none of ours`() throws {
        let home = try home()
        func read(_ brightness: Double) {
            let seen = Self.lights.map { light in
                light.id == sofa
                    ? Light.make("sofa", name: "Sofa", brightness: brightness, temperature: 400) : light
            }
            home.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "test")))
            home.stack.tell(.home(.sample, lights: seen, rooms: [Self.room], scenes: [Self.scene]))
            home.stack.tell(.connected(.sample, by: .stream))
            home.settle()
        }
        read(0.598)
        #expect(pauses(home, sofa).isEmpty)
        read(0.3)
        #expect(pauses(home, sofa) == [.brightness])
    }

    @Test func `a room that one read lacks is followed again when the next has it, and ends if that lacks it, too`()
        throws
    {
        let home = try home()
        home.stack.tell(.light(sofa, Light.Report(brightness: 0.3)))
        home.settle()
        func read(_ rooms: [Room]) {
            home.stack.tell(.home(.sample, lights: Self.lights, rooms: rooms, scenes: [Self.scene]))
            home.settle()
        }
        read([])
        #expect(home.store.state().followings.all.count == 1)
        read([Self.room])
        #expect(home.store.state().followings.all.count == 1)
        #expect(pauses(home, sofa) == [.brightness])
        read([])
        read([])
        #expect(home.store.state().followings.all.isEmpty)
    }

    @Test func `a room that is removed is no longer followed`() throws {
        let home = try home()
        home.stack.tell(.removed(.room(Self.room.id)))
        home.settle()
        #expect(home.store.state().followings.all.isEmpty)
    }

    @Test func `a light out of reach is sent nothing, and is right when it is back`() throws {
        let home = try home("00:00 60% 2500K; 02:00 100% 4000K")
        home.stack.tell(.light(sofa, Light.Report(reachable: false)))
        home.settle()
        let before = sent(home).joined().count { $0.light == sofa }
        for _ in 0..<60 { home.wait(.seconds(60)) }
        #expect(sent(home).joined().count { $0.light == sofa } == before)
        home.stack.tell(.light(sofa, Light.Report(reachable: true)))
        home.settle()
        #expect(shows(home, sofa, try #require(home.light(stairs)).brightness))
    }

    @Test func `of two followings that lead a light, the newest does, until it ends`() throws {
        let home = try home("00:00 60% 2500K")
        send(home, .draw(try Curve([try Curve.Keyframe("00:00 5% 2200K")]), named: "night"))
        send(
            home,
            .follow(
                .curve("night"), on: .light(sofa), values: [.brightness], until: .time(TimeOfDay(hour: 1)),
                resumesAfter: nil))
        #expect(shows(home, sofa, 0.05, 400))
        home.wait(.seconds(3601))
        #expect(shows(home, sofa, 0.6, 400))
        #expect(home.store.state().followings.all.count == 1)
    }

    @Test func `a light leaves what its room follows`() throws {
        let home = try home("00:00 60% 2500K; 02:00 100% 4000K")
        send(home, .unfollow(.light(sofa)))
        for _ in 0..<30 { home.wait(.seconds(60)) }
        #expect(shows(home, sofa, 0.6, 400))
        #expect(!shows(home, stairs, 0.6))
        send(home, .unfollow(.all))
        #expect(home.store.state().followings.all.isEmpty)
        #expect(home.store.state().followings.lights.isEmpty)
    }

    @Test func `a sunrise turns lights on and brightens those that were off`() throws {
        let home = try home(following: false)
        send(
            home,
            .follow(
                .wakeUp(over: .seconds(1800)), on: .room(Self.room.id), values: [.brightness, .temperature], until: nil,
                resumesAfter: nil))
        #expect(home.light(shelf)?.power == .on)
        #expect(shows(home, shelf, 0.01, 500))
        #expect(shows(home, sofa, 0.8, 300))
        #expect(home.light(fan)?.power == .off)
        var last = 0.0
        for _ in 0..<30 {
            home.wait(.seconds(60))
            let level = try #require(home.light(shelf)).brightness
            #expect(level >= last)
            last = level
        }
        #expect(shows(home, shelf, 1, 230))
        home.wait(.seconds(1))
        #expect(home.store.state().followings.all.isEmpty)
    }

    @Test(arguments: [1, 10, 40, 600]) func `a short sunrise is over when it says, and a short sunset dims`(
        seconds: Int
    ) throws {
        let home = try home(following: false)
        let over = Duration.seconds(seconds)
        send(
            home, .follow(.wakeUp(over: over), on: .light(shelf), values: [.brightness], until: nil, resumesAfter: nil))
        send(home, .follow(.sleep(over: over), on: .light(sofa), values: [.brightness], until: nil, resumesAfter: nil))
        for _ in 0..<seconds { home.wait(.seconds(1)) }
        #expect(shows(home, shelf, 1))
        #expect(home.light(sofa)?.power == .off)
        let steps = home.stack.requests.compactMap { request -> (states: [DesiredState], over: Transition)? in
            if case let .set(states, over) = request { (states, over) } else { nil }
        }
        #expect(steps.allSatisfy { $0.over.duration <= max(.seconds(2), over / 30) })
        let dimmed = steps.flatMap(\.states).filter { $0.light == sofa }.filter(\.values.hasValues)
        #expect(dimmed.count >= min(seconds, 10) && dimmed.count <= 40)
    }

    @Test func `another sunrise begins with the lights of the one before it`() throws {
        let home = try home(following: false)
        for _ in 0..<2 {
            send(
                home,
                .follow(
                    .wakeUp(over: .seconds(1800)), on: .room(Self.room.id), values: [.brightness, .temperature],
                    until: nil, resumesAfter: nil))
            for _ in 0..<10 { home.wait(.seconds(60)) }
        }
        #expect(shows(home, sofa, 0.8, 300))
        for _ in 0..<20 { home.wait(.seconds(60)) }
        #expect(shows(home, shelf, 1, 230), "\(String(describing: home.light(shelf)?.brightness))")
    }

    /// The bridge collects what happens in a second: of both, it reports the hand's level.
    @Test(arguments: [.otherApp, .accessory("Hall"), .scene(scene.id, by: nil)] as [Cause.Kind])
    func `who sets a lamp before a sunrise's turning on is confirmed takes it over`(source: Cause.Kind) throws {
        let home = try home(following: false)
        home.stack.echo(false)
        beginTimed(home, .wakeUp(over: .seconds(60)), on: shelf)
        home.wait(.milliseconds(300))
        home.stack.tell(.light(shelf, Light.Report(power: .on, brightness: 0.52, source: source)))
        home.settle()
        let sent = home.stack.requests.count
        for _ in 0..<10 { home.wait(.seconds(2)) }
        #expect(home.stack.requests.count == sent)
        #expect(shows(home, shelf, 0.52))
    }

    /// A busy bridge refuses for seconds, and somebody turns the lamp on at the wall meanwhile.
    @Test(arguments: [true, false])
    func `who turns a lamp on before a sunrise does takes it over, even at the level that it was about to get`(
        isAnswered: Bool
    ) throws {
        let home = try home(following: false)
        home.stack.echo(false)
        if !isAnswered { home.stack.hold() }
        beginTimed(home, .wakeUp(over: .seconds(60)), on: shelf)
        home.wait(.milliseconds(300))
        let asked = try #require(sent(home).last?.first?.values.brightness)
        home.stack.tell(.light(shelf, Light.Report(power: .on, brightness: asked, source: .otherApp)))
        home.settle()
        // If it was carried out, this is its late report.
        #expect(pauses(home, shelf).contains(.brightness) == !isAnswered)
        home.stack.release()
        for _ in 0..<10 { home.wait(.seconds(2)) }
        #expect(home.light(shelf)?.reported.brightness == asked)
        #expect(isAnswered == (sent(home).count > 2), "\(sent(home))")
    }

    @Test(arguments: [true, false])
    func `a hand or turning off ends a sunrise for its light`(isTurnedOff: Bool) throws {
        let home = try home(following: false)
        send(
            home,
            .follow(
                .wakeUp(over: .seconds(1800)), on: .light(shelf), values: [.brightness, .temperature], until: nil,
                resumesAfter: nil))
        home.wait(.seconds(600))
        home.send(
            isTurnedOff
                ? .turn(.off, .light(shelf), over: .usual) : .apply(.values(.bri(0.1)), on: .light(shelf), over: .usual)
        )
        home.wait(.seconds(3000))
        if isTurnedOff { #expect(home.light(shelf)?.power == .off) } else { #expect(shows(home, shelf, 0.1)) }
    }

    @Test func `a sunset dims lights from what they show, and turns them off`() throws {
        let home = try home(following: false)
        send(
            home,
            .follow(
                .sleep(over: .seconds(600)), on: .room(Self.room.id), values: [.brightness, .temperature], until: nil,
                resumesAfter: nil))
        #expect(shows(home, sofa, 0.8, 300))
        var last = 1.0
        for _ in 0..<9 {
            home.wait(.seconds(60))
            let level = try #require(home.light(sofa)).brightness
            #expect(level < last)
            last = level
        }
        home.wait(.seconds(61))
        #expect(home.light(sofa)?.power == .off)
        #expect(home.light(stairs)?.power == .off)
        #expect(home.store.state().followings.all.isEmpty)
    }

    @Test(arguments: [200, 2000])
    func `a sunrise that ended while lightd did not run is brought to its end, if that is not long ago`(away: Int)
        throws
    {
        let home = try home(following: false)
        beginTimed(home, .wakeUp(over: .seconds(300)), on: shelf)
        for _ in 0..<10 { home.wait(.seconds(20)) }
        let state = home.store.state()
        let risen = try #require(home.light(shelf)).brightness
        #expect(risen < 0.8)
        let clock = ManualClock(at: home.clock.now.advanced(by: .seconds(away)).milliseconds)
        let again = DomainFixture(
            AppState.make(lights: Array(state.lights.values), rooms: [Self.room]).alter(
                by: .replacing(.followings(by: state.followings))),
            stack: home.stack, clock: clock, firstTicket: 100_000)
        again.stack.tell(.connected(.sample, by: .stream))
        again.settle()
        #expect(shows(again, shelf, away == 200 ? 1 : risen))
        #expect(again.store.state().followings.all.isEmpty)
    }

    // MARK: - A clock that is wrong, or is set

    private func beginTimed(_ home: DomainFixture, _ course: Following.Course, on light: Light.ID) {
        send(home, .follow(course, on: .light(light), values: [.brightness], until: nil, resumesAfter: nil))
    }

    @Test func `a clock that cannot be right moves no light on its curve, and the right one does at once`() throws {
        let home = try home("00:00 60% 2500K; 12:00 100% 4000K")
        let right = home.clock.now
        home.clock.set(to: Timestamp(milliseconds: 10_000))
        home.settle()
        let before = home.stack.requests.count
        home.wait(.seconds(6 * 3600))
        home.stack.tell(.light(shelf, Light.Report(power: .on, source: .accessory("Hall"))))
        home.settle()
        home.wait(.seconds(600))
        #expect(home.stack.requests.count == before)
        #expect(shows(home, shelf, 0.8, 300))
        home.clock.set(to: right.advanced(by: .seconds(12 * 3600)))
        home.settle()
        home.wait(.seconds(61))
        #expect(shows(home, sofa, 1, 250))
        #expect(shows(home, shelf, 1, 250))
        #expect(pauses(home, sofa).isEmpty)
    }

    /// An hour, a day, a summer, and a clock that was in 1970.
    @Test(arguments: [3600, -3600, 86_400, -86_400, 90 * 86_400, -20_000 * 86_400])
    func `a sunrise and a sunset take as long as they say, whatever the clock is set to meanwhile`(step: Int) throws {
        let home = try home(following: false)
        beginTimed(home, .wakeUp(over: .seconds(600)), on: shelf)
        beginTimed(home, .sleep(over: .seconds(600)), on: sofa)
        for _ in 0..<10 { home.wait(.seconds(30)) }
        let (risen, set) = try (#require(home.light(shelf)).brightness, #require(home.light(sofa)).brightness)
        #expect((0.1...0.6).contains(risen) && (0.2...0.7).contains(set))
        home.clock.set(to: home.clock.now.advanced(by: .seconds(step)))
        home.settle()
        home.wait(.seconds(20))
        #expect(abs(try #require(home.light(shelf)).brightness - risen) < 0.1)
        #expect(abs(try #require(home.light(sofa)).brightness - set) < 0.1)
        for _ in 0..<27 { home.wait(.seconds(10)) }
        #expect(home.light(sofa)?.power == .on)
        home.wait(.seconds(15))
        #expect(shows(home, shelf, 1))
        #expect(home.light(sofa)?.power == .off)
        #expect(home.store.state().followings.all.isEmpty)
    }

    @Test(arguments: [3600, -3600, -20_000 * 86_400])
    func `a pause by hand lasts as long as it says, whatever the clock is set to meanwhile`(step: Int) throws {
        let home = try home(following: false)
        follow(home, resumesAfter: .seconds(1800))
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa), over: .usual))
        home.wait(.seconds(600))
        home.clock.set(to: home.clock.now.advanced(by: .seconds(step)))
        home.settle()
        home.wait(.seconds(1190))
        #expect(pauses(home, sofa) == [.brightness])
        home.wait(.seconds(20))
        #expect(pauses(home, sofa).isEmpty)
    }

    @Test func `what began by a right clock waits for one after a restart, and moves no light`() throws {
        let home = try home(following: false)
        beginTimed(home, .wakeUp(over: .seconds(600)), on: shelf)
        for _ in 0..<10 { home.wait(.seconds(30)) }
        let state = home.store.state()
        let right = home.clock.now
        let clock = ManualClock(at: 20_000)
        let again = DomainFixture(
            AppState.make(lights: Array(state.lights.values), rooms: [Self.room]).alter(
                by: .replacing(.followings(by: state.followings))),
            stack: home.stack, clock: clock, firstTicket: 100_000)
        let before = home.stack.requests.count
        again.stack.tell(.connected(.sample, by: .stream))
        again.settle()
        again.wait(.seconds(60))
        #expect(home.stack.requests.count == before)
        clock.set(to: right.advanced(by: .seconds(60)))
        again.settle()
        again.wait(.seconds(30))
        #expect(home.stack.requests.count > before)
        #expect(abs(try #require(again.light(shelf)).brightness - 0.4) < 0.2)
    }

    @Test func `an end at an hour cannot be promised by a clock that cannot be right`() throws {
        let home = try home(following: false)
        home.clock.set(to: Timestamp(milliseconds: 10_000))
        let until = try Moment("23:00")
        let ticket = home.send {
            .following(
                .follow(
                    .curve("flat"), on: .light(sofa), values: [.brightness], until: until, resumesAfter: nil),
                ticket: $0)
        }
        let words = "the clock of this machine shows 1970-01-01, which cannot be right; it has to be set first"
        #expect(home.response(to: ticket)?.outcome?.failure == .impossible(words))
    }

    @Test func `a hand ends a sunset for its light, which stays on`() throws {
        let home = try home(following: false)
        send(
            home,
            .follow(
                .sleep(over: .seconds(600)), on: .room(Self.room.id), values: [.brightness, .temperature], until: nil,
                resumesAfter: nil))
        home.wait(.seconds(300))
        home.stack.tell(.light(sofa, Light.Report(brightness: 1, source: .otherApp)))
        home.settle()
        home.wait(.seconds(600))
        #expect(shows(home, sofa, 1))
        #expect(home.light(sofa)?.power == .on)
        #expect(home.light(stairs)?.power == .off)
    }

    @Test func `what follows and what is left alone is the same after a restart`() throws {
        let home = try home("00:00 60% 2500K; 02:00 100% 4000K")
        home.send(.apply(.values(.bri(0.2)), on: .light(sofa), over: .usual))
        let state = home.store.state()
        var (all, curves): ([Following], [String: Curve]) = ([], [:])
        for case let .followings(kept, curves: keptCurves) in home.archive.items { (all, curves) = (kept, keptCurves) }
        let restarted = AppState().alter(
            by: .replacing(.followings(by: Followings(all, curves: curves))),
            .replacing(.memory(by: home.archive.memory)))
        #expect(restarted.followings.all == state.followings.all)
        #expect(restarted.followings.ownCurves == state.followings.ownCurves)
        #expect(restarted.followings.lights == state.followings.lights)
    }

    @Test func `a curve that does not exist, or needs a place that nobody knows, is refused`() throws {
        let home = try home(following: false)
        func failure(_ name: String) -> Failure? {
            let ticket = home.send {
                .following(
                    .follow(.curve(name), on: .all, values: [.temperature], until: nil, resumesAfter: nil), ticket: $0)
            }
            return home.response(to: ticket)?.outcome?.failure
        }
        #expect(failure("nowhere") == .noSuchCurve("nowhere", known: ["daylight", "flat", "night"]))
        #expect(failure("daylight") == .placeUnknown("the curve 'daylight'"))
        #expect(failure("night") == nil)
    }
}
