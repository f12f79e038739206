import ControlProtocol
import ControlServer
import Foundation
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@Suite struct MessageTests {
    @Test func `a command is answered with its ticket and its lights`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            let reply = try await server.send(.turn(to: .off, target: "@kitchen", over: 2000))
            #expect(reply.ticket == 1)
            #expect(reply.lights?.map(\.name) == ["Stove", "Sink", "Fan"])
            #expect(reply.lights?.allSatisfy { $0.power == .off && $0.freshness == .confirmed } == true)
            #expect(
                server.stack.requests == [
                    .set(HomeFixture.kitchen.lights.map { DesiredState($0, power: .off) }, .milliseconds(2000))
                ])
        }
    }

    @Test(arguments: [
        (Failure.unreachable(.sample, because: "timed out"), 503, ErrorCode.bridgeUnreachable),
        (.refused(by: .sample, words: "no"), 422, .refused), (.unconfirmed(by: .sample, words: "?"), 504, .unconfirmed),
        (.keyRefused(by: .sample), 403, .keyRefused), (.whichBridge([.sample]), 409, .whichBridge),
        (.notSaved(because: "full"), 500, .notSaved),
        (.partly([.init(.light(HomeFixture.sink.id), .refused(by: .sample, words: "no"))], of: 3), 502, .partly),
    ])
    func `a failure is answered with its HTTP status and its code`(failure: Failure, status: Int, code: ErrorCode)
        async throws
    {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            server.stack.end(with: .failed(failure))
            let answer = try await server.post(#"{"command":"turn","to":"on","target":"@kitchen"}"#)
            #expect(answer.status == status)
            #expect(try answer.error.code == code)
        }
    }

    @Test func `a command for all lights fails for those of a bridge that was not reached since the start`()
        async throws
    {
        let away = Bridge.ID("001788fffe445566")
        let lamp = Light.make("lamp", name: "Lamp", bridge: away)
        let attic = Bridge.make(
            id: away, name: "Attic", connection: .lost(since: .sample, because: .keyRefused(by: away)))
        let state = HomeFixture.state.alter(
            by: .adding(.bridge(attic)), .replacing(.memory(by: Memory(unreadLights: [lamp.id: lamp]))))
        try await ServerFixture.run(in: state, stack: HomeFixture.stack) { server in
            for command in [#""turn","to":"on""#, #""identify""#] {
                let error = try await server.post(#"{"command":\#(command),"target":"all"}"#).error
                #expect(error.code == .partly && error.message == "1 of 5 failed", "\(error)")
                #expect(error.parts?.map(\.target) == ["Lamp"] && error.parts?.map(\.code) == [.keyRefused])
            }
            #expect(try await server.post(#"{"command":"turn","to":"on","target":"@kitchen"}"#).status == 200)
            server.stack.end(with: .failed(.keyRefused(by: away)))
            let answer = try await server.post(#"{"command":"turn","to":"on","target":"all"}"#)
            #expect(try answer.error.code == .keyRefused)
            let cannot = try await server.post(#"{"command":"powerup","preset":"safety","target":"all"}"#)
            #expect(try cannot.error.code == .cannot)
        }
    }

    @Test func `the journal names the client`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            _ = try await server.post(#"{"command":"toggle","target":"desk"}"#, [Routes.clientHeader: "lightctl"])
            _ = try await server.post(#"{"command":"toggle","target":"desk"}"#)
            // U+009B starts a control sequence of a terminal.
            _ = try await server.post(
                #"{"command":"toggle","target":"desk"}"#,
                [Routes.clientHeader: "a\u{9B}b" + String(repeating: "c", count: 99)])
            let holders = server.home.journal.entries.filter(\.message.isResponse).map(\.message.ticket.holder)
            let names = ["lightctl", nil, "ab" + String(repeating: "c", count: 62)]
            #expect(holders == names.map { ServerFixture.sender(as: $0) })
        }
    }

    @Test func `commands beyond the limit are refused, and reads still work`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack, maximumInFlight: 2) { server in
            server.stack.hold()
            async let one = server.send(.toggle(target: "desk"))
            async let other = server.send(.toggle(target: "sink"))
            try await until("both commands have arrived") { server.stack.requests.count == 2 }
            let third = try await server.post(#"{"command":"load"}"#)
            #expect(third.status == 503)
            #expect(third.headers["retry-after"] == "1")
            // Reads still work.
            #expect(try await server.get(Routes.lights).status == 200)
            server.stack.release()
            _ = try await (one, other)
            #expect(try await server.send(.load).ticket == 3)
        }
    }

    @Test(arguments: [
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", "Content-Length: 100\r\n\r\n{\"command\":",
    ])
    func `a body that cannot be read is the client's mistake`(request: String) async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            let client = try ClientFixture(server.address)
            try await client.send("POST /v1/messages HTTP/1.1\r\nHost: x\r\n" + request)
            client.endSending()
            let answer = try await client.answer()
            #expect(answer.status == 400)
            #expect(try answer.error.code == .invalid)
        }
    }

    @Test(arguments: ["/v1/messages", "/none"])
    func `an answer to HEAD has no body`(path: String) async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            let client = try ClientFixture(server.address)
            try await client.send(
                "HEAD \(path) HTTP/1.1\r\nHost: x\r\n\r\nGET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await client.answer(hasBody: false).status >= 400)
            #expect(try await client.answer().status == 200)
        }
    }

    @Test(arguments: ["", " ", "\\t"]) func `pairing with a bridge without a name is refused before any search`(
        name: String
    ) async throws {
        try await ServerFixture.run { server in
            let answer = try await server.post(#"{"command":"pair","bridge":"\#(name)"}"#)
            #expect(answer.status == 400)
            #expect(try answer.error.message == "'bridge' is empty")
            #expect(server.home.journal.entries.isEmpty)
        }
    }
}
