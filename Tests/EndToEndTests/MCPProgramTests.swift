import AnyJSON
import ControlProtocol
import Foundation
import TestSupport
import Testing

/// An assistant, which starts the real lightctl, with a real lightd and a simulated bridge.
@Suite(.timeLimit(.minutes(5)))
struct MCPProgramTests {
    /// `lightctl mcp`, and how an assistant speaks to it.
    private struct Assistant {
        let program: Program

        init(_ arguments: [String], environment: [String: String] = [:], name: String = "claude-ai") async throws {
            program = try Program(.lightctl, arguments + ["mcp"], environment: environment, isFed: true)
            let hello = try await ask(
                "initialize", ["protocolVersion": "2025-06-18", "clientInfo": ["name": .string(name), "version": "1"]])
            #expect(hello["protocolVersion"] == "2025-06-18")
            try program.write(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        }

        /// - Returns: the id.
        func send(_ method: String, _ params: JSONValue = [:]) throws -> JSONValue {
            let id = JSONValue.string(UUID().uuidString)
            let message: JSONValue = ["jsonrpc": "2.0", "id": id, "method": .string(method), "params": params]
            try program.write(String(decoding: try JSONEncoder().encode(message), as: UTF8.self))
            return id
        }

        /// - Returns: the result.
        @discardableResult
        func ask(_ method: String, _ params: JSONValue = [:]) async throws -> JSONValue {
            try await result(of: try send(method, params))
        }

        func result(of id: JSONValue) async throws -> JSONValue {
            var answer: JSONValue?
            try await until("it is answered") {
                guard program.isRunning else { throw TestError("lightctl has ended: \(program.errors)") }
                answer = try program.lines.map { try JSONDecoder().decode(JSONValue.self, from: Data($0.utf8)) }
                    .first { $0["id"] == id }
                return answer != nil
            }
            guard let result = answer?["result"] else { throw TestError("\(answer ?? .null)") }
            return result
        }

        /// What a tool says, and whether that is an error.
        func call(_ tool: String, _ arguments: JSONValue = [:]) async throws -> (text: String, isError: Bool) {
            let result = try await ask("tools/call", ["name": .string(tool), "arguments": arguments])
            let text = try #require(result["content"]?.array?.first?["text"]?.string)
            return (text, result["isError"]?.bool ?? false)
        }

        var tools: [String] {
            get async throws { try await ask("tools/list")["tools"]?.array?.compactMap { $0["name"]?.string } ?? [] }
        }

        func end() async throws {
            program.endInput()
            let end = try await program.end()
            #expect(end.status == 0 && end.errors.isEmpty, "\(end)")
        }
    }

    @Test func `an assistant looks, tries, changes, is named, takes back, and sees what is to come`() async throws {
        try await ProgramsFixture.running { programs in
            #expect(try await programs.lightctl("pair").status == 0)
            let assistant = try await Assistant(
                ["--socket", programs.place.socket], name: "Claude \"AI\"\r\nX: y\u{202E}")
            defer { assistant.program.signal(SIGKILL) }
            #expect(try await assistant.tools.count == 11)
            let list = try await assistant.call("list")
            #expect(!list.isError && list.text.contains(/Desk +Living +off/), "\(list)")
            let scenes = try await assistant.call("list", ["what": "scenes"])
            #expect(scenes.text.contains("Evening  Living"), "\(scenes)")

            // A dry run changes nothing.
            let before = try await programs.shell.lights
            let tried = try await assistant.call("set", ["target": "@living", "brightness": 30, "dry_run": true])
            #expect(!tried.isError && tried.text.contains("nothing was changed"), "\(tried)")
            #expect(
                tried.text.contains("Desk: off") && tried.text.contains(#"{"dimming":{"brightness":30}"#), "\(tried)")
            #expect(tried.text.contains("'Fan' cannot be dimmed"), "\(tried)")
            #expect(try await programs.shell.lights == before)

            // The lamp changes, and its author is the assistant.
            let set = try await assistant.call("set", ["target": "desk", "brightness": 30, "wait": true])
            #expect(!set.isError && set.text.hasPrefix("Desk: on, 30%"), "\(set)")
            let desk = try #require(try await programs.shell.lights.first { $0.name == "Desk" })
            #expect(desk.power == .on && desk.freshness == .confirmed && abs((desk.brightness ?? 0) - 30) < 1)
            let author = #"with lightctl as "mcp: Claude AI X: y""#
            #expect(desk.cause.by?.hasSuffix(author) == true, "\(desk.cause)")
            let why = try await programs.lightctl("why", "desk")
            #expect(why.output.contains(author) && why.output.contains("set Desk to 30%"), "\(why)")
            #expect(try await assistant.call("why", ["target": "desk"]).text.contains(author))
            let log = try await programs.lightctl("log", "--by", "mcp")
            #expect(log.output.contains("set Desk to 30%"), "\(log)")

            // What it is refused it is told, with what may be meant.
            let unknown = try await assistant.call("turn", ["target": "deks", "to": "off"])
            #expect(unknown.isError && unknown.text.contains("did you mean 'Desk'?"), "\(unknown)")

            let undone = try await assistant.call("undo", ["wait": true])
            #expect(!undone.isError && undone.text.contains("undid 'set Desk to 30%': 1 light"), "\(undone)")
            #expect(try await programs.shell.lights.first { $0.name == "Desk" }?.power == .off)
            let nothing = try await assistant.call("undo")
            #expect(nothing.isError, "\(nothing)")

            let file = try programs.place.write(
                "home.yaml", "automations: [{name: Early, when: '06:30', do: turn on desk}]")
            #expect(try await programs.lightctl("automation", "apply", file).status == 0)
            let day = try await assistant.call("preview", ["date": "tomorrow"])
            #expect(!day.isError && day.text.contains("06:30  Early: turn on desk"), "\(day)")
            #expect(try await assistant.call("list", ["what": "automations"]).text.contains("Early"))
            try await assistant.end()
        }
    }

    @Test func `lightd stops and comes back, and the assistant is served all the time`() async throws {
        try await withTemporaryDirectory { place in
            var lightd = try await Self.start(in: place)
            let assistant = try await Assistant(["--socket", place.socket])
            defer { assistant.program.signal(SIGKILL) }
            #expect(try await !assistant.call("list").isError)
            lightd.program.signal(SIGTERM)
            try await lightd.program.end()
            for (tool, arguments) in [("list", [:]), ("turn", ["target": "all", "to": "off"])] as [(String, JSONValue)]
            {
                let away = try await assistant.call(tool, arguments)
                #expect(away.isError && away.text.contains("cannot reach lightd at \(place.socket)"), "\(away)")
                #expect(away.text.contains("systemctl start lightd"), "\(away)")
            }
            #expect(try await assistant.tools.count == 11)
            lightd = try await Self.start(in: place)
            #expect(try await !assistant.call("list").isError)

            // While it stands still, what needs no lightd is answered.
            lightd.program.signal(SIGSTOP)
            let list = try assistant.send("tools/call", ["name": "list"])
            try await assistant.ask("ping")
            lightd.program.signal(SIGCONT)
            #expect(try await assistant.result(of: list)["isError"] == nil)
            try await assistant.end()
            lightd.program.signal(SIGTERM)
            try await lightd.program.end()
        }
    }

    @Test func `over TCP the role of its token decides`() async throws {
        try await withTemporaryDirectory { place in
            let lightd = try await Self.start(in: place)
            func assistant(_ role: String) async throws -> Assistant {
                let made = try await Program.run(
                    .lightctl, ["--socket", place.socket, "--quiet", "token", "create", role, "--role", role])
                return try await Assistant(
                    ["--url", "http://127.0.0.1:\(lightd.port)"], environment: ["LIGHTCTL_TOKEN": made.output])
            }
            let guest = try await assistant("look")
            #expect(try await guest.tools == ["list", "show", "why", "preview"])
            #expect(try await !guest.call("list").isError)
            // One that is not listed is refused by lightd.
            for (tool, arguments) in [("turn", ["target": "all", "to": "off"]), ("log", [:])] as [(String, JSONValue)] {
                let refused = try await guest.call(tool, arguments)
                #expect(refused.isError && refused.text.contains("but this token has 'look'"), "\(refused)")
            }
            try await guest.end()

            let user = try await assistant("control")
            #expect(try await user.tools.count == 11)
            let off = try await user.call("turn", ["target": "all", "to": "off"])
            #expect(off.isError && !off.text.contains("role"), "\(off)")
            #expect(try await user.call("log").text.contains(#""mcp: claude-ai" with token 'control' over TCP"#))
            try await user.end()

            let stranger = try await Assistant(
                ["--url", "http://127.0.0.1:\(lightd.port)"], environment: ["LIGHTCTL_TOKEN": "lightd_0"])
            let refused = try await stranger.call("list")
            #expect(refused.isError && refused.text.contains("does not know the token of LIGHTCTL_TOKEN"), "\(refused)")
            try await stranger.end()
            lightd.program.signal(SIGTERM)
            try await lightd.program.end()
        }
    }

    @Test func `hostile lines neither end it nor break a line`() async throws {
        let assistant = try await Assistant(["--socket", "/nonexistent"])
        defer { assistant.program.signal(SIGKILL) }
        var random = SplitMix(seed: 1)
        let names = (0..<100).map { _ in HostileText.name(using: &random) }
        for line in names + [String(repeating: "[", count: 500_000), String(repeating: "x", count: 3 << 20)] {
            try assistant.program.write(line)
            let method = String(decoding: try JSONEncoder().encode(String(line.prefix(100))), as: UTF8.self)
            try assistant.program.write(#"{"jsonrpc":"2.0","id":"\#(line.utf8.count)","method":\#(method)}"#)
        }
        try await assistant.ask("ping")
        for line in assistant.program.lines {
            #expect(try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))["jsonrpc"] == "2.0")
        }
        try await assistant.end()
    }

    private static func start(in place: TemporaryDirectory) async throws -> (program: Program, port: UInt16) {
        let program = try Program(
            .lightd, ["--socket", place.socket, "--state-dir", place.path + "/state"],
            environment: [
                "HOME": place.path, "LIGHTD_DISCOVERY_MDNS": "false", "LIGHTD_TCP_ENABLED": "true",
                "LIGHTD_TCP_PORT": "0",
            ])
        try await until("lightd listens on TCP") { program.errors.contains(/listens on TCP port=[0-9]+\n/) }
        let port = program.errors.firstMatch(of: /listens on TCP port=([0-9]+)/).flatMap { UInt16($0.1) }
        return (program, try #require(port))
    }
}
