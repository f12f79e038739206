import ControlProtocol
import Foundation
import TestSupport
import Testing

/// Stored scenes are edited with the real programs, while their lights show something else.
@Suite(.timeLimit(.minutes(5)))
struct SceneEditProgramTests {
    private static let home = """
        rooms:
          - name: Living
            lights:
              - { name: Desk, kind: color, on: true }
              - { name: Lamp, kind: color, on: true }
              - { name: Fan, kind: plug, on: true }
          - name: Kitchen
            lights:
              - { name: Stove, kind: ambiance, on: true }
        """

    /// What `scene show` says of one light.
    private static func line(_ light: String, _ shown: String) throws -> [String] {
        try #require(
            shown.split(separator: "\n").first { $0.hasPrefix(light + "\t") }.map {
                $0.split(separator: "\t").map(String.init).dropLast()
            })
    }

    @Test func `a stored scene is edited without its lights, and keeps what another app has stored meanwhile`()
        async throws
    {
        try await Self.running { programs, app, scene in
            let before = try await programs.resources(app)
            func ids(_ name: String) async throws -> String {
                String(try await programs.light(name).id.split(separator: "/").last ?? "")
            }
            let (desk, lamp) = (try await ids("Desk"), try await ids("Lamp"))
            // Another app stores other values for both lamps.
            func action(_ light: String, _ values: String) -> String {
                #"{"target":{"rid":"\#(light)","rtype":"light"},"action":{"on":{"on":true},\#(values)}}"#
            }
            let blue = #""dimming":{"brightness":20},"color":{"xy":{"x":0.17,"y":0.2}}"#
            let candle = #""dimming":{"brightness":30},"effects_v2":{"action":{"effect":"candle"}}"#
            try await app.put("scene", scene, #"{"actions":[\#(action(desk, blue)),\#(action(lamp, candle))]}"#)
            _ = try await programs.run("scene", "edit", "evening", "desk", "--brightness", "80%")
            var shown = try await programs.run("scene", "show", "evening")
            let stored = try await app.get("scene", scene)
            #expect(try Self.line("Desk", shown)[1...2] == ["on", "80%"], "\(shown)")
            #expect(stored.contains(#""x":0.17"#) && stored.contains("candle"), "\(stored)")

            // A colour ends the effect, and a plug of the room is added.
            _ = try await programs.run("scene", "edit", "living/evening", "lamp", "--color", "red")
            _ = try await programs.run("scene", "edit", "evening", "fan", "--off")
            shown = try await programs.run("scene", "show", "evening")
            #expect(try Self.line("Lamp", shown)[1...2] == ["on", "30%"], "\(shown)")
            #expect(try Self.line("Fan", shown)[1] == "off", "\(shown)")
            #expect(try await !app.get("scene", scene).contains("candle"))
            #expect(try await programs.scene("Evening").lights.count == 3)
            #expect(try await programs.resources(app) == before, "no light has changed")

            _ = try await programs.run("recall", "evening", "--wait")
            #expect(try await programs.light("Desk").brightness.map { abs($0 - 80) < 1 } == true)
            // Red, as far as the lamp can show it.
            #expect(try await programs.light("Lamp").hue.map { $0 < 20 || $0 > 340 } == true)
            #expect(try await programs.light("Lamp").effect == nil)
            #expect(try await programs.light("Fan").power == .off)
            let log = try await programs.run("log", "--limit", "100")
            #expect(log.contains("edit Living/Evening: set Desk to 80%"), "\(log)")

            _ = try await programs.run("scene", "edit", "evening", "lamp", "fan", "--remove")
            #expect(try await programs.scene("Evening").lights.count == 1)
        }
    }

    @Test func `an edit shows its request beforehand, and is refused with the reason`() async throws {
        try await Self.running { programs, app, scene in
            let stored = try await app.get("scene", scene)
            let dry = try await programs.run("scene", "edit", "evening", "desk", "--brightness", "80%", "--dry-run")
            #expect(
                dry.contains("\tPUT\t/clip/v2/resource/scene/\(scene)\t") && dry.contains(#""brightness":80"#), "\(dry)"
            )
            for (words, reason) in [
                (["stove", "--brightness", "80%"], "sets only lights that are in 'Living', but not 'Stove'"),
                (["fan", "--color", "red"], "'Fan' cannot show colours"),
                (["@living", "--remove"], "sets no other lights; delete it instead"),
                (["fan", "--remove"], "does not set 'Fan'"),
                (["desk", "--effect", "dance"], "cannot run the effect 'dance', but"),
            ] {
                let refused = try await programs.lightctl(["scene", "edit", "evening"] + words)
                #expect(refused.status != 0 && refused.errors.contains(reason), "\(words): \(refused)")
            }
            #expect(try await app.get("scene", scene) == stored)
            // Of a room, what cannot be dimmed is left out.
            let left = try await programs.run("--json", "scene", "edit", "evening", "@living", "--brightness", "50%")
            #expect(left.contains("'Fan' cannot be dimmed"), "\(left)")
            #expect(try await programs.scene("Evening").lights.count == 2)
        }
    }

    private static func running(_ body: (ProgramsFixture, OtherApp, String) async throws -> Void) async throws {
        try await ProgramsFixture.running(home: home) { programs in
            _ = try await programs.run("pair")
            try await until("the lights are there") { try await programs.list(LightBody.self, "lights").count == 4 }
            let app = try await OtherApp(pairedWith: programs.bridge, over: programs.http)
            _ = try await programs.run("set", "desk", "lamp", "--brightness", "90%", "--temperature", "2700K", "--wait")
            _ = try await programs.run("scene", "save", "Evening", "desk", "lamp")
            _ = try await programs.run("set", "desk", "lamp", "--brightness", "50%", "--temperature", "4000K", "--wait")
            let id = try await programs.scene("Evening").id
            try await body(programs, app, String(id.split(separator: "/").last ?? ""))
        }
    }
}
