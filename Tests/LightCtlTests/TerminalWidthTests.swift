import ControlProtocol
import Testing

@testable import lightctl

/// What is printed on a terminal fits it, whatever people call their lights.
@Suite struct TerminalWidthTests {
    static let widths = [40, 60, 80, 200]

    static let names = [
        "Desk", "", String(repeating: "Reading lamp by the window ", count: 8), String(repeating: "x", count: 300),
        String(repeating: "👩‍👩‍👧🇩🇪❤️", count: 20), String(repeating: "מטבח ", count: 30),
        "مصباح غرفة الجلوس الكبيرة فوق الطاولة",
        String(repeating: "居間の電球", count: 20), String(repeating: "e\u{301}", count: 90), "💡",
        "two\nlines\tand \u{1B}[31mred",
    ]

    private static let terminals = widths.flatMap { width in
        [
            Terminal.screen(width), .screen(width, colours: .full), .screen(width, colours: .sixteen, unicode: false),
        ]
    }

    /// Everything that is printed of a home in which all is called `name`.
    private static func printed(_ name: String, on terminal: Terminal) -> [(what: String, text: String)] {
        let lights = LightBody.Freshness.allCases.flatMap { freshness in
            [
                LightBody.make(name, id: name + "\(freshness)", room: name, color: "#ff8800", freshness: freshness),
                LightBody.make(name, room: nil, power: .off, brightness: nil, freshness: freshness, bridge: "c"),
            ]
        }
        var lost = BridgeBody.make(connected: false)
        (lost.name, lost.model, lost.reason) = (name, name, name)
        lost.address = "[2001:db8:1234:5678:9abc:def0:1234:5678]:18443"
        var polled = BridgeBody.make("001788fffe000002", lights: 5000)
        (polled.name, polled.updates, polled.intervalSeconds) = (name, .polling, 2.5)
        let rooms = [
            RoomBody(id: "1", name: name, kind: .room, lights: ["a", "b"], on: 1, brightness: 40, bridge: "b"),
            RoomBody(id: "2", name: name, kind: .zone, lights: [], on: 0, bridge: "c"),
        ]
        let scene = SceneBody(id: "1", name: name, room: name, bridge: "b")
        let value = SceneValuesBody.Value(
            target: "b/1", name: name, power: .on, .init(brightness: 40, color: "#ff8800", hue: 33, saturation: 100))
        let values = SceneValuesBody(id: "1", name: name, bridge: "b", values: [value])
        let token = TokenBody(name: name, access: .readOnly, created: "2020-11-22T10:00:00Z")
        let entry = LogBody(
            number: 1, time: "2026-11-22T10:00:00Z", feature: "lighting", holder: name, text: "turn \(name) on",
            outcome: "failed")
        let checks = [
            CheckBody(name, of: name, .failure, name, remedy: "run '\(name)'", exitStatus: .unreachable),
            CheckBody("lightd", .ok, "answers"),
        ]
        var found = DiscoveryBody.make()
        (found.name, found.model, found.address) = (name, name, lost.address)
        found.attempts = [.init(way: "mdns", asked: name, result: name, succeeded: false)]
        let names = ["b": name, "c": name]
        let clock = WallClock.noon
        let changes = LiveView.Change.light(lights[0], before: nil).text(clock)
        let all = [
            ("lights", Lists.lights(lights, on: terminal, clock, bridges: names)),
            ("lights of one bridge", Lists.lights(lights, on: terminal, clock)),
            ("no lights", Lists.lights([], on: terminal, clock)),
            ("rooms", Lists.rooms(rooms, on: terminal, bridges: names)),
            ("scenes", Lists.scenes([scene], on: terminal, bridges: names)),
            ("scene", Lists.scene(values, on: terminal)),
            ("bridges", Lists.bridges([lost, polled], on: terminal, clock)),
            ("no bridges", Lists.bridges([], on: terminal, clock)),
            ("dashboard", Lists.dashboard([PinBody(target: name, name: name, display: .scrubbing)], on: terminal)),
            ("no pins", Lists.dashboard([], on: terminal)),
            ("tokens", Lists.tokens([token], on: terminal, clock)),
            ("no tokens", Lists.tokens([], on: terminal, clock)),
            ("powerups", Lists.configuration(lights, .powerup, on: terminal)),
            ("log", LogText.line(entry, on: terminal, clock)),
            ("doctor", DoctorText.text(checks, on: terminal)),
            ("discover", DiscoveryText.table([found], on: terminal)),
            ("nothing found", DiscoveryText.table([], on: terminal)),
            ("discover --explain", DiscoveryText.explanation([found, .make(nil)], on: terminal)),
            ("show", Details.rendered(Details.light(lights[0], clock), on: terminal)),
            ("why", CauseText.lines(lights, on: terminal, clock)),
            ("watch --lines", wrapped([StyledText(changes ?? "")], for: terminal, indent: 10)),
        ]
        var table = LiveTable()
        table.replace(lights: lights, rooms: rooms, scenes: [], bridges: [lost, polled], now: clock.now)
        table.take(light: LightBody.make(name, id: name + "confirmed", power: .off), now: clock.now)
        table.trouble = name
        return all + [("watch", table.frame(on: terminal, rows: 24, clock).joined(separator: "\n"))]
    }

    @Test(arguments: terminals) func `no line is wider than the terminal`(terminal: Terminal) {
        for name in Self.names {
            for (what, text) in Self.printed(name, on: terminal) {
                for line in text.split(separator: "\n") {
                    let shown = String(line).replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
                    #expect(columns(shown) <= terminal.columns, "\(what) of '\(name)': '\(shown)'")
                }
            }
        }
    }

    @Test(arguments: widths) func `what a table is about is seen on every terminal`(width: Int) {
        for (what, text) in Self.printed("Desk", on: .screen(width)) where !what.contains("no") {
            #expect(text.contains("Desk"), "\(what)")
        }
        let bridges = Lists.bridges([.make(connected: false)], on: .screen(width), .noon)
        #expect(bridges.contains("Home") && bridges.contains("lost"))
    }

    // MARK: Lines that are wrapped

    @Test func `a long line is broken between words, and goes on under its text`() {
        let parts = [StyledText("10:42"), StyledText("  alice: set desk to 40 %: "), StyledText("succeeded", .faint)]
        #expect(wrapped(parts, for: .screen(60), indent: 7) == "10:42  alice: set desk to 40 %: succeeded")
        #expect(
            wrapped(parts, for: .screen(22), indent: 7) == """
                10:42  alice: set desk
                       to 40 %:
                       succeeded
                """)
        // On a terminal so narrow, there is no room for such an indent.
        #expect(
            wrapped(parts, for: .screen(12), indent: 7) == """
                10:42
                    alice:
                    set desk
                    to 40 %:
                    succeede
                    d
                """)
    }

    @Test(arguments: 5...60) func `wrapping loses nothing but blanks`(width: Int) {
        for name in Self.names {
            let text = "lightctl: \(printable(name)): \(printable(name)) failed"
            let lines = wrapped([StyledText(text)], for: .screen(width)).split(separator: "\n")
            #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
            #expect(lines.allSatisfy { columns(String($0)) <= width }, "\(lines)")
        }
    }

    @Test func `each style is kept over the break of a line`() {
        let parts = [StyledText("alice: "), StyledText("no route to host", .alarm)]
        #expect(
            wrapped(parts, for: .screen(14, colours: .sixteen)) == """
                alice: \u{1B}[31mno\u{1B}[0m
                    \u{1B}[31mroute to\u{1B}[0m
                    \u{1B}[31mhost\u{1B}[0m
                """)
    }
}
