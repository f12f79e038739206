import ControlProtocol
import Foundation
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import Synchronization
import TestSupport
import Testing

@testable import ControlSurface

struct ApplyTests {
    /// The lights as any client reads them: through the JSON of the list.
    private func listed(_ fixture: SurfaceFixture) async throws -> [Command.LightState] {
        let json = try JSON.data(fixture.surface.directory.lightBodies)
        return try JSONDecoder().decode([Command.LightState].self, from: json)
    }

    private static func randomCommand(_ random: inout SplitMix) -> Command {
        let target = ["all", "desk", "@kitchen", "sink", "fan", "@evening"].randomElement(using: &random) ?? "all"
        let percent = Double.random(in: 0...100, using: &random)
        return switch Int.random(in: 0..<6, using: &random) {
        case 0: .turn(to: .off, target: target)
        case 1: .turn(to: .on, target: target)
        case 2: .set(.init(brightness: percent), target: "all")
        case 3: .set(.init(hue: percent * 3.6, saturation: percent), target: "all")
        case 4: .set(.init(temperature: Int.random(in: 100...600, using: &random)), target: "all")
        default: .increase(.brightness, by: 10, target: "all")
        }
    }

    @Test(arguments: 0..<60) func `applying the list of now sends nothing, and applying an earlier one restores it`(
        seed: UInt64
    ) async throws {
        try await SurfaceFixture.run { fixture in
            var random = SplitMix(seed: seed)
            func change() async {
                for _ in 0..<Int.random(in: 0...5, using: &random) {
                    // Stepping a home whose lights are all off fails.
                    _ = await fixture.error(of: Self.randomCommand(&random))
                }
            }
            await change()
            let (earlier, before) = (try await listed(fixture), await fixture.home.store.state().lights)
            await change()

            let sent = fixture.home.stack.requests
            let reply = try await fixture.perform(.apply(lights: try await listed(fixture)))
            #expect(reply.lights == [])
            #expect(fixture.home.stack.requests == sent)

            let now = await fixture.home.store.state().lights
            try await fixture.perform(.apply(lights: earlier))
            for (id, light) in await fixture.home.store.state().lights {
                let wanted = try #require(before[id])
                #expect(light.power == wanted.power)
                #expect(light.power == .off || light.values.agrees(with: wanted.values), "\(light) \(wanted)")
            }
            // Only what differed was sent, and it can be undone like any command.
            let requests = fixture.home.stack.requests.dropFirst(sent.count)
            guard !requests.isEmpty else { return }
            try await fixture.perform(.undo())
            for (id, light) in await fixture.home.store.state().lights {
                #expect(try light.values.agrees(with: #require(now[id]).values), "\(light)")
            }
        }
    }

    @Test func `a light is sent only what differs, and no values if it is off and stays so`() async throws {
        try await SurfaceFixture.run { fixture in
            let reply = try await fixture.perform(
                .apply(
                    lights: [
                        .init(
                            id: "desk", power: .on,
                            .init(brightness: 50.3, hue: 200, temperature: 200, mode: .temperature)),
                        .init(id: "stove", power: .off, .init(brightness: 3)),
                        .init(id: "sink", power: .off, .init(brightness: 3)),
                        .init(id: "Fan", power: .on),
                    ], over: 900))
            #expect(reply.lights?.map(\.name) == ["Desk", "Sink"])
            #expect(
                fixture.home.stack.requests == [
                    .set(
                        [
                            DesiredState(HomeFixture.desk.id, power: .on, .ct(200.mirek)),
                            DesiredState(HomeFixture.sink.id, power: .off, .bri(0.03)),
                        ], .milliseconds(900))
                ])
        }
    }

    @Test func `a list written by hand may name colours`() async throws {
        try await SurfaceFixture.run { fixture in
            try await fixture.perform(
                .apply(lights: [
                    .init(id: "desk", power: .on, .init(color: "hsb(120, 50%, 20%)")),
                    .init(id: "stove", power: .on, .init(brightness: 80, color: "2700K")),
                    // What is listed beside a swatch goes before it.
                    .init(id: "sink", power: .on, .init(color: "lime", hue: 120, saturation: 100, mode: .color)),
                ]))
            #expect(
                fixture.home.stack.requests == [
                    .set(
                        [
                            DesiredState(HomeFixture.desk.id, power: .on, .hsb(1.0 / 3, 0.5, 0.2)),
                            DesiredState(
                                HomeFixture.stove.id, power: .on, .ct(370.mirek, brightness: 0.8)),
                        ], .usual)
                ])
            let error = await fixture.error(of: .apply(lights: [.init(id: "desk", .init(color: "oragne"))]))
            #expect(error?.message == "'oragne' is not a colour: did you mean 'orange'?")
        }
    }

    @Test
    func `a list of now may be changed by its values beside the swatch, or by what they mean, but not by the swatch`()
        async throws
    {
        try await SurfaceFixture.run { fixture in
            let now = try #require(try await listed(fixture).first { $0.name == "Sink" })
            var (turned, white, swatch) = (now, now, now)
            turned.hue = 240
            white.mode = .temperature
            swatch.color = "#0000ff"
            for light in [now, turned, white] {
                #expect(await fixture.error(of: .apply(lights: [light])) == nil, "\(light)")
            }
            #expect(await fixture.error(of: .apply(lights: [swatch]))?.code == .invalid)
        }
    }

    @Test func `lights whose values are not sent because they are off are named`() async throws {
        try await SurfaceFixture.run { fixture in
            let stove = try #require(try await listed(fixture).first { $0.name == "Stove" })
            #expect(try await fixture.perform(.apply(lights: [stove])).withheld == nil)
            let lights: [Command.LightState] = [
                .init(id: "stove", .init(brightness: 3)), .init(id: "desk", power: .off, .init(temperature: 200)),
                .init(id: "sink", power: .off), .init(id: "fan", power: .off, .init(brightness: 40)),
            ]
            let reply = try await fixture.perform(.apply(lights: lights))
            #expect(reply.withheld?.map(\.name) == ["Stove"])
            #expect(reply.leftOut?.map(\.reason) == ["'Fan' cannot be dimmed"])
            #expect(reply.lights?.map(\.name) == ["Desk", "Sink", "Fan"])
        }
    }

    @Test func `a list for a bridge that is lost is sent, because nobody knows what its lights show`() async throws {
        try await SurfaceFixture.run { fixture in
            let now = try await listed(fixture)
            let failure = Failure.unreachable(.sample, because: "no route to host")
            fixture.home.stack.end(with: .failed(failure))
            fixture.home.stack.tell(.lost(.sample, because: failure))
            try await until("the loss is known") {
                if case .stale? = await fixture.home.light(HomeFixture.desk.id)?.freshness { true } else { false }
            }
            let error = await fixture.error(of: .apply(lights: now))
            #expect(error?.code == .bridgeUnreachable, "\(String(describing: error))")
            let undone = await fixture.error(of: .undo())
            #expect(undone?.message == "there is nothing to undo")
        }
    }

    @Test func `an unknown light does not keep the others from being restored`() async throws {
        try await SurfaceFixture.run { fixture in
            let error = await fixture.error(
                of: .apply(lights: [.init(id: "attic", name: "Attic lamp", power: .on), .init(id: "desk", power: .off)])
            )
            #expect(error?.code == .partly)
            #expect(error?.parts?.map(\.target) == ["Attic lamp"])
            #expect(fixture.home.stack.requests.count == 1)
            let unknown = await fixture.error(of: .apply(lights: [.init(id: "attic"), .init(id: "cellar")]))
            #expect(unknown?.code == .noSuchTarget && unknown?.parts?.count == 2)
            #expect(fixture.home.stack.requests.count == 1)
        }
    }

    @Test func `without a bridge, a list is answered with how to pair one`() async throws {
        try await SurfaceFixture.run(in: AppState()) { fixture in
            let error = await fixture.error(of: .apply(lights: [.init(id: "desk", power: .on)]))
            #expect(error?.code == .notPaired && error?.hint?.contains("lightctl pair") == true)
        }
    }

    @Test func `what a light cannot show is refused light by light`() async throws {
        try await SurfaceFixture.run { fixture in
            let error = await fixture.error(
                of: .apply(lights: [
                    .init(id: "stove", power: .on, .init(hue: 10, saturation: 90)),
                    .init(id: "desk", power: .on, .init(brightness: 1)),
                    .init(id: "fan", power: .on, .init(brightness: 40)),
                ]))
            #expect(error?.code == .partly)
            #expect(error?.parts?.map(\.target) == ["Stove", "Fan"])
            #expect(error?.parts?.allSatisfy { $0.code == .cannot } == true)
        }
    }

    @Test(arguments: [
        (Command.LightState(id: "desk", .init(hue: 1, temperature: 200)), "'desk' has a colour and a temperature"),
        (
            .init(id: "desk", .init(brightness: 101)),
            "'brightness' of 'desk' is 101, which is out of range: use 0 to 100"
        ),
        (
            .init(id: "desk", .init(temperature: 0)),
            "'temperature' of 'desk' is 0, which is out of range: use 1 to 1000"
        ),
        (
            .init(id: "desk", .init(temperature: 2700)),
            "'temperature' of 'desk' is 2700, which is out of range: use 1 to 1000"
        ),
        (.init(id: "desk", .init(color: "orange", hue: 3)), "the color of 'desk' is orange, which contradicts its hue"),
        (
            .init(id: "sink", .init(color: "#ff0000", hue: 120, saturation: 100, mode: .color)),
            "the color of 'sink' is #ff0000, which contradicts its hue and saturation"
        ),
    ])
    func `a contradiction or a number out of range is refused, and nothing is sent`(
        light: Command.LightState, words: String
    ) async throws {
        try await SurfaceFixture.run { fixture in
            let error = await fixture.error(of: .apply(lights: [.init(id: "fan", power: .off), light]))
            #expect(error?.code == .invalid)
            #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
            #expect(fixture.home.stack.requests.isEmpty)
        }
    }

    @Test func `a light that is listed by its name and by its id is refused, and nothing is sent`() async throws {
        try await SurfaceFixture.run { fixture in
            let id = try #require(try await listed(fixture).first { $0.name == "Desk" }).id
            let error = await fixture.error(of: .apply(lights: [.init(id: "desk", power: .on), .init(id: id)]))
            #expect(error?.code == .invalid && error?.message == "'desk' and '\(id)' are the same light")
            #expect(fixture.home.stack.requests.isEmpty)
        }
    }

    @Test func `a dry run changes neither the state nor the history, and asks for nothing`() async throws {
        try await SurfaceFixture.run { fixture in
            try await fixture.perform(.turn(to: .off, target: "desk"))
            let (before, requests) = (await fixture.home.store.state(), fixture.home.stack.requests)
            let entries = fixture.home.journal.entries.count
            for command in [Command.toggle(target: "all"), .undo(), .set(.init(brightness: 3), target: "desk")] {
                let reply = try await fixture.surface.perform(CommandRequest(command, dryRun: true), from: "test")
                #expect(reply.requests?.isEmpty == false)
            }
            #expect(await fixture.home.store.state() == before)
            #expect(fixture.home.stack.requests == requests)
            #expect(fixture.home.journal.entries.count == entries)
        }
    }

    @Test func `a request that is held says which bridge is away, and why`() {
        let home = Directory(HomeFixture.state)
        let failure = Failure.unreachable(.sample, because: "no route to host")
        let request = PlannedRequest(bridge: .sample, method: "PUT", path: "/p", body: "{}", held: failure)
        #expect(
            request.body(in: home).held
                == "cannot reach bridge 'Study bridge' (no route to host); sent only if it is back in time")
    }

    @Test func `who waits is answered when the others have confirmed it, though it was refused for one at once`()
        async throws
    {
        try await SurfaceFixture.run { surface in
            surface.home.stack.echo(false)
            let isAnswered = Mutex(false)
            async let error = { () async -> ErrorReply.Body? in
                let error = await surface.error(
                    of: .apply(lights: [
                        .init(id: "desk", power: .on, .init(brightness: 66)),
                        .init(id: "fan", power: .on, .init(brightness: 3)),
                    ]), wait: true)
                isAnswered.withLock { $0 = true }
                return error
            }()
            try await until("it is sent") { !surface.home.stack.requests.isEmpty }
            // What is answered after it has come by the same mailbox.
            for _ in 0..<3 { try await surface.perform(.show) }
            #expect(!isAnswered.withLock { $0 })
            surface.home.stack.tell(.light(HomeFixture.desk.id, Light.Report(power: .on, brightness: 0.66)))
            let answer = await error
            #expect(answer?.code == .partly && answer?.parts?.map(\.target) == ["Fan"])
            guard case .confirmed? = surface.surface.directory.light(HomeFixture.desk.id)?.freshness else {
                Issue.record("the desk is not confirmed")
                return
            }
        }
    }
}
