import Foundation
import HueWire
import Testing

@testable import SimulatedBridge

@Suite struct DocumentsTests {
    static let files: [HomeFile] = [.flat, HomeFixture.built, HomeFixture.showroom]

    private static let foreign: Set = [
        "zigbee_device_discovery", "entertainment", "geolocation", "homekit", "clip",
        "behavior_script", "button", "motion", "light_level", "temperature", "contact", "tamper", "relative_rotary",
        "device_power", "entertainment_configuration",
    ]

    @Test(arguments: files) func `our client decodes every resource with all its features`(file: HomeFile)
        throws
    {
        let documents = SimulatedHome(file, seed: 1).documents
        for document in documents {
            let bytes = try JSONEncoder().encode(document)
            let resource = try JSONDecoder().decode(Resource.self, from: bytes)
            // Types that only other clients use.
            if case let .unknown(type, _) = resource, !Self.foreign.contains(type.rawValue) {
                Issue.record("\(type) is not decoded")
            }
            if case let .light(light) = resource {
                #expect((light.dimming != nil) == (document["dimming"] != nil))
                #expect((light.colorTemperature?.mirekSchema != nil) == (document["color_temperature"] != nil))
                #expect((light.color?.gamut != nil) == (document["color"] != nil))
                #expect(light.owner != nil && light.on != nil && light.mode == "normal" && light.metadata?.name != nil)
            }
        }
    }

    @Test(arguments: files) func `every reference names a resource of its type`(file: HomeFile) {
        let documents = SimulatedHome(file, seed: 1).documents
        let types = Dictionary(documents.map { ($0["id"], $0["type"]) }) { first, _ in first }
        #expect(types.count == documents.count, "two documents with one id")
        // Candidates are referred to, and no resources.
        for reference in documents.flatMap(\.references) where reference["rtype"] != "motion_area_candidate" {
            #expect(types[reference["rid"]] == reference["rtype"], "\(reference)")
        }
    }

    @Test(arguments: files) func `the same seed gives the same home, and another seed other ids`(file: HomeFile) {
        #expect(SimulatedHome(file, seed: 3) == SimulatedHome(file, seed: 3))
        #expect(SimulatedHome(file, seed: 3).documents == SimulatedHome(file, seed: 3).documents)
        let ids = [3, 4].map { Set(SimulatedHome(file, seed: $0).lamps.map(\.id)) }
        #expect(ids[0].isDisjoint(with: ids[1]))
    }

    @Test(arguments: files) func `lamps and groups are numbered in order, and ids of API v1 are well formed`(
        file: HomeFile
    ) {
        let home = SimulatedHome(file, seed: 1)
        #expect(home.lamps.map(\.number) == Array(1...home.lamps.count))
        #expect(home.groups.map(\.number) == Array(1..<home.groups.count) + [0])
        let shape = /(\/[a-z]{4,32}\/[0-9a-zA-Z-]{1,32})?/
        for document in home.documents { #expect((document["id_v1"]?.string ?? "").wholeMatch(of: shape) != nil) }
    }

    @Test(arguments: LampKind.allCases) func `a feature that a lamp lacks is absent`(kind: LampKind) throws {
        let file = HomeFile(rooms: [HomeFile.Room(name: "R", lights: [HomeFile.Light(name: "L", kind: kind)])])
        let documents = SimulatedHome(file, seed: 1).documents
        let light = try #require(documents.first { $0["type"] == "light" })
        let group = try #require(documents.first { $0["type"] == "grouped_light" })
        let colored: Set<LampKind> = [.color, .original, .gradient, .wide]
        let has = (
            dimming: kind != .plug, white: colored.union([.ambiance]).contains(kind),
            color: colored.union([.bloom]).contains(kind)
        )
        for document in [light, group] {
            #expect((document["dimming"] != nil) == has.dimming)
            #expect((document["color_temperature"] != nil) == has.white)
            #expect((document["color"] != nil) == has.color)
        }
    }

    @Test func `a group is on if any lamp is on, and its level is the mean of the lamps that are on`() throws {
        let home = SimulatedHome(.flat, seed: 1)
        let (stove, counter) = (try #require(home.lamp(called: "Stove")), try #require(home.lamp(called: "Counter")))
        func kitchen(_ changes: SimulatedHome.Change...) throws -> (on: Bool?, level: Double?) {
            let home = home.alter(by: changes)
            let group = try #require(home.groups.first { $0.name == "Kitchen" })
            let document = try #require(home.documents.first { $0["id"] == .id(group.groupedLight) })
            return (document["on"]?["on"]?.bool, document["dimming"]?["brightness"]?.double)
        }
        let one = try kitchen()
        #expect(one == (true, stove.percent))
        let both = try kitchen(.updating(.lamp(counter.id, by: [.turning(.it(on: true)), .setting(.level(to: 1))])))
        #expect(both == (true, stove.percent / 2))
        let none = try kitchen(.updating(.lamp(stove.id, by: [.turning(.it(on: false))])))
        #expect(none == (false, 0))
    }

    @Test func `an empty room has no grouped light`() throws {
        let file = HomeFile(rooms: [
            HomeFile.Room(name: "Empty", lights: []),
            HomeFile.Room(name: "Full", lights: [HomeFile.Light(name: "L", kind: .plug)]),
        ])
        let documents = SimulatedHome(file, seed: 1).documents
        let empty = try #require(documents.first { $0["metadata"]?["name"] == "Empty" })
        #expect(empty["services"] == [] && empty["children"] == [])
        // Those of the full room and of the home.
        #expect(documents.filter { $0["type"] == "grouped_light" }.count == 2)
    }

    @Test func `a lamp that shows a colour has no mirek, and one that shows a white has mirek and xy`() throws {
        func light(_ tint: Lamp.Tint) throws -> JSONValue {
            let home = SimulatedHome(.flat, seed: 1)
            let desk = try #require(home.lamp(called: "Desk"))
            let altered = home.alter(by: .updating(.lamp(desk.id, by: [.setting(.tint(to: tint))])))
            return try #require(altered.documents.first { $0["id"] == .id(desk.id) })
        }
        let colored = try light(.color(XY(x: 0.3, y: 0.4)))
        #expect(colored["color_temperature"]?["mirek"] == .null)
        #expect(colored["color_temperature"]?["mirek_valid"] == false)
        #expect(colored["color"]?["xy"] == .point(XY(x: 0.3, y: 0.4)))
        let white = try light(.white(mirek: 366))
        #expect(white["color_temperature"]?["mirek"] == 366)
        #expect(white["color_temperature"]?["mirek_valid"] == true)
        #expect(white["color"]?["xy"] == .point(Whites.xy(mirek: 366).rounded))
    }

    @Test func `a lamp of a home file is limited to what its kind can show`() {
        let lights = [
            HomeFile.Light(name: "A", kind: .ambiance, mirek: 1000), HomeFile.Light(name: "B", kind: .color, mirek: 50),
            HomeFile.Light(name: "C", kind: .dimmable, brightness: 0, mirek: 300),
        ]
        let home = SimulatedHome(HomeFile(rooms: [HomeFile.Room(name: "R", lights: lights)]), seed: 1)
        #expect(home.lamps.map(\.tint) == [.white(mirek: 454), .white(mirek: 153), .none])
        #expect(home.lamps.map(\.level) == [254, 254, 1])
    }
}
