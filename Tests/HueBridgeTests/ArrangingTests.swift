import Curl
import Foundation
import HueWire
import Khipu
import Lighting
import LightingTestKit
import SimulatedBridge
import Synchronization
import TestSupport
import Testing

@testable import HueBridge
@testable import SimulatedBridge

/// Rooms, zones and scenes are made on the bridge, in either API.
struct ArrangingTests {
    // MARK: - Requests

    private static func requests(_ operation: HueBridge.Operation) throws -> [String] {
        try [Dialect.v1, .v2].map { dialect in
            let body = try dialect.body(of: operation).map { bytes in
                let json = try JSONSerialization.jsonObject(with: Data(bytes))
                let sorted = try JSONSerialization.data(
                    withJSONObject: json, options: [.sortedKeys, .withoutEscapingSlashes])
                return " " + String(decoding: sorted, as: UTF8.self)
            }
            let path = dialect.path(of: operation, key: Secret("K"))
            return "\(dialect.method(of: operation).rawValue) \(path)\(body ?? "")"
        }
    }

    private static let action = SceneResource.Action(
        ResourceReference("5", .light), LightUpdate(on: true, brightness: 40, color: .mirek(366)))

    @Test(arguments: [
        (
            HueBridge.Operation.identify(light: "5", device: "6"), #"PUT /api/K/lights/5/state {"alert":"select"}"#,
            #"PUT /clip/v2/resource/device/6 {"identify":{"action":"identify"}}"#
        ),
        (
            .signal(.groupedLight, "7", SignalRequest([], milliseconds: 900)), "PUT /api/K/lights/7/state",
            #"PUT /clip/v2/resource/grouped_light/7 {"signaling":{"duration":1000,"signal":"on_off"}}"#
        ),
        (
            .signal(.light, "5", SignalRequest([], milliseconds: 0)), "PUT /api/K/lights/5/state",
            #"PUT /clip/v2/resource/light/5 {"signaling":{"signal":"no_signal"}}"#
        ),
        (
            .activate("day", false), #"PUT /api/K/groups/0/action"#,
            #"PUT /clip/v2/resource/smart_scene/day {"recall":{"action":"deactivate"}}"#
        ),
        (
            .enable(.motion, "sensors/6", false), #"PUT /api/K/sensors/6/config {"on":false}"#,
            #"PUT /clip/v2/resource/motion/sensors/6 {"enabled":false}"#
        ),
        (
            .recall("5", milliseconds: 900, motion: .still),
            #"PUT /api/K/groups/0/action {"scene":"5","transitiontime":9}"#,
            #"PUT /clip/v2/resource/scene/5 {"recall":{"action":"static","duration":900}}"#
        ),
        (
            .recall("5", milliseconds: nil, motion: SceneMotion(speed: 0.6)),
            #"PUT /api/K/groups/0/action {"scene":"5"}"#,
            #"PUT /clip/v2/resource/scene/5 {"recall":{"action":"dynamic_palette"},"speed":0.6}"#
        ),
        (
            .createGroup(.room, name: "Office", members: [ResourceReference("6", .device)]),
            #"POST /api/K/groups {"lights":["6"],"name":"Office","type":"Room"}"#,
            #"POST /clip/v2/resource/room {"children":[{"rid":"6","rtype":"device"}],"#
                + #""metadata":{"archetype":"other","name":"Office"},"type":"room"}"#
        ),
        (
            .createGroup(.zone, name: "Up", members: []),
            #"POST /api/K/groups {"lights":[],"name":"Up","type":"Zone"}"#,
            #"POST /clip/v2/resource/zone {"children":[],"metadata":{"archetype":"other","name":"Up"},"type":"zone"}"#
        ),
        (
            .arrange(.zone, "7", members: [ResourceReference("5", .light)]),
            #"PUT /api/K/groups/7 {"lights":["5"]}"#,
            #"PUT /clip/v2/resource/zone/7 {"children":[{"rid":"5","rtype":"light"}]}"#
        ),
        (.delete(.room, "7"), "DELETE /api/K/groups/7", "DELETE /clip/v2/resource/room/7"),
        (.delete(.scene, "abc"), "DELETE /api/K/scenes/abc", "DELETE /clip/v2/resource/scene/abc"),
        (
            .rename(.scene, "abc", to: "Calm"), #"PUT /api/K/scenes/abc {"name":"Calm"}"#,
            #"PUT /clip/v2/resource/scene/abc {"metadata":{"name":"Calm"}}"#
        ),
        (
            .createScene(name: "Calm", group: ResourceReference("7", .room), actions: [action]),
            #"POST /api/K/scenes {"group":"7","name":"Calm","recycle":false,"type":"GroupScene"}"#,
            #"POST /clip/v2/resource/scene {"actions":[{"action":{"color_temperature":{"mirek":366},"#
                + #""dimming":{"brightness":40},"on":{"on":true}},"target":{"rid":"5","rtype":"light"}}],"#
                + #""group":{"rid":"7","rtype":"room"},"metadata":{"name":"Calm"},"type":"scene"}"#
        ),
        (
            .storeLight(scene: "abc", light: "5", LightUpdate(on: true, brightness: 40, color: .mirek(600))),
            #"PUT /api/K/scenes/abc/lightstates/5 {"bri":102,"ct":500,"on":true}"#,
            "PUT /clip/v2/resource/scene/abc"
        ),
        (
            .store(scene: "abc", actions: [action]), #"PUT /api/K/scenes/abc {"storelightstate":true}"#,
            #"PUT /clip/v2/resource/scene/abc {"actions":[{"action":{"color_temperature":{"mirek":366},"#
                + #""dimming":{"brightness":40},"on":{"on":true}},"target":{"rid":"5","rtype":"light"}}]}"#
        ),
    ])
    func `an operation is one request in either API`(operation: HueBridge.Operation, v1: String, v2: String) throws {
        #expect(try Self.requests(operation) == [v1, v2])
    }

    @Test func `a scene of a deCONZ group is stored and deleted in its group`() throws {
        #expect(
            try Self.requests(.store(scene: "3/1", actions: [])).first == "PUT /api/K/groups/3/scenes/1/store {}")
        #expect(try Self.requests(.delete(.scene, "3/1")).first == "DELETE /api/K/groups/3/scenes/1")
    }

    /// What the simulated bridge answers to requests one too many.
    @Test(arguments: [
        (
            Dialect.v1, "scenes could not be created. Scene buffer in bridge full.",
            "group could not be created. Group table is full."
        ),
        (.v2, "No space for another scene", "No space for another zone"),
    ])
    func `a bridge that is full says so, and creates nothing`(dialect: Dialect, scenes: String, groups: String) throws {
        var fixture = DialectFixture(dialect)
        let map = try fixture.map
        let room = try #require(map.groups.first { $0.value.name == "Kitchen" }?.key)
        var (last, made) = (Delivery.done, 0)
        while last == .done, made < 1000 {
            last = try fixture.create(
                .createScene(name: "Scene", group: ResourceReference(room, .room), actions: [])
            ).delivery
            made += 1
        }
        #expect(last == .refused(BridgeWords(scenes)))
        #expect(fixture.home.scenes.count == 200)
        (last, made) = (.done, 0)
        while last == .done, made < 1000 {
            last = try fixture.create(.createGroup(.zone, name: "Zone", members: [])).delivery
            made += 1
        }
        #expect(last == .refused(BridgeWords(groups)))
    }

    @Test func `words of the bridge name lamps, rooms and scenes`() throws {
        var first = DialectFixture(.v1)
        let numbers = try first.map
        let desk = try #require(numbers.lights.values.first { $0.name == "Desk" }?.id)
        let taken = try first.put(.arrange(.room, "1", members: [ResourceReference(desk, .light)]))
        #expect(taken.worded(in: numbers).words == "'Desk' is already used in another room")

        var second = DialectFixture(.v2)
        let known = try second.map
        let scene = try #require(second.home.scenes.first { $0.name == "Evening" }?.id)
        let room = try #require(known.groups.first { $0.value.name == "Kitchen" }?.key)
        for (type, id) in [(ResourceType.scene, scene), (.room, room)] {
            #expect(try second.put(.delete(type, id)) == .done)
        }
        let gone = try second.put(.delete(.scene, scene)).worded(in: known)
        #expect(gone.words == "it has no scene 'Evening'" && gone.raw == "Not Found")
        #expect(try second.put(.delete(.room, room)).worded(in: known).words == "it has no 'Kitchen'")
    }

    // MARK: - The gateway

    /// Runs with a bridge that has only API v1, which is asked for changes, and one with an event stream.
    private func withEither(
        _ model: BridgeModel, _ body: @escaping @Sendable (BridgeFixture) async throws -> Void
    ) async throws {
        try await withBridge(.flat, { $0.model = model }) { fixture in
            try await fixture.connect()
            try await body(fixture)
        }
    }

    @Test(arguments: [BridgeModel.round, .square])
    func `a name is known when the reply comes, and no later word of the bridge takes it back`(
        model: BridgeModel
    ) async throws {
        try await withEither(model) { fixture in
            let (desk, living) = (fixture.light("Desk"), fixture.room("Living"))
            for target in [Target.light(desk), .room(living)] {
                for name in ["Bureau", "Desk", "Salon"] {
                    let outcome = await fixture.send { fixture.gateway.lights.rename(target, name, $0) }
                    #expect(outcome == .succeeded)
                    let state = fixture.updates.state
                    let shown =
                        target == .light(desk) ? state.lights[desk]?.name : state.rooms.first { $0.id == living }?.name
                    #expect(shown == name)
                }
            }
        }
    }

    @Test(arguments: [BridgeModel.round, .square])
    func `a room takes its lamps from others, and is known when the reply comes`(model: BridgeModel) async throws {
        try await withEither(model) { fixture in
            let (desk, stove, fan) = (fixture.light("Desk"), fixture.light("Stove"), fixture.light("Fan"))
            @Sendable func members(_ room: Room.ID) -> Set<Lighting.Light.ID>? {
                fixture.updates.state.rooms.first { $0.id == room }.map { Set($0.lights) }
            }
            @Sendable func lamps(_ name: String) async -> Set<String> {
                let home = await fixture.bridge.controls.home
                return Set(home.groups.first { $0.name == name }.map { home.lamps(of: $0).map(\.name) } ?? ["no room"])
            }
            let office = try await ask {
                fixture.gateway.rooms.create(.room, "Office", [desk, stove], fixture.id, $0)
            }.get()
            #expect(members(office) == [desk, stove])
            #expect(members(fixture.room("Living")) == [fixture.light("Sofa"), fan])
            #expect(members(fixture.room("Kitchen")) == [fixture.light("Counter")])
            #expect(await lamps("Office") == ["Desk", "Stove"])

            #expect(await ask { fixture.gateway.rooms.add([fan], office, $0) } == .succeeded)
            #expect(members(office) == [desk, stove, fan])
            #expect(await lamps("Living") == ["Sofa"])
            // Once more changes nothing, and asks nothing of the bridge.
            await fixture.bridge.controls.forgetRequests()
            #expect(await ask { fixture.gateway.rooms.add([fan], office, $0) } == .succeeded)
            #expect(await fixture.bridge.controls.requests.allSatisfy { $0.method == "GET" })

            #expect(await ask { fixture.gateway.rooms.remove([stove, desk], office, $0) } == .succeeded)
            #expect(members(office) == [fan])
            #expect(await lamps("Office") == ["Fan"])
            #expect(await ask { fixture.gateway.rooms.delete(office, $0) } == .succeeded)
            #expect(members(office) == nil)
            #expect(await lamps("Office") == ["no room"])
            let again = await ask { fixture.gateway.rooms.delete(office, $0) }
            guard case .failed(.refused)? = again as Outcome? else {
                Issue.record("deleted twice: \(again)")
                return
            }
        }
    }

    @Test(arguments: [BridgeModel.round, .square])
    func `a zone shares its lamps with rooms`(model: BridgeModel) async throws {
        try await withEither(model) { fixture in
            let (desk, stove) = (fixture.light("Desk"), fixture.light("Stove"))
            let before = fixture.updates.state.rooms
            let zone = try await ask {
                fixture.gateway.rooms.create(.zone, "Work", [desk, stove], fixture.id, $0)
            }.get()
            let after = fixture.updates.state.rooms
            #expect(after.filter { $0.id != zone } == before)
            #expect(after.first { $0.id == zone }?.kind == .zone)
            #expect(await ask { fixture.gateway.rooms.remove([stove], zone, $0) } == .succeeded)
            #expect(fixture.updates.state.rooms.first { $0.id == zone }?.lights == [desk])
            #expect(await ask { fixture.gateway.rooms.delete(zone, $0) } == .succeeded)
            #expect(fixture.updates.state.rooms == before)
        }
    }

    @Test(arguments: [BridgeModel.round, .square])
    func `a lamp that API v2 keeps in a room stays there with its switch`(model: BridgeModel) async throws {
        var file = HomeFile.flat
        file.rooms[1].accessories = [HomeFile.Accessory(name: "Dial", kind: .dial)]
        try await withBridge(file, { $0.model = model }) { fixture in
            try await fixture.connect()
            let living = fixture.room("Living")
            #expect(await ask { fixture.gateway.rooms.remove([fixture.light("Fan")], living, $0) } == .succeeded)
            #expect(await ask { fixture.gateway.rooms.add([fixture.light("Fan")], living, $0) } == .succeeded)
            let home = await fixture.bridge.controls.home
            #expect(home.groups.first { $0.name == "Living" }?.accessories.count == 1)
        }
    }

    @Test(arguments: [BridgeModel.round, .square])
    func `a sensor that is disabled reports nothing, and is known to when the reply comes`(model: BridgeModel)
        async throws
    {
        var file = HomeFile.flat
        file.rooms[1].accessories = [HomeFile.Accessory(name: "Hall", kind: .motion)]
        try await withBridge(file, { $0.model = model }) { fixture in
            try await fixture.connect()
            @Sendable func hall() -> Sensor? { fixture.updates.state.sensors.values.first { $0.name == "Hall" } }
            @Sendable func parts() async -> Set<String> {
                await fixture.bridge.controls.forgetRequests()
                let id = hall()?.id ?? Sensor.ID(fixture.id, "none")
                #expect(await ask { fixture.gateway.sensors.enable(id, hall()?.isEnabled == false, $0) } == .succeeded)
                return Set(await fixture.bridge.controls.requests.filter { $0.method == "PUT" }.map(\.path))
            }
            let disabled = await parts()
            #expect(hall()?.isEnabled == false && hall()?.motion == nil && hall()?.temperature == nil)
            // It notices motion, measures light and measures the temperature.
            #expect(disabled.count == 3, "\(disabled)")
            #expect(await parts() == disabled)
            #expect(hall()?.isEnabled == true)
            // Once more changes nothing, and asks nothing of the bridge.
            await fixture.bridge.controls.forgetRequests()
            let id = try #require(hall()?.id)
            #expect(await ask { fixture.gateway.sensors.enable(id, true, $0) } == .succeeded)
            #expect(await fixture.bridge.controls.requests.allSatisfy { $0.method == "GET" })
        }
    }

    @Test func `an area is disabled as a whole`() async throws {
        var file = HomeFile.flat
        file.motionAreas = [HomeFile.MotionArea(name: "Presence", room: file.rooms[0].name)]
        try await withBridge(file, { $0.model = .pro }) { fixture in
            try await fixture.connect()
            @Sendable func area() -> Sensor? { fixture.updates.state.sensors.values.first { $0.name == "Presence" } }
            let id = try #require(area()?.id)
            for isEnabled in [false, true] {
                await fixture.bridge.controls.forgetRequests()
                #expect(await ask { fixture.gateway.sensors.enable(id, isEnabled, $0) } == .succeeded)
                #expect(area()?.isEnabled == isEnabled)
                let put = await fixture.bridge.controls.requests.filter { $0.method == "PUT" }.map(\.path)
                #expect(put == ["/clip/v2/resource/motion_area_configuration/\(id.resource)"])
            }
        }
    }

    @Test(arguments: [BridgeModel.round, .square])
    func `a scene stores what its lamps show, and shows it again`(model: BridgeModel) async throws {
        try await withEither(model) { fixture in
            let (desk, sofa, fan) = (fixture.light("Desk"), fixture.light("Sofa"), fixture.light("Fan"))
            let (gateway, living) = (fixture.gateway, fixture.room("Living"))
            @Sendable func set(_ states: [DesiredState]) async -> Outcome {
                await fixture.send { gateway.lights.set(states, .milliseconds(0), .test, $0) }
            }
            @Sendable func stored(_ scene: Lighting.Scene.ID) async throws -> [Lighting.Light.ID: DesiredState] {
                let states = try await ask { gateway.scenes.read(scene, $0) }.get()
                return Dictionary(uniqueKeysWithValues: states.map { ($0.light, $0) })
            }
            // Saved at once after a command, which the bridge has not reported yet.
            #expect(
                await set([
                    DesiredState(desk, power: .on, .hsb(0.08, 0.9, 0.4)),
                    DesiredState(sofa, power: .on, .ct(Mirek(300), brightness: 0.7)),
                    DesiredState(fan, power: .off),
                ]) == .succeeded)
            let scene = try await ask { gateway.scenes.save("Work", [desk, sofa, fan], living, $0) }.get()
            let known = try #require(fixture.updates.state.scenes.first { $0.id == scene })
            #expect(known.name == "Work" && known.room == living && Set(known.lights) == [desk, sofa, fan])

            let states = try await stored(scene)
            #expect(states[fan]?.power == .off)
            #expect(states[desk]?.power == .on && states[sofa]?.power == .on)
            guard case let .color(hue?, saturation?) = states[desk]?.values.tone,
                let level = states[desk]?.values.brightness,
                case let .white(mirek) = states[sofa]?.values.tone, let brightness = states[sofa]?.values.brightness
            else {
                Issue.record("\(states)")
                return
            }
            #expect(abs(hue - 0.08) < 0.001 && abs(saturation - 0.9) < 0.001 && abs(level - 0.4) < 0.01)
            #expect(mirek == Mirek(300) && abs(brightness - 0.7) < 0.01)

            #expect(await set([desk, sofa, fan].map { DesiredState($0, power: .off) }) == .succeeded)
            // API v1 knows only scenes that move nothing.
            if model == .round {
                let moving = RecalledScene(scene, motion: SceneMotion())
                #expect(await fixture.send { gateway.lights.recall(moving, .usual, .test, $0) }.failure != nil)
            }
            let still = RecalledScene(scene, motion: .still)
            #expect(await fixture.send { gateway.lights.recall(still, .usual, .test, $0) } == .succeeded)
            try await fixture.updates.wait {
                $0.lights[desk]?.power == .on && $0.lights[sofa]?.temperature == Mirek(300)
                    && abs(($0.lights[desk]?.brightness ?? 0) - 0.4) < 0.01
            }

            // Stored again as it is now.
            #expect(
                await set([DesiredState(sofa, power: .on, .ct(Mirek(200), brightness: 0.2))]) == .succeeded)
            #expect(await ask { gateway.scenes.update(scene, $0) } == .succeeded)
            #expect(try await stored(scene)[sofa]?.values.brightness.map { abs($0 - 0.2) < 0.01 } == true)

            #expect(await ask { gateway.scenes.rename(scene, "Focus", $0) } == .succeeded)
            #expect(fixture.updates.state.scenes.first { $0.id == scene }?.name == "Focus")
            #expect(await ask { gateway.scenes.delete(scene, $0) } == .succeeded)
            #expect(!fixture.updates.state.scenes.contains { $0.id == scene })
            #expect(await fixture.bridge.controls.home.scenes.allSatisfy { $0.name != "Focus" })
            let read = await ask { gateway.scenes.read(scene, $0) }
            #expect(throws: Failure.self) { try read.get() }
        }
    }

    @Test func `a scene whose lamps have all left the room stores those that are in it now, and is seen to have them`()
        async throws
    {
        try await withEither(.square) { fixture in
            let (rooms, living, fan) = (fixture.gateway.rooms, fixture.room("Living"), fixture.light("Fan"))
            let lights = ["Desk", "Sofa", "Fan"].map { fixture.light($0) }
            let evening = try #require(fixture.updates.state.scenes.first { $0.name == "Evening" }?.id)
            #expect(await ask { rooms.remove(lights, living, $0) } == .succeeded)
            #expect(await ask { rooms.add([fan], living, $0) } == .succeeded)
            #expect(fixture.updates.state.scenes.first { $0.id == evening }?.lights == [])
            #expect(await ask { fixture.gateway.scenes.update(evening, $0) } == .succeeded)
            #expect(fixture.updates.state.scenes.first { $0.id == evening }?.lights == [fan])
        }
    }

    @Test func `a scene is read although the connection breaks once, and nothing is refused if it breaks again`()
        async throws
    {
        try await withEither(.square) { fixture in
            let evening = try #require(fixture.updates.state.scenes.first { $0.name == "Evening" }?.id)
            await fixture.bridge.controls.hangUp(next: 1)
            #expect(try await !ask { fixture.gateway.scenes.read(evening, $0) }.get().isEmpty)
            await fixture.bridge.controls.hangUp(next: 2)
            guard case .failure(.unreachable) = await ask({ fixture.gateway.scenes.read(evening, $0) }) else {
                Issue.record("what broke was not told")
                return
            }
        }
    }

    private static func state(_ light: Lighting.Light.ID, _ patch: LightPatch) -> DesiredState { .init(light, patch) }

    /// Of what the bridge has, each lamp by its name.
    private func stored(_ scene: Lighting.Scene.ID, _ fixture: BridgeFixture) async throws -> [String: LightPatch] {
        let states = try await ask { fixture.gateway.scenes.read(scene, $0) }.get()
        let lights = fixture.updates.state.lights
        return Dictionary(uniqueKeysWithValues: states.map { (lights[$0.light]?.name ?? "", $0.values) })
    }

    @Test(arguments: [BridgeModel.round, .square])
    func `a scene is edited as it is on the bridge then, and its lamps stay as they are`(model: BridgeModel)
        async throws
    {
        try await withEither(model) { fixture in
            let (desk, sofa) = (fixture.light("Desk"), fixture.light("Sofa"))
            let scenes = fixture.gateway.scenes
            let evening = try #require(fixture.updates.state.scenes.first { $0.name == "Evening" })
            let lamps = await fixture.bridge.controls.home.lamps.map(\.lightState)
            let before = try await stored(evening.id, fixture)
            func edit(_ states: [DesiredState], removing removed: [Lighting.Light.ID] = []) async -> Outcome {
                await ask { scenes.edit(evening.id, states, removed, $0) }
            }
            #expect(await edit([Self.state(desk, .bri(0.8))]) == .succeeded)
            var after = try await stored(evening.id, fixture)
            #expect(after["Desk"]?.tone == before["Desk"]?.tone && after["Sofa"] == before["Sofa"])
            #expect(abs((after["Desk"]?.brightness ?? 0) - 0.8) < 0.01, "\(after)")

            #expect(await edit([Self.state(desk, .ct(300.mirek)), Self.state(sofa, .bri(0.5))]) == .succeeded)
            after = try await stored(evening.id, fixture)
            #expect(after["Desk"]?.tone == .white(300.mirek) && after["Sofa"]?.tone == before["Sofa"]?.tone)
            #expect(abs((after["Desk"]?.brightness ?? 0) - 0.8) < 0.01, "\(after)")

            #expect(await edit([Self.state(desk, LightPatch(power: .off))]) == .succeeded)
            #expect(try await stored(evening.id, fixture)["Desk"]?.power == .off)
            let shown = fixture.updates.state.scenes.first { $0.id == evening.id }
            if model == .square {
                #expect(shown?.turnsOff?.first == desk && shown?.look == [.ct(447.mirek)], "\(shown as Any)")
            }
            // A value turns on what the scene turns off.
            #expect(await edit([Self.state(desk, .bri(0.3))]) == .succeeded)
            #expect(try await stored(evening.id, fixture)["Desk"]?.power == .on)
            #expect(await fixture.bridge.controls.home.lamps.map(\.lightState) == lamps)

            // API v1 keeps the lamps of a scene.
            let (stove, fan) = (fixture.light("Stove"), fixture.light("Fan"))
            guard model == .square else {
                #expect(await edit([Self.state(stove, LightPatch(power: .on))]).failure != nil)
                #expect(await edit([], removing: [desk]).failure != nil)
                #expect(try await stored(evening.id, fixture).keys.sorted() == ["Desk", "Fan", "Sofa"])
                return
            }
            #expect(await edit([], removing: [desk, fan]) == .succeeded)
            #expect(fixture.updates.state.scenes.first { $0.id == evening.id }?.lights == [sofa])
            #expect(await edit([Self.state(fan, LightPatch(power: .on))]) == .succeeded)
            #expect(fixture.updates.state.scenes.first { $0.id == evening.id }?.lights == [sofa, fan])
            #expect(try await stored(evening.id, fixture)["Fan"]?.power == .on)
            #expect(await fixture.bridge.controls.home.lamps.map(\.lightState) == lamps)
        }
    }

    @Test func `what another app has stored in a scene meanwhile stays, and so does what an edit does not name`()
        async throws
    {
        let desk = LightResource(id: "desk", owner: nil, color: ColorFeature(XY(x: 0.3, y: 0.3)))
        let strip = LightResource(
            id: "strip", owner: nil, effects: EffectsFeature(effect: "no_effect", values: ["fire"]))
        var home = HomeResources(bridge: .sample)
        func scene(_ actions: [(ResourceID, LightUpdate)]) -> SceneResource {
            SceneResource(
                id: "s", metadata: nil, group: nil,
                actions: actions.map { .init(ResourceReference($0, .light), $1) })
        }
        let point = LightUpdate.Color.xy(XY(x: 0.5612, y: 0.4042))
        let fire = LightUpdate.Effect("fire", speed: 0.5)
        let old = LightUpdate(on: true, brightness: 40, color: point, milliseconds: 900)
        home.load([.light(desk), .light(strip), .scene(scene([("desk", old)]))], at: .sample)
        // What the bridge has now.
        home.take(scene([("desk", old), ("strip", LightUpdate(on: true, color: .effect(fire, over: point)))]))
        func edited(_ id: ResourceID, _ patch: LightPatch) -> LightUpdate? {
            let state = DesiredState(Lighting.Light.ID(bridge: .sample, resource: id.description), patch)
            let actions = home.actions(ofScene: "s", setting: [state], removing: [])
            #expect(actions.count == 2)
            home.take(SceneResource(id: "s", metadata: nil, group: nil, actions: actions))
            #expect(home.stores([state], without: [], inScene: "s"))
            #expect(
                home.actions(ofScene: "s", setting: [state], removing: []) == actions, "a second time is nothing new")
            return actions.first { $0.target.rid == id }?.action
        }
        #expect(edited("desk", .bri(0.8)) == LightUpdate(on: true, brightness: 80, color: point, milliseconds: 900))
        #expect(edited("strip", .bri(0.2))?.color == .effect(fire, over: point), "a level leaves an effect running")
        #expect(edited("strip", LightPatch(tone: .effect(nil, over: nil)))?.color == point)
        #expect(
            edited("strip", LightPatch(tone: .effect(Lighting.Light.Effect("fire"), over: nil)))?.color
                == .effect(.init("fire"), over: point))
        #expect(edited("strip", .ct(300.mirek))?.color == .mirek(300), "a white tone ends it")
        #expect(edited("strip", LightPatch(power: .off)) == LightUpdate(on: false))
        #expect(edited("strip", LightPatch(tone: .effect(nil, over: nil))) == LightUpdate(on: false))
        #expect(edited("strip", .bri(0.2)) == LightUpdate(on: true, brightness: 20))
        // Of a colour of which only the hue is named, the rest is the scene's.
        let saturation = HueSaturation(XY(x: 0.5612, y: 0.4042)).saturation
        let partly = edited("desk", .hsb(hue: 1 / 3, saturation: nil, brightness: nil))
        #expect(partly == edited("desk", .hsb(hue: 1 / 3, saturation: saturation, brightness: nil)))
        #expect(partly?.color != point)
    }

    @Test(
        arguments: [
            ([], "no light would be left in the scene"),
            (
                [SceneResource.Action(ResourceReference("5", .light))],
                "it stores something in the scene that lightd cannot read, and would lose"
            ),
        ] as [([SceneResource.Action], BridgeWords)])
    func `a scene is not stored if something of it would be lost`(actions: [SceneResource.Action], words: BridgeWords) {
        #expect(HueBridge.Operation.store(scene: "s", actions: actions).objection == words)
        #expect(HueBridge.Operation.store(scene: "s", actions: [Self.action]).objection == nil)
    }

    @Test func `some lamps of a room make a scene in API v2 only`() async throws {
        for model in [BridgeModel.round, .square] {
            try await withEither(model) { fixture in
                let (sofa, living) = (fixture.light("Sofa"), fixture.room("Living"))
                let saved = await ask { fixture.gateway.scenes.save("Nap", [sofa], living, $0) }
                if model == .square {
                    let scene = try saved.get()
                    #expect(fixture.updates.state.scenes.first { $0.id == scene }?.lights == [sofa])
                } else {
                    #expect(throws: Failure.self) { try saved.get() }
                    #expect(await !fixture.bridge.controls.home.scenes.contains { $0.name == "Nap" })
                }
            }
        }
    }

    @Test(arguments: [BridgeModel.round, .square])
    func `a lamp that is identified is left as it was`(model: BridgeModel) async throws {
        try await withEither(model) { fixture in
            let before = await fixture.bridge.controls.home.lamps.map(\.lightState)
            await fixture.bridge.controls.forgetRequests()
            #expect(await fixture.send { fixture.gateway.lights.identify([fixture.light("Stove")], $0) } == .succeeded)
            let written = await fixture.bridge.controls.requests.filter { $0.method == "PUT" }
            #expect(
                written.map(\.body) == [
                    model == .round ? #"{"alert":"select"}"# : #"{"identify":{"action":"identify"}}"#
                ])
            #expect(await fixture.bridge.controls.home.lamps.map(\.lightState) == before)
            let dark = await fixture.send { fixture.gateway.lights.identify([fixture.light("Counter")], $0) }
            let words: BridgeWords = "parameter, alert, is not modifiable. Device is set to off."
            #expect(dark == (model == .round ? .failed(.refused(by: fixture.id, words: words)) : .succeeded))
        }
    }

    @Test func `the lamps of a room or zone signal together, and by themselves if some of them have no colours`()
        async throws
    {
        try await withEither(.square) { fixture in
            let state = fixture.updates.state
            let room = try #require(state.rooms.first { $0.name == "Downstairs" })
            let able = room.lights.filter { state.lights[$0]?.modes.contains(.hsb) == true }
            try #require(room.lights.count > 1 && !able.isEmpty && able.count < room.lights.count)
            func sent(_ lights: [Lighting.Light.ID], _ signal: Lighting.Light.Signal) async -> [String] {
                await fixture.bridge.controls.forgetRequests()
                #expect(await fixture.send { fixture.gateway.lights.signal(lights, signal, $0) } == .succeeded)
                return await fixture.bridge.controls.requests.filter { $0.method == "PUT" }.map { request in
                    let type = request.path.split(separator: "/").dropLast().last ?? ""
                    return "\(type) \(request.body.firstMatch(of: /"signal":"(\w+)"/)?.1 ?? "")"
                }
            }
            let before = await fixture.bridge.controls.home.lamps.map(\.lightState)
            #expect(await sent(room.lights, .init(milliseconds: 2000)) == ["grouped_light on_off"])
            let red = Lighting.Light.Signal([.init(hue: 0, saturation: 1)], milliseconds: 2000)
            let expected = room.lights.map { able.contains($0) ? "light on_off_color" : "light on_off" }
            #expect(await sent(room.lights, red).sorted() == expected.sorted())
            #expect(await fixture.bridge.controls.home.lamps.map(\.lightState) == before)
        }
        try await withEither(.round) { fixture in
            let lights = [fixture.light("Stove")]
            let refused = await fixture.send { fixture.gateway.lights.signal(lights, .init(milliseconds: 1000), $0) }
            #expect(refused.failure != nil)
        }
    }

    /// Rooms by name after each of some random arrangements.
    private func history(_ model: BridgeModel, seed: UInt64) async throws -> [[String: Set<String>]] {
        let history = Mutex<[[String: Set<String>]]>([])
        try await withEither(model) { fixture in
            var random = SplitMix(seed: seed)
            let (gateway, names) = (fixture.gateway, fixture.updates.state.lights.values.map(\.name).sorted())
            for step in 0..<15 {
                let lights = names.filter { _ in random.next() % 3 == 0 }.map { fixture.light($0) }
                let rooms = fixture.updates.state.rooms.sorted { $0.name < $1.name }
                let room = rooms[Int(random.next() % UInt64(rooms.count))]
                let outcome: Outcome
                switch random.next() % 5 {
                case 0, 1:
                    let kind: RoomKind = random.next() % 2 == 0 ? .room : .zone
                    let made = await ask { gateway.rooms.create(kind, "\(kind) \(step)", lights, fixture.id, $0) }
                    outcome = made.failure.map { .failed($0) } ?? .succeeded
                case 2: outcome = await ask { gateway.rooms.remove(lights, room.id, $0) }
                case 3 where rooms.count > 3: outcome = await ask { gateway.rooms.delete(room.id, $0) }
                default: outcome = await ask { gateway.rooms.add(lights, room.id, $0) }
                }
                #expect(outcome == .succeeded, "\(model), step \(step)")
                let state = fixture.updates.state
                history.withLock {
                    $0.append(
                        Dictionary(
                            uniqueKeysWithValues: state.rooms.map { room in
                                (room.name, Set(room.lights.compactMap { state.lights[$0]?.name }))
                            }))
                }
                let home = await fixture.bridge.controls.home
                for group in home.groups where group.kind != .bridgeHome {
                    #expect(
                        history.withLock { $0.last?[group.name] } == Set(home.lamps(of: group).map(\.name)),
                        "\(model), step \(step)")
                }
            }
        }
        return history.withLock(\.self)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the same arrangements in either API leave the same rooms`(seed: UInt64) async throws {
        let (first, second) = (
            try await history(.round, seed: seed), try await history(.square, seed: seed)
        )
        #expect(first == second)
    }

    @Test func `a change that the event stream leaves out is read`() async throws {
        let clock = HandBridgeClock()
        try await withBridge(gateway: { $0.run(on: clock) }) { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.silenceStreams()
            async let created = ask { fixture.gateway.rooms.create(.room, "Office", [], fixture.id, $0) }
            try await until("the room is on the bridge") {
                await fixture.bridge.controls.home.groups.contains { $0.name == "Office" }
            }
            // The gateway reads everything two seconds after the bridge's answer, whenever that comes.
            try await until("the gateway waits for the report") {
                clock.alarms.contains { $0 == AwaitedReports.patience }
            }
            clock.wind(by: AwaitedReports.patience)
            let room = try await created.get()
            #expect(fixture.updates.state.rooms.first { $0.id == room }?.name == "Office")
        }
    }

    @Test func `what the event stream leaves out is read again if the read fails`() async throws {
        let clock = HandBridgeClock()
        try await withBridge(gateway: { $0.run(on: clock) }) { fixture in
            let controls = fixture.bridge.controls
            try await fixture.connect()
            await controls.silenceStreams()
            async let created = ask { fixture.gateway.rooms.create(.room, "Office", [], fixture.id, $0) }
            for due in [AwaitedReports.patience, AwaitedReports.patience * 2] {
                try await until("the gateway waits for the report") { clock.alarms.contains(due) }
                if due == AwaitedReports.patience { await controls.begin(try Fault("busy")) }
                await controls.forgetRequests()
                clock.wind(to: due)
                try await until("everything was asked for") {
                    await controls.requests.contains { $0.method == "GET" }
                }
                await controls.end(.busy)
            }
            let room = try await created.get()
            #expect(fixture.updates.state.rooms.first { $0.id == room }?.name == "Office")
        }
    }
}

extension Result where Failure == Lighting.Failure {
    fileprivate var failure: Failure? { if case let .failure(failure) = self { failure } else { nil } }
}

extension Delivery {
    fileprivate var words: String? {
        switch self {
        case let .refused(words), let .doubted(words, _): words.text
        default: nil
        }
    }
}

/// Who waits for a report, as a value without a clock.
struct AwaitedReportsTests {
    private static let bridge = Bridge.ID("ecb5fafffe010203")

    private func outcomes(_ reports: inout AwaitedReports) -> [Outcome] { reports.takeAnswers().map(\.outcome) }

    @Test func `each caller is answered once, when the home shows its change or its time is up`() {
        var reports = AwaitedReports()
        let home = HomeResources(bridge: Self.bridge)
        reports.wait(until: { $0.bridgeName == nil }, readAt: .seconds(2), deadline: .seconds(8)) { _ in }
        reports.wait(until: { $0.bridgeName != nil }, readAt: .seconds(3), deadline: .seconds(9)) { _ in }
        #expect(reports.next == .seconds(2))
        reports.check(home)
        #expect(outcomes(&reports) == [.succeeded])
        #expect(reports.next == .seconds(3))
        reports.expire(on: Self.bridge, at: .seconds(8))
        #expect(outcomes(&reports).isEmpty)
        reports.expire(on: Self.bridge, at: .seconds(9))
        guard case .failed(.unconfirmed(by: Self.bridge, _))? = outcomes(&reports).first else {
            Issue.record("the caller was not told that nothing was reported")
            return
        }
        #expect(outcomes(&reports).isEmpty && reports.next == nil)
    }

    @Test func `everything is read until a change is reported or its time is up`() {
        var reports = AwaitedReports()
        reports.wait(until: { _ in false }, readAt: .seconds(2), deadline: .seconds(7)) { _ in }
        let reads = (1...6).map { reports.takeReads(at: .seconds($0)) }
        #expect(reads == [false, true, false, true, false, true])
        #expect(reports.next == .seconds(7))
        reports.close(Self.bridge)
        #expect(outcomes(&reports).count == 1 && reports.next == nil)
    }
}
