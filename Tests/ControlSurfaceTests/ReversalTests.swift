import ControlProtocol
import ControlSurface
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// Undo, redo, and the cause of a light's state.
@Suite struct ReversalTests {
    @Test func `undo restores the lights and names the commands, redo repeats them`() async throws {
        try await SurfaceFixture.run { surface in
            _ = try await surface.perform(.set(.init(brightness: 40), target: "desk"))
            _ = try await surface.perform(.turn(to: .off, target: "@kitchen"))
            let undone = try await surface.perform(.undo(steps: 2))
            #expect(undone.commands == ["turn @Kitchen off", "set Desk to 40%"])
            #expect(Set(undone.lights?.map(\.name) ?? []) == ["Desk", "Sink", "Fan"])
            #expect(undone.lights?.first { $0.name == "Desk" }?.brightness == 50)
            #expect(undone.skipped == [])
            let redone = try await surface.perform(.redo())
            #expect(redone.commands == ["set Desk to 40%"])
            #expect(redone.lights?.map(\.brightness) == [40])
        }
    }

    @Test func `a light that somebody else has changed since is left as it is, and named with the reason`() async throws
    {
        try await SurfaceFixture.run { surface in
            _ = try await surface.perform(.turn(to: .off, target: "@kitchen"))
            surface.home.stack.tell(
                .light(HomeFixture.sink.id, Light.Report(power: .on, source: .accessory("Kitchen dimmer"))))
            try await until("the wall switch is reported") {
                await surface.home.light(HomeFixture.sink.id)?.power == .on
            }
            _ = try await surface.perform(.set(.init(brightness: 90), target: "desk"))
            surface.home.stack.tell(.light(HomeFixture.fan.id, Light.Report(power: .on)))
            try await until("the fan is reported") { await surface.home.light(HomeFixture.fan.id)?.power == .on }
            surface.home.stack.tell(
                .light(HomeFixture.sink.id, Light.Report(power: .off, source: .accessory("Kitchen dimmer"))))
            try await until("the wall switch is reported again") {
                await surface.home.light(HomeFixture.sink.id)?.power == .off
            }
            let reply = try await surface.perform(.undo(steps: 2))
            #expect(reply.lights?.map(\.name) == ["Desk"])
            #expect(reply.skipped?.map(\.name) == ["Sink"])
            #expect(reply.skipped?.map(\.reason) == ["changed since by somebody at the wall: Kitchen dimmer"])
            #expect(reply.skipped?.map(\.target) == [HomeFixture.sink.id.description])
        }
    }

    @Test func `undo says how many commands it has taken back, if there were fewer than asked for`() async throws {
        try await SurfaceFixture.run { surface in
            for level in [20, 30, 40] {
                _ = try await surface.perform(.set(.init(brightness: Double(level)), target: "desk"))
            }
            #expect(try await surface.perform(.undo(steps: 99)).steps == 3)
            #expect(try await surface.perform(.redo(steps: 2)).steps == 2)
        }
    }

    @Test func `the cause of a light that several commands were undone or redone for names them all`() async throws {
        try await SurfaceFixture.run { surface in
            func what(_ name: String) -> String? {
                surface.surface.directory.lightBodies.first { $0.name == name }?.cause.what
            }
            for (name, level) in [("Desk", 20.0), ("Stove", 30), ("Stove", 50)] {
                try await surface.perform(.set(.init(brightness: level), target: name), wait: true)
            }
            try await surface.perform(.undo(steps: 3), wait: true)
            #expect(what("Desk") == "undo 3 commands" && what("Stove") == "undo 3 commands")
            try await surface.perform(.redo(steps: 1), wait: true)
            #expect(what("Desk") == "set Desk to 20%" && what("Stove") == "undo 3 commands")
            try await surface.perform(.redo(steps: 2), wait: true)
            #expect(what("Desk") == "set Desk to 20%" && what("Stove") == "redo 2 commands")
        }
    }

    @Test func `undo of a named command takes back that one and what its client did since, and nothing of others`()
        async throws
    {
        try await SurfaceFixture.run { surface in
            let desk = try await surface.perform(.set(.init(brightness: 40), target: "desk"), from: "laptop").ticket
            let fan = try await surface.perform(.turn(to: .on, target: "fan"), from: "phone").ticket
            let undoing = Command.undo(ticket: Int(desk))
            let error = await surface.error(of: undoing, from: "laptop")
            #expect(error?.code == .changedSince && error?.message == "'turn Fan on' came after it")
            #expect(await surface.home.light(HomeFixture.desk.id)?.brightness == 0.4)
            #expect(await surface.home.light(HomeFixture.fan.id)?.power == .on)

            // The newest one is named whoever sent it, as `lightctl undo` takes it.
            #expect(try await surface.perform(.undo(ticket: Int(fan)), from: "laptop").commands == ["turn Fan on"])
            try await surface.perform(.turn(to: .off, target: "sink"), from: "laptop")
            #expect(
                try await surface.perform(undoing, from: "laptop").commands == ["turn Sink off", "set Desk to 40%"])
            #expect(
                await surface.error(of: undoing, from: "laptop")?.message
                    == "command \(desk) cannot be undone: it failed, was undone, or is too old")
            #expect(
                await surface.error(of: .undo(steps: 2, ticket: Int(desk)))?.message
                    == "'undo' takes 'steps' or 'ticket', not both")
        }
    }

    @Test func `what was carried out of a command that failed in part is undone by the ticket in its error`()
        async throws
    {
        try await SurfaceFixture.run { surface in
            let listed = [Command.LightState(id: "Desk", .init(brightness: 40)), .init(id: "Attic", power: .on)]
            let error = try #require(await surface.error(of: .apply(lights: listed)))
            #expect(error.code == .partly)
            let undone = try await surface.perform(.undo(ticket: Int(try #require(error.ticket))))
            #expect(undone.lights?.map(\.name) == ["Desk"] && undone.lights?.first?.brightness == 50)
        }
    }

    @Test func `a gesture is undone by the ticket of any of its commands`() async throws {
        try await SurfaceFixture.run { surface in
            var tickets: [UInt64] = []
            for level in [20.0, 30, 40] {
                let command = CommandRequest(.set(.init(brightness: level), target: "desk"), gesture: "drag")
                tickets.append(try await surface.surface.perform(command, from: "laptop").ticket)
            }
            for ticket in tickets {
                #expect(
                    try await surface.perform(.undo(ticket: Int(ticket)), from: "laptop").lights?.first?.brightness
                        == 50)
                try await surface.perform(.redo(), from: "laptop")
            }
        }
    }

    @Test func `each light of a run has its own command for a cause, and undo names them all`() async throws {
        try await SurfaceFixture.run { surface in
            func what(_ name: String) -> String? {
                surface.surface.directory.lightBodies.first { $0.name == name }?.cause.what
            }
            for (name, level) in [("Desk", 20.0), ("Desk", 30), ("Stove", 40), ("Desk", 50)] {
                let command = CommandRequest(.set(.init(brightness: level), target: name), wait: true, gesture: "run")
                _ = try await surface.surface.perform(command, from: "automation 'A'")
            }
            #expect(what("Desk") == "set Desk to 50%" && what("Stove") == "set Stove to 40%")
            let undone = try await surface.perform(.undo(), wait: true)
            #expect(undone.commands == ["set Stove to 40%; set Desk to 50%"] && undone.steps == 1)
            #expect(try await surface.perform(.redo(), wait: true).commands == undone.commands)
            #expect(what("Stove") == "set Stove to 40%")
        }
    }

    @Test func `undo names all that it takes back of one lamp, and redo gives each lamp its own cause`() async throws {
        try await SurfaceFixture.run { surface in
            func what(_ name: String) -> String? {
                surface.surface.directory.lightBodies.first { $0.name == name }?.cause.what
            }
            let commands: [Command] = [
                .set(.init(brightness: 51), target: "Desk"), .set(.init(temperature: 300), target: "Desk"),
                .turn(to: .on, target: "Stove"),
            ]
            for command in commands {
                _ = try await surface.surface.perform(CommandRequest(command, wait: true, gesture: "run"), from: "A")
            }
            let words = "set Desk to 51%; set Desk to 300 mirek; turn Stove on"
            #expect(try await surface.perform(.undo(), wait: true).commands == [words])
            #expect(try await surface.perform(.redo(), wait: true).commands == [words])
            #expect(what("Desk") == "set Desk to 300 mirek" && what("Stove") == "turn Stove on")
        }
    }

    @Test func `the cause of a light that was undone is named also after another command`() async throws {
        try await SurfaceFixture.run { surface in
            func cause() -> String? {
                surface.surface.directory.lightBodies.first { $0.name == "Desk" }?.cause.what
            }
            try await surface.perform(.set(.init(brightness: 20), target: "Desk"), wait: true)
            try await surface.perform(.undo(), wait: true)
            #expect(cause() == "undo 1 command")
            for level in [30.0, 40, 50] {
                try await surface.perform(.set(.init(brightness: level), target: "Stove"), wait: true)
                #expect(cause() == "undo 1 command")
            }
        }
    }

    @Test func `a dry run of undo says by which ticket it takes back what it names`() async throws {
        try await SurfaceFixture.run { surface in
            try await surface.perform(.turn(to: .off, target: "desk"), from: "phone")
            let fan = try await surface.perform(.turn(to: .on, target: "fan"), from: "phone")
            let plan = try await surface.surface.perform(CommandRequest(.undo(), dryRun: true), from: "laptop")
            #expect(plan.commands == ["turn Fan on"] && plan.tickets == [fan.ticket])
        }
    }

    @Test func `an undo names the commands that it took back, also if they were done again before it was answered`()
        async throws
    {
        try await SurfaceFixture.run { surface in
            for level in [20.0, 40] { try await surface.perform(.set(.init(brightness: level), target: "desk")) }
            surface.home.stack.hold()
            async let undo = surface.perform(.undo(steps: 2))
            try await until("both are undone") { await surface.home.store.state().history.undone.count == 2 }
            async let redo = surface.perform(.redo(steps: 2))
            try await until("both are redone") { await surface.home.store.state().history.done.count == 2 }
            async let last = surface.perform(.undo(steps: 1))
            try await until("one is undone again") { await surface.home.store.state().history.undone.count == 1 }
            surface.home.stack.release()
            let replies = try await [undo, redo, last]
            let commands = ["set Desk to 20%", "set Desk to 40%"]
            #expect(replies.map(\.commands) == [commands.reversed(), commands, ["set Desk to 40%"]])
        }
    }

    @Test func `undo fails if there is nothing to undo`() async throws {
        try await SurfaceFixture.run { surface in
            let error = await surface.error(of: .undo())
            #expect(error?.code == .cannot && error?.message == "there is nothing to undo")
        }
    }

    @Test func `a light has the cause of its state`() async throws {
        try await SurfaceFixture.run { surface in
            func cause() async -> CauseBody? {
                surface.surface.directory.lightBodies.first { $0.name == "Desk" }?.cause
            }
            #expect(await cause()?.kind == .unseen)
            try await surface.perform(
                .set(.init(brightness: 40), target: "desk"), wait: true, from: "anna (uid 1000) with lightctl")
            let told = await cause()
            #expect(
                told?.kind == .command && told?.by == "anna (uid 1000) with lightctl" && told?.what == "set Desk to 40%"
            )
            #expect(told?.ticket == 1)
            for (level, source, kind, by) in [
                (0.6, Cause.Kind.accessory("Hall sensor"), CauseBody.Kind.accessory, "Hall sensor" as String?),
                (0.7, .power, .power, nil),
                (0.8, .otherApp, .otherApp, nil),
            ] {
                surface.home.stack.tell(.light(HomeFixture.desk.id, Light.Report(brightness: level, source: source)))
                try await until("the cause is shown") { await cause()?.kind == kind }
                #expect(await cause()?.by == by)
            }
        }
    }

    @Test func `a cause keeps its words when what it names has another name or is gone`() async throws {
        try await SurfaceFixture.run { surface in
            func cause(of name: String) -> CauseBody? {
                surface.surface.directory.lightBodies.first { $0.name == name }?.cause
            }
            let (desk, scene) = (HomeFixture.desk.id, HomeFixture.relax.id)
            try await surface.perform(.set(.init(brightness: 40), target: "@kitchen"))
            surface.home.stack.tell(.light(desk, Light.Report(power: .off, source: .scene(scene, by: nil))))
            try await surface.perform(.rename(target: "@kitchen", name: "Hall"))
            #expect(cause(of: "Sink")?.what == "set @Kitchen to 40%")
            #expect(cause(of: "Desk")?.what == "Hall/Relax")
            surface.home.stack.tell(.removed(.room(HomeFixture.kitchen.id)))
            surface.home.stack.tell(.removed(.scene(scene)))
            // Which scene it was is in the log. lightctl says that it no longer exists.
            try await until("the scene is gone") { cause(of: "Desk")?.what == nil }
            #expect(cause(of: "Desk")?.kind == .scene && cause(of: "Sink")?.what == "set @Kitchen to 40%")
            #expect(try await surface.perform(.undo()).commands == ["set @Kitchen to 40%"])
        }
    }

    @Test func `an unconfirmed value has its command as its cause`() async throws {
        let stack = HomeFixture.stack
        stack.echo(false)
        try await SurfaceFixture.run(stack: stack) { surface in
            let reply = try await surface.perform(.set(.init(brightness: 40), target: "desk"))
            let light = try #require(reply.lights?.first)
            #expect(light.freshness == .expected && light.cause.kind == .command)
            #expect(light.cause.what == "set Desk to 40%")
            // Back to what the bridge reported last; that is expected as well until the bridge confirms it.
            let back = try #require(try await surface.perform(.undo()).lights?.first)
            #expect(back.brightness == 50 && back.freshness == .expected && back.cause.what == "undo 1 command")
        }
    }

    @Test func `the power-up setting is shown and set, but cannot be set to custom`() async throws {
        let lamp = HomeFixture.desk.alter(by: .configuring(.it(as: LightConfiguration(powerup: .custom))))
        try await SurfaceFixture.run(in: .make(lights: [lamp]), stack: MemoryStack(lights: [lamp])) { surface in
            func powerup() async -> [Powerup?] { surface.surface.directory.lightBodies.map(\.configuration.powerup) }
            #expect(await powerup() == [.custom])
            // What the bridge has accepted is shown before it reports it.
            surface.home.stack.echo(false)
            let reply = try await surface.perform(.configure(target: "desk", .powerup(.lastOnState)))
            #expect(surface.home.stack.requests == [.configure([lamp.id], .powerup(.lastOnState))])
            #expect(reply.lights?.map(\.configuration.powerup) == [.lastOnState])
            #expect(await powerup() == [.lastOnState])
            surface.home.stack.end(with: .failed(.refused(by: .sample, words: "no")))
            #expect(await surface.error(of: .configure(target: "desk", .powerup(.safety)))?.code == .refused)
            #expect(await powerup() == [.lastOnState])
            #expect(await surface.error(of: .configure(target: "desk", .powerup(.custom)))?.code == .invalid)
        }
    }
}
