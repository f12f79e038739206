import ControlProtocol
import Khipu
import Lighting
import LightingTestKit
import Testing

/// Undo and redo, and who or what set a light to what it shows, as the API tells them.
@Suite struct ReversalTests {
    @Test func `undo gives the lights back and names the command, redo does it again`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            _ = try await server.send(.set(.init(brightness: 40), target: "desk"))
            _ = try await server.send(.turn(to: .off, target: "@kitchen"))
            let undone = try await server.send(.undo(steps: 2))
            #expect(undone.commands == ["turn @Kitchen off", "set Desk to 40 %"])
            #expect(Set(undone.lights?.map(\.name) ?? []) == ["Desk", "Sink", "Fan"])
            #expect(undone.lights?.first { $0.name == "Desk" }?.brightness == 50)
            #expect(undone.skipped == [])
            let redone = try await server.send(.redo())
            #expect(redone.commands == ["set Desk to 40 %"])
            #expect(redone.lights?.map(\.brightness) == [40])
        }
    }

    @Test func `a light that somebody else has changed since is left, and named with the reason`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            _ = try await server.send(.turn(to: .off, target: "@kitchen"))
            server.stack.tell(.light(HomeFixture.sink.id, Light.Report(power: .on, source: .wall("Kitchen dimmer"))))
            try await until("the wall is heard") { await server.light(HomeFixture.sink.id)?.power == .on }
            _ = try await server.send(.set(.init(brightness: 90), target: "desk"))
            server.stack.tell(.light(HomeFixture.fan.id, Light.Report(power: .on)))
            try await until("the fan is heard") { await server.light(HomeFixture.fan.id)?.power == .on }
            server.stack.tell(.light(HomeFixture.sink.id, Light.Report(power: .off, source: .wall("Kitchen dimmer"))))
            try await until("the wall is heard again") {
                await server.light(HomeFixture.sink.id)?.power == .off
            }
            let reply = try await server.send(.undo(steps: 2))
            #expect(reply.lights?.map(\.name) == ["Desk"])
            #expect(reply.skipped?.map(\.name) == ["Sink"])
            #expect(reply.skipped?.map(\.reason) == ["changed since by somebody at the wall: Kitchen dimmer"])
            #expect(reply.skipped?.map(\.target) == [HomeFixture.sink.id.description])
        }
    }

    @Test func `where there is nothing to take back it is said`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            let answer = try await server.post(#"{"command":"undo"}"#)
            #expect(answer.status == 422)
            #expect(try answer.error.message == "there is nothing to undo")
            #expect(try await server.post(#"{"command":"redo","steps":0}"#).status == 400)
        }
    }

    @Test func `a light tells who or what set it so`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            func cause(_ name: String) async throws -> CauseBody? {
                let lights: [LightBody] = try await server.get(Routes.lights)
                return lights.first { $0.name == name }?.cause
            }
            #expect(try await cause("Desk")?.kind == .unseen)
            _ = try await server.post(
                #"{"command":"set","target":"desk","brightness":40}"#, [Routes.clientHeader: "lightctl (uid 1000)"])
            let told = try await cause("Desk")
            #expect(told?.kind == .command && told?.by == "lightctl (uid 1000)" && told?.what == "set Desk to 40 %")
            #expect(told?.ticket == 1)
            for (source, kind, by) in [
                (Cause.Kind.wall("Hall sensor"), CauseBody.Kind.wall, "Hall sensor" as String?), (.power, .power, nil),
                (.elsewhere, .elsewhere, nil),
            ] {
                let level = Double.random(in: 0.5...0.9)
                server.stack.tell(.light(HomeFixture.desk.id, Light.Report(brightness: level, source: source)))
                try await until("it is told") { try await cause("Desk")?.kind == kind }
                #expect(try await cause("Desk")?.by == by)
            }
        }
    }

    @Test func `a wish that is not confirmed is shown because of its command`() async throws {
        let stack = HomeFixture.stack
        stack.echo(false)
        try await ServerFixture.run(in: HomeFixture.state, stack: stack) { server in
            let reply = try await server.send(.set(.init(brightness: 40), target: "desk"))
            let light = try #require(reply.lights?.first)
            #expect(light.freshness == .expected && light.cause.kind == .command)
            #expect(light.cause.what == "set Desk to 40 %")
            // Back to what the bridge last told, which is not what the lamp shows now: a wish like any other.
            let back = try #require(try await server.send(.undo()).lights?.first)
            #expect(back.brightness == 50 && back.freshness == .expected && back.cause.what == "undo 1 command")
        }
    }

    @Test func `what a lamp does after a power cut is shown and set, and custom is not ours to set`() async throws {
        let lamp = HomeFixture.desk.alter(by: .powering(.up(as: .custom)))
        try await ServerFixture.run(in: .make(lights: [lamp]), stack: MemoryStack(lights: [lamp])) { server in
            let before: [LightBody] = try await server.get(Routes.lights)
            #expect(before.map(\.powerup) == [.custom])
            _ = try await server.send(.powerup(target: "desk", preset: .lastOnState))
            #expect(server.stack.requests == [.powerup([lamp.id], .lastOnState)])
            try await until("it shows") {
                try await server.get(Routes.lights, as: [LightBody].self).map(\.powerup) == [.lastOnState]
            }
            let refused = try await server.post(#"{"command":"powerup","target":"desk","preset":"custom"}"#)
            #expect(refused.status == 400)
        }
    }

    @Test func `a bridge that is asked says how often`() async throws {
        let asked = Bridge.make(connection: .connected(since: .sample, by: .polling(every: .milliseconds(2500))))
        try await ServerFixture.run(in: .make(bridges: [asked])) { server in
            let bridges: [BridgeBody] = try await server.get(Routes.bridges)
            #expect(bridges.map(\.updates) == [.polling] && bridges.map(\.intervalSeconds) == [2.5])
        }
        try await ServerFixture.run(in: .make()) { server in
            let bridges: [BridgeBody] = try await server.get(Routes.bridges)
            #expect(bridges.map(\.updates) == [.stream] && bridges.map(\.intervalSeconds) == [nil])
        }
    }
}
