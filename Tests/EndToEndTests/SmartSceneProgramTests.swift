import ControlProtocol
import Foundation
import TestSupport
import Testing

/// Smart scenes with the real programs: the bridge recalls their scenes, and lightd says so.
@Suite(.timeLimit(.minutes(5)))
struct SmartSceneProgramTests {
    private static let home = """
        rooms:
          - name: Living
            lights:
              - { name: Desk, kind: color, on: true }
              - { name: Lamp, kind: ambiance, on: true, mirek: 400 }
        """

    /// - Parameter second: after midnight.
    private static func slot(_ second: Int, _ scene: String) -> String {
        #"{"start_time":{"kind":"time","time":{"hour":0,"minute":0,"second":\#(second)}},"#
            + #""target":{"rid":"\#(scene)","rtype":"scene"}}"#
    }

    @Test func `a smart scene is listed, shown, activated, taken back and ended`() async throws {
        try await Self.running { programs, app, scenes in
            let day = try await programs.scene("Day")
            #expect(day.smart?.active == false && day.room == "Living" && day.lights.count == 2, "\(day)")
            #expect(try await programs.run("scene", "show", "day").contains("mon-sun\t00:00\tBright\t-\t"))
            #expect(try await programs.run("list", "scenes").contains("\tinactive\t-\n"))
            let before = try await programs.resources(app)

            _ = try await programs.run("recall", "day", "--wait")
            try await until("it is active") { try await programs.scene("Day").smart?.current?.scene == "Bright" }
            try await until("its scene is shown") { try await programs.light("Desk").brightness == scenes.level }
            let cause = try await programs.light("Desk").cause
            #expect(cause.kind == .scene && cause.what == "Living/Day" && cause.ticket != nil, "\(cause)")
            #expect(try await programs.run("list", "rooms").contains("\tDay\tshown"))
            #expect(try await programs.run("scene", "show", "day").contains("\tcurrent\t"))

            _ = try await programs.run("undo", "--wait")
            try await until("it is ended") { try await programs.scene("Day").smart?.active == false }
            #expect(try await programs.resources(app) == before)
            _ = try await programs.run("redo", "--wait")
            try await until("it is active again") { try await programs.scene("Day").smart?.active == true }

            _ = try await programs.run("scene", "deactivate", "day")
            #expect(try await programs.scene("Day").smart?.active == false)
            #expect(try await programs.light("Desk").brightness == scenes.level, "its lights stay as they are")
            _ = try await programs.run("scene", "activate", "living/day")
            try await until("it is active once more") { try await programs.scene("Day").smart?.active == true }
        }
    }

    @Test func `what a smart scene cannot do is refused with the reason`() async throws {
        try await Self.running { programs, _, _ in
            for (words, reason) in [
                (["recall", "day", "--over", "2s"], "'Day' is a smart scene, which has a transition of its own"),
                (["recall", "day", "--dynamic"], "'Day' is a smart scene, which is neither dynamic nor static"),
                (["recall", "day", "--static"], "'Day' is a smart scene, which is neither dynamic nor static"),
                (["scene", "update", "day"], "a smart scene stores nothing that its lights show"),
                (["scene", "deactivate", "bright"], "'Bright' is no smart scene"),
            ] {
                let refused = try await programs.lightctl(words)
                #expect(refused.status == 64 && refused.errors.contains(reason), "\(words): \(refused)")
            }
            _ = try await programs.run("scene", "rename", "day", "Round")
            #expect(try await programs.scene("Round").smart != nil)
            _ = try await programs.run("scene", "delete", "round")
            #expect(try await programs.run("list", "scenes").contains("Round") == false)
        }
    }

    /// It would otherwise go on to change the lights that were restored.
    @Test func `a smart scene for a while is ended before its lights are restored`() async throws {
        try await Self.running { programs, app, _ in
            let before = try await programs.resources(app)
            _ = try await programs.run("recall", "day", "--for", "2s")
            try await until("it is active") { try await programs.scene("Day").smart?.active == true }
            try await until("it is ended") { try await programs.scene("Day").smart?.active == false }
            try await until("its lights are as before") { try await programs.resources(app) == before }
        }
    }

    @Test func `the scene that another app activates, and each that follows, is its doing`() async throws {
        try await Self.running { programs, app, scenes in
            try await app.put("smart_scene", scenes.day, #"{"recall":{"action":"activate"}}"#)
            try await until("it is seen") { try await programs.light("Desk").cause.what == "Living/Day" }
            #expect(try await programs.light("Desk").cause.ticket == nil)
            // The bridge takes another scene up, as it does when its time has come.
            let day = [Self.slot(0, scenes.bright), Self.slot(1, scenes.calm)].joined(separator: ",")
            let slots = #"[{"timeslots":[\#(day)],"recurrence":["# + Self.days + "]}]"
            try await app.put("smart_scene", scenes.day, #"{"week_timeslots":\#(slots)}"#)
            try await app.put("smart_scene", scenes.day, #"{"recall":{"action":"activate"}}"#)
            try await until("the next is seen") { try await programs.light("Desk").brightness ?? 100 < 30 }
            let cause = try await programs.light("Desk").cause
            #expect(cause.kind == .scene && cause.what == "Living/Day", "\(cause)")
            try await until("its slot is known") { try await programs.scene("Day").smart?.current?.scene == "Calm" }
        }
    }

    private static let days = SmartSceneProgramTests.weekdays.map { #""\#($0)""# }.joined(separator: ",")
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    private struct Scenes {
        let (bright, calm, day): (String, String, String)
        /// Of the bright one, as the bridge rounds it.
        let level: Double?
    }

    private static func running(_ body: (ProgramsFixture, OtherApp, Scenes) async throws -> Void) async throws {
        try await ProgramsFixture.running(home: home) { programs in
            _ = try await programs.run("pair")
            try await until("the lights are there") { try await programs.list(LightBody.self, "lights").count == 2 }
            let app = try await OtherApp(pairedWith: programs.bridge, over: programs.http)
            var levels: [Double?] = []
            for (name, level) in [("Bright", "90%"), ("Calm", "20%")] {
                _ = try await programs.run("set", "@living", "--brightness", level, "--temperature", "2700K", "--wait")
                _ = try await programs.run("scene", "save", name, "@living")
                levels.append(try await programs.light("Desk").brightness)
            }
            _ = try await programs.run("set", "@living", "--brightness", "50%", "--temperature", "4000K", "--wait")
            func id(_ scene: String) async throws -> String {
                String(try await programs.scene(scene).id.split(separator: "/").last ?? "")
            }
            let (bright, calm) = (try await id("Bright"), try await id("Calm"))
            let room = String(try await programs.list(RoomBody.self, "rooms")[0].id.split(separator: "/").last ?? "")
            let day = try await app.post(
                "smart_scene",
                #"{"metadata":{"name":"Day"},"group":{"rid":"\#(room)","rtype":"room"},"transition_duration":0,"#
                    + #""week_timeslots":[{"timeslots":[\#(slot(0, bright))],"recurrence":[\#(days)]}]}"#)
            try await until("the smart scene is there") {
                try await programs.list(SceneBody.self, "scenes").contains { $0.name == "Day" }
            }
            try await body(programs, app, Scenes(bright: bright, calm: calm, day: day, level: levels[0]))
        }
    }
}

extension ProgramsFixture {
    /// What it prints.
    func run(_ words: String...) async throws -> String {
        let done = try await lightctl(words)
        #expect(done.status == 0, "\(words): \(done)")
        return done.output
    }

    func list<Body: Decodable>(_: Body.Type, _ kind: String) async throws -> [Body] {
        try JSONDecoder().decode([Body].self, from: Data(try await lightctl("--json", "list", kind).output.utf8))
    }

    func scene(_ name: String) async throws -> SceneBody {
        try #require(try await list(SceneBody.self, "scenes").first { $0.name == name })
    }

    func light(_ name: String) async throws -> LightBody {
        try #require(try await list(LightBody.self, "lights").first { $0.name == name })
    }

    /// Those of all lights, as the bridge has them.
    func resources(_ app: OtherApp) async throws -> [String] {
        var all: [String] = []
        for light in try await list(LightBody.self, "lights") {
            all.append(try await app.get("light", String(light.id.split(separator: "/").last ?? "")))
        }
        return all
    }
}
