import Curl
import Foundation
import HueWire
import Khipu
import Lighting
import TestSupport
import Testing

@testable import HueBridge
@testable import SimulatedBridge

/// Both APIs read the same home and carry out the same commands.
struct DialectTests {
    private static let time = Timestamp(milliseconds: 1000)

    private typealias Home = (lights: [Lighting.Light], rooms: [Room], scenes: [Lighting.Scene])

    private func home(_ map: HomeResources) -> Home {
        if case let .home(_, lights, rooms, scenes, _) = map.everything(at: Self.time) {
            (lights, rooms, scenes)
        } else {
            ([], [], [])
        }
    }

    private func expectSame(_ first: Home, _ second: Home, _ why: String = "") {
        let names = [Lighting.Light.ID: String](
            uniqueKeysWithValues: (first.lights + second.lights).map { ($0.id, $0.name) })
        func named(_ ids: [Lighting.Light.ID]) -> Set<String> { Set(ids.compactMap { names[$0] }) }
        #expect(Set(first.lights.map(\.name)) == Set(second.lights.map(\.name)), "\(why)")
        for light in first.lights {
            guard let other = second.lights.first(where: { $0.name == light.name }) else { continue }
            #expect(light.values.agrees(with: other.values), "\(why): \(light.name): \(light.values), \(other.values)")
            #expect(light.modes == other.modes, "\(light.name)")
            #expect(light.limits.temperature == other.limits.temperature, "\(light.name)")
            #expect(light.limits.gamut == other.limits.gamut, "\(light.name)")
            #expect(light.limits.dims == other.limits.dims, "\(light.name)")
            #expect(light.freshness == other.freshness, "\(light.name)")
        }
        #expect(Set(first.rooms.map(\.name)) == Set(second.rooms.map(\.name)))
        for room in first.rooms {
            let other = second.rooms.first { $0.name == room.name }
            #expect(room.kind == other?.kind)
            #expect(named(room.lights) == named(other?.lights ?? []), "\(room.name)")
        }
        #expect(Set(first.scenes.map(\.name)) == Set(second.scenes.map(\.name)))
        for scene in first.scenes {
            let other = second.scenes.first { $0.name == scene.name }
            #expect(named(scene.lights) == named(other?.lights ?? []), "\(scene.name)")
            #expect(
                first.rooms.first { $0.id == scene.room }?.name
                    == second.rooms.first { $0.id == other?.room }?.name, "\(scene.name)")
        }
    }

    @Test(arguments: [HomeFile.flat, .villa]) func `a home read by API v1 is the home read by API v2`(file: HomeFile)
        throws
    {
        let second = DialectFixture(.v2, .square, file)
        let first = DialectFixture(.v1, second.home)
        expectSame(home(try first.map), home(try second.map))
        #expect(try first.map.bridgeName == "Flat")
        #expect(try first.map.wholeHome?.groupedLight == "0")
        #expect(try first.map.wholeHome?.members.count == second.home.lamps.count)
    }

    @Test(arguments: seeds(3 as UInt64))
    func `the same commands in either API leave the same home`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var first = DialectFixture(.v1, .square, .villa)
        var second = DialectFixture(.v2, .square, .villa)
        let (numbers, uuids) = (try first.map, try second.map)
        for _ in 0..<60 {
            let lamp = first.home.lamps[Int(random.next() % UInt64(first.home.lamps.count))]
            let update = order(for: lamp.kind, &random)
            let operations: (HueBridge.Operation, HueBridge.Operation)
            switch random.next() % 6 {
            case 0:
                let group = ["Hall", "Down"][Int(random.next() % 2)]
                operations = (
                    .group(try #require(group.grouped(in: numbers)), update),
                    .group(try #require(group.grouped(in: uuids)), update)
                )
            case 1:
                operations = (
                    .group(try #require(numbers.wholeHome?.groupedLight), update),
                    .group(try #require(uuids.wholeHome?.groupedLight), update)
                )
            case 2:
                let scene = try #require(first.home.scenes.first)
                operations = (.recall(ResourceID(scene.v1), milliseconds: nil), .recall(scene.id, milliseconds: nil))
            default:
                let number = ResourceID("\(lamp.number)")
                operations = (
                    .light(number, update, whites: lamp.kind.whites?.range),
                    .light(lamp.id, update, whites: lamp.kind.whites?.range)
                )
            }
            // A lamp that is off gets only commands that turn it on: in other commands to it the APIs differ.
            let deliveries = (try first.put(operations.0), try second.put(operations.1))
            #expect(deliveries.0 == .done && deliveries.1 == .done, "\(operations): \(deliveries)")
            expectSame(home(try first.map), home(try second.map), "\(operations.0)")
        }
    }

    /// A random command with any values that a lamp of this kind supports.
    private func order(for kind: LampKind, _ random: inout SplitMix) -> LightUpdate {
        func chance(_ count: UInt64) -> Int { Int(random.next() % count) }
        if chance(4) == 0 { return LightUpdate(on: false, milliseconds: chance(2) == 0 ? nil : chance(5000)) }
        var color: LightUpdate.Color?
        switch chance(3) {
        case 0:
            guard let whites = kind.whites?.range else { break }
            let held = max(whites.lowerBound, 153)...min(whites.upperBound, 454)
            color = .mirek(held.lowerBound + chance(UInt64(held.count)))
        case 1 where kind.gamut != nil:
            // A point inside every gamut, so that no lamp limits it.
            color = .xy(XY(x: 0.35 + Double(chance(100)) / 1000, y: 0.33 + Double(chance(80)) / 1000).rounded)
        default: break
        }
        return LightUpdate(
            on: true, brightness: kind.dims && chance(2) == 0 ? Double(chance(10_001)) / 100 : nil, color: color,
            milliseconds: chance(2) == 0 ? chance(60) * 100 : nil)
    }

    @Test func `names can be changed in either API`() throws {
        for dialect in [Dialect.v1, .v2] {
            var fixture = DialectFixture(dialect)
            let map = try fixture.map
            let desk = try #require(map.lights.values.first { $0.name == "Desk" })
            #expect(try fixture.put(.rename(.device, try #require(desk.device), to: "Table")) == .done)
            let room = try #require(home(map).rooms.first { $0.name == "Kitchen" })
            #expect(try fixture.put(.rename(.room, room.id.resourceID, to: "Galley")) == .done)
            let zone = try #require(home(map).rooms.first { $0.kind == .zone })
            #expect(try fixture.put(.rename(.zone, zone.id.resourceID, to: "Below")) == .done)
            let after = home(try fixture.map)
            #expect(after.lights.contains { $0.name == "Table" } && !after.lights.contains { $0.name == "Desk" })
            #expect(Set(after.rooms.map(\.name)) == ["Galley", "Living", "Below"])
        }
    }

    @Test(arguments: [Dialect.v1, .v2], [Lighting.Powerup.safety, .powerfail, .lastOnState])
    func `a light's power-on behaviour is set and read in either API`(
        dialect: Dialect, preset: Lighting.Powerup
    ) throws {
        var fixture = DialectFixture(dialect)
        let desk = try #require(try fixture.map.lights.values.first { $0.name == "Desk" })
        #expect(try fixture.put(.configure(desk.id, LightUpdate(.powerup(preset)))) == .done)
        #expect(try fixture.map.lights[desk.id]?.configuration.powerup == preset)
        #expect(fixture.home.lamp(called: "Desk")?.powerup.preset.rawValue == preset.rawValue)
    }

    @Test(arguments: [Dialect.v1, .v2]) func `a light reads the same alone and among all lights`(dialect: Dialect)
        throws
    {
        let fixture = DialectFixture(dialect, .square, .villa)
        guard case let .resources(all, _) = fixture.ask(.lights) else {
            Issue.record("no lights")
            return
        }
        let lights = all.compactMap { if case let .light(light) = $0 { light } else { nil } }
        #expect(lights.count == fixture.home.lamps.count)
        for light in lights {
            guard case let .resources(one, _) = fixture.ask(.light(light.id)) else {
                Issue.record("no light \(light.id)")
                continue
            }
            #expect(one.contains(.light(light)))
        }
    }

    // MARK: - Refusals

    @Test(arguments: [BridgeModel.round, .square, .deconz])
    func `API v1 recognises a refused key and a missing light on every model`(model: BridgeModel)
        throws
    {
        var fixture = DialectFixture(.v1, model)
        let operation = HueBridge.Operation.light("1", LightUpdate(on: true))
        #expect(try fixture.put(operation, as: Secret("stranger")) == .keyRefused)
        #expect(fixture.ask(.everything, as: Secret("stranger")) == .keyRefused)
        #expect(fixture.ask(.lights, as: Secret("stranger")) == .keyRefused)
        #expect(fixture.ask(.light("99")) == .gone)
        #expect(
            try fixture.put(.light("99", LightUpdate(on: true)))
                == .refused("resource, /lights/99/state, not available"))
        #expect(try fixture.put(operation) == .done)
    }

    @Test(arguments: [BridgeModel.round, .deconz])
    func `a value that a lamp lacks is doubted, or refused if the command has no other`(
        model: BridgeModel
    ) throws {
        var fixture = DialectFixture(.v1, model)
        let fan = try #require(fixture.home.lamp(called: "Fan"))
        let number = ResourceID("\(fan.number)")
        #expect(
            try fixture.put(.light(number, LightUpdate(on: true, color: .mirek(300))))
                == .doubted("parameter, ct, not available"))
        #expect(fixture.home.lamp(called: "Fan")?.isOn == true)
        #expect(
            try fixture.put(.light(number, LightUpdate(color: .mirek(300), milliseconds: 400)))
                == .refused("parameter, ct, not available"))
    }

    @Test(arguments: [BridgeModel.round, .deconz]) func `a level for a lamp that is off is doubted`(model: BridgeModel)
        throws
    {
        var fixture = DialectFixture(.v1, model)
        let counter = try #require(fixture.home.lamp(called: "Counter"))
        #expect(!counter.isOn)
        let delivery = try fixture.put(.light(ResourceID("\(counter.number)"), LightUpdate(brightness: 50)))
        #expect(delivery == .doubted("parameter, bri, is not modifiable. Device is set to off."))
    }

    @Test(arguments: [
        (200, #"[{"error":{"type":901,"address":"/lights/1/state","description":"Internal error, 503"}}]"#),
        (503, #"[{"error":{"type":901,"address":"/lights/1/state","description":"Internal error, 503"}}]"#),
        (
            200,
            #"[{"success":{"/lights/1/state/on":true}},{"error":{"type":901,"address":"","description":"Internal error, 503"}}]"#
        ),
        (503, "<html>"), (429, "<html>"), (500, ""), (502, "[]"),
    ])
    func `API v1 recognises a busy bridge`(status: Int, body: String) {
        let response = HTTPResponse(status, body)
        switch Dialect.v1.delivery(of: .light("1", LightUpdate(on: true)), response) {
        case .busy: #expect(status != 500)
        case .faulty: #expect(status == 500)
        default: Issue.record("\(status) \(body) is not busy")
        }
        guard case .busy = Dialect.v1.reading(.lights, response) else {
            Issue.record("\(status) \(body) is not busy")
            return
        }
    }

    @Test(arguments: [
        (200, "<html>", Delivery.unknown), (200, "[]", .refused("its answer cannot be read")), (200, "{}", .unknown),
        (301, "<html>", .refused("HTTP 301")), (403, "<html>", .keyRefused), (404, "", .refused("HTTP 404")),
        (200, #"[{"error":"no"}]"#, .refused("an error without words")),
        (200, #"[{"error":{"type":5}}]"#, .refused("")),
        (
            400,
            #"[{"error":{"type":7,"address":"/lights/1/state/bri","description":"invalid value, 300, for parameter, bri"}}]"#,
            .refused("invalid value, 300, for parameter, bri")
        ),
        (
            200,
            #"[{"success":{"/lights/1/state/on":true}},{"error":{"type":951,"address":"/lights/1","description":"not reachable"}}]"#,
            .doubted("not reachable")
        ),
        (200, #"[{"success":"Updated."}]"#, .done),
    ])
    func `the delivery of a command by API v1 depends on status and body together`(
        status: Int, body: String, delivery: Delivery
    ) {
        #expect(Dialect.v1.delivery(of: .light("1", LightUpdate(on: true)), HTTPResponse(status, body)) == delivery)
    }

    @Test(arguments: [
        (200, #"{"errors":[],"data":[{"rid":"1","rtype":"light"}]}"#, Delivery.done),
        (
            207,
            #"{"errors":[{"description":"d","error_code":"communication_error"}],"data":[{"rid":"1","rtype":"light"}]}"#,
            .doubted("d")
        ),
        (400, #"{"errors":[{"description":"d"}],"data":[]}"#, .refused("d")),
        (
            404, #"{"errors":[{"description":"Not Found"}],"data":[]}"#,
            .refused(BridgeWords("it has no 1", raw: "Not Found"))
        ),
        (403, "<html>", .keyRefused), (401, "", .keyRefused), (429, "<html>", .busy("HTTP 429, overloaded")),
        (503, "", .busy("HTTP 503, overloaded")), (200, "<html>", .unknown), (418, "<html>", .refused("HTTP 418")),
        (200, #"{"errors":["no"],"data":[]}"#, .refused("no")),
    ])
    func `the delivery of a command by API v2 depends on the status first`(
        status: Int, body: String, delivery: Delivery
    ) {
        #expect(Dialect.v2.delivery(of: .light("1", LightUpdate(on: true)), HTTPResponse(status, body)) == delivery)
    }

    @Test(arguments: [
        (200, "<html>", Reading.unreadable("its answer cannot be read")), (200, "{}", .resources([], unreadable: [])),
        (404, "", .gone), (403, "", .keyRefused), (418, "", .unreadable("HTTP 418")),
        (200, #"[{"error":{"type":7,"description":"odd"}}]"#, .unreadable("odd")),
    ])
    func `an answer that is not a list of lights does not count as an empty home`(
        status: Int, body: String, reading: Reading
    ) {
        #expect(Dialect.v1.reading(.lights, HTTPResponse(status, body)) == reading)
        // A home always has a list of lights, even if it is empty.
        if body == "{}" { #expect(Dialect.v1.reading(.everything, HTTPResponse(200, body)) != reading) }
    }

    // MARK: - Paths

    @Test func `a key of any characters is one part of a path`() {
        #expect(Dialect.v1.path(of: .lights, key: Secret("a b/ü?#")) == "/api/a%20b%2F%C3%BC%3F%23/lights")
        #expect(Dialect.v1.path(of: .everything, key: Secret("Key-1")) == "/api/Key-1")
        #expect(Dialect.keyPath(Secret("Key-1")) == "/api/Key-1/config/whitelist/Key-1")
        // API v2 has no key in its paths.
        #expect(Dialect.v2.path(of: .everything, key: Secret("Key-1")) == "/clip/v2/resource")
    }
}

extension String {
    /// The grouped light of the room or zone of that name.
    fileprivate func grouped(in map: HomeResources) -> ResourceID? {
        guard case let .home(_, _, rooms, _, _) = map.everything(at: Timestamp(milliseconds: 0)) else { return nil }
        let room = rooms.first { $0.name == self }?.lights.map(\.resourceID)
        return room.flatMap { lights in map.layout.first { $0.members == lights }?.groupedLight }
    }
}

extension HomeResources {
    /// The grouped light of the whole home.
    fileprivate var wholeHome: CommandScheduler.Group? { layout.first { Set($0.members) == Set(lights.keys) } }
}
