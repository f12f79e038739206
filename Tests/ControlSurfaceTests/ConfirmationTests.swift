import ControlProtocol
import ControlSurface
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

/// Commands with `wait`: answered when the bridge has confirmed them.
@Suite struct ConfirmationTests {
    private static let dim = Command.set(.init(brightness: 40), target: "desk")

    /// A home whose bridge accepts commands and reports nothing by itself.
    private func silent(_ body: (SurfaceFixture) async throws -> Void) async throws {
        let stack = HomeFixture.stack
        stack.echo(false)
        try await SurfaceFixture.run(stack: stack, body)
    }

    /// Waits until the command is answered and its confirmation is awaited.
    private func underway(_ surface: SurfaceFixture) async throws {
        try await until("the confirmation is awaited") {
            surface.home.clock.isAwaited() && surface.home.journal.entries.contains { $0.message.isResponse }
        }
    }

    @Test func `the answer comes with the confirmation, and shows the lights after it`() async throws {
        try await silent { surface in
            async let answer = surface.perform(Self.dim, wait: true)
            try await underway(surface)
            #expect(await surface.home.requests.count == 1)
            surface.home.stack.tell(.light(HomeFixture.desk.id, Light.Report(power: .on, brightness: 0.4)))
            let reply = try await answer
            #expect(reply.lights?.map(\.freshness) == [.confirmed] && reply.lights?.first?.brightness == 40)
            #expect(await surface.home.requests.count == 0)
        }
    }

    @Test func `if nothing is to be confirmed the answer comes at once`() async throws {
        try await SurfaceFixture.run { surface in
            for command in [Self.dim, Self.dim, .undo()] { try await surface.perform(command, wait: true) }
        }
    }

    @Test func `a command that is never confirmed ends as unconfirmed after the timeout`() async throws {
        try await silent { surface in
            async let error = surface.error(of: Self.dim, wait: true)
            try await underway(surface)
            await surface.home.clock.advance(by: Freshness.confirmationTimeout + .milliseconds(1))
            #expect(await error?.code == .unconfirmed)
            #expect(await surface.home.requests.count == 0)
        }
        #expect(Freshness.confirmationTimeout < Freshness.attributionTimeout)
        #expect(Freshness.attributionTimeout < CommandRequest.longestWait)
    }

    @Test func `a command that is confirmed in part names the other lights`() async throws {
        try await silent { surface in
            async let error = surface.error(of: .turn(to: .off, target: "@kitchen"), wait: true)
            try await underway(surface)
            surface.home.stack.tell(.light(HomeFixture.fan.id, Light.Report(power: .off)))
            try await until("the fan is confirmed") {
                await surface.home.light(HomeFixture.fan.id)?.reported.power == .off
            }
            await surface.home.clock.advance(by: Freshness.confirmationTimeout + .milliseconds(1))
            let partly = await error
            #expect(partly?.code == .partly && partly?.parts?.map(\.target) == ["Sink"])
        }
    }

    @Test func `a command that the bridge refuses is answered without waiting`() async throws {
        try await silent { surface in
            surface.home.stack.end(with: .failed(.refused(by: .sample, words: "no")))
            #expect(await surface.error(of: Self.dim, wait: true)?.code == .refused)
        }
    }

    @Test func `a caller that is cancelled leaves no pending request`() async throws {
        try await silent { surface in
            let caller = Task { try await surface.perform(Self.dim, wait: true) }
            try await underway(surface)
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            #expect(await surface.home.requests.count == 0)
        }
    }

    @Test func `commands that change no light cannot be waited for`() async throws {
        try await SurfaceFixture.run { surface in
            let error = await surface.error(of: .rename(target: "desk", name: "x"), wait: true)
            #expect(error?.code == .invalid && error?.message.contains("'rename' has no field 'wait'") == true)
            #expect(surface.home.stack.requests.isEmpty)
        }
    }
}
