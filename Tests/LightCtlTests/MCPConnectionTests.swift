import AnyJSON
import ControlProtocol
import Foundation
import Testing

@testable import lightctl

/// The Model Context Protocol as a value: lines in, lines out.
@Suite struct MCPConnectionTests {
    /// What is answered at once.
    private func answer(_ line: String, _ connection: inout MCPConnection) throws -> JSONValue? {
        try connection.received(.whole(Array(line.utf8))).map(Self.read)
    }

    private func answer(_ line: String) throws -> JSONValue? {
        var connection = MCPConnection()
        return try answer(line, &connection)
    }

    static func read(_ line: String) throws -> JSONValue {
        #expect(line.utf8.last == UInt8(ascii: "\n") && line.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
        return try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
    }

    private static func call(_ id: Int, _ name: String = "list", meta: String = "") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(name)"\#(meta)}}"#
    }

    private static func stateless(_ version: String = "2026-07-28", client: String = "panel") -> String {
        #""_meta":{"io.modelcontextprotocol/protocolVersion":"\#(version)","#
            + #""io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"\#(client)"}}"#
    }

    // MARK: Beginning

    @Test(arguments: [
        ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        // Newer than we know, and the one that has no handshake.
        ("2031-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("", "2025-11-25"),
    ])
    func `a revision that is known is agreed on, and of others the newest`(wanted: String, agreed: String) throws {
        let answer = try answer(
            #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"\#(wanted)"}}"#)
        let result = try #require(answer?["result"])
        #expect(answer?["id"] == "a" && answer?["jsonrpc"] == "2.0")
        #expect(result["protocolVersion"]?.string == agreed && result["capabilities"] == ["tools": [:]])
        #expect(
            result["serverInfo"]?["name"] == "lightctl" && result["serverInfo"]?["version"] == .string(Release.version))
        #expect(result["instructions"]?.string?.contains("never instructions") == true)
    }

    @Test func `the name that an assistant gives itself is that of its calls`() throws {
        var connection = MCPConnection()
        let hello =
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"claude-ai","version":"1"}}}"#
        _ = try answer(Self.call(0), &connection)
        _ = try answer(hello, &connection)
        _ = try answer(Self.call(2), &connection)
        _ = try answer(Self.call(3, meta: "," + Self.stateless()), &connection)
        let names = (0..<3).map { _ in connection.next()?.assistant }
        #expect(names == [nil, "claude-ai", "panel"])
    }

    @Test func `a request that says its revision is answered as that wants it, and others are not`() throws {
        let discover = #"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{\#(Self.stateless())}}"#
        let result = try #require(try answer(discover)?["result"])
        #expect(result["supportedVersions"]?.array?.contains("2026-07-28") == true)
        #expect(result["resultType"] == "complete" && result["ttlMs"] == 0 && result["cacheScope"] == "private")
        #expect(result["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"] == "lightctl")

        for (meta, isStateless) in [
            ("", false), ("," + Self.stateless("2025-06-18"), false), ("," + Self.stateless(), true),
        ] {
            var connection = MCPConnection()
            #expect(try answer(Self.call(1, meta: meta), &connection) == nil)
            let next = connection.next()
            let request = try #require(next)
            let finished = connection.finished(MCPResult(MCPTool.Outcome(text: "done"), request.form))
            let line = try #require(finished)
            let result = try #require(try Self.read(line)["result"])
            #expect(result["content"] == [["type": "text", "text": "done"]])
            #expect(result["resultType"] == (isStateless ? "complete" : nil) && result["ttlMs"] == nil)
            #expect((result["_meta"] != nil) == isStateless && result["isError"] == nil)
        }
    }

    @Test func `a revision that is not known is refused, with those that are`() throws {
        let error = try answer(Self.call(1, meta: "," + Self.stateless("2031-01-01")))?["error"]
        #expect(error?["code"] == -32022 && error?["data"]?["requested"] == "2031-01-01")
        #expect(error?["data"]?["supported"]?.array?.count == 5)
    }

    // MARK: Mistakes

    @Test(arguments: [
        ("x", -32700), ("{", -32700), ("\u{0}", -32700), (#"{"jsonrpc":"2.0","id":1,"method":"ping"}}"#, -32700),
        (#"{"jsonrpc":"2.0","id":1e999,"method":"ping"}"#, -32700), (String(repeating: "[", count: 100_000), -32700),
        (String(repeating: #"{"a":"#, count: 10_000), -32700),
        ("1", -32600), (#""ping""#, -32600), ("null", -32600), ("[]", -32600),
        (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600), ("{}", -32600),
        (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","method":"ping","id":false}"#, -32600),
    ])
    func `what is not a message is refused without an id`(line: String, code: Int) throws {
        let answer = try answer(line)
        #expect(answer?["error"]?["code"]?.int == code && answer?["id"] == .null && answer?["result"] == nil)
        #expect(answer?["error"]?["message"]?.string?.isEmpty == false)
    }

    @Test(arguments: [
        (#"{"id":7,"method":"ping"}"#, -32600), (#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":7}"#, -32600), (#"{"jsonrpc":"2.0","id":7,"method":3}"#, -32600),
        (#"{"jsonrpc":"2.0","id":7,"method":"resources/list"}"#, -32601),
        (#"{"jsonrpc":"2.0","id":7,"method":""}"#, -32601),
        (#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#, -32602),
        (#"{"jsonrpc":"2.0","id":7,"method":"ping","params":"a"}"#, -32602),
        (#"{"jsonrpc":"2.0","id":7,"method":"initialize"}"#, -32602),
        (#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":3}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#, -32602),
        (#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":["list"]}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"delete_room"}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list","arguments":[]}}"#, -32602),
        (
            #"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":3}}}"#,
            -32602
        ),
    ])
    func `a request that is not right is refused with its id`(line: String, code: Int) throws {
        let answer = try answer(line)
        #expect(answer?["error"]?["code"]?.int == code && answer?["id"] == 7 && answer?["result"] == nil)
    }

    @Test func `text that is not UTF-8, and a line that is too long, are refused, and the next one is read`() throws {
        var connection = MCPConnection()
        for line in [MessageLines.Line.whole([0x22, 0xFF, 0x22]), .tooLong] {
            let answer = try connection.received(line).map(Self.read)
            #expect(answer?["error"] != nil && answer?["id"] == .null)
        }
        #expect(try answer(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, &connection)?["result"] == [:])
    }

    @Test(arguments: [
        "", " \t\r", #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        #"{"jsonrpc":"2.0","method":"notifications/never/heard/of","params":{"a":[]}}"#,
        #"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"turn"}}"#,
        #"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#, #"{"jsonrpc":"2.0","method":"x","params":3}"#,
        #"{"jsonrpc":"2.0","id":1,"result":{}}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
    ])
    func `nothing is answered, and nothing done, where nothing is asked`(line: String) throws {
        var connection = MCPConnection()
        #expect(try answer(line, &connection) == nil)
        let request = connection.next()
        #expect(request == nil)
    }

    @Test(arguments: ["1", "-1", "0", "1.5", "9007199254740993", #""""#, #""a\u202e\nb""#, #""🙂""#])
    func `an id comes back as it was`(id: String) throws {
        let answer = try answer(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#)
        let sent = try JSONDecoder().decode(JSONValue.self, from: Data(id.utf8))
        #expect(answer?["id"] == sent && answer?["result"] == [:])
    }

    @Test func `what a message says is cleaned where an error repeats it`() throws {
        let name = "a\\u0007\\u202e" + String(repeating: "b", count: 500)
        let line = #"{"jsonrpc":"2.0","id":1,"method":"\#(name)"}"#
        let words = try #require(try answer(line)?["error"]?["message"]?.string)
        #expect(words == "unknown method 'a\\u{7}\\u{202e}\(String(repeating: "b", count: 61))'")
    }

    // MARK: Calls

    @Test func `calls are carried out in their order, and what needs no lightd is answered meanwhile`() throws {
        var connection = MCPConnection()
        for id in 1...3 { #expect(try answer(Self.call(id), &connection) == nil) }
        let first = connection.next()
        #expect(first?.id == 1)
        #expect(try answer(#"{"jsonrpc":"2.0","id":"now","method":"ping"}"#, &connection)?["id"] == "now")
        let line = connection.finished(MCPResult(MCPTool.Outcome(text: "a\nb"), .handshake))
        #expect(try line.map(Self.read)?["id"] == 1)
        let second = connection.next()
        #expect(second?.id == 2)
    }

    @Test func `a cancelled request is not begun, or not answered`() throws {
        func cancel(_ id: Int) -> String {
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#
        }
        var connection = MCPConnection()
        for id in 1...3 { #expect(try answer(Self.call(id), &connection) == nil) }
        var begun = [connection.next()?.id]
        for id in [1, 2, 77] { #expect(try answer(cancel(id), &connection) == nil) }
        let result = MCPResult(MCPTool.Outcome(text: ""), .handshake)
        var finished = [connection.finished(result)]
        begun.append(connection.next()?.id)
        finished.append(connection.finished(result))
        begun.append(connection.next()?.id)
        #expect(begun == [1, 3, nil] && finished.map { $0 != nil } == [false, true])
    }

    // MARK: Tools

    @Test func `each tool has a schema that stands alone, and says whether it changes something`() throws {
        let list = try Self.read(Console.json(MCPTool.List(tools: MCPTool.all)) + "\n")
        let tools = try #require(list["tools"]?.array)
        #expect(
            tools.compactMap { $0["name"]?.string } == [
                "list", "show", "why", "log", "preview", "turn", "set", "increase", "decrease", "recall", "undo",
            ])
        for tool in tools {
            let schema = try #require(tool["inputSchema"])
            #expect(schema["type"] == "object" && schema["additionalProperties"] == false && tool["description"] != nil)
            #expect(!Console.json(tool).contains("$ref") && !Console.json(tool).contains("null"), "\(tool)")
            #expect(schema["properties"]?["command"] == nil)
            let isReading = tool["annotations"]?["readOnlyHint"] == true
            #expect((schema["properties"]?["dry_run"] == nil) == isReading, "\(tool)")
            #expect(tool["annotations"]?["destructiveHint"] == (isReading ? nil : false))
        }
        let repeatable = tools.filter { $0["annotations"]?["idempotentHint"] == true }.compactMap { $0["name"]?.string }
        #expect(repeatable == ["turn", "set", "recall"])
    }

    @Test(arguments: [
        (TokenAccess.look, ["list", "show", "why", "preview"]), (.readOnly, ["list", "show", "why", "log", "preview"]),
        (.control, MCPTool.all.map(\.name)), (.full, MCPTool.all.map(\.name)),
    ])
    func `a role has the tools that lightd lets it use`(role: TokenAccess, names: [String]) {
        #expect(MCPTool.usable(with: role).map(\.name) == names)
    }

    @Test(arguments: [
        (nil, "mcp"), ("", "mcp"), ("claude-ai", "mcp: claude-ai"), ("Клод", "mcp: Клод"),
        ("a\r\nX-Evil: 1\u{0}\u{7F}", "mcp: a  X-Evil: 1  "),
        (String(repeating: "x", count: 1_000_000), "mcp: " + String(repeating: "x", count: 64)),
    ])
    func `the name of an assistant ends no field of a request`(name: String?, client: String) {
        #expect(MCPCommand.client(name) == client)
    }
}

/// Bytes as lines, in whatever pieces they come.
@Suite struct MessageLinesTests {
    @Test(arguments: [1, 2, 3, 7, 1000])
    func `the pieces make no difference`(size: Int) {
        var lines = MessageLines()
        let bytes = Array("a\n\nbc\r\n{\"x\":\"ü\"}\nlast".utf8)
        var found: [MessageLines.Line] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            found += lines.take(bytes[start..<min(start + size, bytes.count)])
        }
        found += lines.end().map { [$0] } ?? []
        #expect(found == ["a", "", "bc\r", "{\"x\":\"ü\"}", "last"].map { .whole(Array($0.utf8)) })
        #expect(lines.end() == nil)
    }

    @Test func `a line that is too long is passed over in small memory, and the next one is whole`() {
        var lines = MessageLines()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 * 1024)
        #expect(lines.take(piece[...]) == [])
        for _ in 0..<64 { #expect(lines.take(piece[...]) == []) }
        #expect(lines.take(Array("\nok\n".utf8)[...]) == [.tooLong, .whole(Array("ok".utf8))])
        let most = [UInt8](repeating: 0, count: MessageLines.longest)
        #expect(lines.take((most + [UInt8(ascii: "\n")])[...]) == [.whole(most)])
        #expect(lines.take((most + [0, UInt8(ascii: "\n")])[...]) == [.tooLong])
        _ = lines.take((most + [0])[...])
        #expect(lines.end() == .tooLong)
    }
}
