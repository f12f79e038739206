import Foundation
import HueWire
import Testing

@testable import SimulatedBridge

enum HomeFixture {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Config/homes")

    static func read(_ name: String) throws -> HomeFile {
        let url = directory.appending(path: name)
        return try HomeFile(yaml: String(contentsOf: url, encoding: .utf8), path: name)
    }

    static func house() throws -> HomeFile { try read("house.yaml") }

    /// The house for test arguments, which cannot throw; another test reports what is wrong with the file.
    static let built = sure("house.yaml")
    static let showroom = sure("showroom.yaml")

    private static func sure(_ name: String) -> HomeFile {
        do { return try read(name) } catch { fatalError("\(error)") }
    }
}

@Suite struct HomeFileTests {
    @Test func `the built-in flat is that of flat.yaml`() throws {
        #expect(try HomeFixture.read("flat.yaml") == .flat)
        #expect(HomeFile.flat.rooms.count == 2)
        #expect(HomeFile.flat.rooms.flatMap(\.lights).count == 5)
    }

    @Test func `the showroom has one of everything`() throws {
        let home = SimulatedHome(try HomeFixture.read("showroom.yaml"), seed: 1)
        #expect(Set(home.lamps.map(\.kind)) == Set(LampKind.allCases))
        #expect(Set(home.accessories.map(\.kind)) == Set(AccessoryKind.allCases))
        #expect(home.groups.contains { $0.lamps.isEmpty && $0.accessories.isEmpty })
        #expect(home.groups.contains { $0.kind == .zone })
        let actions = home.scenes.flatMap(\.actions)
        #expect(actions.contains { $0.gradient != nil } && actions.contains { $0.effect != nil })
        #expect(home.scenes.contains { $0.extras["auto_dynamic"] == true })
        let area = try #require(home.documents.first { $0["type"] == "entertainment_configuration" })
        #expect(area["channels"]?.array?.count == 2)
        #expect(area["status"] == "inactive")
    }

    @Test func `the house has eight rooms, fifty lights of five kinds, three zones and twelve scenes`() throws {
        let house = try HomeFixture.house()
        #expect(house.rooms.count == 8)
        let lights = house.rooms.flatMap(\.lights)
        #expect(lights.count == 50)
        #expect(Set(lights.map(\.kind)) == [.color, .ambiance, .dimmable, .bloom, .plug])
        #expect(house.zones?.count == 3)
        #expect(house.scenes?.count == 12)
    }

    static let refusals: [(what: String, yaml: String, words: String)] = [
        (
            "two lights with one name", "rooms: [{name: A, lights: [{name: X, kind: plug}, {name: X, kind: plug}]}]",
            "h.yaml: duplicate name: light 'X'"
        ),
        (
            "two lights with one name in two rooms",
            "rooms: [{name: A, lights: [{name: X, kind: plug}]}, {name: B, lights: [{name: X, kind: color}]}]",
            "h.yaml: duplicate name: light 'X'"
        ),
        (
            "a room and a zone with one name", "rooms: [{name: A, lights: []}]\nzones: [{name: A, lights: []}]",
            "h.yaml: duplicate name: room or zone 'A'"
        ),
        (
            "a zone with an unknown light", "rooms: [{name: A, lights: []}]\nzones: [{name: Z, lights: [Moon]}]",
            "h.yaml: zone 'Z' names a light 'Moon' that is in no room"
        ),
        (
            "a scene of an unknown group",
            "rooms: [{name: A, lights: []}]\nscenes: [{name: S, group: Moon, lights: {}}]",
            "h.yaml: scene 'S' names a group 'Moon' that does not exist"
        ),
        (
            "a scene with an unknown light",
            "rooms: [{name: A, lights: []}]\nscenes: [{name: S, group: A, lights: {Moon: {}}}]",
            "h.yaml: scene 'S' names a light 'Moon' that is in no room"
        ),
        (
            "a scene with a light of another room",
            "rooms: [{name: A, lights: []}, {name: B, lights: [{name: X, kind: plug}]}]\nscenes: [{name: S, group: A, lights: {X: {}}}]",
            "h.yaml: scene 'S' names a light 'X' that is not in 'A'"
        ),
        (
            "a gradient with one point",
            "rooms: [{name: A, lights: [{name: X, kind: gradient}]}]\nscenes: [{name: S, group: A, lights: {X: {gradient: [[0.1, 0.1]]}}}]",
            "h.yaml: light 'X' in scene 'S': gradient is two to five points, each two numbers from 0 to 1"
        ),
        (
            "an effect that the light does not support",
            "rooms: [{name: A, lights: [{name: X, kind: plug}]}]\nscenes: [{name: S, group: A, lights: {X: {effect: fire}}}]",
            "h.yaml: light 'X' in scene 'S': it has no effect 'fire'"
        ),
        (
            "a palette without points",
            "rooms: [{name: A, lights: []}]\nscenes: [{name: S, group: A, lights: {}, palette: [[1, 2]]}]",
            "h.yaml: scene 'S': palette is up to nine points, each two numbers from 0 to 1"
        ),
        (
            "an area with a plug",
            "rooms: [{name: A, lights: [{name: X, kind: plug}]}]\nareas: [{name: F, lights: [X]}]",
            "h.yaml: area 'F' names a light 'X' that shows no colours"
        ),
        (
            "two scenes with one name in one room",
            "rooms: [{name: A, lights: []}]\nscenes: [{name: S, group: A, lights: {}}, {name: S, group: A, lights: {}}]",
            "h.yaml: duplicate name: scene of 'A' 'S'"
        ),
        (
            "a name too long", "rooms: [{name: \(String(repeating: "n", count: 33)), lights: []}]",
            "h.yaml: '\(String(repeating: "n", count: 33))' is not a valid name: bridges take 1 to 32 characters"
        ),
        (
            "no name", #"rooms: [{name: "", lights: []}]"#,
            "h.yaml: '' is not a valid name: bridges take 1 to 32 characters"
        ),
        (
            "a level over a hundred", "rooms: [{name: A, lights: [{name: X, kind: plug, brightness: 101}]}]",
            "h.yaml: light 'X': brightness is a number from 0 to 100, not 101.0"
        ),
        (
            "a mirek out of range", "rooms: [{name: A, lights: [{name: X, kind: color, mirek: 2700}]}]",
            "h.yaml: light 'X': mirek is a number from 50 to 1000, not 2700"
        ),
        (
            "a point with one number",
            "rooms: [{name: A, lights: [{name: X, kind: color}]}]\nscenes: [{name: S, group: A, lights: {X: {xy: [0.3]}}}]",
            "h.yaml: light 'X' in scene 'S': xy is two numbers from 0 to 1"
        ),
        (
            "a model that is not simulated", "bridge: {model: BSB009}\nrooms: []",
            "h.yaml: bridge.model: unknown model 'BSB009'; known models: BSB001, BSB002, BSB003, deCONZ"
        ),
        ("no rooms", "bridge: {name: X}", "h.yaml: 'rooms' is missing in the file"),
        (
            "an unknown key of the home", "rooms: []\nzone: []",
            "h.yaml, line 2: unknown key 'zone'; known keys: areas, bridge, motion_areas, rooms, scenes, zones"
        ),
        (
            "an unknown key of the bridge", "bridge:\n  nmae: X\nrooms: []",
            "h.yaml, line 2: unknown key 'nmae'; known keys: model, name"
        ),
        (
            "an unknown key of a room", "rooms:\n- name: A\n  light: []",
            "h.yaml, line 3: unknown key 'light'; known keys: accessories, archetype, lights, name"
        ),
        (
            "an unknown key of a light, though a needed one is missing",
            "rooms:\n- name: A\n  lights:\n  - {name: X, knid: plug}",
            "h.yaml, line 4: unknown key 'knid'; known keys: brightness, kind, mirek, name, on"
        ),
        (
            "an unknown key of an accessory", "rooms:\n- {name: A, lights: [], accessories: [{name: X, king: dial}]}",
            "h.yaml, line 2: unknown key 'king'; known keys: kind, name"
        ),
        (
            "an unknown key of a zone", "rooms: []\nzones:\n- {name: Z, lights: [], room: A}",
            "h.yaml, line 3: unknown key 'room'; known keys: archetype, lights, name"
        ),
        (
            "an unknown key of a scene",
            "rooms: [{name: A, lights: []}]\nscenes:\n- {name: S, group: A, lights: {}, speed: 1}",
            "h.yaml, line 3: unknown key 'speed'; known keys: dynamic, group, lights, name, palette"
        ),
        (
            "an unknown key of a light's state in a scene",
            "rooms: [{name: A, lights: [{name: X, kind: plug}]}]\nscenes:\n- {name: S, group: A, lights: {X: {h: 1}}}",
            "h.yaml, line 3: unknown key 'h'; known keys: brightness, effect, gradient, mirek, on, xy"
        ),
        (
            "an unknown key of an area", "rooms: []\nareas:\n- {name: F, lights: [], shape: round}",
            "h.yaml, line 3: unknown key 'shape'; known keys: kind, lights, name"
        ),
        (
            "an unknown key behind a merge key",
            "rooms:\n- {name: A, lights: [&x {name: X, kind: plug}, {<<: *x, name: Y, dim: 1}]}",
            "h.yaml, line 2: unknown key 'dim'; known keys: brightness, kind, mirek, name, on"
        ),
        (
            "a light without a kind", "rooms: [{name: A, lights: [{name: X}]}]",
            "h.yaml: 'kind' is missing in rooms.[0].lights.[0]"
        ),
    ]

    @Test(arguments: refusals) func `an invalid home is refused with an explanation`(
        what: String, yaml: String, words: String
    ) {
        #expect(throws: HomeFileError(words)) { try HomeFile(yaml: yaml, path: "h.yaml") }
    }

    /// A property that is added to the model and not to the keys would be refused in every home file.
    @Test func `the known keys are those of the model`() throws {
        let lightState = HomeFile.LightState(
            on: true, brightness: 1, mirek: 200, xy: [0, 0], gradient: [[0, 0], [1, 1]], effect: "fire")
        let whole = HomeFile(
            bridge: HomeFile.Bridge(name: "B", model: .square),
            rooms: [
                HomeFile.Room(
                    name: "R", archetype: "office",
                    lights: [HomeFile.Light(name: "L", kind: .gradient, on: true, brightness: 1, mirek: 200)],
                    accessories: [HomeFile.Accessory(name: "A", kind: .dial)])
            ],
            zones: [HomeFile.Zone(name: "Z", archetype: "home", lights: ["L"])],
            scenes: [
                HomeFile.Scene(name: "S", group: "R", lights: ["L": lightState], dynamic: true, palette: [[0, 0]])
            ],
            areas: [HomeFile.Area(name: "F", kind: "screen", lights: ["L"])],
            motionAreas: [HomeFile.MotionArea(name: "M", room: "R")])
        let encoded = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(whole))
        #expect(Self.keys(of: encoded, like: .all) == .all)
        let yaml = String(decoding: try JSONEncoder().encode(whole), as: UTF8.self)
        #expect(try HomeFile(yaml: yaml, path: "h.yaml") == whole)
    }

    private static func keys(of value: JSONValue, like keys: HomeFileKeys) -> HomeFileKeys {
        switch (keys, value) {
        case let (.list(of: inner), .array(values)):
            .list(of: values.first.map { Self.keys(of: $0, like: inner) } ?? .value)
        case let (.names(inner), .object(members)):
            .names(members.values.first.map { Self.keys(of: $0, like: inner) } ?? .value)
        case let (.keys(known), .object(members)):
            .keys(
                Dictionary(
                    uniqueKeysWithValues: members.map { ($0, Self.keys(of: $1, like: known[$0] ?? .value)) }))
        default: .value
        }
    }

    @Test(arguments: [
        ("rooms: 5", "rooms"), ("rooms: [{name: A, lights: [{name: X, kind: candle}]}]", "rooms.[0].lights.[0].kind"),
        ("[]", "the file"), ("", "the file"),
        ("rooms: [{name: A, lights: [{name: X, kind: plug, on: perhaps}]}]", "rooms.[0].lights.[0].on"),
        ("rooms: [}", "h.yaml, line 1: "), ("rooms: []\nrooms: []", "duplicate keys: rooms"),
        ("rooms:\n\t- x", "h.yaml, line 2: "),
    ])
    func `a malformed home file is refused with the place of the error, in one line`(yaml: String, place: String) {
        do {
            _ = try HomeFile(yaml: yaml, path: "h.yaml")
            Issue.record("accepted")
        } catch {
            #expect(error.description.hasPrefix("h.yaml") && error.description.contains(place), "\(error)")
            #expect(!error.description.contains("\n"), "\(error)")
        }
    }
}
