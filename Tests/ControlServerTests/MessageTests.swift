import ControlProtocol
import ControlServer
import Foundation
import Khipu
import Lighting
import LightingTestKit
import Testing

@Suite struct MessageTests {
    @Test func `a command answers with its ticket and the lights as they are then`() async throws {
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
        (Command.toggle(target: "desk"), MemoryStack.Request.set([.init(HomeFixture.desk.id, power: .off)], .usual)),
        (
            .set(.init(brightness: 40), target: "desk"),
            .set([.init(HomeFixture.desk.id, power: .on, setting: .bri(0.4))], .usual)
        ),
        (
            .set(.init(brightness: 40, color: "#00f"), target: "desk", over: 100),
            .set([.init(HomeFixture.desk.id, power: .on, setting: .hsb(2.0 / 3, 1, 0.4))], .milliseconds(100))
        ),
        (
            .set(.init(hue: 90, saturation: 50), target: "desk"),
            .set(
                [.init(HomeFixture.desk.id, power: .on, setting: .hsb(hue: 0.25, saturation: 0.5, brightness: nil))],
                .usual)
        ),
        (
            .set(.init(temperature: 250), target: "desk"),
            .set([.init(HomeFixture.desk.id, power: .on, setting: .ct(250.mirek))], .usual)
        ),
        (
            .increase(.brightness, by: 10, target: "desk"),
            .set([.init(HomeFixture.desk.id, setting: .bri(0.6))], .usual)
        ),
        (
            .decrease(.brightness, by: 10, target: "desk"),
            .set([.init(HomeFixture.desk.id, setting: .bri(0.4))], .usual)
        ),
        (.rename(target: "@study", name: "Library"), .rename(.room(HomeFixture.study.id), "Library")),
        (.recall(scene: "kitchen/relax"), .recall(HomeFixture.relax.id, .usual)), (.load, .load),
        (.discover(seconds: 1), .discover), (.forget(bridge: "study bridge"), .forget(.sample)),
    ])
    func `every verb reaches the lamps as it was meant`(command: Command, request: MemoryStack.Request) async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            _ = try await server.send(command)
            #expect(server.stack.requests == [request])
        }
    }

    @Test func `the dashboard is arranged with places counted from 1`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            _ = try await server.send(.pin(target: "desk"))
            _ = try await server.send(.pin(target: "@kitchen"))
            _ = try await server.send(.move(target: "@kitchen", place: 1))
            let reply = try await server.send(.display(target: "desk", as: .scrubbing))
            #expect(reply.dashboard?.map(\.name) == ["Kitchen", "Desk"])
            #expect(reply.dashboard?.last?.display == .scrubbing)
            #expect(try await server.send(.unpin(target: "desk")).dashboard?.map(\.name) == ["Kitchen"])
        }
    }

    @Test(arguments: [
        (Failure.unreachable(.sample, because: "timed out"), 503, ErrorCode.bridgeUnreachable),
        (.refused(by: .sample, words: "no"), 422, .refused), (.unconfirmed(by: .sample, words: "?"), 504, .unconfirmed),
        (.notPaired, 403, .notPaired), (.keyRefused(by: .sample), 403, .keyRefused),
        (.certificateRefused(of: .sample, because: "other"), 403, .certificateRefused),
        (.whichBridge([.sample]), 409, .whichBridge), (.notSaved(because: "full"), 500, .notSaved),
        (.partly([.init(.light(HomeFixture.sink.id), .refused(by: .sample, words: "no"))], of: 3), 502, .partly),
    ])
    func `a failure keeps its code and its words`(failure: Failure, status: Int, code: ErrorCode) async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            server.stack.end(with: .failed(failure))
            let answer = try await server.post(#"{"command":"turn","to":"on","target":"@kitchen"}"#)
            #expect(answer.status == status)
            let error = try answer.error
            #expect(error.code == code)
            if code == .partly {
                #expect(error.parts?.map(\.target) == ["Sink"])
            } else {
                #expect(error.message == failure.description)
            }
        }
    }

    @Test func `names that are not there or not one are errors with candidates`() async throws {
        let other = Light.make("desk2", name: "Desk")
        let state = HomeFixture.state.alter(
            by: .adding(.light(other)), .updating(.room(HomeFixture.kitchen.id, by: .placing(.lights([other.id])))))
        try await ServerFixture.run(in: state) { server in
            let both = try await server.post(#"{"command":"toggle","target":"desk"}"#)
            #expect(both.status == 409)
            #expect(try both.error.candidates == ["Kitchen/Desk", "Study/Desk"])
            #expect(try await server.post(#"{"command":"recall","scene":"Work"}"#).status == 404)
            #expect(try await server.post(#"{"command":"forget","bridge":"Work"}"#).status == 404)
            #expect(server.stack.requests.isEmpty)
        }
    }

    @Test func `two callers with the same command each get their own outcome`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            server.stack.hold()
            async let one = server.send(.toggle(target: "desk"))
            try await until("the first is asked") { server.stack.requests.count == 1 }
            async let other = server.send(.toggle(target: "desk"))
            try await until("both are asked") { server.stack.requests.count == 2 }
            server.stack.release()
            let replies = try await [one, other]
            #expect(replies.map(\.ticket) == [1, 2])
            #expect(server.journal.entries.filter { $0.message.isResponse }.count == 2)
        }
    }

    @Test func `who asked stands in the journal`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            _ = try await server.post(#"{"command":"toggle","target":"desk"}"#, [Routes.clientHeader: "lightctl"])
            _ = try await server.post(#"{"command":"toggle","target":"desk"}"#)
            // U+009B begins a terminal's command.
            _ = try await server.post(
                #"{"command":"toggle","target":"desk"}"#,
                [Routes.clientHeader: "a\u{9B}b" + String(repeating: "c", count: 99)])
            let holders = server.journal.entries.filter(\.message.isResponse).map(\.message.ticket.holder)
            #expect(holders == ["lightctl", "a client of the socket", "ab" + String(repeating: "c", count: 62)])
        }
    }

    @Test func `no more commands are in flight than were allowed`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack, maximumInFlight: 2) { server in
            server.stack.hold()
            async let one = server.send(.toggle(target: "desk"))
            async let other = server.send(.toggle(target: "sink"))
            try await until("both are asked") { server.stack.requests.count == 2 }
            let third = try await server.post(#"{"command":"load"}"#)
            #expect(third.status == 503)
            #expect(third.headers["retry-after"] == "1")
            // Reading goes on.
            #expect(try await server.get(Routes.lights).status == 200)
            server.stack.release()
            _ = try await (one, other)
            #expect(try await server.send(.load).ticket == 3)
        }
    }

    @Test func `discovery tells what was tried and which bridge is ours`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let attempt = Discovery.Attempt(way: .lastKnown, asked: "192.0.2.10", result: "answers", succeeded: true)
            server.stack.find([
                Discovery(
                    id: .sample, name: "Study bridge", model: "BSB002", address: .init(host: "192.0.2.10", port: 443),
                    attempts: [attempt]),
                Discovery(id: nil, name: "", model: "", address: nil, attempts: []),
            ])
            let found = try #require(try await server.send(.discover()).discovered)
            #expect(found.map(\.paired) == [true, false])
            #expect(found[0].attempts[0].way == "last_known" && found[0].address == "192.0.2.10:443")
        }
    }
}

@Suite struct PairingTests {
    private static let lost = Bridge.make(
        connection: .lost(since: .sample, because: .unreachable(.sample, because: "not yet connected")))
    private static let pairing = Pairing(bridge: lost, key: Secret("k"), clientKey: nil, trust: .maker)

    /// A stack whose bridge connects only when it is told to.
    private static func stack(_ stack: MemoryStack) -> MemoryStack {
        stack.pair(with: .success(pairing))
        return stack
    }

    @Test func `pairing answers when the bridge's lights are known`() async throws {
        try await ServerFixture.run(stack: Self.stack(HomeFixture.stack)) { server in
            let reply = try await server.send(.pair())
            #expect(reply.bridge?.connected == true && reply.bridge?.lights == 4)
            let lights: [LightBody] = try await server.get(Routes.lights)
            #expect(lights.count == 4)
        }
    }

    @Test func `who did not press the button is told so at once`() async throws {
        let stack = MemoryStack()
        stack.pair(with: .failure(.buttonNotPressed(on: .sample)))
        try await ServerFixture.run(stack: stack) { server in
            let refused = try await server.post(#"{"command":"pair"}"#)
            #expect(refused.status == 403)
            #expect(try refused.error.code == .buttonNotPressed)
        }
    }

    @Test func `a bridge that connects later is waited for`() async throws {
        try await ServerFixture.run(stack: Self.stack(HomeFixture.stack), connects: false) { server in
            async let reply = server.send(.pair())
            try await until("the bridge is ours") { await server.store.current(\.bridges.count) == 1 }
            server.stack.tell(.home(.sample, lights: HomeFixture.lights, rooms: HomeFixture.rooms, scenes: []))
            server.stack.tell(.connected(.sample, by: .stream))
            let bridge = try #require(try await reply.bridge)
            #expect(bridge.connected && bridge.lights == 4)
        }
    }

    @Test func `a bridge that does not connect is waited for 5 s`() async throws {
        try await ServerFixture.run(stack: Self.stack(HomeFixture.stack), connects: false) { server in
            async let reply = server.send(.pair())
            try await until("it waits") { server.clock.isAwaited }
            await server.clock.advance(by: .milliseconds(5001))
            let bridge = try #require(try await reply.bridge)
            #expect(!bridge.connected && bridge.lights == 0)
        }
    }
}
