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

    /// A house whose bridge takes what it is asked and says nothing of it by itself.
    private func silent(_ body: (House) async throws -> Void) async throws {
        let stack = Homes.stack
        stack.echo(false)
        try await House.lived(in: Homes.state, stack: stack, body)
    }

    /// Until lightd has begun to wait for the confirmation.
    private func underway(_ house: House) async throws {
        try await until("the answer is in, and waited on") {
            house.clock.isAwaited && house.journal.entries.contains { $0.message.isResponse }
        }
    }

    @Test func `the answer comes with the confirmation, and tells the lights after it`() async throws {
        try await silent { house in
            async let answer = house.post(Self.dim)
            try await underway(house)
            #expect(await house.counter.count == 1)
            house.stack.tell(.light(Homes.desk.id, Light.Report(power: .on, brightness: 0.4)))
            let reply = try await answer.decoded(CommandReply.self)
            #expect(reply.lights?.map(\.freshness) == [.confirmed] && reply.lights?.first?.brightness == 40)
            #expect(await house.counter.count == 0)
        }
    }

    @Test func `where nothing is to be confirmed it comes at once`() async throws {
        try await House.lived(in: Homes.state, stack: Homes.stack) { house in
            for body in [Self.dim, Self.dim, #"{"command":"undo","wait":true}"#] {
                let answer = try await house.post(body)
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `what is never confirmed is said so when the time is up`() async throws {
        try await silent { house in
            async let answer = house.post(Self.dim)
            try await underway(house)
            await house.clock.advance(by: WishKeeper.patience + .milliseconds(1))
            #expect(try await answer.status == 504)
            #expect(try await answer.error.code == .unconfirmed)
            #expect(await house.counter.count == 0)
        }
        #expect(WishKeeper.patience < Order.longestWait)
    }

    @Test func `what is confirmed in part names the rest`() async throws {
        try await silent { house in
            async let answer = house.post(Self.dark)
            try await underway(house)
            house.stack.tell(.light(Homes.fan.id, Light.Report(power: .off)))
            try await until("the fan is confirmed") {
                await house.light(Homes.fan.id)?.reported.power == .off
            }
            await house.clock.advance(by: WishKeeper.patience + .milliseconds(1))
            #expect(try await answer.status == 502)
            #expect(try await answer.error.parts?.map(\.target) == ["Sink"])
        }
    }

    @Test func `what the bridge refuses is not waited for`() async throws {
        try await silent { house in
            house.stack.end(with: .failed(.refused(by: .sample, words: "no")))
            let answer = try await house.post(Self.dim)
            #expect(answer.status == 422)
        }
    }

    @Test func `who goes away leaves nobody waiting`() async throws {
        try await silent { house in
            var wire: Wire? = try Wire(house.place)
            try await wire?.send(
                "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: \(Self.dim.utf8.count)\r\n\r\n\(Self.dim)")
            try await underway(house)
            #expect(await house.counter.count == 1)
            wire = nil
            try await until("nobody waits") { await house.counter.count == 0 }
        }
    }

    @Test func `a daemon that stops lets those go who wait`() async throws {
        try await silent { house in
            async let answer = house.post(Self.dim)
            try await underway(house)
            await house.services.triggerGracefulShutdown()
            #expect(try await answer.status == 504)
            #expect(try await answer.error.code == .unconfirmed)
        }
    }

    @Test func `commands that change no light cannot be waited for`() async throws {
        try await House.lived(in: Homes.state, stack: Homes.stack) { house in
            let answer = try await house.post(#"{"command":"rename","target":"desk","name":"x","wait":true}"#)
            #expect(answer.status == 400)
            #expect(try answer.error.message.contains("'rename' has no field 'wait'"))
        }
    }
}
