import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// Rooms, zones and scenes that are created and renamed at the same moment.
@DomainActor
struct ArrangementTests {
    private let desk = Light.make("desk", name: "Desk")
    private let sofa = Light.make("sofa", name: "Sofa")
    private let living = Room.ID(bridge: .sample, resource: "living")
    private let kitchen = Room.ID(bridge: .sample, resource: "kitchen")

    private func home() -> DomainFixture {
        let rooms = [
            Room.make("living", name: "Living", lights: [desk]), .make("kitchen", name: "Kitchen", lights: [sofa]),
        ]
        let scenes = [Scene.make("late", name: "Late", room: living, lights: [desk.id])]
        let home = DomainFixture(
            .make(lights: [desk, sofa], rooms: rooms, scenes: scenes),
            stack: MemoryStack(lights: [desk, sofa], rooms: rooms, scenes: scenes))
        home.stack.hold()
        return home
    }

    @Test func `of rooms that are created at once with one name, one is made and the others are refused`() throws {
        let home = home()
        let names = ["Loft", "loft", "LOFT", "Loft"]
        let tickets = names.map { home.send(.create(.room, named: $0, [], on: nil)) }
        #expect(home.stack.requests == [.create(.room, "Loft", [], .sample)])
        #expect(tickets.allSatisfy { home.response(to: $0) == nil })
        home.stack.release()
        home.settle()
        let loft = try #require(home.store.state().rooms.values.first { $0.name == "Loft" })
        #expect(
            tickets.map { home.response(to: $0)?.outcome }
                == [.succeeded] + tickets.dropFirst().map { _ in .failed(.roomExists(loft.id)) })
    }

    @Test func `if the bridge refuses the first, the next one may have the name`() {
        let home = home()
        home.stack.end(with: .failed(.refused(by: .sample, words: "busy")))
        let tickets = (1...2).map { _ in home.send(.create(.room, named: "Loft", [], on: nil)) }
        home.stack.releaseOne()
        home.settle()
        home.stack.end(with: .succeeded)
        home.stack.release()
        home.settle()
        #expect(
            tickets.map { home.response(to: $0)?.outcome }
                == [.failed(.refused(by: .sample, words: "busy")), .succeeded])
    }

    @Test func `a bridge that does not answer holds up no other`() {
        let garage = Bridge.make(id: Bridge.ID("ecb5fafffe999999"), name: "Garage")
        let home = home()
        home.store.change(by: .adding(.bridge(.make())), .adding(.bridge(garage)))
        home.send(.create(.room, named: "Loft", [], on: .sample))
        home.send(.create(.room, named: "Loft", [], on: garage.id))
        #expect(home.stack.requests.count == 2)
        // Reading a scene does not wait for either.
        home.send(.read(Scene.ID(bridge: .sample, resource: "late")))
        #expect(home.stack.requests.count == 3)
    }

    @Test func `a scene stores what its lights show when it is asked to, whatever else is being arranged`() {
        let home = home()
        home.send(.create(.zone, named: "Upstairs", [.light(desk.id)], on: nil))
        home.send(.save(named: "Now", of: [.room(living)]))
        home.send(.update(Scene.ID(bridge: .sample, resource: "late")))
        home.send(.create(.room, named: "Loft", [], on: nil))
        #expect(home.stack.requests.count == 4)
    }

    @Test func `changes of which room lights are in wait for each other, and those of zones only for the same zone`() {
        let home = home()
        home.send(.add([.light(desk.id)], to: kitchen))
        home.send(.add([.light(sofa.id)], to: living))
        home.send(.create(.room, named: "Loft", [.light(desk.id)], on: nil))
        #expect(home.stack.requests.count == 1)
        home.send(.create(.zone, named: "Upstairs", [.light(desk.id)], on: nil))
        #expect(home.stack.requests.count == 2)
    }

    @Test func `if a bridge is silent, those that waited are answered as the first, and not sent`() {
        let home = home()
        let silence = Failure.unreachable(.sample, because: "it has not answered in time")
        home.stack.end(with: .failed(silence))
        let tickets = (1...5).map { _ in home.send(.create(.room, named: "Loft", [], on: nil)) }
        home.stack.releaseOne()
        home.settle()
        #expect(tickets.map { home.response(to: $0)?.outcome } == tickets.map { _ in .failed(silence) })
        #expect(home.stack.requests.count == 1)
    }

    /// Commands come in any order, bridges answer late, and refuse some.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `whatever is created and renamed at once, no two have one name, and every answer is true`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let home = home()
        var open: [(ticket: Ticket, name: String)] = []
        for _ in 0..<80 {
            if Int.random(in: 0..<5, using: &random) < 3 {
                let name = ["A", "a", "B"].randomElement(using: &random) ?? "A"
                open.append((send(name, to: home, &random), name))
            } else {
                let isRefused = Int.random(in: 0..<4, using: &random) == 0
                home.stack.end(with: isRefused ? .failed(.refused(by: .sample, words: "busy")) : .succeeded)
                home.stack.releaseOne()
            }
            home.settle()
            check(home, &open)
        }
        home.stack.end(with: .succeeded)
        while home.stack.releaseOne() {
            home.settle()
            check(home, &open)
        }
        #expect(open.isEmpty)
    }

    private func send(_ name: String, to home: DomainFixture, _ random: inout SplitMix) -> Ticket {
        let state = home.store.state()
        let room = state.rooms.keys.sorted().randomElement(using: &random) ?? living
        let scene = state.scenes.keys.sorted().randomElement(using: &random)
        return switch (Int.random(in: 0..<5, using: &random), scene) {
        case (0, _): home.send(.create(.room, named: name, [], on: nil))
        case (1, _): home.send(.create(.zone, named: name, [], on: nil))
        case (2, _): home.send(.change(.name(name), on: .room(room)))
        case (3, let scene?): home.send(.rename(scene, to: name))
        default: home.send(.save(named: name, of: [.room(living)]))
        }
    }

    /// Looks at the names and at what was answered since the last time.
    private func check(_ home: DomainFixture, _ open: inout [(ticket: Ticket, name: String)]) {
        let state = home.store.state()
        let rooms = state.rooms.values.map { "\($0.kind) \($0.name.lowercased())" }
        let scenes = state.scenes.values.map { "\(String(describing: $0.room)) \($0.name.lowercased())" }
        #expect(Set(rooms).count == rooms.count && Set(scenes).count == scenes.count, "\(rooms) \(scenes)")
        open.removeAll { ticket, name in
            guard let answer = home.response(to: ticket), let outcome = answer.outcome else { return false }
            switch outcome {
            case let .failed(.roomExists(room)):
                #expect(state.rooms[room]?.name.lowercased() == name.lowercased(), "\(answer)")
            case let .failed(.sceneExists(scene)):
                #expect(state.scenes[scene]?.name.lowercased() == name.lowercased(), "\(answer)")
            case .failed: break
            case .succeeded:
                #expect(
                    state.rooms.values.contains { $0.name == name } || state.scenes.values.contains { $0.name == name })
            }
            return true
        }
    }
}
