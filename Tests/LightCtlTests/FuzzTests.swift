import AnyJSON
import CommandGrammar
import Foundation
import TestSupport
import Testing

@testable import lightctl

/// The values of lightctl's arguments, as people mistype them, and the messages of assistants.
@Suite struct FuzzTests {
    private static let samples = [
        "400ms", "1.5s", "2min", "1h", "30m", "2d", "2026-11-21", "2026-11-21T10:00", "2026-02-28 23:59:59.999Z",
        "2026-11-21 10:00:30+05:30", "1969-12-31T23:59:59-01:00",
        "http://lights.lan", "http://192.168.1.3:8377/", "HTTP://[fe80::1%25eth0]:80",
    ]

    @Test func `every damaged value is read within its range, or refused with words`() async throws {
        try await Fuzzing("lightctl-values").texts(Self.samples, batches: 5) { text in
            if let url = try? DaemonURL(text), try DaemonURL(url.description) != url {
                throw TestError("\(text) is read as \(url), and that as another one")
            }
            try Self.check(text, Since.init(argument:)) {
                let moment = $0.moment(in: .noon)
                return Moment(iso: moment.iso) == moment
            }
        }
    }

    private static let messages = [
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-ai","version":"1.0"}}}"#,
        #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","id":"b","method":"ping"}"#,
        #"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":null}}"#,
        #"{"jsonrpc":"2.0","id":3.5,"method":"tools/call","params":{"name":"set","arguments":{"target":"desk","brightness":40}}}"#,
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"late"}}"#,
        #"{"jsonrpc":"2.0","id":4,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x"}}}}"#,
        #"[{"jsonrpc":"2.0","id":5,"method":"ping"}]"#, #"{"jsonrpc":"2.0","id":6,"error":{"code":-1,"message":""}}"#,
    ]

    @Test func `whatever an assistant sends, each line is answered by one line or none`() async throws {
        let samples = Self.messages.map { Array($0.utf8) } + [Array(Self.messages.joined(separator: "\n").utf8)]
        try await Fuzzing("lightctl-mcp").inputs(samples, batches: 5) { bytes in
            var (lines, connection) = (MessageLines(), MCPConnection())
            for line in lines.take(bytes[...]) + (lines.end().map { [$0] } ?? []) {
                let asked = connection.received(line)
                let begun = connection.next().map { request in
                    // Of the same id as a request, whatever else it has.
                    connection.finished(MCPResult(request.task.outcome, request.form))
                }
                let answers = [asked, begun ?? nil].compactMap { $0 }
                guard answers.count <= 1 else { throw TestError("answered twice: \(answers)") }
                for answer in answers { try Self.check(answer) }
            }
        }
    }

    /// - Throws: unless it is a line with an answer of JSON-RPC.
    private static func check(_ answer: String) throws {
        let answered = try JSONDecoder().decode(JSONValue.self, from: Data(answer.utf8))
        guard answer.utf8.dropLast().allSatisfy({ $0 >= 0x20 }), answer.utf8.last == UInt8(ascii: "\n"),
            answered["jsonrpc"] == "2.0", answered["id"] != nil,
            (answered["result"] == nil) != (answered["error"] == nil)
        else { throw TestError("answered with \(answer)") }
    }

    /// - Throws: unless the text is read the same way twice and as a valid value, or refused with words.
    private static func check<Value: Equatable>(
        _ text: String, _ parse: (String) throws(ArgumentError) -> Value, isValid: (Value) -> Bool
    ) throws {
        let value: Value
        do throws(ArgumentError) {
            value = try parse(text)
        } catch {
            guard error.description.contains(": "), !error.description.contains(where: \.isNewline) else {
                throw TestError("\(Value.self) is refused with '\(error)'")
            }
            return
        }
        guard isValid(value), try parse(text) == value else { throw TestError("read as \(value)") }
    }
}

extension MCPConnection.Request.Task {
    /// Something to answer with, without lightd.
    fileprivate var outcome: MCPTool.Outcome {
        switch self {
        case .listTools: MCPTool.Outcome(text: "tools")
        case let .call(tool, arguments): MCPTool.Outcome(text: "\(tool.name) \(arguments)")
        }
    }
}
