import ControlProtocol
import Foundation
import Khipu
import Lighting
import LightingTestKit
import ServiceLifecycle
import Testing

@testable import ControlServer

/// Orders with "wait": answered when the bridge has confirmed them.
@Suite struct WaitingTests {
    private static let dim = #"{"command":"set","target":"desk","brightness":40,"wait":true}"#
    private static let dark = #"{"command":"turn","to":"off","target":"@kitchen","wait":true}"#

    /// A server whose bridge takes what it is asked and says nothing of it by itself.
    private func silent(_ body: (ServerFixture) async throws -> Void) async throws {
        let stack = HomeFixture.stack
        stack.echo(false)
        try await ServerFixture.run(in: HomeFixture.state, stack: stack, body)
    }

    /// Until lightd has begun to wait for the confirmation.
    private func underway(_ server: ServerFixture) async throws {
        try await until("the answer is in, and waited on") {
            server.clock.isAwaited && server.journal.entries.contains { $0.message.isResponse }
        }
    }

    @Test func `the answer comes with the confirmation, and tells the lights after it`() async throws {
        try await silent { server in
            async let answer = server.post(Self.dim)
            try await underway(server)
            #expect(await server.requests.count == 1)
            server.stack.tell(.light(HomeFixture.desk.id, Light.Report(power: .on, brightness: 0.4)))
            let reply = try await answer.decoded(CommandReply.self)
            #expect(reply.lights?.map(\.freshness) == [.confirmed] && reply.lights?.first?.brightness == 40)
            #expect(await server.requests.count == 0)
        }
    }

    @Test func `where nothing is to be confirmed it comes at once`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            for body in [Self.dim, Self.dim, #"{"command":"undo","wait":true}"#] {
                let answer = try await server.post(body)
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `what is never confirmed is said so when the time is up`() async throws {
        try await silent { server in
            async let answer = server.post(Self.dim)
            try await underway(server)
            await server.clock.advance(by: Freshness.confirmationTimeout + .milliseconds(1))
            #expect(try await answer.status == 504)
            #expect(try await answer.error.code == .unconfirmed)
            #expect(await server.requests.count == 0)
        }
        #expect(Freshness.confirmationTimeout < CommandRequest.longestWait)
    }

    @Test func `what is confirmed in part names the rest`() async throws {
        try await silent { server in
            async let answer = server.post(Self.dark)
            try await underway(server)
            server.stack.tell(.light(HomeFixture.fan.id, Light.Report(power: .off)))
            try await until("the fan is confirmed") {
                await server.light(HomeFixture.fan.id)?.reported.power == .off
            }
            await server.clock.advance(by: Freshness.confirmationTimeout + .milliseconds(1))
            #expect(try await answer.status == 502)
            #expect(try await answer.error.parts?.map(\.target) == ["Sink"])
        }
    }

    @Test func `what the bridge refuses is not waited for`() async throws {
        try await silent { server in
            server.stack.end(with: .failed(.refused(by: .sample, words: "no")))
            let answer = try await server.post(Self.dim)
            #expect(answer.status == 422)
        }
    }

    @Test func `who goes away leaves nobody waiting`() async throws {
        try await silent { server in
            var client: ClientFixture? = try ClientFixture(server.place)
            try await client?.send(
                "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: \(Self.dim.utf8.count)\r\n\r\n\(Self.dim)")
            try await underway(server)
            #expect(await server.requests.count == 1)
            client = nil
            try await until("nobody waits") { await server.requests.count == 0 }
        }
    }

    @Test func `a daemon that stops lets those go who wait`() async throws {
        try await silent { server in
            async let answer = server.post(Self.dim)
            try await underway(server)
            await server.services.triggerGracefulShutdown()
            #expect(try await answer.status == 504)
            #expect(try await answer.error.code == .unconfirmed)
        }
    }

    @Test func `commands that change no light cannot be waited for`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            let answer = try await server.post(#"{"command":"rename","target":"desk","name":"x","wait":true}"#)
            #expect(answer.status == 400)
            #expect(try answer.error.message.contains("'rename' has no field 'wait'"))
        }
    }
}
