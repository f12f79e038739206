import FoundationEssentials
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// The ratios of a room's lamps, remembered while commands keep them.
@DomainActor
struct RatioTests {
    private let room = Target.room(Room.make().id)

    private func home(_ levels: [Double], others: [Light] = []) -> DomainFixture {
        let lights = levels.enumerated().map { Light.make("\($0)", name: "Lamp \($0)", brightness: $1) } + others
        let room = Room.make(lights: lights)
        return DomainFixture(.make(lights: lights, rooms: [room]), stack: MemoryStack(lights: lights, rooms: [room]))
    }

    private func levels(_ home: DomainFixture, _ count: Int) -> [Double] {
        (0..<count).compactMap { home.light(Light.make("\($0)").id)?.brightness }
    }

    private func dim(_ home: DomainFixture, to mean: Double) {
        home.send(.apply(.mean(brightness: mean), on: room, over: .usual))
    }

    /// To both ends, where the lamps are equally bright, and back to the mean of these levels.
    private func dimToBothEndsAndBack(_ home: DomainFixture, _ levels: [Double]) {
        for mean in [0, 1, levels.reduce(0, +) / Double(levels.count)] { dim(home, to: mean) }
    }

    private func expect(_ home: DomainFixture, shows levels: [Double], _ where: SourceLocation = #_sourceLocation) {
        let shown = self.levels(home, levels.count)
        #expect(
            zip(shown, levels).allSatisfy { abs($0 - $1) < 1e-9 }, "\(shown) instead of \(levels)",
            sourceLocation: `where`)
    }

    private static func level(_ random: inout SplitMix) -> Double {
        // Lamps at their lowest level and full ones are common.
        switch Int.random(in: 0..<6, using: &random) {
        case 0: 0.01
        case 1: 1
        default: Double.random(in: 0.01...1, using: &random)
        }
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `whatever means and steps lie between, a room shows its first ratios at its first mean`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let first = (0..<Int.random(in: 1...9, using: &random)).map { _ in Self.level(&random) }
        let home = home(first)
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let points = Double.random(in: -100...100, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: home.send(.apply(.meanStep(.pt(points)), on: room, over: .usual))
            case 1: home.send(.apply(.meanStep(.lightness(points)), on: room, over: .usual))
            default: dim(home, to: Int.random(in: 0..<3, using: &random) == 0 ? 0 : Self.level(&random))
            }
            // The way does not count: what a mean is shown by depends on the first levels alone.
            let mean = Double.random(in: 0...1, using: &random)
            dim(home, to: mean)
            let direct = self.home(first)
            dim(direct, to: mean)
            expect(home, shows: levels(direct, first.count))
        }
        dim(home, to: first.reduce(0, +) / Double(first.count))
        expect(home, shows: first)
    }

    @Test func `a bridge's coarser grid of levels adds up to nothing`() {
        let first = [0.83, 0.41, 0.07]
        let home = home(first)
        home.stack.echo(false)
        for mean in [0.3, 0.02, 0.9, 0.61, 1, 0.44, first.reduce(0, +) / 3] {
            dim(home, to: mean)
            guard case let .set(states, _)? = home.stack.requests.last else { continue }
            for state in states {
                guard let level = state.values.brightness else { continue }
                home.stack.tell(.light(state.light, Light.Report(brightness: (level * 253).rounded() / 253)))
            }
            home.settle()
        }
        #expect(zip(levels(home, 3), first).allSatisfy { abs($0 - $1) <= 0.5 / 253 + 1e-9 })
    }

    @Test func `a level that a lamp was given otherwise is where its ratio begins`() {
        let home = home([0.8, 0.2])
        dim(home, to: 1)
        home.send(.apply(.values(.bri(0.5)), on: .light(Light.make("0").id), over: .usual))
        dimToBothEndsAndBack(home, [0.5, 1])
        expect(home, shows: [0.5, 1])
    }

    @Test func `a plain level for the room makes its lamps alike, also where they are alike already`() {
        let home = home([0.8, 0.2])
        dim(home, to: 1)
        home.send(.apply(.values(.bri(1)), on: room, over: .usual))
        dim(home, to: 0.5)
        expect(home, shows: [0.5, 0.5])
    }

    nonisolated private static let others: [(String, Message.Lighting)] = [
        ("a step", .decrease(.brightness, by: .pt(40), on: .light(Light.make("0").id), over: .usual)),
        ("off and on", .turn(.off, .light(Light.make("0").id), over: .usual)),
        ("undo", .undo(1, over: .usual)),
        ("a state", .restore([DesiredState(Light.make("0").id, .bri(0.6))], over: .usual)),
    ]

    @Test(arguments: others) func `any other command for the level of a lamp begins new ratios`(
        name: String, command: Message.Lighting
    ) {
        let home = home([0.8, 0.2])
        for mean in [0.4, 0.01, 1] { dim(home, to: mean) }
        home.send(command)
        home.send(.turn(.on, room, over: .usual))
        let now = levels(home, 2)
        dimToBothEndsAndBack(home, now)
        expect(home, shows: now)
    }

    @Test(arguments: [
        Light.Report(brightness: 0.4, source: .accessory("Dimmer")), Light.Report(brightness: 0.4),
        Light.Report(power: .off, source: .otherApp),
    ]) func `so does whatever somebody else does to a level, or a lamp that went off`(report: Light.Report) {
        let home = home([0.8, 0.2])
        dim(home, to: 1)
        home.stack.tell(.light(Light.make("0").id, report))
        home.stack.tell(.light(Light.make("0").id, Light.Report(power: .on)))
        home.settle()
        let now = levels(home, 2)
        dimToBothEndsAndBack(home, now)
        expect(home, shows: now)
    }

    @Test func `so does a scene, though it changes nothing`() {
        let scene = Scene.make("bright", room: Room.make().id, lights: [Light.make("0").id, Light.make("1").id])
        let home = home([0.8, 0.2])
        home.store.change(by: .adding(.scene(scene)))
        dim(home, to: 1)
        home.send(.recall(scene.id, over: .usual))
        dim(home, to: 0.5)
        expect(home, shows: [0.5, 0.5])
    }

    @Test func `so does a lamp that comes on there`() {
        let late = Light.make("2", power: .off, brightness: 0.3)
        let home = home([0.8, 0.2], others: [late])
        dim(home, to: 1)
        home.send(.turn(.on, .light(late.id), over: .usual))
        dimToBothEndsAndBack(home, [1, 1, 0.3])
        expect(home, shows: [1, 1, 0.3])
    }

    @Test func `colours and white tones leave the ratios as they are`() {
        let home = home([0.8, 0.2])
        dim(home, to: 1)
        home.send(.apply(.values(.ct(300.mirek)), on: room, over: .usual))
        home.stack.tell(.light(Light.make("1").id, Light.Report(temperature: 200.mirek, source: .otherApp)))
        home.settle()
        dim(home, to: 0.5)
        expect(home, shows: [0.8, 0.2])
    }

    @Test func `a room and a zone of the same lamps have the same ratios`() {
        let home = home([0.8, 0.2])
        let zone = Room.make("zone", kind: .zone, lights: [Light.make("0"), Light.make("1")])
        home.store.change(by: .adding(.room(zone)))
        dim(home, to: 1)
        home.send(.apply(.mean(brightness: 0.5), on: .room(zone.id), over: .usual))
        expect(home, shows: [0.8, 0.2])
    }

    @Test func `a lamp that loses its power while it is dimmed comes back to its place`() {
        let home = home([0.8, 0.2])
        dim(home, to: 1)
        home.stack.tell(.light(Light.make("1").id, Light.Report(reachable: false)))
        home.settle()
        dim(home, to: 0.8)
        home.stack.tell(.light(Light.make("1").id, Light.Report(reachable: true)))
        home.settle()
        dim(home, to: 0.5)
        expect(home, shows: [0.8, 0.2])
    }

    @Test func `a restart of lightd keeps them`() throws {
        let home = home([0.8, 0.2])
        dim(home, to: 1)
        let memory = home.archive.memory
        let lights = try [memory.lights, memory.unreadLights].flatMap(\.values).map { light in
            try JSONDecoder().decode(Light.self, from: JSONEncoder().encode(light.remembered))
        }
        let lost = Bridge.Connection.lost(since: home.clock.now, because: .unreachable(.sample, because: "no answer"))
        let saved = Memory(unreadLights: TreeDictionary(uniqueKeysWithValues: lights.map { ($0.id, $0) }))
        let again = DomainFixture(
            AppState().alter(by: .adding(.bridge(.make(connection: lost))), .replacing(.memory(by: saved))),
            stack: MemoryStack(), clock: home.clock, firstTicket: 1000)
        again.stack.tell(.connected(.sample, by: .stream))
        let reported = [0, 1].map { Light.make("\($0)", name: "Lamp \($0)", brightness: 1) }
        again.stack.tell(.home(.sample, lights: reported, rooms: [.make(lights: reported)], scenes: []))
        again.settle()
        dim(again, to: 0.5)
        expect(again, shows: [0.8, 0.2])
    }
}
