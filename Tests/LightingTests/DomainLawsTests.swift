import FoundationEssentials
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// Laws of the whole domain, for any commands and events.
@DomainActor
struct DomainLawsTests {
    private static func lights() -> [Light] {
        (0..<6).map { number in
            Light.make(
                "\(number)", name: "Lamp \(number)", power: number.isMultiple(of: 2) ? .on : .off,
                modes: number < 3 ? [.hsb, .ct] : number < 5 ? [.ct] : []
            )
        }
    }

    /// A day of random commands and events, always the same for the same seed.
    private func liveADay(_ home: DomainFixture, seed: UInt64) {
        var random = SplitMix(seed: seed)
        let lights = Self.lights()
        for _ in 0..<120 {
            let target: Target =
                switch random.next() % 4 {
                case 0: .all
                case 1: .room(Room.make().id)
                default: .light(lights[Int(random.next() % 6)].id)
                }
            let value = Double(random.next() % 101) / 100
            switch random.next() % 14 {
            case 0: home.send(.turn(.on, target, over: .usual))
            case 1: home.send(.turn(.off, target, over: .usual))
            case 2: home.send(.toggle(target, over: .usual))
            case 3: home.send(.apply(.values(.bri(value)), on: target, over: .usual))
            case 4:
                home.send(.apply(.values(.hsb(hue: value, saturation: nil, brightness: nil)), on: target, over: .usual))
            case 5: home.send(.apply(.values(.ct(Int(153 + value * 300).mirek)), on: target, over: .usual))
            case 6: home.send(.increase(.brightness, by: .pt(value * 30), on: target, over: .usual))
            case 7: home.send(.decrease(.temperature, by: .pt(value * 30), on: target, over: .usual))
            case 8: home.send(.change(.name("Name \(value)"), on: target))
            case 9: home.stack.end(with: value < 0.5 ? .succeeded : .failed(.refused(by: .sample, words: "busy")))
            case 10: home.stack.echo(value < 0.7)
            case 11: home.send(.undo(1 + Int(random.next() % 3), over: .usual))
            case 12: home.send(.redo(1, over: .usual))
            default:
                if value < 0.3 {
                    home.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
                } else if value < 0.6 {
                    home.stack.tell(.light(lights[0].id, .init(brightness: value, reachable: value < 0.5)))
                } else {
                    home.stack.tell(.connected(.sample, by: .stream))
                    home.send(.load)
                }
                home.settle()
            }
            home.wait(.milliseconds(Int(random.next() % 3000)))
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `replaying the journal leads to the same state`(seed: UInt64) {
        let (lights, room) = (Self.lights(), Room.make(lights: Self.lights()))
        let first = AppState.make(lights: lights, rooms: [room])
        let home = DomainFixture(first, stack: MemoryStack(lights: lights, rooms: [room]))
        liveADay(home, seed: seed)

        // The gateways of the second home do nothing: what they did in the first is in its journal.
        let again = DomainFixture(first)
        again.stack.hold()
        for entry in home.journal.entries { again.domain(entry.message) }

        #expect(home.store.state() != first)
        #expect(again.store.state() == home.store.state())
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `every command gets exactly one response, with its own ticket`(seed: UInt64) {
        let lights = Self.lights()
        let room = Room.make(lights: lights)
        let home = DomainFixture(
            .make(lights: lights, rooms: [room]), stack: MemoryStack(lights: lights, rooms: [room])
        )
        liveADay(home, seed: seed)
        let asked = home.recorder.messages.filter { !$0.ticket.isUnasked && $0.outcome == nil && !$0.isSettlement }.map(
            \.ticket.number)
        let answered = home.recorder.messages.filter(\.isResponse).map(\.ticket.number)
        #expect(asked == answered)
        #expect(Set(asked).count == asked.count)
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `once all commands are settled, every light shows what its bridge reported`(seed: UInt64) {
        let lights = Self.lights()
        let room = Room.make(lights: lights)
        let home = DomainFixture(
            .make(lights: lights, rooms: [room]), stack: MemoryStack(lights: lights, rooms: [room])
        )
        liveADay(home, seed: seed)
        home.wait(.seconds(10))
        for light in lights {
            guard let light = home.light(light.id) else { continue }
            #expect(light.values == light.reported)
            if case .expected = light.freshness { Issue.record("\(light.name) is still expected") }
        }
    }

    @Test func `the journal records every message except listings and successful settlements`() {
        let home = DomainFixture(.make(lights: [.make()]), stack: MemoryStack(lights: [.make()]))
        home.send(.turn(.on, .all, over: .usual))
        let before = home.journal.entries.count
        #expect(before == home.recorder.messages.count { !$0.isSettlement })
        home.send(.list(Journal.Filter()))
        #expect(home.journal.entries.count == before)
    }

    @Test func `a full report is in the journal with what differs from what was known`() throws {
        let lights = (0..<50).map { Light.make("\($0)", name: "Lamp \($0)") }
        let room = Room.make(lights: lights)
        let home = DomainFixture(stack: MemoryStack(lights: lights, rooms: [room]))
        func reread() throws -> HomeDifference {
            home.send(.load)
            let message = try #require(home.journal.entries.last { $0.message.difference != nil }).message
            return try #require(message.difference)
        }
        // Nothing was known: everything differs.
        let first = try reread()
        #expect(Set(first.lights.changed.map(\.id)) == Set(lights.map(\.id)) && first.rooms.changed == [room])
        // Nothing differs, also while a command is not confirmed.
        home.stack.echo(false)
        home.send(.turn(lights[3].power == .on ? .off : .on, .light(lights[3].id), over: .usual))
        home.stack.echo(true)
        let second = try reread()
        #expect(second.lights.changed == [] && second.lights.gone == [] && second.lights.count == 50)
        #expect(second.rooms.changed == [] && second.rooms.count == 1)
        #expect(try JSONEncoder().encode(second).count < 300)
        // One lamp was changed and another removed while the bridge was lost.
        home.stack.tell(.lost(.sample, because: .unreachable(.sample, because: "no route")))
        home.settle()
        let changed = lights[7].alter(by: .turning(.it(lights[7].power == .on ? .off : .on)))
        home.stack.tell(.home(.sample, lights: lights[0..<7] + [changed] + lights[9...], rooms: [room], scenes: []))
        home.settle()
        let third = try #require(home.journal.entries.last?.message.difference)
        #expect(third.lights.changed.map(\.id) == [changed.id] && third.lights.gone == [lights[8].id])

        let again = DomainFixture()
        again.stack.hold()
        for entry in home.journal.entries { again.domain(try entry.message.throughJSON()) }
        #expect(again.store.state() == home.store.state())
    }

    @Test func `every message can be decoded from its JSON`() throws {
        let home = DomainFixture(
            .make(lights: Self.lights(), rooms: [.make(lights: Self.lights())]),
            stack: MemoryStack(lights: Self.lights(), rooms: [.make(lights: Self.lights())])
        )
        liveADay(home, seed: 3)
        for message in home.recorder.messages + home.journal.entries.map(\.message) {
            #expect(try message.throughJSON() == message)
        }
    }
}

extension Message {
    fileprivate var difference: HomeDifference? {
        if case let .lighting(.reread(difference), _) = self { difference } else { nil }
    }
}
