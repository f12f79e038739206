import ControlProtocol
import Foundation
import Lighting
import LightingTestKit
import ServiceLifecycle
import Testing

// One after the other: times are measured.
@Suite(.serialized) struct StoppingTests {
    @Test func `streams end, waiting commands are let go, and all is over within a second`() async throws {
        let clock = ContinuousClock()
        nonisolated(unsafe) var began = clock.now
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            let streams = [try ClientFixture(server.place), try ClientFixture(server.place)]
            _ = try await streams[0].open(Routes.events)
            _ = try await streams[0].event()
            _ = try await streams[1].open(Routes.log, ["Accept": "text/event-stream"])
            // One who asks nothing, one who stops in the middle of a request, one who never reads and never goes.
            let idle = try ClientFixture(server.place)
            let half = try ClientFixture(server.place)
            try await half.send("POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
            let stuck = try ClientFixture(server.place)
            _ = try await stuck.open(Routes.events)
            for number in 1...20_000 {
                await server.change(.updating(.light(HomeFixture.desk.id, by: [.renaming(.it(to: "Desk \(number)"))])))
            }
            server.stack.hold()
            async let waiting = server.post(#"{"command":"toggle","target":"desk"}"#)
            try await until("it is asked") { server.stack.requests.count == 1 }
            began = clock.now
            await server.services.triggerGracefulShutdown()
            while try await streams[0].event() != nil {}
            // The command was an entry of the log.
            while try await streams[1].event() != nil {}
            let answer = try await waiting
            #expect(answer.status == 504)
            #expect(try answer.error.code == .unconfirmed)
            #expect(try await idle.isEnded())
            withExtendedLifetime((half, stuck)) {}
            // Both are still here when the server is closed.
            try await until("the socket is gone") { !FileManager.default.fileExists(atPath: server.socket) }
            #expect(clock.now - began < .seconds(1))
        }
        #expect(clock.now - began < .seconds(1))
    }

    @Test func `with nothing under way but streams it does not wait for its time to be up`() async throws {
        let clock = ContinuousClock()
        nonisolated(unsafe) var began = clock.now
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.place)
            _ = try await client.open(Routes.events)
            _ = try await client.event()
            began = clock.now
            await server.services.triggerGracefulShutdown()
            let last = try await client.event()
            #expect(last == nil)
        }
        // Less than what commands under way are given.
        #expect(clock.now - began < .milliseconds(300))
    }

    @Test func `a command that ends in time is answered`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            server.stack.hold()
            async let waiting = server.post(#"{"command":"toggle","target":"desk"}"#)
            try await until("it is asked") { server.stack.requests.count == 1 }
            await server.services.triggerGracefulShutdown()
            server.stack.release()
            #expect(try await waiting.status == 200)
        }
    }

    @Test func `a new request on an old connection is refused while stopping`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            server.stack.hold()
            let client = try ClientFixture(server.place)
            async let waiting = server.post(#"{"command":"toggle","target":"desk"}"#)
            try await until("it is asked") { server.stack.requests.count == 1 }
            await server.services.triggerGracefulShutdown()
            // Closed, or told so: either way nothing is begun any more.
            try await until("it is refused") { (try? await client.ask("GET", Routes.lights))?.status != 200 }
            let answer = try? await client.ask("GET", Routes.lights)
            #expect(answer == nil || answer?.status == 503)
            server.stack.release()
            _ = try await waiting
        }
    }
}
