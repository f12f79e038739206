import FoundationEssentials
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// Making and changing rooms and zones.
@DomainActor
struct RoomsTests {
    private let desk = Light.make("desk", name: "Desk")
    private let sofa = Light.make("sofa", name: "Sofa")
    private let stove = Light.make("stove", name: "Stove")
    private let other = Light.make("porch", name: "Porch", bridge: Bridge.ID("ecb5fafffe999999"))
    private let garage = Bridge.make(id: Bridge.ID("ecb5fafffe999999"), name: "Garage")

    private func home(bridges: [Bridge] = [.make()], lights: [Light]? = nil) -> DomainFixture {
        let lights = lights ?? [desk, sofa, stove]
        let rooms = [
            Room.make("living", name: "Living", lights: [desk, sofa]),
            .make("kitchen", name: "Kitchen", lights: [stove]),
            .make("work", name: "Work", kind: .zone, lights: [desk]),
        ]
        return DomainFixture(
            .make(lights: lights, rooms: rooms, bridges: bridges), stack: MemoryStack(lights: lights, rooms: rooms))
    }

    private let living = Room.ID(bridge: .sample, resource: "living")
    private let kitchen = Room.ID(bridge: .sample, resource: "kitchen")
    private let work = Room.ID(bridge: .sample, resource: "work")

    private func rooms(_ home: DomainFixture) -> [String: [String]] {
        Dictionary(
            uniqueKeysWithValues: home.store.state().rooms.values.map { room in
                (room.name, room.lights.map(\.resource).sorted())
            })
    }

    @Test func `a room takes its lights from other rooms, and zones keep them`() {
        let home = home()
        let ticket = home.send(.create(.room, named: "Office", [.light(desk.id), .room(kitchen)], on: nil))
        #expect(home.stack.requests == [.create(.room, "Office", [desk.id, stove.id], .sample)])
        #expect(
            rooms(home) == [
                "Living": ["sofa"], "Kitchen": [], "Work": ["desk"], "Office": ["desk", "stove"],
            ])
        guard case let .rooms(.creating(.room, "Office", room?, .succeeded, leaving), _)? = home.response(to: ticket)
        else {
            Issue.record("\(String(describing: home.response(to: ticket)))")
            return
        }
        // The response names the room, which is in the state by then.
        #expect(home.store.state().rooms[room]?.name == "Office")
        #expect(leaving?.map(\.room) == [living, kitchen])
    }

    @Test func `the answer says which lights left which room, and which of its scenes`() {
        let scenes = [
            Scene.make("evening", name: "Evening", room: living, lights: [desk.id, sofa.id]),
            .make("late", name: "Late", room: living, lights: [sofa.id]),
            .make("focus", name: "Focus", room: work, lights: [desk.id]),
        ]
        let home = home()
        home.store.change(scenes.map { .adding(.scene($0)) })
        let ticket = home.send(.add([.light(stove.id), .light(desk.id)], to: kitchen))
        let left = Room.Departure(light: desk.id, room: living, scenes: [scenes[0].id])
        let answer = Message.Rooms.adding(
            [.light(stove.id), .light(desk.id)], to: kitchen, .succeeded, leaving: [left])
        #expect(home.response(to: ticket) == .rooms(answer, ticket: ticket))
        // No light leaves its room for a zone, nor for a room that is not made.
        for command: Message.Rooms in [
            .add([.light(sofa.id)], to: work), .create(.zone, named: "Z", [.light(sofa.id)], on: nil),
            .create(.room, named: "Kitchen", [.light(sofa.id)], on: nil),
        ] {
            switch home.response(to: home.send(command)) {
            case let .rooms(.adding(_, _, _, leaving), _)?, let .rooms(.creating(_, _, _, _, leaving), _)?:
                #expect(leaving == nil, "\(command)")
            case let other: Issue.record("\(String(describing: other))")
            }
        }
    }

    @Test func `lights can be added, removed, and the room deleted`() {
        let home = home()
        home.send(.add([.light(stove.id)], to: work))
        home.send(.remove([.light(desk.id)], from: work))
        #expect(rooms(home)["Work"] == ["stove"])
        let ticket = home.send(.delete(work, named: "Work"))
        #expect(home.response(to: ticket) == .rooms(.deleting(work, named: "Work", .succeeded), ticket: ticket))
        #expect(rooms(home) == ["Living": ["desk", "sofa"], "Kitchen": ["stove"]])
    }

    /// The laws of a home.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `whatever is arranged, a light is in one room at most`(seed: UInt64) {
        let home = home()
        var random = SplitMix(seed: seed)
        let lights = [desk, sofa, stove]
        for step in 0..<30 {
            let state = home.store.state()
            let room = state.rooms.keys.sorted().randomElement(using: &random)
            let some = lights.filter { _ in Bool.random(using: &random) }.map { Target.light($0.id) }
            let command: Message.Rooms =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .create(.room, named: "Room \(step)", some, on: nil)
                case 1: room.map { .add(some, to: $0) } ?? .create(.zone, named: "Zone \(step)", some, on: nil)
                case 2: room.map { .remove(some, from: $0) } ?? .create(.room, named: "Room \(step)", [], on: nil)
                default: .create(.zone, named: "Zone \(step)", some, on: .sample)
                }
            let ticket = home.send(command)
            let after = home.store.state()
            #expect(home.response(to: ticket) != nil && after.lights == state.lights)
            let housed = after.rooms.values.filter { $0.kind == .room }.flatMap(\.lights)
            #expect(Set(housed).count == housed.count, "\(command)")
            switch (command, home.response(to: ticket)?.outcome) {
            case (.create, .succeeded?): #expect(after.rooms.count == state.rooms.count + 1)
            case let (.add(targets, to: id), .succeeded?):
                let members = Set(after.rooms[id]?.lights.map { Target.light($0) } ?? [])
                #expect(members.isSuperset(of: targets))
            case let (.remove(targets, from: id), .succeeded?):
                let members = Set(after.rooms[id]?.lights.map { Target.light($0) } ?? [])
                #expect(members.isDisjoint(with: targets))
            default: #expect(after.rooms == state.rooms)
            }
            // A zone changes only if it is named.
            for zone in state.rooms.values where zone.kind == .zone && zone.id != room {
                #expect(after.rooms[zone.id] == zone)
            }
        }
    }

    @Test func `a room of the same name and kind is not created again`() {
        let home = home()
        let ticket = home.send(.create(.room, named: "LIVING", [], on: nil))
        #expect(home.response(to: ticket)?.outcome == .failed(.roomExists(living)))
        #expect(home.stack.requests.isEmpty)
        // A zone may be called like a room.
        home.send(.create(.zone, named: "Living", [], on: nil))
        #expect(home.stack.requests == [.create(.zone, "Living", [], .sample)])
    }

    @Test func `a room is not given the name of another, but its own may be written differently`() {
        let home = home()
        let taken = home.send(.change(.name("living"), on: .room(kitchen)))
        #expect(home.response(to: taken)?.outcome == .failed(.roomExists(living)))
        #expect(home.stack.requests.isEmpty)
        for (room, name) in [(living, "LIVING"), (kitchen, "Work")] {
            let ticket = home.send(.change(.name(name), on: .room(room)))
            #expect(home.response(to: ticket)?.outcome == .succeeded)
        }
    }

    @Test func `lights of another bridge are refused, and nothing is sent`() {
        let home = home(bridges: [.make(), garage], lights: [desk, sofa, stove, other])
        let several = Outcome.failed(.severalBridges([.sample, garage.id].sorted()))
        for command: Message.Rooms in [
            .create(.room, named: "Out", [.light(desk.id), .light(other.id)], on: nil),
            .create(.room, named: "Out", [.light(desk.id)], on: garage.id), .add([.light(other.id)], to: living),
        ] {
            #expect(home.response(to: home.send(command))?.outcome == several, "\(command)")
        }
        // Without lights nothing says which bridge is meant.
        let which = home.send(.create(.room, named: "Out", [], on: nil))
        #expect(home.response(to: which)?.outcome == .failed(.whichBridge([.sample, garage.id].sorted())))
        #expect(home.stack.requests.isEmpty)
        home.send(.create(.room, named: "Out", [.light(other.id)], on: nil))
        #expect(home.stack.requests == [.create(.room, "Out", [other.id], garage.id)])
    }

    @Test(
        arguments: ["", "  ", "all", "@office", "a\nb", String(repeating: "x", count: 33)]
            + ["\u{200B}", "\u{A0}", "\u{2060}", "\u{FEFF}", "\u{3164}", "\u{2800}", "\u{200E}\u{AD} \u{FE0F}"])
    func `what cannot be a name is refused`(name: String) {
        let scene = Scene.make("late", name: "Late", room: living, lights: [desk.id])
        let home = home()
        home.store.change(by: .adding(.scene(scene)))
        let tickets = [
            home.send(.create(.room, named: name, [], on: nil)), home.send(.create(.zone, named: name, [], on: nil)),
            home.send(.change(.name(name), on: .room(living))), home.send(.change(.name(name), on: .light(desk.id))),
            home.send(.save(named: name, of: [.room(living)])), home.send(.rename(scene.id, to: name)),
        ]
        for ticket in tickets {
            guard case .failed(.invalid)? = home.response(to: ticket)?.outcome else {
                Issue.record("'\(name)' became a name: \(String(describing: home.response(to: ticket)))")
                return
            }
        }
        #expect(home.stack.requests.isEmpty)
    }

    @Test func `what is not there cannot be arranged`() {
        let home = home()
        let gone = Room.ID(bridge: .sample, resource: "gone")
        let lamp = Light.ID(bridge: .sample, resource: "gone")
        for (command, failure): (Message.Rooms, Failure) in [
            (.add([.light(desk.id)], to: gone), .noSuchTarget(.room(gone))),
            (.add([.light(lamp)], to: living), .noSuchTarget(.light(lamp))),
            (.delete(gone, named: "Gone"), .noSuchTarget(.room(gone))),
            (
                .remove([.light(stove.id)], from: living),
                .cannot(light: "Stove", what: "be removed from 'Living', because it is not in it")
            ),
        ] {
            #expect(home.response(to: home.send(command))?.outcome == .failed(failure))
        }
        #expect(home.stack.requests.isEmpty)
    }

    @Test func `a bridge that refuses changes nothing`() {
        let home = home()
        let before = home.store.state().rooms
        home.stack.end(with: .failed(.refused(by: .sample, words: "No space for another room")))
        let ticket = home.send(.create(.room, named: "Office", [.light(desk.id)], on: nil))
        #expect(
            home.response(to: ticket)
                == .rooms(
                    .creating(
                        .room, named: "Office", nil,
                        .failed(.refused(by: .sample, words: "No space for another room"))),
                    ticket: ticket))
        #expect(home.store.state().rooms == before)
    }

    @Test func `arranging is no step to undo`() {
        let home = home()
        home.send(.create(.room, named: "Office", [.light(desk.id)], on: nil))
        home.send(.identify(.light(desk.id)))
        #expect(home.stack.requests.last == .identify([desk.id]))
        #expect(home.store.state().history.done.isEmpty)
    }

    @Test func `every message of rooms and scenes is a row of the journal`() throws {
        let scene = Scene.ID(bridge: .sample, resource: "relax")
        let ticket = Ticket(number: 3, holder: "test", time: .sample)
        let rooms: [Message.Rooms] = [
            .create(.zone, named: "A", [.light(desk.id), .all], on: .sample), .create(.room, named: "A", [], on: nil),
            .creating(
                .room, named: "A", living, .succeeded, leaving: [.init(light: desk.id, room: kitchen, scenes: [scene])]),
            .creating(.room, named: "A", living, .succeeded), .add([.room(kitchen)], to: living),
            .adding([], to: living, .failed(.noCommonRoom)), .remove([.all], from: work),
            .removing([.all], from: work, .succeeded), .delete(work, named: "Work"),
            .deleting(work, named: "Work", .failed(.severalBridges([.sample]))),
        ]
        let scenes: [Message.Scenes] = [
            .save(named: "A", of: [.room(living)]), .saving(named: "A", nil, .failed(.sceneExists(scene))),
            .update(scene), .updating(scene, .succeeded), .edit(scene, of: [.all], by: .remove),
            .editing(scene, of: [.light(desk.id)], by: .set(LightPatch(power: .off)), .succeeded),
            .edit(scene, of: [.room(kitchen)], by: .set(.ct(366.mirek, brightness: 0.4))), .rename(scene, to: "B"),
            .renaming(scene, to: "B", .succeeded), .delete(scene, named: "B"),
            .deleting(scene, named: "B", .succeeded), .read(scene),
            .reading(scene, [DesiredState(desk.id, power: .on, .bri(0.4))], .succeeded),
            .reorder(scenesOf: kitchen, by: .first([scene])), .reordering(scenesOf: kitchen, by: .byName, .succeeded),
        ]
        let all = rooms.map { Message.rooms($0, ticket: ticket) } + scenes.map { Message.scenes($0, ticket: ticket) }
        for message in all { #expect(try message.throughJSON() == message) }
    }

    @Test func `an answer that an older version has recorded can be read`() throws {
        let row = #"{"adding":{"_0":[],"to":"\#(living)","_2":{"succeeded":{}}}}"#
        #expect(
            try JSONDecoder().decode(Message.Rooms.self, from: Data(row.utf8)) == .adding([], to: living, .succeeded))
    }
}
