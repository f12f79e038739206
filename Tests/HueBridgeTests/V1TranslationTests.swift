import Curl
import Foundation
import HueWire
import Khipu
import Lighting
import TestSupport
import Testing

@testable import HueBridge
@testable import SimulatedBridge

/// API v1 translated to API v2, and back.
struct V1TranslationTests {
    private static let bridge = Bridge.ID("00212effff010203")
    private static let time = Timestamp(milliseconds: 1000)

    private func map(_ text: String) throws -> HomeResources {
        var map = HomeResources(bridge: Self.bridge)
        map.load(try JSONDecoder().decode(V1Home.self, from: Data(text.utf8)).resources, at: Self.time)
        return map
    }

    private static let deconz = """
        {"lights":{
          "1":{"name":"Configuration tool 1","state":{"reachable":true},"type":"Configuration tool"},
          "2":{"ctmax":454,"ctmin":250,"name":"Hall","state":{"bri":255,"ct":260,"on":true,"reachable":false,
               "colormode":"ct"},"type":"Color temperature light"}},
         "groups":{"1":{"name":"Hall","lights":["1","2"],"type":"LightGroup","hidden":false,
                        "scenes":[{"id":"1","name":"Dusk"}]},
                   "2":{"name":"Attic","lights":[],"type":"LightGroup","scenes":[{"id":"1","name":"Dawn"}]},
                   "9":{"name":"Switch","lights":["2"],"type":"LightGroup","hidden":true},
                   "10":{"name":"TV","lights":["2"],"type":"Entertainment"}}}
        """

    private static let sensors = """
        {"lights":{},
         "groups":{"1":{"name":"Hall","lights":[],"sensors":["7"],"type":"Room"}},
         "sensors":{
          "1":{"type":"Daylight","name":"Daylight","state":{"daylight":true,"lastupdated":"2026-01-31T10:00:00"}},
          "2":{"type":"CLIPGenericStatus","name":"Flag","state":{"status":1,"lastupdated":"2026-01-31T10:00:00"}},
          "7":{"type":"ZLLTemperature","name":"Hue temperature sensor 1","uniqueid":"00:17:88:01:02:aa:bb:cc-02-0402",
               "state":{"temperature":2055,"lastupdated":"2026-01-31T10:00:01"},"config":{"battery":75,"reachable":true}},
          "8":{"type":"ZLLPresence","name":"Stairs","uniqueid":"00:17:88:01:02:aa:bb:cc-02-0406","modelid":"SML001",
               "state":{"presence":true,"lastupdated":"2026-01-31T10:00:02"},"config":{"on":false,"reachable":false}},
          "9":{"type":"ZLLLightLevel","name":"Hue light sensor 1","uniqueid":"00:17:88:01:02:aa:bb:cc-02-0400",
               "state":{"lightlevel":null,"lastupdated":"none"},"config":{}},
          "11":{"type":"ZGPSwitch","name":"Tap","uniqueid":"00:00:00:00:00:41:e5:a5-f2",
                "state":{"buttonevent":16,"lastupdated":"2026-01-31T10:00:03"},"config":{"on":true}},
          "12":{"type":"ZHAOpenClose","name":"Door","uniqueid":"00:15:8d:00:02:aa-01-0006",
                "state":{"open":true,"lastupdated":"2026-01-31T10:00:04.123"},"config":{"battery":200}},
          "13":{"type":"ZHASwitch","name":"Remote","state":{"buttonevent":99999999999999,"lastupdated":"2026-01-31T10:00:05"}},
          "14":{"type":"ZLLSwitch","state":7,"config":"x","uniqueid":9}}}
        """

    @Test func `the sensors of one device are one, and what clients keep on the bridge is none`() throws {
        guard case let .home(_, _, rooms, _, sensors) = try map(Self.sensors).everything(at: Self.time) else {
            Issue.record("no home")
            return
        }
        // 31 January 2026 is long after the time of this test: no reading is of the future.
        func reading<Value>(_ value: Value) -> Sensor.Reading<Value> { Sensor.Reading(value, at: Self.time) }
        let stairs = try #require(sensors.first { $0.name == "Stairs" })
        #expect(sensors.map(\.name) == ["Stairs", "Tap", "Door", "Remote", "Sensor"])
        #expect(stairs.id.resource == "sensors/7" && stairs.room == rooms.first?.id && stairs.product == "SML001")
        #expect(stairs.abilities == [.motion, .lightLevel, .temperature, .battery])
        // Its motion is disabled: what it saw last is not known to be so.
        #expect(stairs.motion == nil && stairs.lightLevel == nil && stairs.temperature == reading(20.55))
        #expect(stairs.battery == reading(0.75) && !stairs.isEnabled)
        let (tap, door, remote) = (sensors[1], sensors[2], sensors[3])
        #expect(tap.buttons.map(\.last) == [nil, reading(.pressed), nil, nil] && tap.abilities == [])
        #expect(door.contact == reading(.open) && door.battery == reading(1))
        #expect(remote.buttons.count == 4 && remote.buttons.allSatisfy { $0.last == nil })
    }

    @Test func `lights that are put into a room leave its sensors there`() throws {
        let home = try map(Self.sensors)
        let members = try #require(home.groups["1"]?.children) + [ResourceReference("3", .device)]
        let arranging = Operation.arrange(.room, "1", members: members)
        #expect(try Dialect.v1.body(of: arranging) == Array(#"{"lights":["3"]}"#.utf8))
    }

    @Test func `a deCONZ home has its lights, its groups as zones, and each group's scenes`() throws {
        guard case let .home(_, lights, rooms, scenes, _) = try map(Self.deconz).everything(at: Self.time) else {
            Issue.record("no home")
            return
        }
        #expect(lights.map(\.name) == ["Hall"])
        #expect(lights.first?.brightness == 1)
        #expect(lights.first?.temperature == 260.mirek)
        #expect(lights.first?.limits.temperature == 250.mirek...454.mirek)
        #expect(lights.first?.freshness == .unreachable(since: Self.time))
        #expect(rooms.map(\.name) == ["Hall", "Attic"])
        #expect(rooms.allSatisfy { $0.kind == .zone })
        #expect(rooms.first?.lights == lights.map(\.id))
        #expect(Set(scenes.map(\.name)) == ["Dusk", "Dawn"])
        let dusk = try #require(scenes.first { $0.name == "Dusk" })
        #expect(dusk.room == rooms.first?.id && dusk.lights == lights.map(\.id))
        // deCONZ recalls a scene by its group; a Hue bridge any scene by group 0.
        let recall = Operation.recall(dusk.id.resourceID, milliseconds: 500)
        #expect(Dialect.v1.path(of: recall, key: Secret("k")) == "/api/k/groups/1/scenes/1/recall")
        #expect(try Dialect.v1.body(of: recall) == Array("{}".utf8))
        let create = Operation.createScene(
            name: "Late", group: ResourceReference("1", .zone), actions: [], inGroup: true)
        #expect(Dialect.v1.path(of: create, key: Secret("k")) == "/api/k/groups/1/scenes")
        #expect(try Dialect.v1.body(of: create) == Array(#"{"name":"Late"}"#.utf8))
        let created = HTTPResponse(200, #"[{"success":{"id":"3"}}]"#)
        #expect(Dialect.v1.created(by: create, created) == "1/3")
        let hue = Operation.recall("ab34EF-gh", milliseconds: nil)
        #expect(Dialect.v1.path(of: hue, key: Secret("k")) == "/api/k/groups/0/action")
        #expect(try Dialect.v1.body(of: hue) == Array(#"{"scene":"ab34EF-gh"}"#.utf8))
        // Everywhere else the id is opaque.
        #expect(Lighting.Scene.ID(dusk.id.description) == dusk.id)
    }

    @Test func `levels, times and whites are written within the limits of API v1`() {
        for percent in stride(from: -5.0, through: 105, by: 0.25) {
            let update = V1Update(LightUpdate(brightness: percent))
            let bri = update.bri ?? 0
            #expect((1...254).contains(bri))
            #expect(abs(Level.percent(bri: bri) - min(max(percent, 0), 100)) <= 0.203)
        }
        for (milliseconds, tenths) in [
            (0, 0), (49, 0), (50, 1), (400, 4), (6_000_000, 60_000), (-7, 0), (Int.max, 65535),
        ] {
            #expect(V1Update(LightUpdate(milliseconds: milliseconds)).transitiontime == tenths)
        }
        for (mirek, whites, ct) in [
            (100, nil, 153), (600, nil, 500), (300, nil, 300), (100, 50...1000, 100), (480, 153...454, 454),
        ] as [(Int, ClosedRange<Int>?, Int)] {
            #expect(V1Update(LightUpdate(color: .mirek(mirek)), whites: whites).ct == ct)
        }
        #expect(V1Update(LightUpdate()) == V1Update())
        #expect(V1Update(LightUpdate(on: false)) == V1Update(on: false))
    }

    // MARK: - A home that is polled

    /// A home followed by polling and the same home read again must be the same, whatever happened in between.
    @Test(arguments: seeds(2 as UInt64), [BridgeModel.round, .deconz])
    func `a home followed by polling equals the home read again`(seed: UInt64, model: BridgeModel) throws {
        var random = SplitMix(seed: seed)
        var fixture = DialectFixture(.v1, model, .villa)
        var mirror = try mirror(of: fixture)
        var picture = lights(mirror.resources.everything(at: Self.time))
        for round in 1...60 {
            let lamp = fixture.home.lamps[Int(random.next() % UInt64(fixture.home.lamps.count))]
            let change = change(of: lamp, &random)
            fixture.context.home = fixture.home.alter(by: .updating(.lamp(lamp.id, by: [change])))
            let now = Duration.seconds(60 * round)
            let answer = try heard(fixture)
            let (effects, _) = mirror.refresh(answer, askedAt: now, at: Self.time, now)
            let updates = effects.updates
            #expect(effects.reads.isEmpty && !mirror.resources.hasOtherLights(than: answer))
            for one in updates {
                switch one {
                case let .light(id, report):
                    picture[id] = picture[id]?.alter(by: .reporting(.it(report, at: Self.time)))
                case let .renamed(.light(id), to: name): picture[id] = picture[id]?.alter(by: .renaming(.it(to: name)))
                default: Issue.record("\(one)")
                }
            }
            // Only that lamp is reported.
            #expect(updates.count <= 2)
            for (id, light) in lights(try fixture.map.everything(at: Self.time)) {
                #expect(picture[id]?.name == light.name)
                #expect(picture[id]?.values.agrees(with: light.values) == true, "\(change)")
                #expect(picture[id]?.freshness == light.freshness, "\(change)")
            }
            // A change is reported once.
            let again = mirror.refresh(answer, askedAt: now + .seconds(1), at: Self.time, now + .seconds(1))
            #expect(again.0.updates.isEmpty && !again.isNew)
        }
    }

    private func mirror(of fixture: DialectFixture) throws -> HomeMirror {
        guard case let .resources(everything, _) = fixture.ask(.everything) else { throw DialectFixture.NoHome() }
        var mirror = HomeMirror(try fixture.map.bridge, OfflineCommands.Policy())
        _ = mirror.load(everything, at: Self.time)
        return mirror
    }

    private func heard(_ fixture: DialectFixture) throws -> [Resource] {
        guard case let .resources(all, _) = fixture.ask(.lights) else { throw DialectFixture.NoHome() }
        return all
    }

    private func lights(_ updates: BridgeUpdate) -> [Lighting.Light.ID: Lighting.Light] {
        guard case let .home(_, lights, _, _, _) = updates else { return [:] }
        return Dictionary(uniqueKeysWithValues: lights.map { ($0.id, $0) })
    }

    private func change(of lamp: Lamp, _ random: inout SplitMix) -> Lamp.Change {
        func unit() -> Double { Double(random.next() % 1001) / 1000 }
        switch random.next() % 7 {
        case 6 where lamp.kind.gamut != nil:
            return .setting(.effect(to: random.next() % 2 == 0 ? .running("colorloop") : .none))
        case 0: return .turning(.it(on: !lamp.isOn))
        case 1 where lamp.kind.dims: return .setting(.level(to: Int(random.next() % 254) + 1))
        case 2 where lamp.kind.gamut != nil:
            return .setting(
                .tint(to: .color((lamp.kind.gamut?.triangle ?? .c).held(XY(x: unit(), y: unit())))))
        case 3 where lamp.kind.whites != nil: return .setting(.tint(to: .white(mirek: 200 + Int(random.next() % 200))))
        case 4: return lamp.hasMains ? .cutting(.mains) : .powering(.up)
        default: return .renaming(.it(to: "Lamp \(random.next() % 100)"))
        }
    }

    @Test func `a light that was added or removed is noticed`() throws {
        let fixture = DialectFixture(.v1, .round)
        let map = try fixture.map
        let all = try heard(fixture)
        #expect(!map.hasOtherLights(than: all))
        let fewer = all.filter { if case let .light(light) = $0 { light.id != "1" } else { true } }
        #expect(map.hasOtherLights(than: fewer))
        var smaller = try mirror(of: fixture)
        _ = smaller.load(fewer, at: Self.time)
        let (effects, isNew) = smaller.refresh(all, askedAt: .seconds(1), at: Self.time, .seconds(1))
        #expect(isNew && effects.updates.isEmpty && smaller.resources.hasOtherLights(than: all))
    }
}
