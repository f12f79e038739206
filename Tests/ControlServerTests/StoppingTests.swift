import ControlProtocol
import Foundation
import Lighting
import LightingTestKit
import ServiceLifecycle
import TestSupport
import Testing

@testable import ControlServer

/// A graceful shutdown. The clock is manual, so that each step can be tested on its own.
@Suite struct StoppingTests {
    @Test func `streams end, waiting commands are answered as unconfirmed, and finally every connection is closed`()
        async throws
    {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            let streams = [try ClientFixture(server.address), try ClientFixture(server.address)]
            _ = try await streams[0].open(Routes.events)
            _ = try await streams[0].event()
            _ = try await streams[1].open(Routes.log, ["Accept": "text/event-stream"])
            // One client is idle, one stops in the middle of a request, one never reads.
            let idle = try ClientFixture(server.address)
            let half = try ClientFixture(server.address)
            try await half.send("POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
            let stuck = try ClientFixture(server.address)
            _ = try await stuck.open(Routes.events)
            await server.fillBuffers()
            server.stack.hold()
            async let waiting = server.post(#"{"command":"toggle","target":"desk"}"#)
            try await until("the command has arrived") { server.stack.requests.count == 1 }
            await server.services.triggerGracefulShutdown()
            for stream in streams { await stream.readToEnd() }
            #expect(try await idle.isEnded())
            try await server.advanceShutdown(by: .milliseconds(300))
            let answer = try await waiting
            #expect(answer.status == 504)
            #expect(try answer.error.code == .unconfirmed)
            #expect(!server.ended.isFulfilled)
            try await server.advanceShutdown(by: .milliseconds(400))
            try await until("the server has ended") { server.ended.isFulfilled }
            // Both were open until then.
            withExtendedLifetime((half, stuck)) {}
        }
    }

    @Test func `a server with nothing but open streams stops at once`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            _ = try await client.open(Routes.events)
            _ = try await client.event()
            await server.services.triggerGracefulShutdown()
            let last = try await client.event()
            #expect(last == nil)
            // No time passes.
            try await until("the server has ended") { server.ended.isFulfilled }
        }
    }

    @Test func `a command that ends in time is answered`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            server.stack.hold()
            async let waiting = server.post(#"{"command":"toggle","target":"desk"}"#)
            try await until("the command has arrived") { server.stack.requests.count == 1 }
            await server.services.triggerGracefulShutdown()
            server.stack.release()
            #expect(try await waiting.status == 200)
        }
    }

    @Test func `a new request on an old connection is refused while stopping`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            server.stack.hold()
            let client = try ClientFixture(server.address)
            async let waiting = server.post(#"{"command":"toggle","target":"desk"}"#)
            try await until("the command has arrived") { server.stack.requests.count == 1 }
            await server.services.triggerGracefulShutdown()
            // The connection is closed, or the request is refused: either way nothing new begins.
            try await until("a new request is refused") { (try? await client.ask("GET", Routes.lights))?.status != 200 }
            let answer = try? await client.ask("GET", Routes.lights)
            #expect(answer == nil || answer?.status == 503)
            server.stack.release()
            _ = try await waiting
        }
    }
}

extension ClientFixture {
    /// Reads events until the stream ends. The last bytes are missing if the client had fallen behind: Hummingbird
    /// closes the connection without waiting until they are written (`HTTPConnectionStateHandler`, 2.28).
    fileprivate func readToEnd() async { while (try? await event()) ?? nil != nil {} }
}

extension ServerFixture {
    /// Winds the server's clock once it waits for the next step of its shutdown.
    fileprivate func advanceShutdown(by duration: Duration) async throws {
        try await until("the server waits") { clock.isAwaited(within: duration) }
        await clock.advance(by: duration)
    }
}
