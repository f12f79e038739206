import ControlProtocol
import Foundation
import HueWire
import Khipu
import Lighting
import ServerSentEvents
import TestSupport
import Testing

@testable import ControlSurface
@testable import HueBridge
@testable import SimulatedBridge

struct HomeResourcesTests {
    private static let bridge = Bridge.ID("ecb5fafffe010203")
    private static let time = Timestamp(milliseconds: 1000)

    private func resources(_ home: SimulatedHome) throws -> [Resource] {
        try home.documents.map { try JSONDecoder().decode(Resource.self, from: JSONEncoder().encode($0)) }
    }

    private func map(_ home: SimulatedHome) throws -> HomeResources {
        var map = HomeResources(bridge: Self.bridge)
        map.load(try resources(home), at: Self.time)
        return map
    }

    @Test func `four decimals of a point leave a colour what it is`() {
        for (hue, saturation) in (0..<72).flatMap({ hue in [0.05, 0.2, 0.5, 0.9, 1].map { (Double(hue) / 72, $0) } }) {
            let point = HueSaturation(HueSaturation(hue: hue, saturation: saturation).xy.rounded)
            let asked = Light.Values(power: .on, hue: hue, saturation: saturation, mode: .hsb)
            let shown = Light.Values(power: .on, hue: point.hue, saturation: point.saturation, mode: .hsb)
            #expect(asked.agrees(with: shown), "\(hue * 360)°, \(saturation)")
        }
    }

    /// Some emulators name no owner, and lightsim's "missing-owner" takes it away (chrivers/bifrost#76).
    @Test func `a light that names no owner is out of reach with the device that lists it`() throws {
        let documents = try SimulatedHome(.flat, seed: 1).documents.map { try JSONEncoder().encode($0) }
        let ownerless = try documents.map { document in
            var fields = try #require(JSONSerialization.jsonObject(with: document) as? [String: Any])
            fields["owner"] = nil
            return try JSONDecoder().decode(Resource.self, from: JSONSerialization.data(withJSONObject: fields))
        }
        var map = HomeResources(bridge: Self.bridge)
        map.load(ownerless, at: Self.time)
        let desk = try #require(map.lights.values.first { $0.name == "Desk" })
        #expect(desk.isReachable && desk.device != nil)
        for case let .connectivity(part) in ownerless where map.device(of: part) == desk.device {
            let lost = ConnectivityResource(id: part.id, owner: nil, status: "connectivity_issue")
            _ = map.apply(EventContainer(.update, [.connectivity(lost)]), at: Self.time)
        }
        #expect(map.lights[desk.id]?.isReachable == false)
    }

    private func lights(_ updates: BridgeUpdate) -> [Light] {
        if case let .home(_, lights, _, _, _) = updates { lights } else { [] }
    }

    /// Orange is outside of the lamp's gamut: calculated back from the point that the lamp makes of it, it is another
    /// colour.
    @Test func `a colour is named as it was asked for, also after a restart and beside a new brightness`() throws {
        var home = SimulatedHome(.flat, seed: 1)
        let orange = HueSaturation(red: 1, green: 0.65, blue: 0)
        let desk = try #require(home.lamps.first { $0.name == "Desk" })
        let first = try map(home)
        let mirror = try #require(first.lights.values.first { $0.name == "Desk" })
        guard case let .xy(shown) = LightUpdate(color: .xy(orange.xy)).held(for: mirror).color else {
            Issue.record("no point")
            return
        }
        home = home.alter(
            by: .updating(.lamp(desk.id, by: [.turning(.it(on: true)), .setting(.tint(to: .color(shown)))])))
        func isOrange(_ hue: Double?, _ saturation: Double?) -> Bool {
            hue == orange.hue && saturation == orange.saturation
        }
        let id = Lighting.Light.ID(Self.bridge, mirror.id)
        var remembering = HomeResources(bridge: Self.bridge, remembering: [id: [orange]])
        remembering.load(try resources(home), at: Self.time)
        let remembered = try #require(lights(remembering.everything(at: Self.time)).first { $0.id == id })
        #expect(isOrange(remembered.hue, remembered.saturation))
        let forgotten = try #require(lights(try map(home).everything(at: Self.time)).first { $0.id == id })
        #expect(!isOrange(forgotten.hue, forgotten.saturation))

        var known = try #require(try map(home).lights[mirror.id])
        known.requestedColors = [LightMirror.RequestedColor(xy: shown, color: orange)]
        let report = known.merge(LightResource(id: mirror.id, owner: nil, dimming: Dimming(70)))
        guard case let .color(hue, saturation)? = report?.values.tone else {
            Issue.record("\(String(describing: report))")
            return
        }
        #expect(report?.values.brightness == 0.7 && isOrange(hue, saturation))
    }

    @Test func `the bridge's words are said in the home's names, and kept word for word if they differ`() throws {
        let map = try map(SimulatedHome(.flat, seed: 1))
        let desk = try #require(map.lights.values.first { $0.name == "Desk" })
        let grouped = map.layout.map(\.groupedLight)
        let evening = try #require(SimulatedHome(.flat, seed: 1).scenes.first { $0.name == "Evening" }).id
        let strange = "01234567-89ab-cdef-0123-456789abcdef"
        let issues = "has communication issues, command (.on.on) may not have effect"
        for (raw, text) in [
            ("device (light) \(desk.id) \(issues)", "'Desk' has communication issues, the command may not have effect"),
            (
                "device (light) \(desk.id) is \"soft off\", command (.color_temperature.mirek) may not have effect",
                "'Desk' is \"soft off\", the command may not have effect"
            ),
            ("device (grouped_light) \(strange) has trouble", "a grouped light has trouble"),
            ("Not found: \(strange)", "Not found: a resource"),
            ("resource \(desk.id) is busy", "resource 'Desk' is busy"),
            ("it is off", "it is off"),
            (
                // One sentence for each attribute of the command.
                ["on.on", "dimming.brightness", "dynamics.duration"].map {
                    "device (light) \(desk.id) has communication issues, command (.\($0)) may not have effect"
                }.joined(separator: "; ") + "; it is off",
                "'Desk' has communication issues, the command may not have effect; it is off"
            ),
            (
                "device (scene) \(evening) has communication issues, command (.recall) may not have effect",
                "scene 'Evening' has communication issues, the command may not have effect"
            ),
            ("Not found: \(evening)", "Not found: scene 'Evening'"),
        ] {
            #expect(map.words(raw) == BridgeWords(text, raw: raw))
        }
        #expect(
            Set(grouped.map { map.words("device (grouped_light) \($0) fails").text })
                == ["the home", "'Kitchen'", "'Living'", "'Downstairs'"].reduce(into: []) {
                    $0.insert("a light of \($1) fails")
                })
        #expect(map.words("it is off").raw == nil)
    }

    @Test func `the words of a bridge with API v1 are said in the home's names, too`() throws {
        let fixture = DialectFixture(.v1, .round)
        var map = HomeResources(bridge: Self.bridge)
        guard case let .resources(resources, unreadable: _) = fixture.ask(.everything) else {
            Issue.record("the home cannot be read")
            return
        }
        map.load(resources, at: Self.time)
        let desk = try #require(map.lights.values.first { $0.name == "Desk" })
        #expect(map.words("resource, /lights/\(desk.id)/state, not available").text == "'Desk' not available")
        #expect(map.words("resource, /lights/99/state, not available").text == "the light not available")
        #expect(map.words("parameter, ct, not available").text == "parameter, ct, not available")
    }

    @Test func `all lights, rooms, zones and scenes of a home are read, with their names`() throws {
        let home = SimulatedHome(.flat, seed: 1)
        guard case let .home(_, lights, rooms, scenes, _) = try map(home).everything(at: Self.time) else {
            Issue.record("no home")
            return
        }
        #expect(lights.map(\.name) == ["Stove", "Counter", "Desk", "Sofa", "Fan"])
        #expect(rooms.map(\.name) == ["Kitchen", "Living", "Downstairs"])
        #expect(rooms.map(\.kind) == [.room, .room, .zone])
        #expect(rooms[1].lights.count == 3)
        #expect(scenes.map(\.name) == ["Bright", "Evening", "Reading"])
        #expect(scenes[1].room == rooms[1].id)
        #expect(scenes.allSatisfy { $0.look?.isEmpty == false }, "from the scenes' own actions")
        let desk = try #require(lights.first { $0.name == "Desk" })
        #expect(desk.modes == [.hsb, .ct])
        #expect(desk.limits.temperature == 153.mirek...500.mirek)
        let fan = try #require(lights.first { $0.name == "Fan" })
        #expect(scenes.map(\.turnsOff) == [[], [fan.id], [desk.id, fan.id]])
        #expect(fan.modes.isEmpty && !fan.limits.dims)
        let stove = try #require(lights.first { $0.name == "Stove" })
        #expect(stove.power == .on && stove.temperature == 250.mirek && stove.selectedMode == .ct)
    }

    /// A home followed by events and the same home loaded again must be the same, whatever happened in between; and so must
    /// what every surface says of it.
    @Test(arguments: seeds(3 as UInt64), [HomeFile.flat, .villa])
    func `a home followed by events equals the home fetched again`(seed: UInt64, file: HomeFile) async throws {
        var random = SplitMix(seed: seed)
        var home = SimulatedHome(file, seed: 1)
        var map = try map(home)
        var picture = Dictionary(uniqueKeysWithValues: lights(map.everything(at: Self.time)).map { ($0.id, $0) })
        var surfaces = Surfaces()
        try surfaces.show(picture.values)
        for _ in 0..<60 {
            let lamp = home.lamps[Int(random.next() % UInt64(home.lamps.count))]
            let change = randomChange(of: lamp, in: home, &random)
            let next = home.alter(by: change)
            var hub = EventHub()
            for difference in SimulatedHome.differences(from: home, to: next) { hub.record(difference) }
            home = next
            for event in try await hub.drained() {
                for updates in map.apply(event, at: Self.time).updates {
                    switch updates {
                    case let .light(id, report):
                        picture[id] = picture[id]?.alter(by: .reporting(.it(report, at: Self.time)))
                    case let .renamed(.light(id), name): picture[id] = picture[id]?.alter(by: .renaming(.it(to: name)))
                    case let .signal(id, signal): picture[id] = picture[id]?.alter(by: .signaling(.it(signal)))
                    default: break
                    }
                }
            }
            try surfaces.show(picture.values)
            // Bridges report no white tone of a lamp that shows a colour: the last one stays known.
            var again = map
            again.load(try resources(home), at: Self.time)
            for light in lights(again.everything(at: Self.time)) {
                #expect(picture[light.id]?.temperature == light.temperature)
            }
            let fresh = lights(try self.map(home).everything(at: Self.time))
            for light in fresh {
                let followed = try #require(picture[light.id])
                #expect(followed.name == light.name)
                #expect(
                    followed.values.agrees(with: light.values), "\(change): \(followed.values) is not \(light.values)")
                let lamp = try #require(home.lamp(light.id.resourceID)).lightState
                #expect(followed.isCalledAsItIs(lamp), "\(followed.values)")
                #expect(try surfaces.objection(to: light.id, lamp) == nil)
                #expect(isReachable(followed) == isReachable(light))
                #expect(followed.signal == nil || light.signal != nil)
            }
        }
    }

    private func isReachable(_ light: Light) -> Bool { if case .unreachable = light.freshness { false } else { true } }

    private func randomChange(of lamp: Lamp, in home: SimulatedHome, _ random: inout SplitMix) -> SimulatedHome.Change {
        func unit() -> Double { Double(random.next() % 1001) / 1000 }
        switch random.next() % 11 {
        case 10:
            let end = Date(timeIntervalSince1970: 4_000_000_000 + Double(random.next() % 100))
            let signal = Lamp.Signal(name: "on_off", end: end, colors: [])
            return .updating(.lamp(lamp.id, by: [.signaling(.it(random.next() % 3 == 0 ? nil : signal))]))
        case 7 where !lamp.kind.effects.isEmpty:
            let (name, timed) = (lamp.kind.effects.randomElement(using: &random)!, lamp.kind.timedEffects[0])
            let effect: LightState.Effect = [
                .none, .running(name), .running(name, parameters: ["speed": 0.25]), .timed(timed, milliseconds: 60_000),
            ]
            .randomElement(using: &random)!
            return .updating(.lamp(lamp.id, by: [.setting(.effect(to: effect))]))
        case 8 where lamp.kind.points > 0:
            let points = (0..<Int.random(in: 2...5, using: &random)).map { _ in
                (lamp.kind.gamut?.triangle ?? .c).held(XY(x: unit(), y: unit()))
            }
            return .updating(.lamp(lamp.id, by: [.setting(.gradient(to: points))]))
        case 9 where lamp.kind.points > 0:
            return .updating(
                .lamp(lamp.id, by: [.setting(.mode(to: LampKind.gradientModes.randomElement(using: &random)!))]))
        case 0: return .updating(.lamp(lamp.id, by: [.turning(.it(on: random.next() % 2 == 0))]))
        case 1 where lamp.kind.dims:
            return .updating(.lamp(lamp.id, by: [.setting(.level(to: Int(random.next() % 254) + 1))]))
        case 2:
            guard let gamut = lamp.kind.gamut else { fallthrough }
            let point = gamut.triangle.held(XY(x: unit(), y: unit()))
            return .updating(.lamp(lamp.id, by: [.setting(.tint(to: .color(point)))]))
        case 3:
            guard let whites = lamp.kind.whites else { fallthrough }
            let mirek = whites.minimum + Int(random.next() % UInt64(whites.maximum - whites.minimum))
            return .updating(.lamp(lamp.id, by: [.setting(.tint(to: .white(mirek: mirek)))]))
        case 4: return .recalling(.scene(home.scenes[Int(random.next() % UInt64(home.scenes.count))].id))
        case 5:
            // The gateway reads a light again when its mains return; here only the power cut matters.
            return lamp.hasMains
                ? .updating(.lamp(lamp.id, by: [.cutting(.mains)])) : .updating(.lamp(lamp.id, by: [.powering(.up)]))
        default: return .updating(.lamp(lamp.id, by: [.renaming(.it(to: "Lamp \(random.next() % 100)"))]))
        }
    }

    @Test func `a confirmed colour is the requested one, not one calculated back`() async throws {
        let home = SimulatedHome(.flat, seed: 1)
        var map = try map(home)
        let desk = try #require(home.lamp(called: "Desk"))
        // Full blue lies outside the lamp's gamut: a colour calculated back would have another hue and saturation.
        let wish = HueSaturation(hue: 2.0 / 3, saturation: 1)
        let order = DesiredState(Light.ID(Self.bridge, desk.id), .hsb(2.0 / 3, 1, 0.5))
        let update = LightUpdate(order, .usual).held(for: map.lights[desk.id])
        guard case let .xy(xy)? = update.color else {
            Issue.record("\(update)")
            return
        }
        map.noteRequestedColors([wish.xy], as: [xy], of: desk.id)
        var hub = EventHub()
        let lit = home.alter(by: .updating(.lamp(desk.id, by: [.setting(.tint(to: .color(xy)))])))
        for difference in SimulatedHome.differences(from: home, to: lit) { hub.record(difference) }
        let updates = try await hub.drained().flatMap { map.apply($0, at: Self.time).updates }
        guard case let .light(_, report)? = updates.first else {
            Issue.record("no report")
            return
        }
        #expect(report.values.tone == .color(hue: 2.0 / 3, saturation: 1))
        // A colour that somebody else set is reported as it is.
        let foreign = lit.alter(by: .updating(.lamp(desk.id, by: [.setting(.tint(to: .color(XY(x: 0.5, y: 0.4))))])))
        var next = EventHub()
        for difference in SimulatedHome.differences(from: lit, to: foreign) { next.record(difference) }
        guard
            case let .light(_, other)? = try await next.drained().flatMap({ map.apply($0, at: Self.time).updates })
                .first
        else {
            Issue.record("no report")
            return
        }
        #expect(other.values.tone != .color(hue: 2.0 / 3, saturation: 1))
    }

    @Test func `events of unknown types and ids are skipped`() throws {
        var map = try map(SimulatedHome(.flat, seed: 1))
        let before = map.everything(at: Self.time)
        let frame = ServerSentEvent(
            id: "1:0",
            data: """
                [{"type":"update","data":[{"id":"nobody","type":"light","on":{"on":true}},
                {"id":"x","type":"taurus_7455"},
                {"type":"light"},{"id":"y","type":"zigbee_connectivity","status":"disconnected"}]},
                {"type":"delete","data":[{"id":"nobody","type":"light"}]},{"type":"error","data":[]},{"type":"add"}]
                """)
        for event in try EventContainer.all(in: frame) { #expect(map.apply(event, at: Self.time).updates.isEmpty) }
        #expect(map.everything(at: Self.time) == before)
    }

    @Test func `added and deleted lights are reported`() throws {
        let home = SimulatedHome(.flat, seed: 1)
        var map = HomeResources(bridge: Self.bridge)
        let all = try resources(home)
        let desk = try #require(home.lamp(called: "Desk"))
        map.load(all.filter { if case let .light(light) = $0 { light.id != desk.id } else { true } }, at: Self.time)
        #expect(map.lights[desk.id] == nil)
        let document = try #require(home.documents.first { $0["id"]?.string == desk.id.description })
        let add = ServerSentEvent(
            id: nil,
            data:
                "[{\"type\":\"add\",\"data\":[\(String(decoding: try JSONEncoder().encode(document), as: UTF8.self))]}]"
        )
        let added = try EventContainer.all(in: add).flatMap { map.apply($0, at: Self.time).updates }
        guard case let .added(.light(light))? = added.first else {
            Issue.record("not added")
            return
        }
        #expect(light.name == "Desk")
        let delete = ServerSentEvent(
            id: nil, data: "[{\"type\":\"delete\",\"data\":[{\"id\":\"\(desk.id)\",\"type\":\"light\"}]}]")
        let removed = try EventContainer.all(in: delete).flatMap { map.apply($0, at: Self.time).updates }
        #expect(removed == [.removed(.light(light.id))])
    }
}

extension EventHub {
    /// The containers that a reader of the event stream would get.
    mutating func drained() async throws -> [EventContainer] {
        let stream = open(after: nil).pieces
        flush(at: Date(timeIntervalSince1970: 1_790_000_000))
        close()
        var parser = HueEventStream.parser
        var events: [EventContainer] = []
        for await piece in stream { for frame in parser.read(piece) { events += try EventContainer.all(in: frame) } }
        return events
    }
}

extension Light {
    /// Whether it shows an effect exactly while one runs on the lamp, and several colours exactly while the lamp does.
    fileprivate func isCalledAsItIs(_ lamp: LightState) -> Bool {
        values.effect?.name == lamp.running && (values.gradient?.points.count ?? 0) == lamp.gradient.count
    }
}

extension LightState {
    /// The effect's name; `nil` if none runs.
    fileprivate var running: String? {
        switch effect {
        case .none: nil
        case let .running(name, parameters: _), let .timed(name, milliseconds: _): name
        }
    }
}

/// What is said of a home: by its list, which is also what `lightctl snapshot` writes, by the page, and to those who only
/// follow the events of both.
private struct Surfaces {
    private var home = Directory(AppState())
    private var told: [String: LightBody] = [:]
    private var painted: [String: Tile] = [:]

    /// What the law is about.
    private struct Tile: Decodable, Equatable {
        let key: String
        let state: String
        let look: [String]
        let moves: Bool
        let effects: Effects?

        struct Effects: Decodable, Equatable { let running: String }
    }

    mutating func show(_ lights: some Sequence<Light>) throws {
        let next = Directory(AppState().alter(by: lights.map { .adding(.light($0)) }))
        for event in try next.events(since: home) where event.name == .light {
            let body = try JSONDecoder().decode(LightBody.self, from: Data(event.data.utf8))
            told[body.id] = body
        }
        for event in try next.pageEvents(since: home, for: PageReader(access: .full)) where event.name == .tile {
            let tile = try JSONDecoder().decode(Tile.self, from: Data(event.data.utf8))
            painted[tile.key] = tile
        }
        home = next
    }

    /// What one of them says that is not so.
    func objection(to light: Light.ID, _ lamp: LightState) throws -> String? {
        let key = Target.light(light).key
        guard let listed = home.bodies(of: home.lights.filter { $0.id == light }).first, let tile = painted[key] else {
            return "it is not listed"
        }
        if listed != told[listed.id] { return "the list says \(listed), the events \(told[listed.id] as Any)" }
        let page = try JSONEncoder().encode(home.page(for: PageReader(access: .full)).tiles[key])
        guard try JSONDecoder().decode(Tile.self, from: page) == tile else { return "the page's events are wrong" }
        let colors = listed.gradient?.count ?? 0
        guard colors == lamp.gradient.count, tile.look.count == colors else {
            return "\(lamp.gradient.count) colours are called \(colors) in the list and \(tile.look.count) on the page"
        }
        let running = tile.effects.map(\.running) ?? LightValuesBody.noEffect
        guard listed.effect == lamp.running, running == lamp.running ?? LightValuesBody.noEffect,
            tile.moves == (lamp.running != nil)
        else {
            return "'\(lamp.running ?? "nothing")' runs, which is '\(listed.effect ?? "nothing")' and '\(running)'"
        }
        if listed.freshness == .confirmed, (listed.power == .on) != lamp.isOn || (tile.state == "on") != lamp.isOn {
            return "it is \(listed.power), and the lamp is \(lamp.isOn ? "on" : "off")"
        }
        return nil
    }
}
