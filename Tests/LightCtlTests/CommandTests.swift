import ArgumentParser
import CommandGrammar
import ControlProtocol
import Foundation
import Testing

@testable import lightctl

/// From the command line to the request: the real parser and a real socket.
@Suite struct CommandTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let typed: String
        let sent: [Command]
        init(_ typed: String, _ sent: Command...) { (self.typed, self.sent) = (typed, sent) }
        var testDescription: String { typed }
    }

    static let cases: [Row] = [
        Row("turn on desk", .turn(to: .on, target: "desk")),
        Row("turn off @living all", .turn(to: .off, target: "@living"), .turn(to: .off, target: "all")),
        Row("turn toggle desk --over 2s", .toggle(target: "desk", over: 2000)),
        Row("on desk", .turn(to: .on, target: "desk")),
        Row("off all --over 1.5s", .turn(to: .off, target: "all", over: 1500)),
        Row("toggle @küche", .toggle(target: "@küche")),
        Row("dim desk 30%", .set(.init(brightness: 30), target: "desk")),
        Row("dim desk 30", .set(.init(brightness: 30), target: "desk")),
        Row("dim desk 0.5%", .set(.init(brightness: 0.5), target: "desk")),
        Row("dim @living 40% --keep-ratios", .set(.init(brightness: 40), target: "@living", keepRatios: true)),
        Row("dim @living 30% --ratio", .set(.init(brightness: 30), target: "@living", keepRatios: true)),
        Row(
            "dim @living +10% --ratio",
            .increase(.brightness, by: 10, target: "@living", .init(keepRatios: true))),
        Row(
            "dim @living -10% --keep-ratios --perceptual",
            .decrease(.brightness, by: 10, target: "@living", .init(keepRatios: true, perceptual: true))),
        Row(
            "increase brightness desk --perceptual",
            .increase(.brightness, by: 10, target: "desk", .init(perceptual: true))),
        Row(
            "decrease brightness @living --ratio",
            .decrease(.brightness, by: 10, target: "@living", .init(keepRatios: true))),
        Row("dim desk +10%", .increase(.brightness, by: 10, target: "desk")),
        Row("dim desk -10%", .decrease(.brightness, by: 10, target: "desk")),
        Row("dim desk \u{2212}10%", .decrease(.brightness, by: 10, target: "desk")),
        Row("dim all -- -10%", .decrease(.brightness, by: 10, target: "all")),
        Row("dim -- desk 40%", .set(.init(brightness: 40), target: "desk")),
        Row("set desk --brightness +10%", .increase(.brightness, by: 10, target: "desk")),
        Row("set desk --brightness -5% --over 1s", .decrease(.brightness, by: 5, target: "desk", over: 1000)),
        Row("set desk --brightness=-5", .decrease(.brightness, by: 5, target: "desk")),
        Row("set desk --temperature -7.5%", .decrease(.temperature, by: 7.5, target: "desk")),
        Row("set desk --hue +36°", .increase(.hue, by: 10, target: "desk")),
        Row("set desk --color rgb(255,0,0)", .set(.init(color: "rgb(255,0,0)"), target: "desk")),
        Row("set desk --color 2700K", .set(.init(color: "2700k"), target: "desk")),
        Row(
            "dim --over 1s desk lamp -10 --quiet", .decrease(.brightness, by: 10, target: "desk", over: 1000),
            .decrease(.brightness, by: 10, target: "lamp", over: 1000)),
        Row(
            "set desk --brightness 40% --color orange --over 400ms",
            .set(.init(brightness: 40, color: "orange"), target: "desk", over: 400)),
        Row("set desk --color #FF8800", .set(.init(color: "#ff8800"), target: "desk")),
        Row(
            "set a b --temperature 2700K", .set(.init(temperature: 370), target: "a"),
            .set(.init(temperature: 370), target: "b")),
        Row(
            "set desk --temperature 370mirek --brightness 1%",
            .set(.init(brightness: 1, temperature: 370), target: "desk")),
        Row("set desk --hue 120° --saturation 80%", .set(.init(hue: 120, saturation: 80), target: "desk")),
        Row("increase brightness desk", .increase(.brightness, by: 10, target: "desk")),
        Row(
            "increase temperature @living --by 25 --over 1s",
            .increase(.temperature, by: 25, target: "@living", over: 1000)),
        Row("decrease saturation all --by 5%", .decrease(.saturation, by: 5, target: "all")),
        Row("decrease hue desk", .decrease(.hue, by: 10, target: "desk")),
        Row("rename desk Schreibtisch", .rename(target: "desk", name: "Schreibtisch")),
        Row("recall living/relax --over 1s", .recall(scene: "living/relax", over: 1000)),
        Row("recall relax --dynamic", .recall(scene: "relax", dynamic: true)),
        Row("recall relax --dynamic --speed 60%", .recall(scene: "relax", dynamic: true, speed: 60)),
        Row("recall relax --static", .recall(scene: "relax", dynamic: false)),
        Row("undo", .undo()), Row("undo 3 --over 1s", .undo(steps: 3, over: 1000)), Row("redo", .redo()),
        Row("redo 2", .redo(steps: 2)),
        Row("powerup @kitchen safety", .configure(target: "@kitchen", .powerup(.safety))),
        Row("powerup desk last_on_state", .configure(target: "desk", .powerup(.lastOnState))),
        Row("away off", .away(to: .off)),
        Row("away on --seed 7 --plugs", .away(to: .on, .init(seed: 7, plugs: true))),
        Row("signal desk", .signal(target: "desk", colors: [], duration: 5000)),
        Row(
            "signal @kitchen --color red --color blue --for 1m",
            .signal(target: "@kitchen", colors: ["red", "blue"], duration: 60_000)),
        Row("signal desk --end", .signal(target: "desk", duration: 0)),
        Row("identify desk @kitchen", .identify(target: "desk"), .identify(target: "@kitchen")),
        Row("room create Office desk @hall", .createRoom(name: "Office", targets: ["desk", "@hall"])),
        Row("room create Attic --bridge up", .createRoom(name: "Attic", bridge: "up")),
        Row("zone create Down @hall", .createRoom(name: "Down", targets: ["@hall"], kind: .zone)),
        Row("room add office desk lamp", .addToRoom(room: "office", targets: ["desk", "lamp"], kind: .room)),
        Row("zone add @down desk", .addToRoom(room: "@down", targets: ["desk"], kind: .zone)),
        Row("room remove office desk", .removeFromRoom(room: "office", targets: ["desk"], kind: .room)),
        Row("zone remove down desk", .removeFromRoom(room: "down", targets: ["desk"], kind: .zone)),
        Row("room rename office Study", .renameRoom(room: "office", name: "Study", kind: .room)),
        Row("zone rename down Below", .renameRoom(room: "down", name: "Below", kind: .zone)),
        Row("room delete office", .deleteRoom(room: "office", kind: .room)),
        Row("zone delete down", .deleteRoom(room: "down", kind: .zone)),
        Row("scene save Relax @living", .saveScene(name: "Relax", targets: ["@living"])),
        Row("scene save Relax", .saveScene(name: "Relax")),
        Row("scene update living/relax", .updateScene(scene: "living/relax")),
        Row(
            "scene edit living/relax desk @hall --brightness 40% --color red",
            .editScene(scene: "living/relax", targets: ["desk", "@hall"], .init(brightness: 40, color: "red"))),
        Row(
            "scene edit relax desk --temperature 2700K --effect Candle --speed 50%",
            .editScene(
                scene: "relax", targets: ["desk"], .init(temperature: 370, effect: "candle", effectSpeed: 50))),
        Row(
            "scene edit relax strip --gradient red --gradient blue --on",
            .editScene(scene: "relax", targets: ["strip"], .init(gradient: ["red", "blue"]), power: .on)),
        Row("sensor enable hall", .enableSensor(sensor: "hall")),
        Row("sensor disable living/hall", .disableSensor(sensor: "living/hall")),
        Row("scene edit relax fan --off", .editScene(scene: "relax", targets: ["fan"], power: .off)),
        Row("scene edit relax fan --remove", .editScene(scene: "relax", targets: ["fan"], remove: true)),
        Row("scene rename relax Calm", .renameScene(scene: "relax", name: "Calm")),
        Row("scene delete relax", .deleteScene(scene: "relax")),
        Row(
            "scene reorder @living Bright living/relax",
            .reorderScenes(room: "@living", scenes: ["Bright", "living/relax"])),
        Row("scene reorder living --by-name", .reorderScenes(room: "living", byName: true)),
        Row("scene activate living/day", .recall(scene: "living/day")),
        Row("scene deactivate day", .deactivateScene(scene: "day")),
        Row("forget 001788fffe000001", .forget(bridge: "001788fffe000001")),
        Row("dashboard pin @kitchen", .pin(target: "@kitchen")),
        Row("dashboard unpin desk", .unpin(target: "desk")),
        Row("dashboard move desk 1", .move(target: "desk", place: 1)),
        Row("dashboard display desk scrubbing", .display(target: "desk", as: .scrubbing)),
        Row("dashboard exclude desk all_off", .exclude(target: "desk", from: .allOff)),
        Row("dashboard include desk page", .include(target: "desk", in: .page)),
        Row("pair 001788fffe000001", .pair(bridge: "001788fffe000001", seconds: 60)),
        Row("pair 001788fffe000001 --timeout 5", .pair(bridge: "001788fffe000001", seconds: 5)),
    ]

    @Test(arguments: cases) func `each command sends its request to lightd`(row: Row) throws {
        let server = try UnixServer(answers: ["POST /v1/messages": #"{"ticket":1}"#])
        defer { server.stop() }
        try run(["--quiet", "--socket", server.path] + row.typed.split(separator: " ").map(String.init))
        let sent = try server.requests.map { try JSONDecoder().decode(Command.self, from: Data($0.body.utf8)) }
        // Several targets are sent concurrently, in any order.
        #expect(sent.count == row.sent.count && row.sent.allSatisfy(sent.contains))
    }

    /// lightctl's own verbs and options are not for automations.
    @Test(
        arguments: cases.filter { row in
            !row.typed.contains("--quiet") && Typed.firstWords.contains { row.typed.hasPrefix($0) }
        })
    func `what is typed after lightctl means the same to an automation`(row: Row) throws {
        #expect(try Typed.commands(from: row.typed) == row.sent)
    }

    @Test(arguments: [
        "turn off all", "on desk", "off desk lamp", "toggle desk", "set desk --brightness 40%", "dim desk 40%",
        "dim desk -10%",
        "increase hue desk", "decrease hue desk", "recall relax", "undo", "redo 2",
    ])
    func `every command that changes lights can wait for the bridge`(typed: String) throws {
        let server = try UnixServer(answers: ["POST /v1/messages": #"{"ticket":1}"#])
        defer { server.stop() }
        let words = typed.split(separator: " ").map(String.init)
        try run(["--quiet", "--socket", server.path] + words + ["--wait"])
        let sent = try server.requests.map { try JSONDecoder().decode(CommandRequest.self, from: Data($0.body.utf8)) }
        #expect(!sent.isEmpty && sent.allSatisfy(\.wait))
        // Without the flag, the request does not mention it.
        try run(["--quiet", "--socket", server.path] + words)
        #expect(server.requests.dropFirst(sent.count).allSatisfy { !$0.body.contains("wait") })
    }

    @Test(arguments: ["recall evening --for 10m", "in 1h recall evening --for 10m"])
    func `a scene that is recalled for a while is followed by what its room showed before`(typed: String) throws {
        let server = try UnixServer(answers: [
            "POST /v1/messages": #"{"ticket":1}"#,
            "GET /v1/scene?scene=evening":
                #"{"id":"b/1","name":"Evening","room":"Living room","bridge":"b","values":[]}"#,
            "GET /v1/rooms":
                #"[{"id":"b/2","name":"Living room","kind":"room","lights":[],"on":0,"bridge":"b"}]"#,
        ])
        defer { server.stop() }
        try run(["--quiet", "--socket", server.path] + typed.split(separator: " ").map(String.init))
        let last = try #require(server.requests.last)
        guard
            case let .schedule(steps, at: nil, after: _) = try JSONDecoder().decode(
                Command.self, from: Data(last.body.utf8))
        else {
            Issue.record("\(last)")
            return
        }
        #expect(steps == ["recall evening", "wait 10m", "restore '@Living room'"])
    }

    @Test func `lightctl waits longer than lightd does`() throws {
        let session = try Session(try GlobalOptions.parse([]))
        let (plain, waiting) = (
            try CommandOptions.parse(["--over", "2s"]).delivery,
            try CommandOptions.parse(["--over", "2s", "--wait"]).delivery
        )
        #expect(session.timeout(for: waiting) == session.timeout(for: plain) + CommandRequest.longestWait)
        #expect(session.timeout(for: plain) == Session.defaultTimeout + .seconds(2))
        #expect(try Session(try GlobalOptions.parse(["--timeout", "3"])).timeout(for: waiting) == .seconds(3))
    }

    static let queries: [(String, String)] = [
        ("list", "/v1/lights"), ("list rooms", "/v1/rooms"), ("list scenes", "/v1/scenes"),
        ("list bridges", "/v1/bridges"), ("show @Büro", "/v1/lights?target=%40B%C3%BCro"),
        ("why desk", "/v1/lights?target=desk"), ("powerup @all", "/v1/lights?target=%40all"),
        ("dashboard", "/v1/dashboard"), ("away", "/v1/away"), ("log", "/v1/log?limit=100"),
        ("log --feature bridges --limit 3", "/v1/log?feature=bridges&limit=3"),
        ("log @kitchen --cause wall --by Dimmer", "/v1/log?target=%40kitchen&by=Dimmer&cause=wall&limit=100"),
        (
            "log desk --since 2026-11-21T10:00:00Z --until 2026-11-21T11:00:00Z",
            "/v1/log?target=desk&since=2026-11-21T10%3A00%3A00Z&until=2026-11-21T11%3A00%3A00Z&limit=10000"
        ),
        ("log --since 2026-11-21T10:00:00Z", "/v1/log?since=2026-11-21T10%3A00%3A00Z&limit=10000"),
    ]

    @Test(arguments: queries) func `each query requests its path`(typed: String, path: String) throws {
        let answer = path == "/v1/away" ? #"{"on": false, "lit": [], "plan": []}"# : "[]"
        let server = try UnixServer(answers: ["GET \(path)": answer])
        defer { server.stop() }
        try run(typed.split(separator: " ").map(String.init) + ["--socket", server.path, "--quiet"])
        #expect(server.requests.map(\.line) == ["GET \(path) HTTP/1.1"])
    }

    @Test func `options work before and after the command`() throws {
        for typed in [
            ["--json", "--socket", "/s", "--timeout", "3", "list"],
            ["list", "--json", "--socket", "/s", "--timeout", "3s"],
        ] {
            let list = try #require(try LightCtl.parsed(typed) as? ListCommand)
            #expect(list.options.json && !list.options.quiet)
            #expect(list.options.socket == "/s" && list.options.timeout?.milliseconds == 3000)
        }
        for typed in [
            ["--url", "http://a", "--token-file", "/t", "list"], ["list", "--token-file=/t", "--url=http://a"],
        ] {
            let list = try #require(try LightCtl.parsed(typed) as? ListCommand)
            #expect(list.options.url == "http://a" && list.options.tokenFile == "/t" && list.options.socket == nil)
        }
    }

    @Test func `pair chooses the only unpaired bridge`() throws {
        let server = try UnixServer { request, connection in
            let found = [DiscoveryBody.make("001788fffe000002", paired: true), .make("001788fffe000001")]
            let reply =
                request.body.contains("discover")
                ? CommandReply(ticket: 1, discovered: found) : CommandReply(ticket: 2, bridge: .make())
            connection.answer(Console.json(reply))
            return true
        }
        defer { server.stop() }
        try run(["pair", "--quiet", "--socket", server.path])
        let sent = try server.requests.map { try JSONDecoder().decode(Command.self, from: Data($0.body.utf8)) }
        #expect(sent == [.discover(seconds: 3), .pair(bridge: "001788fffe000001", seconds: 60)])
    }

    @Test func `one failure of three targets is partly done`() throws {
        let server = try UnixServer { request, connection in
            if request.body.contains("nobody") {
                connection.answer(
                    #"{"error":{"code":"no_such_target","message":"there is no 'nobody'","candidates":["Desk"]}}"#,
                    status: 404)
            } else {
                connection.answer(#"{"ticket":1,"lights":[]}"#)
            }
            return true
        }
        defer { server.stop() }
        #expect(
            throws: ErrorReply(
                .partly, "1 of 3 targets failed",
                parts: [
                    .init(
                        target: "nobody", code: .noSuchTarget, message: "there is no 'nobody'; did you mean 'Desk'?")
                ])
        ) { try run(["on", "a", "nobody", "b", "--quiet", "--socket", server.path]) }
    }

    @Test func `without a daemon every command exits with 3 and one line`() throws {
        for typed in [
            "list", "on desk lamp", "dim desk 10%", "watch", "log --follow", "status", "pair", "discover", "dashboard",
            "bind", "bind dial @living", "unbind dial",
        ] {
            do {
                try run(typed.split(separator: " ").map(String.init) + ["--socket", "/nonexistent/s"])
                Issue.record("\(typed) succeeded")
            } catch let error as ErrorReply {
                #expect(error.error.code.exitCode == .unreachable, "\(typed)")
                #expect(!error.printed.contains("\n") && error.printed.contains("/nonexistent/s"), "\(typed)")
            }
        }
    }

    private func run(_ arguments: [String]) throws {
        var command = try LightCtl.parsed(arguments)
        try command.run()
    }

    @Test func `a frequent verb is the one of that name`() {
        let frequent = LightCtl.commands.compactMap { LightCtl.frequentCommand($0._commandName) }
        #expect(frequent.count == 9)
        for command in LightCtl.commands {
            guard let frequent = LightCtl.frequentCommand(command._commandName) else { continue }
            #expect(frequent.configuration.abstract == command.configuration.abstract)
        }
    }
}
