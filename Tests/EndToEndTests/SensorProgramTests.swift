import ControlProtocol
import Foundation
import TestSupport
import Testing

/// Sensors and switches with the real programs, on a bridge with an event stream and on one that is polled.
@Suite(.timeLimit(.minutes(5)))
struct SensorProgramTests {
    private static let home = """
        rooms:
          - name: Living
            lights: [{ name: Desk, kind: color }]
            accessories: [{ name: Hall, kind: motion }, { name: Dial Living, kind: dial }]
        """

    @Test(arguments: ["BSB002", "BSB001"])
    func `what a sensor and a dial tell is listed, shown, watched and logged`(model: String) async throws {
        try await ProgramsFixture.running(
            home: Self.home, lightsim: ["--model", model, "--quirk", "ghost-buttons"],
            environment: ["LIGHTD_POLLING_INTERVAL": "1s"]
        ) { programs in
            // Before anybody listens: it is state, and never told.
            try await programs.tell("sensors/Dial Living/button", #"{"button":4,"event":"initial_press"}"#)
            #expect(try await programs.lightctl("pair").status == 0)
            let watch = try programs.start("watch", "--lines")
            defer { watch.signal(SIGKILL) }
            try await until("watch has begun") { watch.errors.contains("watching 1 light") }

            let listed = try await programs.lightctl("list", "sensors").output.split(separator: "\n").map {
                $0.split(separator: "\t").prefix(4)
            }
            #expect(
                listed == [
                    ["Dial Living", "Living", "dial", "button 4 pressed"], ["Hall", "Living", "motion", "no motion"],
                ])

            try await programs.tell("sensors/Hall/motion")
            try await until("motion is watched") { watch.lines.contains { $0.hasSuffix("Hall: motion") } }
            try await programs.tell("sensors/Dial Living/button", #"{"button":2,"event":"long_release"}"#)
            try await programs.tell("sensors/Dial Living/rotate", #"{"steps":-250}"#)
            try await until("the press is watched") {
                watch.lines.contains { $0.hasSuffix("Dial Living: button 2 released after being held") }
            }
            try await until("the turn is watched") {
                watch.lines.contains { $0.hasSuffix("Dial Living: turned 90° counter-clockwise") }
            }
            let shown = try await programs.lightctl("show", "dial living").output
            #expect(
                shown.contains("button 2\treleased after being held at") && shown.contains("button 1\tnot used yet"))
            let unknown = try await programs.lightctl("show", "Dail Living")
            #expect(unknown.status == 4 && unknown.errors.contains("'Dial Living'"))
            func log(_ arguments: String...) async throws -> [String] {
                let listed = try await programs.lightctl(["--json", "log"] + arguments)
                return try JSONDecoder().decode([LogBody].self, from: Data(listed.output.utf8)).map(\.text)
            }
            let told = ["Dial Living: button 2 released after being held", "Dial Living: turned 90° counter-clockwise"]
            #expect(Set(try await log("Dial Living")).isSuperset(of: told))
            #expect(Set(try await log("--by", "dial")) == Set(told))
            #expect(try await log("--by", "hall") == ["Hall: motion"])
            #expect(Set(try await log("@living")).isSuperset(of: told + ["Hall: motion"]))
            #expect(!watch.lines.contains { $0.contains("button 4") })
            #expect(try await programs.lightctl("status").output.contains("sensors\t2"))
        }
    }

    /// It would be worse to say that nobody is there.
    @Test func `a MotionAware area is a motion sensor, and unknown while it is off or not running`() async throws {
        let home = """
            rooms:
              - name: Living
                lights: [{ name: Desk, kind: color }, { name: Sofa, kind: color }]
            motion_areas: [{ name: Presence, room: Living }]
            """
        try await ProgramsFixture.running(home: home) { programs in
            #expect(try await programs.lightctl("pair").status == 0)
            let automation = """
                automations:
                  - name: Come in
                    when: motion presence
                    do: turn on desk
                """
            let file = try programs.place.write("come-in.yaml", automation)
            let applied = try await programs.lightctl("automation", "apply", file)
            #expect(applied.status == 0, "\(applied)")
            func shown() async throws -> [Substring] {
                try await programs.lightctl("list", "sensors").output.split(separator: "\t").prefix(4).map { $0 }
            }
            #expect(try await shown().prefix(3) == ["Presence", "Living", "motion"])
            try await programs.tell("sensors/Presence/motion", #"{"motion":false}"#)
            try await until("nobody is there") { try await shown().last == "no motion" }
            try await programs.tell("sensors/Presence/motion")
            try await until("it is noticed") { try await shown().last == "motion" }
            try await until("the automation has run") {
                try await programs.lightctl("list", "--on").output.hasPrefix("Desk\t")
            }
            let app = try await OtherApp(pairedWith: programs.bridge, over: programs.http)
            let listed = try await programs.lightctl("--json", "list", "sensors").output
            let id = try JSONDecoder().decode([SensorBody].self, from: Data(listed.utf8))[0].id
            let area = String(id.split(separator: "/").last ?? "")
            try await app.put("motion_area_configuration", area, #"{"enabled":false}"#)
            try await until("it is off") { try await shown().last != "motion" }
            let off = try await programs.lightctl("show", "presence").output
            #expect(off.contains("disabled"), "\(off)")
            let dry = try await programs.lightctl("sensor", "enable", "presence", "--dry-run").output
            #expect(dry.contains("motion_area_configuration/\(area)") && dry.contains(#"{"enabled":true}"#), "\(dry)")
            let on = try await programs.lightctl("sensor", "enable", "presence")
            #expect(on.status == 0 && on.output.isEmpty, "\(on)")
            #expect(try await shown().last == "motion", "it is known again")
            let json = try await programs.lightctl("--json", "sensor", "disable", "presence").output
            #expect(try JSONDecoder().decode(SensorBody.self, from: Data(json.utf8)).enabled == false)
            #expect(try await programs.lightctl("sensor", "enable", "presence").status == 0)
            #expect(try await programs.lightctl("sensor", "enable", "nothing").status == 4)
            let log = try await programs.lightctl("log", "presence").output
            #expect(log.contains("disable 'Presence'") && log.contains("enable 'Presence'"), "\(log)")
            try await programs.tell("sensors/Presence/health", #"{"health":"not_running"}"#)
            try await until("it is not running") { try await shown().last != "motion" }
        }
    }
}
