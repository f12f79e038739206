import ControlProtocol
import Foundation
import SimulatedBridge
import TestSupport
import Testing

/// Effects and gradients with the real programs. What another app has set is there again after a command and what takes it
/// back: the bridge's resource is the same, byte for byte.
@Suite(.timeLimit(.minutes(5)))
struct EffectProgramTests {
    private static let home = """
        rooms:
          - name: Living
            lights:
              - { name: Strip, kind: gradient, on: true }
              - { name: Desk, kind: color, on: true }
              - { name: Lamp, kind: ambiance, on: true, mirek: 400 }
              - { name: Fan, kind: plug, on: true }
        """

    private static let rainbow = #"""
        {"on":{"on":true},"dimming":{"brightness":70},
         "gradient":{"points":[{"color":{"xy":{"x":0.6,"y":0.32}}},{"color":{"xy":{"x":0.3,"y":0.55}}},
                               {"color":{"xy":{"x":0.17,"y":0.1}}}],"mode":"interpolated_palette_mirrored"},
         "effects_v2":{"action":{"effect":"prism","parameters":{"speed":0.6}}}}
        """#
    private static let candle = #"""
        {"on":{"on":true},"dimming":{"brightness":40},"color":{"xy":{"x":0.55,"y":0.4}},
         "effects_v2":{"action":{"effect":"candle","parameters":{"color_temperature":{"mirek":447},"speed":0.3}}}}
        """#

    /// Each after the name of the light that it changes.
    private static let commands: [[String]] = [
        ["dim", "30%"], ["set", "--color", "red"], ["set", "--temperature", "2700K"], ["effect", "none"],
        ["effect", "fire", "--speed", "90%"], ["effect", "sunset", "--over", "30m"], ["off"],
    ]

    @Test func `what a command changes of an effect or a gradient, undo brings back`() async throws {
        try await Self.running { programs, app in
            let lights: [LightBody] = try await programs.list()
            for (name, setting) in [("Strip", Self.rainbow), ("Desk", Self.candle)] {
                let id = try #require(lights.first { $0.name == name }?.id.split(separator: "/").last.map(String.init))
                try await app.put("light", id, setting)
                let wanted = name == "Strip" ? "prism" : "candle"
                try await until("\(wanted) is seen") { try await programs.light(name).effect == wanted }
                let before = try await app.get("light", id)
                let extra = name == "Strip" ? [["gradient", "red", "#00f", "lime", "--mode", "random"]] : []
                for words in Self.commands + extra {
                    let command = [words[0], name] + words.dropFirst() + ["--wait"]
                    let done = try await programs.lightctl(command)
                    #expect(done.status == 0, "\(command): \(done)")
                    #expect(try await app.get("light", id) != before, "\(command)")
                    let undone = try await programs.lightctl("undo", "--wait")
                    #expect(undone.status == 0, "\(command): \(undone)")
                    #expect(try await app.get("light", id) == before, "\(command)")
                }
                // An earlier list, all at once, and a scene.
                let list = try programs.place.write("\(name).json", try await programs.lightctl("snapshot").output)
                #expect(try await programs.lightctl("scene", "save", name, name).status == 0)
                for back in [["restore", list, "--wait"], ["apply", list, "--wait"], ["recall", name, "--wait"]] {
                    #expect(try await programs.lightctl("set", "all", "--temperature", "2700K", "--wait").status == 0)
                    #expect(try await programs.light(name).effect == nil)
                    let done = try await programs.lightctl(back)
                    #expect(done.status == 0, "\(back): \(done)")
                    try await until("\(back) is seen") { try await programs.light(name).effect == wanted }
                    #expect(try await app.get("light", id) == before, "\(back)")
                }
            }
        }
    }

    @Test func `a lamp that cannot says what it can, and in a room it is left out`() async throws {
        try await Self.running { programs, _ in
            for (words, reason) in [
                (["effect", "fan", "candle"], "'Fan' cannot run effects"),
                (["effect", "lamp", "fire"], "'Lamp' cannot run the effect 'fire', but candle, sunrise, sunset"),
                (["effect", "lamp", "sunrise"], "'Lamp' cannot run 'sunrise' without being told how long it takes"),
                (["effect", "lamp", "candle", "--over", "1m"], "'Lamp' cannot run 'candle' for a set time"),
                (["gradient", "desk", "red", "blue"], "'Desk' cannot show several colours at once"),
                (
                    ["gradient", "strip", "red", "blue", "red", "blue", "red", "blue"],
                    "'Strip' cannot show more than 5 colours at once"
                ),
            ] {
                let refused = try await programs.lightctl(words)
                #expect(refused.status == 1 && refused.errors.contains(reason), "\(words): \(refused)")
            }
            let room = try await programs.lightctl("effect", "@living", "fire", "--wait")
            #expect(room.status == 0, "\(room)")
            let running = try await programs.list().filter { $0.effect == "fire" }.map(\.name).sorted()
            #expect(running == ["Desk", "Strip"])
            // Nothing is sent where nothing runs.
            let ended = try await programs.lightctl("effect", "lamp", "none", "--dry-run")
            #expect(ended.status == 0 && ended.output.isEmpty, "\(ended)")
        }
    }

    @Test func `a timed effect that has run out is nobody's hand`() async throws {
        try await Self.running { programs, _ in
            let begun = try await programs.lightctl("effect", "desk", "sunrise", "--over", "4s", "--wait")
            #expect(begun.status == 0, "\(begun)")
            #expect(try await programs.light("Desk").effect == "sunrise")
            try await until("it has run out") { try await programs.light("Desk").effect == nil }
            let after = try await programs.light("Desk")
            #expect(after.cause.kind == .command && after.freshness == .confirmed, "\(after)")
        }
    }

    @Test func `a lamp that blinks says so for as long as it does, whoever makes it blink`() async throws {
        try await Self.running { programs, app in
            let id = try #require(try await programs.light("Desk").id.split(separator: "/").last.map(String.init))
            let before = try await app.get("light", id)
            #expect(try await programs.lightctl("signal", "desk", "--color", "red", "--for", "1m").status == 0)
            try await until("it blinks") { try await programs.light("Desk").signal?.colors == ["#ff0000"] }
            let shown = try await programs.lightctl("show", "desk").output
            #expect(shown.contains("signal\tblinks #ff0000 until "), "\(shown)")
            #expect(try await programs.light("Desk").cause.kind == .unseen, "what it shows is as it was")
            #expect(try await programs.lightctl("signal", "desk", "--end").status == 0)
            try await until("it does not blink") { try await programs.light("Desk").signal == nil }
            #expect(try await app.get("light", id) == before)

            try await app.put("light", id, #"{"signaling":{"signal":"on_off","duration":2000}}"#)
            try await until("it blinks") { try await programs.light("Desk").signal?.colors == [] }
            try await until("it has ended by itself") { try await programs.light("Desk").signal == nil }
            #expect(try await programs.lightctl("log").output.contains("Desk blinks"))
        }
    }

    @Test func `a dynamic scene moves its lights, which say so, until they get another colour`() async throws {
        try await Self.running { programs, app in
            #expect(try await programs.lightctl("set", "desk", "--color", "orange", "--wait").status == 0)
            #expect(try await programs.lightctl("scene", "save", "Waves", "@living").status == 0)
            let scenes = try await programs.lightctl("list", "scenes").output
            let id = try #require(scenes.split(separator: "\t").dropFirst(2).first?.split(separator: "/").last)
            let palette =
                #"{"palette":{"color":[[0.2,0.2],[0.4,0.3],[0.3,0.5]],"dimming":[],"color_temperature":[],"#
                + #""effects":[]}}"#
            let points = palette.replacing(/\[(0\.\d),(0\.\d)\]/) {
                #"{"color":{"xy":{"x":\#($0.1),"y":\#($0.2)}},"dimming":{"brightness":50}}"#
            }
            try await app.put("scene", String(id), points)
            let recalled = try await programs.lightctl("recall", "waves", "--dynamic", "--speed", "100%", "--wait")
            #expect(recalled.status == 0, "\(recalled)")
            try await until("the desk moves") { try await programs.light("Desk").effect == "dynamic_palette" }
            let first = try await programs.light("Desk")
            #expect(first.effectSpeed == 100)
            try await until("it shows the next colour") { try await programs.light("Desk").color != first.color }
            let next = try await programs.light("Desk")
            #expect(next.cause == first.cause && next.cause.kind == .scene, "\(next.cause)")
            #expect(try await programs.lightctl("list").output.contains("\tdynamic #"))
            let rooms = try await programs.lightctl("list", "rooms").output
            #expect(rooms.contains("\tWaves\tshown"), "\(rooms)")
            let rows = try await programs.lightctl("log").output.split(separator: "\n").filter {
                $0.contains("Desk is")
            }
            #expect(rows.last?.contains("dynamic at 100%") == true, "\(rows)")
            // The level alone, and back: it moves on.
            #expect(try await programs.lightctl("dim", "desk", "20%", "--wait").status == 0)
            #expect(try await programs.lightctl("undo", "--wait").status == 0)
            #expect(try await programs.light("Desk").effect == "dynamic_palette")
            #expect(try await programs.lightctl("effect", "desk", "none", "--wait").status == 0)
            let resting = try await programs.light("Desk")
            #expect(resting.effect == nil && resting.color != nil)
            let undone = try await programs.lightctl("undo", "2", "--wait")
            #expect(undone.status == 0, "\(undone)")
            #expect(try await programs.light("Desk").color == "#ffa500")
            // As another app makes it: it moves its lights by itself, unless it is told not to.
            try await app.put("scene", String(id), #"{"auto_dynamic":true}"#)
            for (words, effect) in [([], "dynamic_palette"), (["--static"], nil)] {
                let recalled = try await programs.lightctl(["recall", "waves"] + words + ["--wait"])
                #expect(recalled.status == 0, "\(recalled)")
                try await until("\(words) is seen") { try await programs.light("Desk").effect == effect }
            }
            #expect(try await programs.lightctl("log").output.contains("recall Living/Waves statically"))
            let rehearsed = try await programs.lightctl("recall", "waves", "--static", "--dry-run").output
            #expect(rehearsed.contains(#"{"recall":{"action":"static"}}"#), "\(rehearsed)")
        }
    }

    private static func running(_ body: (ProgramsFixture, OtherApp) async throws -> Void) async throws {
        try await ProgramsFixture.running(home: home) { programs in
            let paired = try await programs.lightctl("pair")
            #expect(paired.status == 0, "\(paired)")
            try await until("the lights are there") { try await programs.list().count == 4 }
            try await body(programs, try await OtherApp(pairedWith: programs.bridge, over: programs.http))
        }
    }
}

extension ProgramsFixture {
    fileprivate func list() async throws -> [LightBody] {
        try JSONDecoder().decode([LightBody].self, from: Data(try await lightctl("--json", "list").output.utf8))
    }
}
