import HashTreeCollections
import Khipu
import LightingTestKit
import TestSupport
import Testing

@testable import Lighting

/// What a command changes is decided once: what is sent, shown, recorded, taken over and answered follows from the plan.
@DomainActor
struct PlanTests {
    /// A home and a command for it, both always the same for the same seed.
    private struct Case {
        let state: AppState
        let command: Message.Lighting
        var target: Target?
    }

    private static func makeCase(_ seed: UInt64) -> Case {
        var random = SplitMix(seed: seed)
        func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
        func level() -> Double { Double.random(in: 0...1, using: &random) }
        func mirek() -> Int { Int.random(in: 120...520, using: &random) }
        let lights = (0..<Int.random(in: 1...7, using: &random)).map { number in
            let modes: Set<Light.Mode> = [[.hsb, .ct], [.ct], [.hsb], []][Int.random(in: 0..<4, using: &random)]
            return Light.make(
                "\(number)", name: "Lamp \(number)", power: chance(3) ? .off : .on, brightness: level(), hue: level(),
                saturation: level(), temperature: Int.random(in: 153...500, using: &random),
                mode: chance(2) ? .hsb : .ct,
                modes: modes, dims: !modes.isEmpty || chance(2),
                freshness: chance(6) ? .unreachable(since: .sample) : nil)
        }
        let room = Room.make(lights: lights.shuffled(using: &random).dropLast(chance(2) ? 1 : 0))
        let scene = Scene.make(room: room.id, lights: chance(3) ? [] : lights.prefix(3).map(\.id))
        var setting: LightPatch {
            let brightness = chance(2) ? level() : nil
            return switch Int.random(in: 0..<4, using: &random) {
            case 0: .bri(level())
            case 1: .ct(mirek().mirek, brightness: brightness)
            case 2: .hsb(hue: level(), saturation: nil, brightness: brightness)
            default: .hsb(hue: chance(2) ? level() : nil, saturation: level(), brightness: brightness)
            }
        }
        let bridge = Bridge.make(
            connection: chance(8)
                ? .lost(since: .sample, because: .unreachable(.sample, because: "no route"))
                : .connected(since: .sample, by: .stream))
        let state = AppState.make(lights: lights, rooms: [room], scenes: [scene], bridges: [bridge])
        let unknown = Light.ID(bridge: .sample, resource: "unknown")
        let target: Target =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .all
            case 1: .light(unknown)
            case 2...4: .room(room.id)
            default: .light(lights[0].id)
            }
        let step: Message.Lighting.Increment = chance(2) ? .pt(level() * 60) : .lightness(level() * 60)
        let value = LightValue.allCases.randomElement(using: &random) ?? .brightness
        let command: Message.Lighting
        switch Int.random(in: 0..<10, using: &random) {
        case 0: command = .turn(chance(2) ? .on : .off, target, over: .usual)
        case 1: command = .toggle(target, over: .usual)
        case 2: command = .apply(.mean(brightness: level()), on: target, over: .usual)
        case 3: command = .apply(.meanStep(step), on: target, over: .usual)
        case 4: command = .increase(value, by: .pt(level() * 60), on: target, over: .usual)
        case 5: command = .decrease(value, by: step, on: target, over: .usual)
        case 6: command = .recall(scene.id, over: .usual)
        case 7:
            let ids = lights.map(\.id) + (chance(4) ? [unknown] : [])
            command = .restore(
                ids.shuffled(using: &random).map { id in
                    DesiredState(id, power: [.on, .off, nil][Int.random(in: 0..<3, using: &random)], setting)
                }, over: .usual)
            return Case(state: state, command: command)
        default: command = .apply(.values(setting), on: target, over: .usual)
        }
        return Case(state: state, command: command, target: target)
    }

    private static let seeds: [UInt64] = Array(1...2_000)
    private static let ticket = Ticket(number: 7, holder: "test", time: .sample)

    private func plan(_ sample: Case) -> Plan? { try? sample.state.plan(sample.command, by: Self.ticket) }

    /// A home whose lamps do not answer, after the command.
    private func sent(_ sample: Case) -> (home: DomainFixture, ticket: Ticket) {
        let home = DomainFixture(sample.state)
        home.stack.hold()
        return (home, home.send(sample.command))
    }

    /// All lights follow a curve that is the same all day.
    private func followFlatCurve(_ home: DomainFixture) throws {
        let curve = try Curve([Curve.Keyframe("00:00 60% 2500K")])
        home.send { .following(.draw(curve, named: "flat"), ticket: $0) }
        home.send {
            .following(
                .follow(.curve("flat"), on: .all, values: [.brightness, .temperature], until: nil, resumesAfter: nil),
                ticket: $0)
        }
    }

    @Test func `a plan names each light once, in the order of its target`() {
        var planned = 0
        for seed in Self.seeds {
            let sample = Self.makeCase(seed)
            guard let plan = plan(sample) else { continue }
            planned += 1
            let ids = plan.lights.map(\.id)
            let refused = plan.refused.map(\.target)
            #expect(
                Set(ids).count == ids.count && refused.allSatisfy { !ids.map(Target.light).contains($0) },
                "seed \(seed)")
            switch sample.command {
            case .recall: #expect(ids.isEmpty && !plan.scenes.isEmpty, "seed \(seed)")
            case let .restore(states, _):
                let known = states.map(\.light).filter { !refused.contains(.light($0)) }
                #expect(ids == known && ids.count + refused.count == states.count, "seed \(seed)")
            default:
                let target = sample.target.map { sample.state.lights(in: $0) }?.map(\.id) ?? []
                #expect(target.filter(Set(ids).contains) == ids && refused.isEmpty, "seed \(seed)")
            }
        }
        #expect(planned > Self.seeds.count / 2)
    }

    @Test func `what is sent, shown and recorded is what was planned, and nothing else changes`() throws {
        for seed in Self.seeds.prefix(600) {
            let sample = Self.makeCase(seed)
            let (home, ticket) = sent(sample)
            let plan = try? sample.state.plan(sample.command, by: ticket)
            let (before, after) = (sample.state.lights, home.store.state().lights)
            // A group of scenes, then one call for everything else: the next is sent when the one before was answered.
            let requests: [MemoryStack.Request] =
                (plan?.scenes.map { .recall($0.id, .usual, moving: $0.motion) } ?? []).prefix(1)
                + (plan.map { $0.scenes.isEmpty && !$0.sent.isEmpty ? [.set($0.sent, .usual)] : [] } ?? [])
            #expect(home.stack.requests == requests, "seed \(seed)")
            let planned = Dictionary((plan?.changing ?? []).map { ($0.id, $0) }) { first, _ in first }
            for (id, light) in before {
                guard let planned = planned[id] else {
                    #expect(after[id] == light, "seed \(seed)")
                    continue
                }
                #expect(after[id]?.values.agrees(with: planned.after) == true, "seed \(seed)")
                #expect(
                    light.limits.held(planned.after.temperature) == planned.after.temperature || light.modes.isEmpty,
                    "seed \(seed)")
            }
            let step = home.store.state().history.steps.last
            #expect(step?.lights ?? [] == plan?.changedLights ?? [], "seed \(seed)")
            #expect(step?.asked ?? [:] == planned.mapValues(\.after), "seed \(seed)")
            #expect(step?.before.allSatisfy { before[$0.key]?.snapshot == $0.value } ?? true, "seed \(seed)")
        }
    }

    @Test func `the answer names the lights of the plan, and a command that failed as a whole is no step`() {
        for seed in Self.seeds.prefix(600) {
            let sample = Self.makeCase(seed)
            let home = DomainFixture(sample.state)
            home.stack.end(with: .failed(.refused(by: .sample, words: "no")))
            let ticket = home.send(sample.command)
            let plan = try? sample.state.plan(sample.command, by: ticket)
            let response = home.response(to: ticket)
            #expect(response != nil, "seed \(seed)")
            if case let .lighting(.restoring(lights, _), _)? = response {
                #expect(lights == plan?.changedLights, "seed \(seed)")
            }
            if case let .lighting(.toggling(_, to: turn, _), _)? = response, let planned = plan?.turn {
                #expect(turn == planned, "seed \(seed)")
            }
            if plan?.sent.isEmpty != true || plan?.scenes.isEmpty != true, response?.outcome?.failure?.isTotal == true {
                #expect(home.store.state().history.steps.isEmpty, "seed \(seed)")
                for (id, light) in sample.state.lights where home.store.state().lights[id]?.isUnavailable == false {
                    #expect(home.store.state().lights[id]?.values == light.values, "seed \(seed)")
                }
            }
        }
    }

    @Test func `a command pauses what it names, and nothing where it is not carried out`() throws {
        for seed in Self.seeds.prefix(600) {
            let sample = Self.makeCase(seed)
            let home = DomainFixture(sample.state, clock: ManualClock(at: 1_789_948_800_000))
            try followFlatCurve(home)
            home.stack.hold()
            let state = home.store.state()
            let ticket = home.send(sample.command)
            let named = (try? state.plan(sample.command, by: ticket))?.lights ?? []
            for (id, followed) in home.store.state().followings.lights {
                let planned = named.first { $0.id == id }
                #expect(Set(followed.pauses.keys).isSubset(of: planned?.named ?? []), "seed \(seed)")
                // A lamp that is turned on by hand follows the rest at once; one that was on keeps what was named.
                guard let planned, planned.after.power == .on, let light = state.lights[id], light.power == .on,
                    !light.isUnavailable
                else { continue }
                #expect(planned.named.filter { light.can($0) }.isSubset(of: followed.pauses.keys), "seed \(seed)")
            }
        }
    }

    @Test func `planning changes nothing, and is the same again`() {
        for seed in Self.seeds {
            let sample = Self.makeCase(seed)
            #expect(plan(sample) == plan(sample), "seed \(seed)")
        }
    }

    @Test func `the lights of a scene count beside those that are refused`() {
        let unread = Failure.Part(.light(HomeFixture.desk.id), .notReachedYet(.sample))
        let plan = Plan(
            transition: .usual, scenes: [RecalledScene(HomeFixture.relax.id)], recalled: HomeFixture.relax.lights,
            refused: [unread],
            effect: .records)
        #expect(plan.outcome(of: .succeeded) == .failed(.partly([unread], of: 3)))
    }

    @Test func `a light of a scene that is then sent something else is planned once`() throws {
        let home = DomainFixture(HomeFixture.state, stack: HomeFixture.stack)
        home.stack.hold()
        home.send(.recall(HomeFixture.relax.id, over: .usual))
        home.send(.apply(.values(.bri(0.9)), on: .light(HomeFixture.sink.id), over: .usual))
        home.send(.undo(2, over: .usual))
        let plan = try #require(try home.store.state().plan(.redo(2, over: .usual), by: Self.ticket))
        #expect(plan.scenes == [RecalledScene(HomeFixture.relax.id)])
        #expect(plan.changedLights == [HomeFixture.sink.id, HomeFixture.stove.id])
    }

    @Test func `a colour that is given in part keeps the rest of what the lamp shows`() {
        let lamp = Light.make(hue: 0.2, saturation: 0.7, mode: .hsb)
        let home = DomainFixture(.make(lights: [lamp]), stack: MemoryStack(lights: [lamp]))
        let wish = LightPatch.hsb(hue: 0.6, saturation: nil, brightness: nil)
        home.send(.restore([DesiredState(lamp.id, power: .on, wish)], over: .usual))
        let whole = DesiredState(
            lamp.id, power: .on, .hsb(hue: 0.6, saturation: 0.7, brightness: nil))
        #expect(home.stack.requests == [.set([whole], .usual)])
        #expect(home.light(lamp.id)?.saturation == 0.7)
    }

    @Test func `a hue alone is seen on a lamp that has only shown white`() {
        let lamp = Light.make(hue: 0.2, saturation: 0, mode: .ct)
        let home = DomainFixture(.make(lights: [lamp]), stack: MemoryStack(lights: [lamp]))
        let green = LightPatch.hsb(hue: 1 / 3, saturation: nil, brightness: nil)
        let whole = DesiredState(lamp.id, power: .on, .hsb(hue: 1 / 3, saturation: 1, brightness: nil))
        home.send(.apply(.values(green), on: .light(lamp.id), over: .usual))
        #expect(home.stack.requests == [.set([whole], .usual)])
    }

    @Test func `what cannot be restored pauses nothing, and fails alone`() throws {
        let (white, colour) = (
            Light.make("white", name: "White", modes: []), Light.make("colour", name: "Colour", mode: .hsb)
        )
        let home = DomainFixture(
            .make(lights: [white, colour]), stack: MemoryStack(lights: [white, colour]),
            clock: ManualClock(at: 1_789_948_800_000))
        try followFlatCurve(home)
        let red = LightPatch.hsb(hue: 0, saturation: 1, brightness: nil)
        let ticket = home.send(
            .restore([white, colour].map { DesiredState($0.id, power: .on, red) }, over: .usual))
        let lights = home.store.state().followings.lights
        #expect(lights[white.id]?.pauses.isEmpty == true)
        #expect(lights[colour.id].map { Array($0.pauses.keys) } == [.temperature])
        guard case let .lighting(.restoring(restored, outcome), _)? = home.response(to: ticket) else {
            Issue.record("not answered")
            return
        }
        #expect(restored == [colour.id])
        #expect(
            outcome
                == .all([
                    (.light(white.id), .failed(.cannot(light: "White", what: "show colours"))),
                    (.light(colour.id), .succeeded),
                ]))
    }
}
