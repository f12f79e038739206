import ControlProtocol
import Foundation
import TestSupport
import Testing

/// Automations and timers, with the real programs.
@Suite(.timeLimit(.minutes(5)))
struct AutomationProgramTests {
    private static let file = """
        automations:
          - name: Evening
            when: 19:30 mon-fri
            if: "@living off"
            do: [turn on fan, set desk --brightness 40%]
          - name: Night
            when: 23:00
            do: turn off all
            enabled: false

        """

    @Test func `a file is applied, exported, run and removed`() async throws {
        try await withDaemon { shell in
            try shell.write(Self.file, to: "home.yaml")
            let dry = try await shell.run("$lightctl automation apply home.yaml --dry-run")
            #expect(dry == Program.End(status: 0, output: "would add Evening\nwould add Night\n", errors: ""))
            #expect(try await shell.run("$lightctl automation list").output.isEmpty)

            let applied = try await shell.run("$lightctl automation apply home.yaml --json")
            #expect(applied.status == 0 && applied.output.contains(#""added":["Evening","Night"]"#), "\(applied)")
            let again = try await shell.run("$lightctl automation export | $lightctl automation apply - --dry-run")
            #expect(again.output == "nothing would change: 2 automations\n", "\(again)")
            let changed = try await shell.run(
                "$lightctl automation export | sed s/19:30/19:40/ | $lightctl automation apply - --dry-run")
            #expect(changed.output == "would change Evening\n  when: 19:30 mon-fri → 19:40 mon-fri\n", "\(changed)")

            let list = try await shell.run("$lightctl automation list").output.split(separator: "\n")
            #expect(list.count == 2 && list[0].hasPrefix("Evening\tenabled\t19:30 mon-fri\t"))
            #expect(list[1].hasPrefix("Night\tdisabled\t23:00\t-\t-\t-"))

            let rehearsed = try await shell.run("$lightctl automation run EVENING --dry-run")
            #expect(rehearsed.status == 0 && rehearsed.output.split(separator: "\n").count == 2, "\(rehearsed)")
            #expect(try await shell.run("$lightctl automation log evening").output.isEmpty)
            #expect(try await shell.run("$lightctl automation run evening").status == 0)
            #expect(try await shell.light("Fan")?.power == .on)
            let log = try await shell.run("$lightctl automation log evening").output.split(separator: "\t")
            #expect(log.count == 4 && log[2].hasSuffix("with lightctl") && log[3] == "ok\n", "\(log)")
            let show = try await shell.run("$lightctl automation show evening").output
            #expect(show.contains("when\t19:30 mon-fri\nif\t@living off\ndo\tturn on fan\n"), "\(show)")

            let skipped = try await shell.run("$lightctl automation skip EVENING && $lightctl automation show evening")
            #expect(skipped.status == 0 && skipped.output.contains("\nskipped once\t"), "\(skipped)")
            #expect(try await shell.run("$lightctl automation preview --date tomorrow").status == 0)
            #expect(try await shell.run("$lightctl automation unskip evening").status == 0)
            let none = try await shell.run("$lightctl automation unskip evening")
            #expect(none.status != 0 && none.errors.contains("nothing of 'Evening' is to be skipped"), "\(none)")
            let off = try await shell.run("$lightctl automation skip night")
            #expect(off.status != 0 && off.errors.contains("'Night' is disabled"), "\(off)")

            #expect(try await shell.run("$lightctl automation enable night").status == 0)
            #expect(try await shell.run("$lightctl automation list").output.contains("Night\tenabled\t"))
            #expect(try await shell.run("$lightctl automation disable night").status == 0)
            #expect(try await shell.run("$lightctl automation remove night").status == 0)
            #expect(try await shell.run("$lightctl automation list").output.split(separator: "\n").count == 1)
            let unknown = try await shell.run("$lightctl automation run evning")
            #expect(unknown.status == 4 && unknown.errors.contains("did you mean 'Evening'?"), "\(unknown)")
        }
    }

    @Test func `a wrong file changes nothing, and each mistake has its place`() async throws {
        try await withDaemon { shell in
            try shell.write(Self.file, to: "home.yaml")
            #expect(try await shell.run("$lightctl automation apply home.yaml").status == 0)
            try shell.write(
                "automations:\n  - name: A\n    wen: noon\n    do: tun on fan\n", to: "wrong.yaml")
            let wrong = try await shell.run("$lightctl automation apply wrong.yaml")
            #expect(wrong.status == 6 && wrong.output.isEmpty)
            #expect(
                wrong.errors == """
                    lightctl: 'wrong.yaml' has 2 mistakes; nothing was changed
                      wrong.yaml:3:5: unknown key 'wen'; did you mean 'when'?
                      wrong.yaml:4:9: unknown command 'tun'; did you mean 'turn'?

                    """)
            #expect(try await shell.run("$lightctl automation list").output.split(separator: "\n").count == 2)
            try shell.write("automations:\n  - name: A\n    do: turn on attic\n", to: "unknown.yaml")
            let unknown = try await shell.run("$lightctl automation apply unknown.yaml")
            #expect(
                unknown.status == 0 && unknown.errors.contains("warning: unknown.yaml:2: 'turn on attic'"), "\(unknown)"
            )
        }
    }

    @Test func `timers are listed and cancelled, and a wrong command is wrong usage`() async throws {
        try await withDaemon { shell in
            #expect(try await shell.run("$lightctl in 1h turn off all").status == 0)
            #expect(try await shell.run("$lightctl at 22:30 dim desk sofa 40% --over 10m").status == 0)
            let timers = try await shell.run("$lightctl timers").output.split(separator: "\n").map {
                $0.split(separator: "\t")
            }
            try #require(timers.count == 2)
            #expect(timers[0][0] == "timer 1" && timers[0][3] == "turn off all", "\(timers)")
            #expect(timers[1][3] == "set desk --brightness 40% --over 10m; set sofa --brightness 40% --over 10m")
            #expect(try await shell.run("$lightctl in 5m turn on attic").status == 4)
            #expect(try await shell.run("$lightctl timers cancel 1").status == 0)
            #expect(try await shell.run("$lightctl timers cancel 7").status == 4)
            #expect(try await shell.run("$lightctl timers").output.split(separator: "\n").count == 1)
            let wrong = try await shell.run("$lightctl in 1h turn of all")
            #expect(wrong.status == 64 && wrong.errors.contains("'of' is not a valid <action>"), "\(wrong)")
            #expect(try await shell.run("$lightctl at 25:00 turn off all").status == 64)
            #expect(try await shell.run("$lightctl at 22:30").status == 64)
            #expect(try await shell.run("$lightctl at sunset - 20m turn off all").errors.contains("home.latitude"))
        }
    }

    @Test func `what is done for a while is taken back`() async throws {
        try await withDaemon { shell in
            let before = try await shell.light("Fan")?.power
            #expect(try await shell.run("$lightctl turn \(before == .on ? "off" : "on") fan --for 300ms").status == 0)
            try await until("it is taken back") {
                let timers = try await shell.run("$lightctl timers").output
                let power = try await shell.light("Fan")?.power
                return timers.isEmpty && power == before
            }
        }
    }

    @Test func `a day is shown before it happens`() async throws {
        try await withDaemon { shell in
            try shell.write(
                "automations:\n  - name: Morning\n    when: 06:45 mon-fri\n    if: [\"@living off\", between 06:00 and 07:00]\n"
                    + "    do: turn on fan\n  - name: Late\n    when: every 6h\n    if: between 17:00 and 19:00\n    do: off fan\n",
                to: "home.yaml")
            #expect(try await shell.run("$lightctl automation apply home.yaml").status == 0)
            let day = try await shell.run("$lightctl automation preview --date 2026-12-24")
            let lines = day.output.split(separator: "\n").map { $0.split(separator: "\t") }
            #expect(lines.map { $0[1] } == ["Late", "Late", "Morning", "Late", "Late"], "\(day)")
            #expect(lines.map { $0[3] } == ["prevented", "prevented", "run", "prevented", "run"])
            #expect(lines[2][2] == "06:45 mon-fri" && lines[2][4] == "@living off" && lines[2][5] == "turn on fan")
            #expect(
                try await shell.run("$lightctl automation preview --date 2026-12-26").output.split(separator: "\n")
                    .count == 4)
            #expect(try await shell.run("$lightctl automation preview --date 2026-02-30").status == 64)
        }
    }

    @Test func `a changed file is lived through by the journal, and nothing is sent`() async throws {
        try await withDaemon { shell in
            let turned = try await shell.run("$lightctl turn off fan --wait && $lightctl turn on fan --wait")
            #expect(turned.status == 0, "\(turned)")
            try shell.write(
                "automations:\n  - name: Company\n    when: light fan on\n    do: [turn on desk, wait 1h, turn off desk]\n",
                to: "home.yaml")
            let lights = try await shell.run("$lightctl list").output
            let simulated = try await shell.run("$lightctl automation simulate home.yaml --from journal --since 1h")
            let columns = simulated.output.split(separator: "\n").map { $0.split(separator: "\t") }
            #expect(columns.count == 1, "\(simulated)")
            #expect(
                columns.first?.dropFirst().elementsEqual(["Company", "light fan on", "run", "-", "turn Desk on"])
                    == true,
                "\(simulated)")
            #expect(try await shell.run("$lightctl list").output == lights)
            #expect(try await shell.run("$lightctl automation list").output.isEmpty)
            let json = try await shell.run("$lightctl automation simulate home.yaml --json")
            #expect(json.status == 0 && json.output.contains(#""text":"turn Desk on""#), "\(json)")
            #expect(try await shell.run("$lightctl log --by automation").output.isEmpty)

            try shell.write("automations:\n  - name: A\n    wen: noon\n    do: tun on fan\n", to: "wrong.yaml")
            let wrong = try await shell.run("$lightctl automation simulate wrong.yaml")
            #expect(wrong.status == 6 && wrong.output.isEmpty)
            #expect(
                wrong.errors == """
                    lightctl: 'wrong.yaml' has 2 mistakes; nothing was simulated
                      wrong.yaml:3:5: unknown key 'wen'; did you mean 'when'?
                      wrong.yaml:4:9: unknown command 'tun'; did you mean 'turn'?

                    """)
            #expect(try await shell.run("$lightctl automation simulate home.yaml --since 90d").status == 64)
            #expect(try await shell.run("$lightctl automation simulate home.yaml --from memory").status == 64)
        }
    }

    private func withDaemon(_ body: (Shell) async throws -> Void) async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let lightd = try Program(.lightd, ["--simulated", "--socket", place.socket])
        defer { lightd.signal(SIGKILL) }
        try await lightd.prints("Ctrl-C")
        let shell = Shell(path: place.path, socket: place.socket)
        try await until("the lights are there") { try await shell.run("$lightctl list").output.contains("Sofa") }
        try await body(shell)
        lightd.signal(SIGTERM)
        #expect(try await lightd.end().status == 0)
    }
}

extension Shell {
    fileprivate func light(_ name: String) async throws -> LightBody? { try await lights.first { $0.name == name } }
}
