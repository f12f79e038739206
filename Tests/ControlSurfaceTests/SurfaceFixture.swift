import ControlProtocol
import ControlSurface
import Khipu
import Lighting
import LightingTestKit

/// A surface on a running domain in memory, without any socket.
struct SurfaceFixture: Sendable {
    let home: RunningDomainFixture
    let surface: ControlSurface

    static func run(
        in state: AppState = HomeFixture.state, stack: MemoryStack = HomeFixture.stack, connects: Bool = true,
        _ body: (SurfaceFixture) async throws -> Void
    ) async throws {
        try await RunningDomainFixture.run(state, stack: stack, connects: connects) { home in
            let surface = ControlSurface(
                store: home.store, requests: home.requests, rehearsal: home.stack.rehearsal,
                clock: home.clock.clock, version: "1.2.3",
                started: home.clock.now, journalIsOn: true)
            return (surface, surface.receiver, surface.resolver)
        } _: { home, surface in
            try await body(SurfaceFixture(home: home, surface: surface))
        }
    }

    @discardableResult
    func perform(_ command: Command, wait: Bool = false, from client: String = "test") async throws -> CommandReply {
        try await surface.perform(CommandRequest(command, wait: wait), from: client)
    }

    /// The error with which a command ends.
    func error(of command: Command, wait: Bool = false, from client: String = "test") async -> ErrorReply.Body? {
        do {
            try await perform(command, wait: wait, from: client)
            return nil
        } catch {
            return (error as? ErrorReply)?.error
        }
    }
}
