import ControlProtocol
import ControlSurface
import Lighting
import LightingTestKit
import Testing

/// The commands that make rooms, zones and scenes, in the names of the home.
@Suite struct RoomCommandTests {
    @Test func `a room is answered with its lights, and every reader sees it`() async throws {
        try await SurfaceFixture.run { surface in
            let reply = try await surface.perform(.createRoom(name: "Office", targets: ["desk", "Sink"]))
            #expect(reply.room?.name == "Office" && reply.room?.kind == .room)
            #expect(reply.room?.lights == [HomeFixture.desk.id, HomeFixture.sink.id].map(\.description))
            #expect(
                reply.moved?.map { "\($0.name) \($0.target) \($0.room)" } == [
                    "Desk \(HomeFixture.desk.id) Study", "Sink \(HomeFixture.sink.id) Kitchen",
                ])
            let rooms = surface.surface.directory.roomBodies
            #expect(rooms.first { $0.name == "Office" } == reply.room)
            #expect(rooms.first { $0.name == "Study" }?.lights == [])

            let more = try await surface.perform(.addToRoom(room: "office", targets: ["@kitchen"]))
            #expect(more.room?.lights.count == 4)
            let fewer = try await surface.perform(.removeFromRoom(room: "@Office", targets: ["fan", "desk"]))
            #expect(fewer.room?.lights.count == 2)
            #expect(try await surface.perform(.deleteRoom(room: "Office")).room == nil)
            #expect(surface.surface.directory.roomBodies.allSatisfy { $0.name != "Office" })
        }
    }

    @Test func `a scene is answered with its room, and its values are read from its bridge`() async throws {
        try await SurfaceFixture.run { surface in
            let reply = try await surface.perform(.saveScene(name: "Work", targets: ["@study"]))
            #expect(reply.scene?.name == "Work" && reply.scene?.room == "Study")
            #expect(reply.scene?.lights == [HomeFixture.desk.id.description])
            let shown = try await surface.surface.scene(named: "study/work", from: "test")
            #expect(
                shown.values == [
                    .init(target: HomeFixture.desk.id.description, name: "Desk", power: .on, .init(brightness: 50))
                ])
            #expect(try await surface.perform(.updateScene(scene: "work")).scene == reply.scene)
            #expect(try await surface.perform(.renameScene(scene: "work", name: "Focus")).scene?.name == "Focus")
            #expect(try await surface.perform(.deleteScene(scene: "Focus")).scene == nil)
            #expect(surface.surface.directory.sceneBodies.map(\.name) == ["Relax"])
        }
    }

    @Test func `a kind restricts the names to rooms or to zones`() async throws {
        let zone = Room.make("zone", name: "Kitchen", kind: .zone)
        let state = HomeFixture.state.alter(by: .adding(.room(zone)))
        try await SurfaceFixture.run(in: state, stack: MemoryStack(rooms: [HomeFixture.kitchen, zone])) { surface in
            #expect(await surface.error(of: .deleteRoom(room: "kitchen"))?.code == .ambiguousTarget)
            let room = await surface.error(of: .addToRoom(room: "study", targets: ["desk"], kind: .zone))
            #expect(room?.code == .noSuchTarget && room?.message == "'Study' is a room, not a zone")
            #expect(room?.hint == "use 'lightctl room add'")
            let unknown = await surface.error(of: .deleteRoom(room: "cellar", kind: .zone))
            #expect(unknown?.message == "no zone is called 'cellar'")
            #expect(await surface.error(of: .deleteRoom(room: "kitchn", kind: .zone))?.candidates == ["@Kitchen"])
            #expect(unknown?.hint == "run 'lightctl list rooms' for all names")
            try await surface.perform(.deleteRoom(room: "kitchen", kind: .zone))
            let renamed = try await surface.perform(.renameRoom(room: "kitchen", name: "Galley", kind: .room))
            #expect(renamed.room?.name == "Galley" && renamed.room?.kind == .room)
            #expect(
                surface.home.stack.requests == [
                    .deleteRoom(zone.id), .rename(.room(HomeFixture.kitchen.id), "Galley"),
                ])
        }
    }

    @Test func `errors say what to do next`() async throws {
        let garage = Bridge.make(id: Bridge.ID("ecb5fafffe999999"), name: "Garage")
        let porch = Light.make("porch", name: "Porch", bridge: garage.id)
        let state = HomeFixture.state.alter(by: .adding(.bridge(garage)), .adding(.light(porch)))
        try await SurfaceFixture.run(in: state) { surface in
            for (command, code, message, hint) in [
                (
                    Command.createRoom(name: "kitchen", targets: ["desk"]), ErrorCode.cannot,
                    "there is already a room 'Kitchen'",
                    "choose another name; 'lightctl room add' and 'lightctl zone add' put lights into the one that "
                        + "exists"
                ),
                (
                    .createRoom(name: "Out", targets: ["desk", "porch"]), .cannot,
                    "a room, zone or scene lives on one bridge, and this needs several: "
                        + "bridge 'Study bridge', bridge 'Garage'", nil
                ),
                (
                    .createRoom(name: "Out"), .whichBridge,
                    "there are several bridges: name the one on which to create 'Out', or lights of it",
                    "for example: lightctl room create --bridge Garage Out"
                ),
                (
                    .saveScene(name: "relax", targets: ["@kitchen"]), .cannot,
                    "there is already a scene Kitchen/Relax",
                    "choose another name; 'lightctl scene update' makes the one that exists store what its lights show "
                        + "now"
                ),
                (
                    .saveScene(name: "Odd", targets: ["desk", "fan"]), .cannot,
                    "these lights are not in one room or zone together, and a scene belongs to one",
                    "'lightctl zone create' makes a zone of them"
                ),
                (
                    .removeFromRoom(room: "@kitchen", targets: ["desk"]), .cannot,
                    "'Desk' cannot be removed from 'Kitchen', because it is not in it", nil
                ),
            ] as [(Command, ErrorCode, String, String?)] {
                let error = await surface.error(of: command)
                #expect(
                    error?.code == code && error?.message == message && error?.hint == hint, "\(command): \(error!)")
            }
            let which = await surface.error(of: .saveScene(name: "Odd"))
            #expect(which?.code == .invalid && which?.candidates == ["@Kitchen", "@Study", "@Evening"])
            #expect(surface.home.stack.requests.isEmpty)
        }
    }

    @Test func `without a target a scene stores the only room`() async throws {
        let state = AppState.make(lights: [HomeFixture.desk], rooms: [HomeFixture.study])
        try await SurfaceFixture.run(in: state, stack: MemoryStack(rooms: [HomeFixture.study])) { surface in
            try await surface.perform(.saveScene(name: "Work"))
            #expect(surface.home.stack.requests == [.save("Work", [HomeFixture.desk.id], in: HomeFixture.study.id)])
        }
    }

    @Test func `lights that are identified are listed in the reply, and nothing can be undone`() async throws {
        try await SurfaceFixture.run { surface in
            let reply = try await surface.perform(.identify(target: "@kitchen"))
            #expect(reply.lights?.map(\.name) == ["Stove", "Sink", "Fan"])
            #expect(surface.home.stack.requests == [.identify(HomeFixture.kitchen.lights)])
            #expect(await surface.error(of: .undo())?.message == "there is nothing to undo")
        }
    }

    @Test func `a signal is of colours, leaves nothing to undo, and is in the log`() async throws {
        try await SurfaceFixture.run { surface in
            let red = Light.Signal([Light.Color(hue: 0, saturation: 1)], milliseconds: 5000)
            try await surface.perform(.signal(target: "@kitchen", colors: ["red"]))
            try await surface.perform(.signal(target: "fan", duration: 0))
            #expect(
                surface.home.stack.requests == [
                    .signal(HomeFixture.kitchen.lights, red),
                    .signal([HomeFixture.fan.id], Light.Signal(milliseconds: 0)),
                ])
            #expect(await surface.error(of: .undo())?.message == "there is nothing to undo")
            #expect(
                await surface.error(of: .signal(target: "sink", colors: ["2700K"]))?.message
                    == "'2700K' is a white tone, and a signal has colours alone")
            let lacking = await surface.error(of: .signal(target: "fan", colors: ["red"]))
            #expect(lacking?.code == .cannot && lacking?.message.contains("'Fan'") == true, "\(lacking as Any)")
            let log = try await surface.surface.log(Journal.Filter(limit: 100), from: "test").map(\.text)
            #expect(
                log.contains("signal @Kitchen with #ff0000 for 5 s") && log.contains("end the signal of Fan"), "\(log)")
        }
    }

    @Test func `a scene is edited with what its lights can show, and what contradicts itself is refused`() async throws
    {
        try await SurfaceFixture.run { surface in
            let scene = HomeFixture.relax.id
            let reply = try await surface.perform(
                .editScene(scene: "relax", targets: ["@kitchen"], .init(brightness: 40, temperature: 370)))
            #expect(reply.scene?.name == "Relax" && reply.lights == nil)
            #expect(reply.leftOut?.contains { $0.name == "Fan" && $0.given.isEmpty } == true, "\(reply)")
            let set: [DesiredState] = [HomeFixture.stove.id, HomeFixture.sink.id].map {
                DesiredState($0, .ct(370.mirek, brightness: 0.4))
            }
            #expect(surface.home.stack.requests == [.edit(scene, set)])
            #expect(await surface.error(of: .undo())?.message == "there is nothing to undo")
            for (command, words) in [
                (Command.editScene(scene: "relax", targets: ["sink"]), "'edit_scene' has nothing to change"),
                (
                    .editScene(scene: "relax", targets: ["sink"], .init(brightness: 4), remove: true),
                    "'remove' takes lights out of the scene; send neither values nor 'power'"
                ),
                (
                    .editScene(scene: "relax", targets: ["sink"], .init(brightness: 4), power: .off),
                    "a light that the scene turns off shows no values; send either those or 'power'"
                ),
                (.editScene(scene: "relax", targets: ["nowhere"], power: .off), "no light or room is called 'nowhere'"),
            ] {
                #expect(await surface.error(of: command)?.message == words)
            }
            #expect(surface.home.stack.requests.count == 1)
        }
    }

    @Test func `scenes are put into an order, by which lists and the page show them, and nothing is sent`() async throws
    {
        let room = HomeFixture.kitchen
        let scenes = [HomeFixture.relax] + ["Bright", "Night"].map { Scene.make($0, name: $0, room: room.id) }
        // Another room has scenes of the same names.
        let others = ["Bright", "Night"].map { Scene.make("study-\($0)", name: $0, room: HomeFixture.study.id) }
        let state = HomeFixture.state.alter(by: (scenes + others).map { .adding(.scene($0)) })
        try await SurfaceFixture.run(in: state) { surface in
            func names(_ home: Directory) -> [String] { home.scenes.filter { $0.room == room.id }.map(\.name) }
            let dry = try await surface.surface.perform(
                CommandRequest(.reorderScenes(room: "kitchen", scenes: ["night"]), dryRun: true), from: "test")
            #expect(dry.scenes == ["Night", "Bright", "Relax"] && dry.requests == [])
            #expect(names(surface.surface.latest.snapshot.home) == ["Bright", "Night", "Relax"])

            let before = surface.surface.latest.snapshot.home
            let reply = try await surface.perform(.reorderScenes(room: "@Kitchen", scenes: ["night", "kitchen/Relax"]))
            #expect(reply.scenes == ["Night", "Relax", "Bright"] && reply.lights == nil && reply.scene == nil)
            let home = surface.surface.latest.snapshot.home
            #expect(names(home) == ["Night", "Relax", "Bright"])
            #expect(home.sceneBodies.map(\.place) == [1, 2, 3, nil, nil])
            #expect(home.names.scenes == ["Kitchen/Night", "Relax", "Kitchen/Bright", "Study/Bright", "Study/Night"])
            // Who follows is told at once: lists by the scenes' places, the page by its frame.
            let moved = try home.events(since: before)
            #expect(moved.map(\.name) == [.scene, .scene, .scene], "\(moved)")
            let frame = home.page(for: PageReader(access: .full)).frame
            #expect(frame.sections.map { $0.scenes.map(\.title) }.contains(["Night", "Relax", "Bright"]))
            #expect(try home.pageEvents(since: before, for: PageReader(access: .full)).map(\.name) == [.frame])

            let reset = try await surface.perform(.reorderScenes(room: "kitchen", byName: true))
            #expect(reset.scenes == ["Bright", "Night", "Relax"])
            #expect(surface.surface.latest.snapshot.home.sceneBodies.allSatisfy { $0.place == nil })
            #expect(surface.home.stack.requests.isEmpty)
            let asked = try await surface.surface.log(Journal.Filter(limit: 100), from: "test").filter {
                $0.ticket != nil && $0.outcome == nil
            }
            #expect(
                asked.map(\.text) == [
                    "reorder scenes of @Kitchen: Kitchen/Night, Kitchen/Relax first",
                    "reorder scenes of @Kitchen: by name",
                ])
            #expect(asked.allSatisfy { $0.holder == "test" })
            #expect(await surface.error(of: .undo())?.message == "there is nothing to undo")
        }
    }

    @Test func `an order of scenes that a room does not have is refused with those that it has`() async throws {
        let bath = Scene.make("bath", name: "Splash", room: HomeFixture.study.id)
        try await SurfaceFixture.run(in: HomeFixture.state.alter(by: .adding(.scene(bath)))) { surface in
            for (command, code, message) in [
                (
                    Command.reorderScenes(room: "kitchen", scenes: ["relex"]), ErrorCode.noSuchTarget,
                    "no scene of @Kitchen is called 'relex'"
                ),
                (
                    .reorderScenes(room: "kitchen", scenes: ["splash"]), .noSuchTarget,
                    "no scene of @Kitchen is called 'splash'"
                ),
                (
                    .reorderScenes(room: "kitchen", scenes: ["study/splash"]), .noSuchTarget,
                    "no scene of @Kitchen is called 'study/splash'"
                ),
                (
                    .reorderScenes(room: "attic", scenes: ["relax"]), .noSuchTarget,
                    "no room or zone is called 'attic'"
                ),
                (
                    .reorderScenes(room: "kitchen"), .invalid,
                    "'reorder_scenes' has no order to make: send 'scenes', those that come first, or 'by_name'"
                ),
                (
                    .reorderScenes(room: "kitchen", scenes: ["relax"], byName: true), .invalid,
                    "'by_name' puts all scenes in the order of their names; send either that or 'scenes'"
                ),
            ] {
                let error = await surface.error(of: command)
                #expect(error?.code == code && error?.message == message, "\(command): \(error as Any)")
            }
            #expect(
                await surface.error(of: .reorderScenes(room: "kitchen", scenes: ["relex"]))?.candidates == ["Relax"])
        }
    }

    @Test func `the log names what was made, also when it is gone`() async throws {
        try await SurfaceFixture.run { surface in
            try await surface.perform(.createRoom(name: "Office", targets: ["desk"], kind: .zone))
            try await surface.perform(.addToRoom(room: "office", targets: ["sink", "fan"]))
            try await surface.perform(.removeFromRoom(room: "office", targets: ["desk"]))
            try await surface.perform(.saveScene(name: "Work", targets: ["@office"]))
            try await surface.perform(.updateScene(scene: "work"))
            // What only reads is not recorded.
            _ = try await surface.surface.scene(named: "work", from: "test")
            try await surface.perform(.editScene(scene: "work", targets: ["fan"], power: .off))
            try await surface.perform(.editScene(scene: "work", targets: ["sink"], remove: true))
            try await surface.perform(.renameScene(scene: "work", name: "Focus"))
            try await surface.perform(.deleteScene(scene: "focus"))
            try await surface.perform(.identify(target: "desk"))
            let before = try await surface.surface.log(Journal.Filter(limit: 100), from: "test")
            let asked = before.filter { $0.ticket != nil && $0.outcome == nil }.map(\.text)
            #expect(
                asked == [
                    "create zone 'Office' with Desk", "add Sink, Fan to @Office", "remove Desk from @Office",
                    "save scene 'Work' of @Office", "update Office/Work",
                    "edit Office/Work: turn Fan off", "edit Office/Work: take Sink out",
                    "rename Office/Work to 'Focus'", "delete scene 'Focus'", "identify Desk",
                ])
            #expect(before.contains { $0.text == "zone 'Office' has 3 lights" })
            try await surface.perform(.deleteRoom(room: "office"))
            let after = try await surface.surface.log(Journal.Filter(limit: 100), from: "test")
            #expect(after.suffix(3).map(\.text).contains("delete @Office"))
            #expect(after.filter { $0.outcome == "failed" }.isEmpty)
        }
    }
}
