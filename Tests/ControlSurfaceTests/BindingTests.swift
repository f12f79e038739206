import ControlProtocol
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlSurface

/// Switches bound by name, as people see them.
struct BindingTests {
    private static let dial = Sensor.make("dial", name: "Dial", abilities: [.battery, .dial], buttons: 4)

    private func run(_ body: (SurfaceFixture) async throws -> Void) async throws {
        let state = HomeFixture.state.alter(by: .adding(.sensor(Self.dial)), .adding(.sensor(.make())))
        try await SurfaceFixture.run(in: state, body)
    }

    @Test func `a switch is bound by names, and the answer says what it does`() async throws {
        try await run { surface in
            let reply = try await surface.perform(.bind(switch: "dial", target: "@kitchen"))
            let binding = try #require(reply.binding)
            #expect(binding.name == "Dial" && binding.targetName == "@Kitchen" && binding.problem == nil)
            #expect(binding.controls.map(\.control) == ["button 1", "button 2", "button 3", "button 4", "dial"])
            #expect(binding.controls[0].does == "'\(binding.scenes[0])'; held: off")
            #expect(binding.controls[3].does == "on and off; held: off")
            #expect(surface.surface.directory.bindingBodies == [binding])
            let log = try await surface.surface.log(Journal.Filter(limit: 10), from: "test")
            #expect(log.contains { $0.text == "bind 'Dial' to @Kitchen" && $0.feature == "switches" })
            try await surface.perform(.unbind(switch: "DIAL"))
            #expect(surface.surface.directory.bindingBodies.isEmpty)
        }
    }

    @Test(arguments: [
        (
            Command.bind(switch: "dail", target: "@kitchen"), ErrorCode.noSuchTarget,
            "no sensor or switch is called 'dail'"
        ),
        (.bind(switch: "dial", target: "@nowhere"), .noSuchTarget, "no light or room is called '@nowhere'"),
        (.bind(switch: "dial", target: "@kitchen", scenes: ["nothing"]), .noSuchTarget, "no scene is called 'nothing'"),
        (.bind(switch: "hall", target: "@kitchen"), .cannot, "'Hall' has neither buttons nor a dial"),
        (.unbind(switch: "dial"), .noSuchTarget, "Dial is not bound"),
    ]) func `what cannot be bound is refused in words`(command: Command, code: ErrorCode, words: String) async throws {
        try await run { surface in
            let error = await surface.error(of: command)
            #expect(error?.code == code && error?.message == words)
        }
    }

    @Test func `what no longer exists is a problem of the binding, once its bridge has been read`() async throws {
        try await run { surface in
            try await surface.perform(.bind(switch: "dial", target: "@kitchen"))
            await surface.home.change(.removing(.room(HomeFixture.kitchen.id)))
            #expect(surface.surface.directory.bindingBodies.first?.problem == "@Kitchen no longer exists")
            surface.home.stack.tell(.sensor(Self.dial.id, Sensor.Report(rotation: 100)))
            try await until("the journal tells it") {
                try await surface.surface.log(Journal.Filter(limit: 10), from: "test").contains {
                    $0.text
                        == "'Dial' does nothing: @Kitchen no longer exists; bind it to something else, or unbind it"
                }
            }
            await surface.home.change(.removing(.sensor(Self.dial.id)))
            #expect(surface.surface.directory.bindingBodies.first?.problem == "the switch no longer exists")
            // By the name that it had.
            try await surface.perform(.unbind(switch: "dial"))
            #expect(surface.surface.directory.bindingBodies.isEmpty)
        }
    }
}
