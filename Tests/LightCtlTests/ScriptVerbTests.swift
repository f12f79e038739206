import ArgumentParser
import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import lightctl

/// The verbs for scripts: dry runs, lists that are applied, and commands by the line.
struct ScriptVerbTests {
    private static let request = PlannedRequestBody(bridge: "b", method: "PUT", path: "/light/1", body: "{}")

    @Test(arguments: [
        "turn off all", "on desk", "off desk lamp", "toggle desk", "set desk --brightness 40%", "set desk --hue +5%",
        "dim desk 40%", "dim desk -10%", "increase hue desk", "decrease hue desk", "recall relax", "undo", "redo 2",
        "rename desk Table", "powerup desk safety",
    ])
    func `every command that writes to bridges can be a dry run`(typed: String) throws {
        let server = try UnixServer(answers: [
            "POST /v1/messages": Console.json(CommandReply(ticket: 0, requests: [Self.request]))
        ])
        defer { server.stop() }
        let words = typed.split(separator: " ").map(String.init)
        try run(["--quiet", "--socket", server.path] + words + ["--dry-run"])
        let sent = try server.requests.map { try JSONDecoder().decode(CommandRequest.self, from: Data($0.body.utf8)) }
        #expect(!sent.isEmpty && sent.allSatisfy(\.dryRun))
        try run(["--quiet", "--socket", server.path] + words)
        #expect(server.requests.dropFirst(sent.count).allSatisfy { !$0.body.contains("dry_run") })
    }

    @Test func `a dry run prints one line for each request, and what would fail is an error`() throws {
        let held = PlannedRequestBody(bridge: "b", method: "PUT", path: "/light/2", body: "{}", held: "away")
        #expect(
            DryRunText.lines([Self.request, held], on: .pipe) == "b\tPUT\t/light/1\t{}\nb\tPUT\t/light/2\t{}\taway")
        #expect(DryRunText.lines([held], on: .screen()) == "b PUT /light/2 {} (away)")
        let part = ErrorReply.Part(target: "Attic", code: .noSuchTarget, message: "no light is called 'Attic'")
        let reply = Console.json(CommandReply(ticket: 0, requests: [], failing: [part]))
        let server = try UnixServer(answers: ["POST /v1/messages": reply])
        defer { server.stop() }
        #expect(throws: ErrorReply(.partly, "1 part would fail", parts: [part])) {
            try run(["--quiet", "--socket", server.path, "on", "desk", "--dry-run"])
        }
    }

    @Test func `a target that is typed twice gets one command`() throws {
        let server = try UnixServer(answers: ["POST /v1/messages": #"{"ticket":1}"#])
        defer { server.stop() }
        try run(["--quiet", "--socket", server.path, "on", "desk", "DESK", "lamp", "desk"])
        #expect(server.requests.count == 2)
    }

    // MARK: Lists of lights

    private func applied(_ json: String, verb: String = "apply") throws -> CommandRequest? {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let file = "\(place.path)/lights.json"
        try json.write(toFile: file, atomically: false, encoding: .utf8)
        let server = try UnixServer(answers: ["POST /v1/messages": #"{"ticket":1,"lights":[]}"#])
        defer { server.stop() }
        try run(["--quiet", "--socket", server.path, verb, file, "--over", "2s", "--wait"])
        return try server.requests.first.map {
            try JSONDecoder().decode(CommandRequest.self, from: Data($0.body.utf8))
        }
    }

    @Test(arguments: ["apply", "restore"])
    func `what 'list --json' printed, a snapshot and a list by hand are all applied`(verb: String) throws {
        let light = LightBody(
            id: "b/1", name: "Desk", room: "Study", power: .on,
            .init(brightness: 39.92, color: "#ffa500", hue: 39, saturation: 100, temperature: 366, mode: .color),
            freshness: .confirmed, since: "2026-11-21T09:42:03Z", bridge: "b",
            cause: CauseBody(kind: .otherApp, at: "2026-11-21T09:42:03Z"))
        let listed = try applied(Console.json([light]), verb: verb)
        let whole = Command.LightState(
            id: "b/1", name: "Desk", power: .on,
            .init(brightness: 39.92, color: "#ffa500", hue: 39, saturation: 100, temperature: 366, mode: .color))
        #expect(listed == CommandRequest(.apply(lights: [whole], over: 2000), wait: true))
        let state = Command.LightState(of: light)
        #expect(state.temperature == nil && state.hue == 39)
        let snapshot = SnapshotBody(taken: "2026-11-21T09:42:03Z", lights: [state])
        #expect(
            try applied(Console.json(snapshot, pretty: true), verb: verb)
                == CommandRequest(.apply(lights: [state], over: 2000), wait: true))
        let typed = try applied(#"[{"id":"Desk","power":"off"}]"#, verb: verb)
        #expect(
            typed == CommandRequest(.apply(lights: [.init(id: "Desk", power: .off)], over: 2000), wait: true))
    }

    @Test(arguments: [
        ("", "is empty; it must be a list of lights"), (" \n", "is empty; it must be a list of lights"),
        ("desk", "is not a list of lights: it is not JSON"),
        ("{}", "is not a list of lights: 'version' is missing"), ("7", "it must be a list, not 7"),
        (#"[{"power":"on"}]"#, "is not a list of lights: 'id' of entry 1 is missing"),
        (
            #"[{"id":"a"},{"id":"b","brightnes":7}]"#,
            "entry 2: a light has no field 'brightnes'; did you mean 'brightness'?"
        ),
        (
            #"{"version":1,"taken":"","lights":[{"id":"b","bri":7}]}"#,
            "entry 1 of 'lights': a light has no field 'bri'; what can be set is id, name, power, brightness"
        ),
        (#"[{"id":"a","brightness":"full"}]"#, #"'brightness' of entry 1 must be a number, not "full""#),
        (#"[{"id":"Desk"},{"id":"desk","power":"on"}]"#, "'desk' is listed twice, as entry 1 and 2"),
        (#"{"version":2,"lights":[]}"#, "is a snapshot of version 2, which this lightctl does not know"),
    ])
    func `what is not a list of lights is refused before anything is sent`(json: String, words: String) throws {
        let error = #expect(throws: ErrorReply.self) { try applied(json) }
        #expect(
            error?.error.code == .invalid && error?.error.message.contains(words) == true,
            "\(String(describing: error))")
    }

    // MARK: Commands by the line

    @Test func `each line is sent in its order, and answered with its number`() throws {
        let result = LineResult(line: 3, reply: CommandReply(ticket: 7, lights: []))
        #expect(Console.json(result) == #"{"lights":[],"line":3,"ticket":7}"#)
        let failed = LineResult(line: 4, error: ErrorReply(.cannot, "no").error)
        #expect(Console.json(failed) == #"{"error":{"code":"cannot","message":"no"},"line":4}"#)
    }

    @Test(arguments: [
        (["on", "on"], nil as ErrorCode?), (["on", "x", "on"], .partly), (["x", "x"], .noSuchTarget), ([], nil),
        (["", "  ", "x"], .noSuchTarget), (["x", "y"], .partly),
    ])
    func `the exit code is that of all lines together`(lines: [String], code: ErrorCode?) throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let file = "\(place.path)/lines"
        try lines.joined(separator: "\n").write(toFile: file, atomically: false, encoding: .utf8)
        let server = try UnixServer { request, connection in
            switch request.body {
            case "x": connection.answer(#"{"error":{"code":"no_such_target","message":"m"}}"#, status: 404)
            case "y": connection.answer(#"{"error":{"code":"cannot","message":"m"}}"#, status: 422)
            default: connection.answer(#"{"ticket":1}"#)
            }
            return true
        }
        defer { server.stop() }
        let result = Result { try run(["send", file, "--quiet", "--socket", server.path]) }
        switch result {
        case .success: #expect(code == nil)
        case let .failure(error):
            let error = try #require(error as? ErrorReply).error
            #expect(error.code == code)
            let total = lines.count { !$0.allSatisfy(\.isWhitespace) }
            let words = ["the only line failed", "both lines failed", "1 of 3 lines failed"]
            #expect(error.message == words[total - 1])
        }
        #expect(server.requests.map(\.body) == lines.filter { !$0.allSatisfy(\.isWhitespace) })
    }

    private func run(_ arguments: [String]) throws {
        var command = try LightCtl.parsed(arguments)
        try command.run()
    }
}
