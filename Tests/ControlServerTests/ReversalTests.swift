import ControlProtocol
import Khipu
import Lighting
import LightingTestKit
import Testing

/// Undo and redo, and who or what set a light to what it shows, as the API tells them.
@Suite struct ReversalTests {
    @Test func `undo gives the lights back and names the command, redo does it again`() async throws {
        try await House.lived(in: Homes.state, stack: Homes.stack) { house in
            _ = try await house.order(.set(.init(brightness: 40), target: "desk"))
            _ = try await house.order(.turn(to: .off, target: "@kitchen"))
            let undone = try await house.order(.undo(steps: 2))
            #expect(undone.commands == ["turn @Kitchen off", "set Desk to 40 %"])
            #expect(Set(undone.lights?.map(\.name) ?? []) == ["Desk", "Sink", "Fan"])
            #expect(undone.lights?.first { $0.name == "Desk" }?.brightness == 50)
            #expect(undone.skipped == [])
            let redone = try await house.order(.redo())
            #expect(redone.commands == ["set Desk to 40 %"])
            #expect(redone.lights?.map(\.brightness) == [40])
        }
    }

    @Test func `a light that somebody else has changed since is left, and named with the reason`() async throws {
        try await House.lived(in: Homes.state, stack: Homes.stack) { house in
            _ = try await house.order(.turn(to: .off, target: "@kitchen"))
            house.stack.tell(.light(Homes.sink.id, Light.Report(power: .on, source: .wall("Kitchen dimmer"))))
            try await until("the wall is heard") { await house.light(Homes.sink.id)?.power == .on }
            _ = try await house.order(.set(.init(brightness: 90), target: "desk"))
            house.stack.tell(.light(Homes.fan.id, Light.Report(power: .on)))
            try await until("the fan is heard") { await house.light(Homes.fan.id)?.power == .on }
            house.stack.tell(.light(Homes.sink.id, Light.Report(power: .off, source: .wall("Kitchen dimmer"))))
            try await until("the wall is heard again") {
                await house.light(Homes.sink.id)?.power == .off
            }
            let reply = try await house.order(.undo(steps: 2))
            #expect(reply.lights?.map(\.name) == ["Desk"])
            #expect(reply.skipped?.map(\.name) == ["Sink"])
            #expect(reply.skipped?.map(\.reason) == ["changed since by somebody at the wall: Kitchen dimmer"])
            #expect(reply.skipped?.map(\.target) == [Homes.sink.id.description])
        }
    }

    @Test func `where there is nothing to take back it is said`() async throws {
        try await House.lived(in: Homes.state, stack: Homes.stack) { house in
            let answer = try await house.post(#"{"command":"undo"}"#)
            #expect(answer.status == 422)
            #expect(try answer.error.message == "there is nothing to undo")
            #expect(try await house.post(#"{"command":"redo","steps":0}"#).status == 400)
        }
    }

    @Test func `a light tells who or what set it so`() async throws {
        try await House.lived(in: Homes.state, stack: Homes.stack) { house in
            func cause(_ name: String) async throws -> CauseBody? {
                let lights: [LightBody] = try await house.get(Routes.lights)
                return lights.first { $0.name == name }?.cause
            }
            #expect(try await cause("Desk")?.kind == .unseen)
            _ = try await house.post(
                #"{"command":"set","target":"desk","brightness":40}"#, [Routes.clientHeader: "lightctl (uid 1000)"])
            let told = try await cause("Desk")
            #expect(told?.kind == .command && told?.by == "lightctl (uid 1000)" && told?.what == "set Desk to 40 %")
            #expect(told?.ticket == 1)
            for (source, kind, by) in [
                (Cause.Kind.wall("Hall sensor"), CauseBody.Kind.wall, "Hall sensor" as String?), (.power, .power, nil),
                (.elsewhere, .elsewhere, nil),
            ] {
                let level = Double.random(in: 0.5...0.9)
                house.stack.tell(.light(Homes.desk.id, Light.Report(brightness: level, source: source)))
                try await until("it is told") { try await cause("Desk")?.kind == kind }
                #expect(try await cause("Desk")?.by == by)
            }
        }
    }

    @Test func `a wish that is not confirmed is shown because of its command`() async throws {
        let stack = Homes.stack
        stack.echo(false)
        try await House.lived(in: Homes.state, stack: stack) { house in
            let reply = try await house.order(.set(.init(brightness: 40), target: "desk"))
            let light = try #require(reply.lights?.first)
            #expect(light.freshness == .expected && light.cause.kind == .command)
            #expect(light.cause.what == "set Desk to 40 %")
            // Back to what the bridge last told, which is not what the lamp shows now: a wish like any other.
            let back = try #require(try await house.order(.undo()).lights?.first)
            #expect(back.brightness == 50 && back.freshness == .expected && back.cause.what == "undo 1 command")
        }
    }

    @Test func `what a lamp does after a power cut is shown and set, and custom is not ours to set`() async throws {
        let lamp = Homes.desk.alter(by: .powering(.up(as: .custom)))
        try await House.lived(in: .make(lights: [lamp]), stack: MemoryStack(lights: [lamp])) { house in
            let before: [LightBody] = try await house.get(Routes.lights)
            #expect(before.map(\.powerup) == [.custom])
            _ = try await house.order(.powerup(target: "desk", preset: .lastOnState))
            #expect(house.stack.requests == [.powerup([lamp.id], .lastOnState)])
            try await until("it shows") {
                try await house.get(Routes.lights, as: [LightBody].self).map(\.powerup) == [.lastOnState]
            }
            let refused = try await house.post(#"{"command":"powerup","target":"desk","preset":"custom"}"#)
            #expect(refused.status == 400)
        }
    }

    @Test func `a bridge that is asked says how often`() async throws {
        let asked = Bridge.make(connection: .connected(since: .sample, by: .polling(every: .milliseconds(2500))))
        try await House.lived(in: .make(bridges: [asked])) { house in
            let bridges: [BridgeBody] = try await house.get(Routes.bridges)
            #expect(bridges.map(\.updates) == [.polling] && bridges.map(\.intervalSeconds) == [2.5])
        }
        try await House.lived(in: .make()) { house in
            let bridges: [BridgeBody] = try await house.get(Routes.bridges)
            #expect(bridges.map(\.updates) == [.stream] && bridges.map(\.intervalSeconds) == [nil])
        }
    }
}
