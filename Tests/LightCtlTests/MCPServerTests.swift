import AnyJSON
import ControlProtocol
import Foundation
import Synchronization
import Testing

@testable import lightctl

/// A server between an assistant's pipes and a lightd that is a script.
@Suite struct MCPServerTests {
    /// What lightd is asked, and what it answers.
    private final class Lightd: Sendable {
        let asked = Mutex<[(client: String?, request: Transport.Request)]>([])
        private let answer: @Sendable (Transport.Request) -> Result<Transport.Response, TransportError>
        /// What happens while it is asked.
        private let meanwhile: @Sendable (Transport.Request) -> Void

        init(
            meanwhile: @escaping @Sendable (Transport.Request) -> Void = { _ in },
            _ answer: @escaping @Sendable (Transport.Request) -> Result<Transport.Response, TransportError>
        ) {
            (self.answer, self.meanwhile) = (answer, meanwhile)
        }

        static func answer(_ body: some Encodable, status: Int = 200) -> Result<Transport.Response, TransportError> {
            .success(.init(status: status, body: Data(Console.json(body).utf8)))
        }

        func session(_ client: String?, _ work: @escaping Transport.Meanwhile) -> Session {
            let transport = Transport(
                send: { requests, _, work in
                    requests.map { request in
                        self.asked.withLock { $0.append((client, request)) }
                        self.meanwhile(request)
                        _ = work?()
                        return self.answer(request)
                    }
                }, stream: { _, _, _ throws(TransportError) in throw .timedOut })
            return Session(
                client: DaemonClient(transport: transport.doing(work)),
                console: Console(terminal: .assistant, quiet: false, json: false))
        }

        var clients: [String?] { asked.withLock { $0.map(\.client) } }

        var posted: [String] {
            asked.withLock { all in
                all.compactMap {
                    if case let .post(_, body) = $0.request { String(decoding: body, as: UTF8.self) } else { nil }
                }
            }
        }
    }

    /// Runs a server over these lines to its end.
    ///
    /// - Parameter input: the assistant's end; `nil` makes one that has the lines and is closed.
    private func run(_ lines: [String], _ lightd: Lightd, through pipe: Pipe = Pipe(), end: Bool = true) throws
        -> [JSONValue]
    {
        let output = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
        if end { try pipe.fileHandleForWriting.close() }
        let server = MCPServer(
            input: pipe.fileHandleForReading.fileDescriptor, output: output.fileHandleForWriting.fileDescriptor,
            session: lightd.session)
        try server.run()
        try output.fileHandleForWriting.close()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        return try String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
            try MCPConnectionTests.read($0 + "\n")
        }
    }

    private static func call(_ id: Int, _ name: String, _ arguments: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(name)","arguments":\#(arguments)}}"#
    }

    private static let ping = #"{"jsonrpc":"2.0","id":"ping","method":"ping"}"#

    @Test func `a call is the command of its name, sent as the assistant`() throws {
        let lightd = Lightd { _ in Lightd.answer(CommandReply(ticket: 7, lights: [.make()])) }
        let hello =
            #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"claude-ai"}}}"#
        let answers = try run(
            [hello, Self.call(1, "set", #"{"target":"desk","brightness":40,"command":"delete_room","over":null}"#)],
            lightd)
        #expect(answers.map { $0["id"] } == [0, 1])
        #expect(answers[1]["result"]?["content"]?.array?[0]["text"]?.string == "Desk: on, 40%, 2703K (ticket 7)")
        #expect(answers[1]["result"]?["structuredContent"] == ["ticket": 7])
        #expect(lightd.clients == ["claude-ai"])
        let sent = try JSONDecoder().decode(CommandRequest.self, from: Data(try #require(lightd.posted.first).utf8))
        #expect(sent == CommandRequest(.set(.init(brightness: 40), target: "desk")))
    }

    @Test func `a dry run says what shows now and what would be sent`() throws {
        let lightd = Lightd { request in
            guard case .post = request else { return Lightd.answer([LightBody.make()]) }
            var reply = CommandReply(ticket: 0, lights: nil)
            reply.requests = [.init(bridge: "b", method: "PUT", path: "/p", body: "{}")]
            return Lightd.answer(reply)
        }
        let answers = try run([Self.call(1, "turn", #"{"to":"off","target":"desk","dry_run":true}"#)], lightd)
        #expect(
            answers[0]["result"]?["content"]?.array?[0]["text"]?.string == """
                nothing was changed
                these lights show now:
                  Desk: on, 40%, 2703K
                this would be sent to bridges:
                b PUT /p {}
                """)
        #expect(lightd.posted.allSatisfy { $0.contains(#""dry_run":true"#) })
    }

    @Test(arguments: [
        ("set", #"{"target":"desk","brightnes":40}"#, "'set' has no field 'brightnes'; did you mean 'brightness'?"),
        ("set", #"{"target":"desk","brightness":"full"}"#, #"'brightness' must be a number, not "full""#),
        ("set", #"{"brightness":40}"#, "'target' is missing"),
        ("set", #"{"target":"desk","brightness":140}"#, "'brightness' is 140, which is out of range"),
        ("turn", #"{"target":["desk"],"to":"on"}"#, "'target' must be text, not a list"),
        ("undo", #"{"steps":0}"#, "'steps'"), ("list", #"{"what":"lamps"}"#, "'what' cannot be 'lamps'"),
        ("list", #"{"what":"scenes","target":"desk"}"#, "'target' is for lights and sensors"),
        ("list", #"{"whta":"scenes"}"#, "'list' has no field 'whta'; did you mean 'what'?"),
        ("show", "{}", "'target' is missing"), ("show", #"{"target":3}"#, "'target' must be text"),
        ("log", #"{"limit":1.5}"#, "'limit' must be a whole number"),
        ("log", #"{"since":"soon"}"#, "an age such as 1h"),
        ("log", #"{"cause":"magic"}"#, "'cause' cannot be 'magic'"),
    ])
    func `what a tool does not take is its result, for the assistant to do better, and nothing is sent`(
        name: String, arguments: String, words: String
    ) throws {
        let lightd = Lightd { _ in .failure(.timedOut) }
        let result = try #require(try run([Self.call(1, name, arguments)], lightd).first?["result"])
        #expect(result["isError"] == true && result["structuredContent"]?["error"]?["code"] == "invalid")
        let text = try #require(result["content"]?.array?[0]["text"]?.string)
        #expect(text.contains(words), "\(text)")
        #expect(lightd.clients.isEmpty)
    }

    @Test func `an error of lightd is the result, with its hint and candidates, and in its own JSON`() throws {
        let error = ErrorReply(
            .noSuchTarget, "no light or room is called 'de\u{202E}ks'", hint: "run 'lightctl list' for all names",
            candidates: ["Desk"])
        let lightd = Lightd { _ in Lightd.answer(error, status: 404) }
        let result = try #require(try run([Self.call(1, "why", #"{"target":"deks"}"#)], lightd).first?["result"])
        #expect(result["isError"] == true && result["structuredContent"]?["error"]?["candidates"] == ["Desk"])
        #expect(
            result["content"]?.array?[0]["text"]?.string
                == "no light or room is called 'de\\u{202e}ks'; did you mean 'Desk'?\nhint: run 'lightctl list' for all names"
        )
    }

    @Test func `without lightd each call fails, and the server goes on`() throws {
        let lightd = Lightd { _ in .failure(.noConnection(.socket(.missing))) }
        let list = #"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#
        let answers = try run([Self.call(1, "list"), Self.call(2, "undo"), list, Self.ping], lightd)
        func result(_ id: JSONValue) -> JSONValue? { answers.first { $0["id"] == id }?["result"] }
        for id in [1, 2] as [JSONValue] {
            let text = result(id)?["content"]?.array?[0]["text"]?.string
            #expect(result(id)?["isError"] == true && text?.contains("cannot reach lightd") == true, "\(answers)")
        }
        #expect(result(3)?["tools"]?.array?.count == MCPTool.all.count && result("ping") == [:])
    }

    @Test func `tools that the token does not allow are not listed`() throws {
        let lightd = Lightd { _ in Lightd.answer(SessionBody(access: .look)) }
        let answers = try run([#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#], lightd)
        let names = answers[0]["result"]?["tools"]?.array?.compactMap { $0["name"]?.string }
        #expect(names == ["list", "show", "why", "preview"])
    }

    @Test func `while lightd is slow, a ping is answered and a request is cancelled`() throws {
        let pipe = Pipe()
        let wait = #"{"target":"desk","to":"on","wait":true}"#
        let cancel = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#
        let lightd = Lightd(meanwhile: { request in
            guard case let .post(_, body) = request, String(decoding: body, as: UTF8.self).contains("wait") else {
                return
            }
            let lines = [Self.ping, Self.call(2, "undo"), Self.call(3, "undo"), cancel].map { $0 + "\n" }.joined()
            try? pipe.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
            try? pipe.fileHandleForWriting.close()
        }) { _ in Lightd.answer(CommandReply(ticket: 7, lights: [.make()])) }
        let answers = try run([Self.call(1, "turn", wait)], lightd, through: pipe, end: false)
        #expect(answers.map { $0["id"] } == ["ping", 1, 2])
        #expect(lightd.posted.count == 2)
    }

    @Test func `a last line without an end is read, and then it ends`() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(Self.ping.utf8))
        #expect(try run([], Lightd { _ in .failure(.timedOut) }, through: pipe).map { $0["id"] } == ["ping"])
    }

    @Test func `a list is the table for people, without bars, colours and empty columns`() throws {
        let lights = [LightBody.make(), .make("Fan", power: .off, brightness: nil, temperature: nil, mode: nil)]
        let lightd = Lightd { _ in Lightd.answer(lights) }
        let result = try #require(try run([Self.call(1, "list")], lightd).first?["result"])
        #expect(
            result["content"]?.array?[0]["text"]?.string == """
                LIGHT  ROOM   STATE  BRIGHTNESS  SHOWS
                Desk   Study  on     40%         2703K
                Fan    Study  off
                """)
        // That is all: a home of a hundred lights is a long read.
        #expect(result["structuredContent"] == nil)
    }

    @Test func `names of the home control nothing`() throws {
        let light = LightBody.make("Desk\u{1B}[31m\n\u{202E}x")
        let lightd = Lightd { _ in Lightd.answer([light]) }
        for name in ["list", "show", "why"] {
            let arguments = name == "list" ? "{}" : #"{"target":"all"}"#
            let result = try #require(try run([Self.call(1, name, arguments)], lightd).first?["result"])
            let text = try #require(result["content"]?.array?[0]["text"]?.string)
            #expect(
                text.contains("Desk\\u{1b}[31m \\u{202e}x") && PrintableText.isPrintable(text.replacing("\n", with: ""))
            )
            // As data it is what it is.
            if name == "show" {
                #expect(result["structuredContent"]?["lights"]?.array?[0]["name"]?.string == light.name)
            }
        }
    }

    @Test func `a list without the lights of a bridge says so`() throws {
        let lightd = Lightd { request in
            if case .get(Routes.status) = request {
                return Lightd.answer(
                    StatusBody(
                        version: "1", started: "2026-11-21T09:42:03Z", uptimeSeconds: 1,
                        bridges: [.make(connected: false)],
                        lights: 0, lightsOn: 0, lightsInDoubt: 0, journal: true))
            }
            return .success(.init(status: 200, unreadBridges: ["001788fffe000001"], body: Data("[]".utf8)))
        }
        let result = try #require(try run([Self.call(1, "list")], lightd).first?["result"])
        let text = result["content"]?.array?[0]["text"]?.string
        #expect(result["isError"] == true && text?.contains("lacks the lights of a bridge") == true, "\(text ?? "")")
    }
}
