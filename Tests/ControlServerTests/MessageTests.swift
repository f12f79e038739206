import ControlProtocol
import ControlServer
import Foundation
import Khipu
import Lighting
import LightingTestKit
import Testing

@Suite struct MessageTests {
    @Test func `a command answers with its ticket and the lights as they are then`() async throws {
        try await House.lived(in: Homes.state, stack: Homes.stack) { house in
            let reply = try await house.order(.turn(to: .off, target: "@kitchen", over: 2000))
            #expect(reply.ticket == 1)
            #expect(reply.lights?.map(\.name) == ["Stove", "Sink", "Fan"])
            #expect(reply.lights?.allSatisfy { $0.power == .off && $0.freshness == .confirmed } == true)
            #expect(
                house.stack.requests == [
                    .set(Homes.kitchen.lights.map { LightOrder($0, power: .off) }, .milliseconds(2000))
                ])
        }
    }

    @Test(arguments: [
        (Command.toggle(target: "desk"), MemoryStack.Request.set([.init(Homes.desk.id, power: .off)], .usual)),
        (
            .set(.init(brightness: 40), target: "desk"),
            .set([.init(Homes.desk.id, power: .on, setting: .bri(0.4))], .usual)
        ),
        (
            .set(.init(brightness: 40, color: "#00f"), target: "desk", over: 100),
            .set([.init(Homes.desk.id, power: .on, setting: .hsb(2.0 / 3, 1, 0.4))], .milliseconds(100))
        ),
        (
            .set(.init(hue: 90, saturation: 50), target: "desk"),
            .set(
                [.init(Homes.desk.id, power: .on, setting: .hsb(hue: 0.25, saturation: 0.5, brightness: nil))],
                .usual)
        ),
        (
            .set(.init(temperature: 250), target: "desk"),
            .set([.init(Homes.desk.id, power: .on, setting: .ct(250.mirek))], .usual)
        ),
        (
            .increase(.brightness, by: 10, target: "desk"),
            .set([.init(Homes.desk.id, setting: .bri(0.6))], .usual)
        ),
        (
            .decrease(.brightness, by: 10, target: "desk"),
            .set([.init(Homes.desk.id, setting: .bri(0.4))], .usual)
        ),
        (.rename(target: "@study", name: "Library"), .rename(.room(Homes.study.id), "Library")),
        (.recall(scene: "kitchen/relax"), .recall(Homes.relax.id, .usual)), (.load, .load(.lights)),
        (.discover(seconds: 1), .discover), (.forget(bridge: "study bridge"), .forget(.sample)),
    ])
    func `every verb reaches the lamps as it was meant`(command: Command, request: MemoryStack.Request) async throws {
        try await House.lived(in: Homes.state, stack: Homes.stack) { house in
            _ = try await house.order(command)
            #expect(house.stack.requests == [request])
        }
    }

    @Test func `the dashboard is arranged with places counted from 1`() async throws {
        try await House.lived(in: Homes.state) { house in
            _ = try await house.order(.pin(target: "desk"))
            _ = try await house.order(.pin(target: "@kitchen"))
            _ = try await house.order(.move(target: "@kitchen", place: 1))
            let reply = try await house.order(.display(target: "desk", as: .scrubbing))
            #expect(reply.dashboard?.map(\.name) == ["Kitchen", "Desk"])
            #expect(reply.dashboard?.last?.display == .scrubbing)
            #expect(try await house.order(.unpin(target: "desk")).dashboard?.map(\.name) == ["Kitchen"])
        }
    }

    @Test(arguments: [
        (Failure.unreachable(.sample, because: "timed out"), 503, ErrorCode.bridgeUnreachable),
        (.refused(by: .sample, words: "no"), 422, .refused), (.unconfirmed(by: .sample, words: "?"), 504, .unconfirmed),
        (.notPaired, 403, .notPaired), (.keyRefused(by: .sample), 403, .keyRefused),
        (.certificateRefused(of: .sample, because: "other"), 403, .certificateRefused),
        (.whichBridge([.sample]), 409, .whichBridge), (.notSaved(because: "full"), 500, .notSaved),
        (.partly([.init(.light(Homes.sink.id), .refused(by: .sample, words: "no"))], of: 3), 502, .partly),
    ])
    func `a failure keeps its code and its words`(failure: Failure, status: Int, code: ErrorCode) async throws {
        try await House.lived(in: Homes.state, stack: Homes.stack) { house in
            house.stack.end(with: .failed(failure))
            let answer = try await house.post(#"{"command":"turn","to":"on","target":"@kitchen"}"#)
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
        let state = Homes.state.alter(
            by: .adding(.light(other)), .updating(.room(Homes.kitchen.id, by: .placing(.lights([other.id])))))
        try await House.lived(in: state) { house in
            let both = try await house.post(#"{"command":"toggle","target":"desk"}"#)
            #expect(both.status == 409)
            #expect(try both.error.candidates == ["Kitchen/Desk", "Study/Desk"])
            #expect(try await house.post(#"{"command":"recall","scene":"Work"}"#).status == 404)
            #expect(try await house.post(#"{"command":"forget","bridge":"Work"}"#).status == 404)
            #expect(house.stack.requests.isEmpty)
        }
    }

    @Test func `two callers with the same command each get their own outcome`() async throws {
        try await House.lived(in: Homes.state, stack: Homes.stack) { house in
            house.stack.hold()
            async let one = house.order(.toggle(target: "desk"))
            try await until("the first is asked") { house.stack.requests.count == 1 }
            async let other = house.order(.toggle(target: "desk"))
            try await until("both are asked") { house.stack.requests.count == 2 }
            house.stack.release()
            let replies = try await [one, other]
            #expect(replies.map(\.ticket) == [1, 2])
            #expect(house.journal.entries.filter { $0.message.isResponse }.count == 2)
        }
    }

    @Test func `who asked stands in the journal`() async throws {
        try await House.lived(in: Homes.state, stack: Homes.stack) { house in
            _ = try await house.post(#"{"command":"toggle","target":"desk"}"#, [Routes.clientHeader: "lightctl"])
            _ = try await house.post(#"{"command":"toggle","target":"desk"}"#)
            // U+009B begins a terminal's command.
            _ = try await house.post(
                #"{"command":"toggle","target":"desk"}"#,
                [Routes.clientHeader: "a\u{9B}b" + String(repeating: "c", count: 99)])
            let holders = house.journal.entries.filter(\.message.isResponse).map(\.message.ticket.holder)
            #expect(holders == ["lightctl", "a client of the socket", "ab" + String(repeating: "c", count: 62)])
        }
    }

    @Test func `no more commands are in flight than were allowed`() async throws {
        try await House.lived(in: Homes.state, stack: Homes.stack, maximumInFlight: 2) { house in
            house.stack.hold()
            async let one = house.order(.toggle(target: "desk"))
            async let other = house.order(.toggle(target: "sink"))
            try await until("both are asked") { house.stack.requests.count == 2 }
            let third = try await house.post(#"{"command":"load"}"#)
            #expect(third.status == 503)
            #expect(third.headers["retry-after"] == "1")
            // Reading goes on.
            #expect(try await house.get(Routes.lights).status == 200)
            house.stack.release()
            _ = try await (one, other)
            #expect(try await house.order(.load).ticket == 3)
        }
    }

    @Test func `discovery tells what was tried and which bridge is ours`() async throws {
        try await House.lived(in: Homes.state) { house in
            let attempt = Discovery.Attempt(way: .lastKnown, asked: "192.0.2.10", result: "answers", succeeded: true)
            house.stack.find([
                Discovery(
                    id: .sample, name: "Study bridge", model: "BSB002", address: .init(host: "192.0.2.10", port: 443),
                    attempts: [attempt]),
                Discovery(id: nil, name: "", model: "", address: nil, attempts: []),
            ])
            let found = try #require(try await house.order(.discover()).discovered)
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
        try await House.lived(stack: Self.stack(Homes.stack)) { house in
            let reply = try await house.order(.pair())
            #expect(reply.bridge?.connected == true && reply.bridge?.lights == 4)
            let lights: [LightBody] = try await house.get(Routes.lights)
            #expect(lights.count == 4)
        }
    }

    @Test func `who did not press the button is told so at once`() async throws {
        let stack = MemoryStack()
        stack.pair(with: .failure(.buttonNotPressed(on: .sample)))
        try await House.lived(stack: stack) { house in
            let refused = try await house.post(#"{"command":"pair"}"#)
            #expect(refused.status == 403)
            #expect(try refused.error.code == .buttonNotPressed)
        }
    }

    @Test func `a bridge that connects later is waited for`() async throws {
        try await House.lived(stack: Self.stack(Homes.stack), connects: false) { house in
            async let reply = house.order(.pair())
            try await until("the bridge is ours") { await house.store.current(\.bridges.count) == 1 }
            house.stack.tell(.home(.sample, lights: Homes.lights, rooms: Homes.rooms, scenes: []))
            house.stack.tell(.connected(.sample, by: .stream))
            let bridge = try #require(try await reply.bridge)
            #expect(bridge.connected && bridge.lights == 4)
        }
    }

    @Test func `a bridge that does not connect is waited for 5 s`() async throws {
        try await House.lived(stack: Self.stack(Homes.stack), connects: false) { house in
            async let reply = house.order(.pair())
            try await until("it waits") { house.clock.isAwaited }
            await house.clock.advance(by: .milliseconds(5001))
            let bridge = try #require(try await reply.bridge)
            #expect(!bridge.connected && bridge.lights == 0)
        }
    }
}
