import ControlProtocol
import Foundation
import Khipu
import Lighting
import LightingTestKit
import ServiceLifecycle
import TestSupport
import Testing

@testable import ControlServer

/// Commands with `wait`: answered when the bridge has confirmed them.
@Suite struct WaitingTests {
    private static let dim = #"{"command":"set","target":"desk","brightness":40,"wait":true}"#
    private static let dark = #"{"command":"turn","to":"off","target":"@kitchen","wait":true}"#

    /// A home whose bridge accepts commands and reports nothing by itself.
    private func silent(_ body: (ServerFixture) async throws -> Void) async throws {
        let stack = HomeFixture.stack
        stack.echo(false)
        try await ServerFixture.run(in: HomeFixture.state, stack: stack, body)
    }

    /// Waits until the command is answered and its confirmation is awaited.
    private func underway(_ server: ServerFixture) async throws {
        try await until("the confirmation is awaited") {
            server.clock.isAwaited() && server.home.journal.entries.contains { $0.message.isResponse }
        }
    }

    @Test func `the answer comes with the confirmation`() async throws {
        try await silent { server in
            async let answer = server.post(Self.dim)
            try await underway(server)
            #expect(await server.home.requests.count == 1)
            server.stack.tell(.light(HomeFixture.desk.id, Light.Report(power: .on, brightness: 0.4)))
            let reply = try await answer.decoded(CommandReply.self)
            #expect(reply.lights?.map(\.freshness) == [.confirmed] && reply.lights?.first?.brightness == 40)
            #expect(await server.home.requests.count == 0)
        }
    }

    @Test func `a client that disconnects leaves no pending request`() async throws {
        try await silent { server in
            var client: ClientFixture? = try ClientFixture(server.address)
            try await client?.send(
                "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: \(Self.dim.utf8.count)\r\n\r\n\(Self.dim)")
            try await underway(server)
            #expect(await server.home.requests.count == 1)
            client = nil
            try await until("no request is pending") { await server.home.requests.count == 0 }
        }
    }

    @Test func `a client that closes only its sending side is told that it must wait with an open connection`()
        async throws
    {
        try await silent { server in
            let client = try ClientFixture(server.address)
            try await client.send(
                "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: \(Self.dim.utf8.count)\r\n\r\n\(Self.dim)")
            try await underway(server)
            client.endSending()
            let answer = try await client.answer()
            #expect(answer.status == 504)
            #expect(try answer.error.message.contains("the command goes on"))
        }
    }

    @Test func `a daemon that stops answers waiting clients`() async throws {
        try await silent { server in
            async let answer = server.post(Self.dim)
            try await underway(server)
            await server.services.triggerGracefulShutdown()
            try await until("the server waits") { server.clock.isAwaited(within: .milliseconds(300)) }
            await server.clock.advance(by: .milliseconds(300))
            #expect(try await answer.status == 504)
            #expect(try await answer.error.code == .unconfirmed)
        }
    }

}
