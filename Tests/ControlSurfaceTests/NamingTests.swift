import ControlProtocol
import Lighting
import LightingTestKit
import Synchronization
import TestSupport
import Testing

@testable import ControlSurface

/// Names in homes with several bridges: every candidate is a valid name, and nearly everything can be named.
struct NamingTests {
    private static let (up, down) = (Bridge.ID("ecb5fafffe000001"), Bridge.ID("ecb5fafffe000002"))
    private static let lamps = [
        Light.make("1", name: "Lamp", bridge: up), .make("2", name: "Lamp", bridge: up),
        .make("3", name: "Lamp", bridge: down), .make("4", name: "Desk", bridge: down),
    ]
    private static let kitchens = [
        Room.make("5", name: "Kitchen", bridge: up, lights: [lamps[0]]),
        .make("6", name: "Kitchen", bridge: down, lights: [lamps[2]]),
    ]
    private static let scenes = kitchens.map { Scene.make("7", bridge: $0.id.bridge, room: $0.id) }
    private let home = Directory(
        .make(
            lights: lamps, rooms: kitchens, scenes: scenes,
            bridges: [.make(id: up, name: "Upstairs"), .make(id: down, name: "Downstairs")]))

    @Test(arguments: [
        "downstairs/lamp", "Downstairs/Kitchen/Lamp", "ecb5fafffe000002/lamp", "ECB5FAFFFE000002/kitchen/lamp",
    ])
    func `a light can be named with its bridge`(text: String) {
        #expect(home.target(text) == .found(.light(Self.lamps[2].id)))
    }

    @Test(arguments: ["@Upstairs/kitchen", "upstairs/kitchen", "@ecb5fafffe000001/kitchen", "@ecb5fafffe000001/5"])
    func `a room can be named with its bridge`(text: String) {
        #expect(home.target(text) == .found(.room(Self.kitchens[0].id)))
    }

    @Test(arguments: [
        "upstairs/kitchen/relax", "@upstairs/kitchen/relax", "Upstairs/Relax", "ecb5fafffe000001/kitchen/relax",
    ])
    func `a scene can be named with its bridge`(text: String) {
        #expect(home.scene(text) == .found(Self.scenes[0].id))
    }

    @Test func `the names for completions name everything, each one thing`() {
        let names = home.names
        let targets = (names.lights + names.rooms + names.zones).map { home.target($0) }
        let all = home.lights.map { Target.light($0.id) } + home.rooms.map { .room($0.id) }
        #expect(Set(targets.map { "\($0)" }) == Set(all.map { "\(Lookup.found($0))" }) && targets.count == all.count)
        #expect(names.scenes.map { home.scene($0) } == home.scenes.map { .found($0.id) })
        #expect(names.bridges.map { home.bridge($0) } == home.bridges.map { .found($0.id) })
    }

    @Test func `the name of a bridge is no target, and its rooms are named instead`() throws {
        let several = #expect(throws: ErrorReply.self) { try home.target(named: "upstairs") }
        #expect(several?.error.message == "'Upstairs' is a bridge, not a light or room")
        #expect(several?.error.hint == "name its rooms: @Upstairs/Kitchen" && several?.error.code == .noSuchTarget)
        let only = Directory(.make(lights: Self.lamps, bridges: [.make(id: Self.up, name: "Flat")]))
        let one = #expect(throws: ErrorReply.self) { try only.target(named: "flat") }
        #expect(one?.error.hint == "'all' means all of its lights")
    }

    @Test func `who renames a scene or a sensor as a light is told how it is done`() throws {
        let scene = Scene.make("9", name: "Evening", bridge: Self.up)
        let dial = Sensor.make("dial", name: "Dial")
        let home = Directory(.make(lights: Self.lamps, scenes: [scene], sensors: [dial]))
        func refusal(_ text: String) -> ErrorReply? {
            #expect(throws: ErrorReply.self) {
                _ = try Command.rename(target: text, name: "Late").resolved(in: home, at: .sample)
            }
        }
        #expect(refusal("evening")?.error.hint == "use 'lightctl scene rename evening Late'")
        #expect(refusal("dial")?.error.message == "'Dial' is a sensor or switch, which lightd cannot rename")
        #expect(refusal("hall")?.error.message == "no light or room is called 'hall'")
    }

    @Test func `an ambiguous name is answered with names that are not ambiguous`() {
        #expect(home.target("@kitchen") == .ambiguous(candidates: ["@Upstairs/Kitchen", "@Downstairs/Kitchen"], of: 2))
        #expect(
            home.scene("kitchen/relax")
                == .ambiguous(candidates: ["Upstairs/Kitchen/Relax", "Downstairs/Kitchen/Relax"], of: 2))
        guard case let .ambiguous(candidates, of: _) = home.target("lamp") else {
            Issue.record("'lamp' was not ambiguous")
            return
        }
        #expect(
            Set(candidates) == ["Upstairs/Kitchen/Lamp", "Downstairs/Kitchen/Lamp", "Upstairs/Lamp"])
    }

    @Test func `a typing error is answered with names that are not ambiguous`() {
        #expect(
            home.target("@kitchn") == .unknown(candidates: ["@Upstairs/Kitchen", "@Downstairs/Kitchen"]))
    }

    // MARK: Laws

    /// - Parameter odd: whether some names can be taken for something else.
    private func home(_ random: inout SplitMix, odd: Bool) -> AppState {
        let plain = ["Lamp", "lamp", "Desk", "Kitchen", "Upstairs", "Spot 1", "Küche"]
        let names =
            odd ? plain + ["", " ", "all", "@Kitchen", "Kitchen/Lamp", "/", "Upstairs/Lamp", " Lamp ", "1"] : plain
        func name(_ random: inout SplitMix) -> String { names.randomElement(using: &random)! }
        var (lights, rooms, scenes, bridges): ([Light], [Room], [Scene], [Bridge]) = ([], [], [], [])
        for number in 1...Int.random(in: 1...3, using: &random) {
            let bridge = Bridge.ID("ecb5fafffe00000\(number)")
            bridges.append(.make(id: bridge, name: name(&random)))
            // As on a v1 bridge a light and a room may have the same number.
            var roomless = (0..<Int.random(in: 0...6, using: &random)).map {
                Light.make("\($0)", name: name(&random), bridge: bridge)
            }
            lights += roomless
            for place in 0..<Int.random(in: 0...3, using: &random) {
                let members = roomless.prefix(Int.random(in: 0...3, using: &random))
                roomless.removeFirst(members.count)
                let kind: RoomKind = members.isEmpty ? .zone : .room
                let room = Room.make(
                    "\(place)", name: name(&random), bridge: bridge, kind: kind, lights: Array(members))
                rooms.append(room)
                scenes.append(.make("s\(place)", name: name(&random), bridge: bridge, room: room.id))
            }
        }
        return .make(lights: lights, rooms: rooms, scenes: scenes, bridges: bridges)
    }

    @Test(arguments: 0..<150) func `every candidate names exactly one thing, in any home`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let home = Directory(home(&random, odd: true))
        let typed = ["lamp", "@kitchen", "kitchen", "upstairs/lamp", "kitchen/lamp", "zzz", "@zzz", "1", "spot", ""]
        for text in typed + home.lights.map(\.name) + home.rooms.map({ "@" + $0.name }) {
            for candidate in home.target(text).candidates {
                #expect(home.target(candidate).isFound, "'\(candidate)' was offered for '\(text)'")
            }
            for candidate in home.scene(text).candidates {
                #expect(home.scene(candidate).isFound, "scene '\(candidate)' was offered for '\(text)'")
            }
            for candidate in home.bridge(text).candidates {
                #expect(home.bridge(candidate).isFound, "bridge '\(candidate)' was offered for '\(text)'")
            }
        }
    }

    @Test(arguments: 0..<150) func `candidates of an ambiguous name are the lights that have it, each once`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        let home = Directory(home(&random, odd: true))
        for light in home.lights {
            guard case let .ambiguous(candidates, of: count) = home.target(light.name) else { continue }
            let found = candidates.compactMap { candidate -> Target? in
                if case let .found(target) = home.target(candidate) { target } else { nil }
            }
            #expect(found.count == candidates.count && Set(found).count == min(count, 12))
        }
    }

    @Test(arguments: 0..<150)
    func `every light can be named without its id, unless another is equal in name, room and bridge`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        let home = Directory(home(&random, odd: false))
        let rooms = home.roomOfLight
        func everything(_ light: Light) -> [String] {
            [light.name.lowercased(), rooms[light.id]?.name.lowercased() ?? "", light.id.bridge.description]
        }
        let shared = Dictionary(grouping: home.lights, by: everything)
        for light in home.lights where shared[everything(light)]?.count == 1 {
            let bridges = [home.bridge(light.id.bridge)?.name ?? "", light.id.bridge.description]
            let room = rooms[light.id].map { ["\($0.name)/\(light.name)"] } ?? []
            let texts =
                [light.name] + room + bridges.flatMap { bridge in (room + [light.name]).map { "\(bridge)/\($0)" } }
            #expect(texts.contains { home.target($0) == .found(.light(light.id)) }, "\(texts)")
        }
    }
}

/// What names cost: a bridge may give thousands of lights the same one.
struct NamingCostTests {
    private static let lights = (1...100).map { Light.make("\($0)", name: "Lamp") }

    @Test func `twelve of a hundred lights of the same name are listed, and the reply says how many there are`() {
        let home = Directory(.make(lights: Self.lights, rooms: [], scenes: []))
        let error = #expect(throws: ErrorReply.self) { try home.target(named: "lamp") }?.error
        #expect(error?.candidates?.count == 12)
        #expect(error?.hint?.hasPrefix("these are 12 of 100; 'lightctl list --json'") == true)
        #expect(error?.candidates?.allSatisfy { home.target($0).isFound } == true)
    }

    @Test func `naming every light reads each name a fixed number of times, also if all have the same name`() {
        func entry(_ number: Int) -> NameEntry<Int> {
            NameEntry(
                found: number, names: ["Lamp"], inRooms: ["Living/Lamp"], full: ["Left/Living/Lamp"],
                onBridges: ["Left/Lamp"], id: "ecb5fafffe000001/\(number)", resource: "\(number)")
        }
        let count = 1000
        let read = Mutex(0)
        let index = NameIndex((0..<count).map(entry)) { text in
            read.withLock { $0 += 1 }
            return text.lowercased()
        }
        #expect(index.called("LAMP").count == count)
        // By their ids, which nothing has, and by their names: no other of the six ways is needed.
        #expect(read.withLock { $0 } == 2 * count + 1)
        #expect(index.entries.map { $0.text(index.called) } == index.entries.map(\.id))
        // Each way is in the index once; then one look-up for each text that might name a thing alone.
        #expect(read.withLock { $0 } <= 6 * count + 1 + 4 * count)
    }

    @Test func `rooms and bridges with very long names qualify no light`() {
        let long = String(repeating: "a", count: longestComparedText + 1)
        let room = Room.make("r", name: long, lights: [Self.lights[0]])
        let home = Directory(
            .make(lights: Array(Self.lights.prefix(2)), rooms: [room], scenes: [], bridges: [.make(name: long)]))
        #expect(home.text(naming: .light(Self.lights[0].id)) == "ecb5fafffe010203/1")
        #expect(home.target("\(long)/lamp") != .found(.light(Self.lights[0].id)))
    }
}

extension Lookup {
    fileprivate var candidates: [String] {
        switch self {
        case .found: []
        case let .unknown(candidates), let .ambiguous(candidates, of: _): candidates
        }
    }

    fileprivate var isFound: Bool { if case .found = self { true } else { false } }
}
