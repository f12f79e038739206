import ControlProtocol
import Testing

@testable import lightctl

@Suite struct RenderingTests {
    static let lights: [LightBody] = [
        .make("Küche", room: "Küche"), .make("灯", room: nil, brightness: nil, temperature: nil, mode: nil),
        .make("Strip 🌈", power: .off, color: "#ff8800", temperature: nil, mode: .color),
        .make("Flur", brightness: 100, freshness: .stale), .make("Keller", freshness: .unreachable),
    ]

    @Test func `a pipe gets eight columns per light, separated by tabs, without colours`() {
        let lines = Lists.lights(Self.lights, on: .pipe, .noon).split(separator: "\n")
        #expect(lines.allSatisfy { $0.split(separator: "\t", omittingEmptySubsequences: false).count == 8 })
        #expect(lines.first == "Küche\tKüche\ton\t40%\t2703K\tconfirmed\tb/Küche\tb")
        #expect(lines[1] == "灯\t-\ton\t-\t-\tconfirmed\tb/灯\tb")
        #expect(lines[4].hasPrefix("Keller\tStudy\tunreachable\t40%"))
        #expect(!lines.joined().contains("\u{1B}"))
    }

    @Test func `a terminal gets aligned columns, even with umlauts and emoji`() {
        let text = Lists.lights(Self.lights, on: .screen(), .noon)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 6 && lines[0].hasPrefix("LIGHT"))
        /// The start of the state column in each line.
        let places = zip(lines, ["STATE", "on", "on", "off", "on?", "unreachable"]).map { line, state in
            line.ranges(of: " \(state)").first.map { columns(String(line[..<$0.lowerBound])) }
        }
        #expect(Set(places).count == 1 && places[0] != nil, "\(text)")
        #expect(text.contains("stale since 10:42") && text.contains("since 10:42, was on"))
        #expect(text.contains("▮▮▮▮▯▯▯▯▯▯"))
        #expect(Lists.lights(Self.lights, on: .screen(unicode: false), .noon).contains("####......"))
    }

    @Test(arguments: [40, 60, 80, 120]) func `a table fits its terminal`(
        width: Int
    ) {
        let bridges = [BridgeBody.make(), .make(connected: false)]
        let rooms = (1...3).map {
            RoomBody(
                id: "\($0)", name: String(repeating: "Wohnzimmer ", count: $0 * 3), kind: .room, lights: ["a"], on: 1,
                brightness: 12, bridge: "b")
        }
        for line in Lists.rooms(rooms, on: .screen(width)).split(separator: "\n") {
            #expect(columns(String(line)) <= width)
        }
        // What else says which bridge it is stays longer than the model.
        #expect(Lists.bridges(bridges, on: .screen(width), .noon).contains("BSB002") == (width >= 80))
    }

    @Test(arguments: [(5, "polled every 5 s"), (0.5, "polled every 0.5 s")] as [(Double, String)])
    func `the connection of a polled bridge shows its interval`(seconds: Double, words: String) {
        var bridge = BridgeBody.make()
        #expect(!Lists.connection(bridge, .noon).text.contains("polled"))
        (bridge.updates, bridge.intervalSeconds) = (.polling, seconds)
        #expect(Lists.connection(bridge, .noon).text.hasSuffix(words))
    }

    @Test func `a list of bridges says that an update can be installed, and is silent about none`() {
        var bridge = BridgeBody.make()
        func connection(_ update: FirmwareUpdate?) -> String {
            (bridge.firmware, bridge.firmwareUpdate) = ("1.78", update)
            return Lists.connection(bridge, .noon).text
        }
        let quiet = connection(nil)
        #expect(connection(.upToDate) == quiet && connection(.pending) == quiet)
        #expect(connection(.ready) == quiet + ", a firmware update is ready")
        #expect(connection(.installing) == quiet + ", a firmware update is being installed")
        #expect(Lists.bridges([bridge], on: .pipe, .noon).hasSuffix("\t1.78\tinstalling"))
    }

    @Test func `colours change nothing but the escape codes`() {
        let plain = Lists.lights([.make(color: "#ff8800")], on: .screen(), .noon)
        let full = Lists.lights([.make(color: "#ff8800")], on: .screen(colours: .full), .noon)
        #expect(!plain.contains("\u{1B}") && full.contains("\u{1B}[38;2;255;136;0m██\u{1B}[0m"))
        #expect(
            Lists.lights([.make(color: "#ff8800")], on: .screen(colours: .palette), .noon)
                .contains("\u{1B}[38;5;208m██"))
    }

    @Test(arguments: [
        (["TERM": "xterm-256color"], Terminal.Colours.palette), (["TERM": "xterm", "COLORTERM": "truecolor"], .full),
        (["TERM": "linux"], .sixteen), (["TERM": "xterm-256color", "NO_COLOR": "1"], .none),
        (["TERM": "xterm-256color", "NO_COLOR": ""], .palette), (["TERM": "dumb"], .none), ([:], .none),
    ])
    func `the environment decides the number of colours`(environment: [String: String], colours: Terminal.Colours) {
        #expect(Terminal(isTerminal: true, columns: 80, environment: environment).colours == colours)
        #expect(Terminal(isTerminal: false, columns: 80, environment: environment).colours == .none)
    }

    @Test(arguments: [
        ("Küche", 5), ("Ku\u{308}che", 5), ("灯", 2), ("🌈", 2), ("👩‍👩‍👧", 2), ("☀", 1), ("☀️", 2), ("", 0), ("▮", 1),
        ("ｶ", 1), ("한", 2),
    ])
    func `the width of a text is what a terminal draws`(text: String, width: Int) {
        #expect(columns(text) == width)
        for room in 1...6 { #expect(columns(cut(text, to: room)) <= max(room, 1)) }
    }

    @Test func `a pipe says that an automation pauses, as a terminal does`() {
        let loop = AutomationBody(
            name: "Loop", when: ["light Desk on"], steps: ["off desk"], pausedUntil: "2026-11-21T10:10:00Z")
        #expect(AutomationText.list([loop], on: .pipe, .noon) == "Loop\tpaused\tlight Desk on\t-\t-\t-\t-")
    }

    @Test func `a lamp in white has no hue beside its white`() {
        var lamp = LightBody.make(color: "#ffa85a")
        (lamp.hue, lamp.saturation) = (0, 0)
        #expect(!Details.light(lamp, .noon).contains { ["hue", "saturation"].contains($0.key) })
        lamp.mode = .color
        #expect(Details.light(lamp, .noon).count { ["hue", "saturation"].contains($0.key) } == 2)
    }

    @Test func `a name cannot move the cursor or forge a line`() {
        let evil = LightBody.make("a\u{1B}[2J\nb\tc\u{202E}d", id: "x")
        for terminal in [Terminal.pipe, .screen()] {
            let text = Lists.lights([evil], on: terminal, .noon)
            #expect(
                !text.contains("\u{1B}") && !text.contains("\u{202E}") && text.contains(#"a\u{1b}[2J b c\u{202e}d"#))
            #expect(text.split(separator: "\n").count == (terminal.isTerminal ? 2 : 1))
        }
    }

    @Test func `a confirmation shows the new state`() {
        let desk = LightBody.make()
        #expect(ConfirmationText.line("desk", [desk], .noon) == "Desk: on, 40%, 2703K")
        #expect(ConfirmationText.line("desk", [.make(power: .off)], .noon) == "Desk: off")
        #expect(
            ConfirmationText.line("desk", [.make(freshness: .expected)], .noon)
                == "Desk: on, 40%, 2703K (expected, not yet confirmed)")
        #expect(ConfirmationText.line("@study", [desk, .make("Lamp")], .noon) == "@study: 2 lights on, 40%, 2703K")
        #expect(
            ConfirmationText.line("all", [desk, .make("Lamp", freshness: .unreachable)], .noon)
                == "all: 1 of 2 lights on, 40%, 2703K; unreachable: Lamp")
        #expect(ConfirmationText.line("relax", [], .noon) == "relax: done")
    }

    @Test func `a scene is shown light by light`() {
        let scene = SceneValuesBody(
            id: "b/s", name: "Relax", room: "Living", bridge: "b",
            values: [
                .init(
                    target: "b/1", name: "Desk", power: .on,
                    .init(brightness: 39.92, color: "#ff8800", hue: 32, saturation: 100)),
                .init(
                    target: "b/2", name: "Sofa", power: .on,
                    .init(brightness: 100, color: "#ffa757", temperature: 370)),
                .init(target: "b/3", name: "Fan", power: .off), .init(target: "b/4", name: "a\u{1B}[2J"),
            ])
        #expect(
            Lists.scene(scene, on: .pipe)
                == "Desk\ton\t40%\t#ff8800\tb/1\nSofa\ton\t100%\t2703K\tb/2\nFan\toff\t-\t-\tb/3\na\\u{1b}[2J\t-\t-\t-\tb/4"
        )
        #expect(
            Lists.scene(scene, on: .screen()).split(separator: "\n").prefix(2) == [
                "LIGHT       STATE  BRIGHTNESS        SHOWS", "Desk        on     ▮▮▮▮▯▯▯▯▯▯  40%   #ff8800",
            ])
        #expect(Lists.scene(scene, on: .screen(colours: .full)).contains("\u{1B}[38;2;255;136;0m#ff8800"))
    }

    @Test func `a room or scene is confirmed with its lights`() {
        let room = RoomBody(id: "b/r", name: "Office", kind: .room, lights: ["b/1", "b/2"], on: 0, bridge: "b")
        #expect(ArrangingText.line("created room", room) == "created room Office: 2 lights")
        #expect(ArrangingText.line("", room) == "Office: 2 lights")
        let scene = SceneBody(id: "b/s", name: "Relax", room: "Living", lights: ["b/1"], bridge: "b")
        #expect(ArrangingText.line("saved", scene) == "saved Living/Relax: 1 light")
    }

    @Test func `sensors are listed with what they last told, in a pipe without words for people`() {
        #expect(
            Lists.sensors([.make(), .dial()], on: .pipe, .noon).split(separator: "\n") == [
                "Hall\tHall\tmotion\tno motion\t2026-11-21T09:41:00Z\t12\t20.5\t80%\tconfirmed\tb/Hall\tb",
                "Dial\t-\tdial\tbutton 2 pressed\t2026-11-21T09:41:00Z\t-\t-\t9%\tconfirmed\tb/Dial\tb",
            ])
        let table = Lists.sensors([.make(), .dial()], on: .screen(120), .noon).split(separator: "\n")
        #expect(
            table.first?.split(separator: " ").map(String.init) == [
                "SENSOR", "ROOM", "KIND", "TELLS", "SINCE", "LIGHT", "TEMP", "BATTERY",
            ])
        #expect(table.last?.contains("button 2 pressed") == true)
        #expect(Lists.sensors([], on: .screen(), .noon) == "no sensors or switches")
    }

    @Test func `a sensor's details have everything that it can report`() {
        func lines(_ sensor: SensorBody) -> [String] {
            Details.rendered(Details.sensor(sensor, .noon), on: .pipe).split(separator: "\n").map(String.init)
        }
        #expect(lines(.make()).contains("motion\tno since 10:41:00"))
        #expect(lines(.make()).contains("temperature\t20.5 °C since 10:41:00"))
        #expect(lines(.dial()).contains("button 2\tpressed at 10:41:00"))
        #expect(lines(.dial()).contains("button 1\tnot used yet") && lines(.dial()).contains("dial\tnot used yet"))
        var stale = SensorBody.make()
        (stale.freshness, stale.staleSince) = (.stale, "2026-11-21T09:41:00Z")
        #expect(lines(stale).contains("doubt\tstale since 10:41"))
    }

    @Test func `a light that left a room for another is named, with the scenes that no longer set it`() {
        let moved: [CommandReply.Moved] = [
            .init(target: "b/1", name: "Desk", room: "Living", scenes: ["Evening"]),
            .init(target: "b/2", name: "Sofa", room: "Living", scenes: ["Evening"]),
            .init(target: "b/3", name: "Fan", room: "Living"),
            .init(target: "b/4", name: "Stove", room: "Kitchen", scenes: ["Bright", "Late\u{1B}"]),
        ]
        #expect(
            ArrangingText.moved(moved) == [
                "Desk, Sofa left Living and its scene Evening", "Fan left Living",
                "Stove left Kitchen and its scenes Bright, Late\\u{1b}",
            ])
        #expect(ArrangingText.moved([moved[2]], "would leave") == ["Fan would leave Living"])
    }

    @Test func `a name that was changed is told with both names`() {
        #expect(ArrangingText.renamed("zone", "@Arbeit", to: "Work") == "renamed zone Arbeit to Work")
        #expect(
            ArrangingText.renamed("scene", "living/late", to: "Calm") == "renamed scene living/late to Calm")
    }

    @Test func `a room that is deleted is told with its scenes`() {
        #expect(ArrangingText.deleted("room", "@Office") == "deleted room Office")
        #expect(ArrangingText.deleted("room", "desk", with: ["Late"]) == "deleted room desk and its scene Late")
        #expect(
            ArrangingText.deleted("zone", "up", with: ["Late", "\u{1B}"])
                == "deleted zone up and its scenes Late, \\u{1b}")
    }

    @Test func `apply says what changed, and which values were not sent`() {
        var reply = CommandReply(ticket: 1, lights: [])
        #expect(ApplyText.lines(reply, of: 2) == ["nothing to change: every light is as listed"])
        #expect(ApplyText.lines(reply, of: 0) == ["nothing to change: no lights are listed"])
        reply.withheld = [.make("Fan"), .make("Desk")]
        let words = "the values of Fan, Desk were not sent: a light that is off takes none"
        #expect(ApplyText.lines(reply, of: 2) == ["nothing to change", words])
        reply.lights = [.make("Sink")]
        #expect(ApplyText.lines(reply, of: 3) == ["changed 1 light of 3", words])
        reply.withheld = (1...8).map { .make("L\($0)") }
        reply.requests = []
        #expect(
            ApplyText.withheld(reply) == [
                "the values of L1, L2, L3, L4, L5, L6 and 2 more would not be sent: a light that is off takes none"
            ])
    }

    @Test func `a room shows how many of its lights are in doubt`() {
        let room = RoomBody(
            id: "b/r", name: "Office", kind: .room, lights: ["b/1", "b/2", "b/3"], on: 1, unreachable: 1, stale: 1,
            bridge: "b")
        #expect(Lists.rooms([room], on: .screen()).contains("1 of 3 on, 1 unreachable, 1 stale"))
        #expect(Lists.rooms([room], on: .pipe) == "Office\troom\t1\t3\t-\tb/r\tb\t1\t1\t-\t-")
    }

    @Test(arguments: [(false, "Relax", "shown"), (true, "Relax, changed", "changed")])
    func `a room shows the scene that it is in, and whether it was changed since`(
        isChanged: Bool, words: String, word: String
    ) {
        let room = RoomBody(
            id: "b/r", name: "Office", kind: .room, lights: ["b/1"], on: 1,
            scene: .init(id: "b/s", name: "Relax", changed: isChanged), bridge: "b")
        #expect(Lists.rooms([room], on: .screen()).split(separator: "\n").last?.hasSuffix("  \(words)") == true)
        #expect(Lists.rooms([room], on: .pipe).hasSuffix("\tRelax\t\(word)"))
    }

    @Test func `discovery explains each search and its result`() {
        let text = DiscoveryText.explanation([.make(nil), .make(paired: true)], on: .screen())
        #expect(
            text == """
                Home (001788fffe000001) at 192.0.2.10:443, paired
                  found  mDNS _hue._tcp: answered
                searches that found no bridge
                  failed  mDNS _hue._tcp: answered
                """)
        #expect(
            DiscoveryText.table([.make(), .make(nil)], on: .pipe)
                == "Home\tBSB002\t192.0.2.10:443\tnew\t001788fffe000001")
    }

    @Test func `a journal entry is one line`() {
        let entry = LogBody(
            number: 7, time: "2026-11-21T09:42:03Z", feature: "lighting", ticket: 3, holder: "lightctl",
            text: "turn Desk on",
            outcome: "failed")
        #expect(
            LogText.line(entry, on: .pipe, .noon)
                == "2026-11-21T09:42:03Z\t7\tlighting\t3\tlightctl\tfailed\tturn Desk on")
        #expect(LogText.line(entry, on: .screen(), .noon) == "2026-11-21 10:42:03  lightctl: turn Desk on: failed")
    }

    @Test func `the access log is a table on a terminal, and tabs in a pipe`() {
        let entries = [
            AccessLogBody(
                time: "2026-11-21T09:42:03Z", event: "token_created", by: "anna (uid 1000) with lightctl",
                subject: "panel", outcome: .done, count: 1),
            AccessLogBody(
                time: "2026-11-21T09:42:03Z", event: "refused", by: "a client over TCP from 192.0.2.7",
                reason: "no\u{1B}[2J token", outcome: .failed, count: 12),
        ]
        #expect(
            Lists.accessLog(entries, on: .pipe, .noon) == """
                2026-11-21T09:42:03Z\ttoken_created\tdone\t1\tanna (uid 1000) with lightctl\tpanel\t-
                2026-11-21T09:42:03Z\trefused\tfailed\t12\ta client over TCP from 192.0.2.7\t-\tno\\u{1b}[2J token
                """)
        let lines = Lists.accessLog(entries, on: .screen(), .noon).split(separator: "\n")
        #expect(lines.count == 3 && lines[0].hasPrefix("TIME "))
        #expect(lines[1].contains("token created") && lines[1].hasSuffix("panel"))
        #expect(lines[2].contains("refused × 12") && !lines[2].contains("\u{1B}[2J"))
        #expect(Lists.accessLog([], on: .pipe, .noon) == "")
    }

    @Test func `an empty log is said to be empty on a terminal, and is nothing in a pipe`() {
        #expect(LogText.lines([], on: .screen(), .noon) == "no entries")
        #expect(LogText.lines([], on: .pipe, .noon) == "")
    }

    @Test func `the sun's day is printed line by line, and what to configure if the place is unknown`() throws {
        func body(_ events: [SunBody.Event], latitude: Double? = 69.6) -> SunBody {
            SunBody(date: "2026-12-21", timeZone: "Europe/Oslo", latitude: latitude, longitude: 19, events: events)
        }
        let noon = SunBody.Event(name: .noon, time: "", clock: "11:42:10", elevation: -3.08)
        let dusk = SunBody.Event(name: .dusk, time: "", clock: "14:31:00", elevation: -6)
        let text = Details.rendered(try SunText.fields(body([noon, dusk])), on: .pipe)
        let lines = ["date\t2026-12-21", "time zone\tEurope/Oslo", "solar noon\t11:42, -3.1° high", "dusk\t14:31"]
        #expect(text == (lines + ["sun\tstays down all day"]).joined(separator: "\n"))
        #expect(throws: ErrorReply.self) { try SunText.fields(body([], latitude: nil)) }
    }

    @Test func `what one trigger starts again and again is one line of a day`() {
        func run(_ at: String, _ when: String, prevented: String? = nil) -> AutomationPreviewBody.Run {
            AutomationPreviewBody.Run(
                at: at, time: "", automation: when == "noon" ? "Lunch" : "Door", when: when, conditions: [],
                prevented: prevented, steps: ["identify Hall"])
        }
        let every = "every 10m"
        let day = AutomationPreviewBody(
            date: "2026-12-24", weekday: "thu", sun: [.init(name: "sunrise", at: "08:12")],
            runs: [
                run("11:50", every), run("12:00", "noon"), run("12:00", every), run("12:10", every, prevented: "mon"),
                run("12:20", every),
            ])
        #expect(
            AutomationText.preview(day, on: .screen()).split(separator: "\n") == [
                "2026-12-24 · thu · sunrise 08:12",
                "11:50  Door: identify Hall  (every 10m, 3 times, the last at 12:20)", "12:00  Lunch: identify Hall",
                "12:10  Door: identify Hall  (not: mon)",
            ])
        #expect(AutomationText.preview(day, on: .pipe).split(separator: "\n").count == 5)
    }

    @Test func `status and show print a line per key`() {
        let status = StatusBody(
            version: "1", started: "", uptimeSeconds: 3700, bridges: [.make(connected: false)], lights: 3, lightsOn: 1,
            lightsInDoubt: 1, journal: true, away: .init(since: "2026-11-21T10:42:00Z"))
        let plain = Details.rendered(Details.status(status, .noon), on: .pipe)
        #expect(plain.split(separator: "\n").allSatisfy { $0.split(separator: "\t").count == 2 })
        #expect(plain.contains("lost since 10:42: no route") && plain.contains("1 light is stale or unreachable"))
        #expect(plain.hasSuffix("away\tsince 11:42, until somebody is back"))
        let show = Details.rendered(Details.light(.make(), .noon), on: .screen())
        #expect(show.contains("temperature  2703K (370mirek)") && show.contains("confirmed    2026-11-21 10:42:03"))
    }
}
