import ControlProtocol
import HashTreeCollections
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlSurface

struct DirectoryTests {
    private static let desk = Light.make("1", name: "Desk")
    private static let stove = Light.make("2", name: "Stove")
    private static let spot2 = Light.make("3", name: "Spot 2")
    private static let spot10 = Light.make("4", name: "Spot 10")
    private static let lamp = Light.make("5", name: "Lamp")
    private static let otherLamp = Light.make("6", name: "lamp")
    private static let kitchen = Room.make("k", name: "Kitchen", lights: [stove, spot10, spot2, lamp])
    private static let office = Room.make("o", name: "Office", lights: [desk, otherLamp])
    private static let evening = Room.make("z", name: "Evening", kind: .zone, lights: [desk, stove])
    private let directory = Directory(
        .make(
            lights: [desk, stove, spot10, spot2, lamp, otherLamp], rooms: [kitchen, office, evening],
            scenes: [
                .make("s1", name: "Relax", room: kitchen.id), .make("s2", name: "Relax", room: office.id),
                .make("s3", name: "Bright", room: office.id),
            ]
        )
    )

    @Test(arguments: ["desk", "DESK", " Desk ", "Office/desk", "ecb5fafffe010203/1", "1"])
    func `a light is found by its name, its room and name, or its id`(text: String) {
        #expect(directory.target(text) == .found(.light(Self.desk.id)))
    }

    @Test(arguments: ["@kitchen", "@KITCHEN", "kitchen", "@ecb5fafffe010203/k"])
    func `a room is found by its name, with or without the sign`(text: String) {
        #expect(directory.target(text) == .found(.room(Self.kitchen.id)))
    }

    @Test(arguments: ["all", "ALL", "@all"]) func `all means the whole home`(text: String) {
        #expect(directory.target(text) == .found(.all))
    }

    @Test func `zones are found like rooms`() {
        #expect(directory.target("@evening") == .found(.room(Self.evening.id)))
    }

    @Test func `a name that two lights share is ambiguous, and each candidate names one of them`() {
        guard case let .ambiguous(candidates, of: 2) = directory.target("lamp") else {
            Issue.record("'lamp' was not ambiguous")
            return
        }
        #expect(candidates == ["Kitchen/Lamp", "Office/lamp"])
        #expect(directory.target(candidates[0]) == .found(.light(Self.lamp.id)))
        #expect(directory.target(candidates[1]) == .found(.light(Self.otherLamp.id)))
    }

    @Test func `a name of two lamps stays ambiguous while the bridge of one has not been reached since the start`()
        throws
    {
        let attic = Bridge.ID("001788fffe445566")
        let away = Light.make("9", name: "Desk", bridge: attic)
        let bridge = Bridge.make(
            id: attic, name: "Attic", connection: .lost(since: .sample, because: .notReachedYet(attic)))
        let home = Directory(
            directory.state.alter(
                by: .adding(.bridge(bridge)), .replacing(.memory(by: Memory(unreadLights: [away.id: away])))))
        let reply = #expect(throws: ErrorReply.self) { try home.target(named: "desk") }
        #expect(reply?.error.code == .ambiguousTarget)
        #expect(try home.target(named: "Office/desk") == .light(Self.desk.id))
        #expect(try home.target(named: "stove") == .light(Self.stove.id))
    }

    @Test func `a typing error is answered with the nearest name`() {
        #expect(directory.target("stvoe") == .unknown(candidates: ["Stove"]))
        #expect(directory.target("@kitchn") == .unknown(candidates: ["@Kitchen"]))
    }

    @Test func `a very long name is refused at once, and not repeated in full`() {
        let text = String(repeating: "a", count: 60_000)
        let error = #expect(throws: ErrorReply.self) { try directory.target(named: text) }
        #expect(error.map { $0.error.message.count < 200 } == true)
        #expect(closest(to: text, in: ["aaa"]) == nil)
    }

    @Test func `a very long name that a bridge gives to a light is not compared`() {
        // One letter more: near enough, if it were compared.
        let half = String(repeating: "a", count: longestComparedText / 2)
        let (typed, long, near) = (half + half, half + "b" + half, half + half.dropLast() + "b")
        #expect(closest(to: typed, in: [long]) == nil && closest(to: typed, in: [near]) == near)
        let home = Directory(.make(lights: [.make("1", name: long), .make("2", name: near)], rooms: [], scenes: []))
        guard case let .unknown(candidates) = home.target(typed) else {
            Issue.record("a light was found")
            return
        }
        #expect(candidates == [near])
    }

    @Test func `a name that is like no other is answered with how to list all, and with no name that is not meant`() {
        let error = #expect(throws: ErrorReply.self) { try directory.target(named: "chandelier") }?.error
        #expect(error?.candidates == nil)
        #expect(error?.hint == "run 'lightctl list' for all names")
        let scene = #expect(throws: ErrorReply.self) { try directory.scene(named: "thunderstorm") }?.error
        #expect(scene?.candidates == nil)
        #expect(scene?.hint == "run 'lightctl list scenes' for all names")
        for text in ["", "xy"] {
            #expect(
                directory.target(text) == .unknown(candidates: []) && directory.bridge(text) == .unknown(candidates: [])
            )
        }
    }

    @Test func `lights that only their ids tell apart are answered with what each shows`() {
        let lamps = [
            Light.make("1", name: "Lamp", brightness: 0.4), Light.make("2", name: "Lamp", power: .off),
        ]
        let home = Directory(.make(lights: lamps, rooms: [.make("k", name: "Kitchen", lights: lamps)]))
        let error = #expect(throws: ErrorReply.self) { try home.target(named: "lamp") }?.error
        let (on, off) = (lamps[0].id, lamps[1].id)
        #expect(error?.candidates == [on.description, off.description])
        #expect(
            error?.hint
                == "\(on) in Kitchen is on at 40%; \(off) in Kitchen is off; 'lightctl identify \(on)' makes one blink"
        )
    }

    @Test func `a name that several have is counted in the error`() {
        let lights = #expect(throws: ErrorReply.self) { try directory.target(named: "LAMP") }?.error
        #expect(lights?.message == "'LAMP' is the name of 2 lights")
        let scenes = #expect(throws: ErrorReply.self) { try directory.scene(named: "relax") }?.error
        #expect(scenes?.message == "'relax' is the name of 2 scenes")
    }

    @Test func `scenes of the same name are distinguished by their rooms`() {
        #expect(directory.scene("bright") == .found(Scene.ID(bridge: .sample, resource: "s3")))
        #expect(directory.scene("relax") == .ambiguous(candidates: ["Kitchen/Relax", "Office/Relax"], of: 2))
        #expect(directory.scene("office/relax") == .found(Scene.ID(bridge: .sample, resource: "s2")))
    }

    @Test func `a bridge is found by its id in either case, or by its name`() {
        #expect(directory.bridge("ECB5FAFFFE010203") == .found(.sample))
        #expect(directory.bridge("study BRIDGE") == .found(.sample))
        #expect(directory.bridge("attic") == .unknown(candidates: []))
    }

    @Test func `lights are listed by room and name, with numbers in their order`() {
        #expect(directory.lights.map(\.name) == ["Lamp", "Spot 2", "Spot 10", "Stove", "Desk", "lamp"])
        #expect(directory.rooms.map(\.name) == ["Kitchen", "Office", "Evening"])
    }

    @Test func `tables that states share answer as those made for one state alone`() {
        let lights = [Self.desk, Self.stove, Self.lamp]
        let (rooms, names) = ([Self.kitchen, Self.office, Self.evening], ["Desk", "lamp", "Aa", "Kitchen", "10", "9"])
        var random = SplitMix(seed: 15)
        for _ in 0..<60 {
            let memory = NameMemory()
            var state = directory.state
            for _ in 0..<12 {
                guard let light = lights.randomElement(using: &random), let room = rooms.randomElement(using: &random),
                    let name = names.randomElement(using: &random)
                else { return }
                let changes: [AppState.Change] = [
                    .updating(.light(light.id, by: [.setting(.brightness(to: .random(in: 0...1, using: &random)))])),
                    .updating(.light(light.id, by: [.renaming(.it(to: name))])),
                    .updating(.room(room.id, by: .renaming(.it(to: name)))),
                    .updating(.room(room.id, by: .placing(.lights([light.id])))),
                    .removing(.light(light.id)), .adding(.light(light)),
                    .removing(.room(room.id)), .adding(.room(room)), .removing(.sceneOrder(room.id)),
                    .adding(.sceneOrder(SceneOrder(of: room.id, directory.scenes.map(\.id).shuffled(using: &random)))),
                ]
                state = state.alter(by: [changes.randomElement(using: &random)].compactMap { $0 })
                let (shared, alone) = (Directory(state, memory), Directory(state))
                #expect(shared.lights == alone.lights)
                #expect(shared.rooms == alone.rooms)
                #expect(shared.scenes == alone.scenes)
                #expect(shared.lightBodies == alone.lightBodies)
                #expect(names.map { shared.target($0) } == names.map { alone.target($0) })
            }
        }
    }
}
