import Khipu
import Lighting
import LightingTestKit
import Testing

/// The mean brightness of a room: `apply(.mean)`.
@DomainActor
struct MeanBrightnessTests {
    private let room = Target.room(Room.make().id)

    private func home(_ levels: [Double], others: [Light] = []) -> DomainFixture {
        let lights = levels.enumerated().map { Light.make("\($0)", name: "Lamp \($0)", brightness: $1) } + others
        let room = Room.make(lights: lights)
        return DomainFixture(.make(lights: lights, rooms: [room]), stack: MemoryStack(lights: lights, rooms: [room]))
    }

    private func levels(_ home: DomainFixture, _ count: Int) -> [Double] {
        (0..<count).compactMap { home.light(Light.make("\($0)").id)?.brightness }
    }

    nonisolated static let rooms: [[Double]] = [
        [0.5], [0.2, 0.4], [0.1, 0.9], [0, 0.5], [0, 0], [1, 1, 1], [0.02, 0.5, 1], [0.3, 0.3, 0.9, 0.95],
    ]

    @Test(arguments: rooms, [0.02, 0.1, 0.4, 0.5, 0.77, 0.99, 1])
    func `the mean is as asked, in the same ratios, and nobody exceeds an end`(before: [Double], mean: Double) {
        let home = home(before)
        let ticket = home.send(.apply(.mean(brightness: mean), on: room, over: .usual))
        #expect(home.response(to: ticket)?.outcome == .succeeded)
        let after = levels(home, before.count)
        #expect(after.allSatisfy { (0.01...1).contains($0) })
        // Only what is held at the lowest level may lift it.
        let lifted = Double(after.count { $0 == 0.01 }) * 0.01
        let reached = after.reduce(0, +) / Double(after.count)
        #expect(reached > mean - 1e-9 && reached < mean + lifted + 1e-9)
        for (one, other) in zip(before.indices, before.indices.dropFirst()) {
            // Nobody overtakes another, and those that have come to no end keep their ratio.
            #expect((before[one] <= before[other]) == (after[one] <= after[other] + 1e-9) || after[one] == after[other])
            guard [after[one], after[other]].allSatisfy({ $0 > 0.01 && $0 < 1 }) else { continue }
            let ratio = max(before[one], 0.01) / max(before[other], 0.01)
            #expect(abs(after[one] / after[other] - ratio) < 1e-9)
        }
    }

    @Test func `nothing goes off at 0 per cent`() {
        let home = home([0.2, 0.8])
        home.send(.apply(.mean(brightness: 0), on: room, over: .usual))
        #expect(levels(home, 2) == [0.01, 0.01])
        #expect(home.light(Light.make("0").id)?.power == .on)
    }

    @Test func `lights that are off, and plugs, stay as they are`() {
        let off = Light.make("off", name: "Off", power: .off, brightness: 0.9)
        let home = home([0.2, 0.4], others: [off, .plug()])
        home.send(.apply(.mean(brightness: 0.6), on: room, over: .usual))
        let after = levels(home, 2)
        #expect(abs(after[0] - 0.4) < 1e-9 && abs(after[1] - 0.8) < 1e-9)
        #expect(home.light(off.id) == off)
        #expect(home.stack.requests.count == 1)
    }

    @Test func `a room that is off comes on equally bright`() {
        let lights = [0.1, 0.9].enumerated().map { Light.make("\($0)", power: .off, brightness: $1) }
        let room = Room.make(lights: lights)
        let home = DomainFixture(
            .make(lights: lights, rooms: [room]), stack: MemoryStack(lights: lights, rooms: [room]))
        home.send(.apply(.mean(brightness: 0.4), on: .room(room.id), over: .usual))
        #expect(levels(home, 2) == [0.4, 0.4])
        #expect(lights.allSatisfy { home.light($0.id)?.power == .on })
    }

    @Test func `a lamp without power does not count, and follows the others`() {
        let silent = Light.make("silent", name: "Silent", brightness: 0.4, freshness: .unreachable(since: .sample))
        let home = home([0.2, 0.2], others: [silent])
        home.stack.hold()
        home.send(.apply(.mean(brightness: 0.4), on: room, over: .usual))
        #expect(levels(home, 2).allSatisfy { abs($0 - 0.4) < 1e-9 })
        let sent = home.stack.requests.last
        #expect("\(String(describing: sent))".contains("silent"))
    }

    @Test func `it is undone in one step, also after a gesture`() {
        let home = home([0.2, 0.4])
        home.stack.hold()
        for mean in [0.4, 0.9, 0.6] { home.send(.apply(.mean(brightness: mean), on: room, over: .usual)) }
        home.stack.release()
        home.settle()
        #expect(home.store.state().history.done.count == 1)
        home.send(.undo(1, over: .usual))
        let after = levels(home, 2)
        #expect(abs(after[0] - 0.2) < 1e-9 && abs(after[1] - 0.4) < 1e-9)
    }

    @Test func `a room without a lamp that dims cannot do it`() {
        let fan = Light.plug()
        let home = DomainFixture(.make(lights: [fan], rooms: [.make(lights: [fan])]))
        let ticket = home.send(.apply(.mean(brightness: 0.5), on: room, over: .usual))
        #expect(home.response(to: ticket)?.outcome == .failed(.cannot(light: "Fan", what: "be dimmed")))
    }
}
