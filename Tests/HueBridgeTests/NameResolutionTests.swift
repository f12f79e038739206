import Lighting
import SimulatedBridge
import TestSupport
import Testing

@testable import HueBridge

/// A bridge whose host name is never resolved.
@Suite(.timeLimit(.minutes(5)))
struct NameResolutionTests {
    @Test func `a bridge whose host name is never resolved delays no other: commands, events and reconnects`()
        async throws
    {
        let held = try HeldHostName()
        try await withBridge { fixture in
            // Ends what still waits, also if the test fails.
            defer { held.release() }
            let pairing = try await fixture.connect()
            let unknown = Bridge(
                id: Bridge.ID("ecb5fafffe999999"), name: "Attic", model: "BSB002",
                address: Bridge.Address(host: held.name, port: 443), connection: pairing.bridge.connection)
            fixture.gateway.bridges.connect(pairing.with(unknown))
            // Its stream is asked for, then it is polled, and then it is lost: with its requests, and with the search
            // for it, names are looked up on several threads.
            try await fixture.updates.wait("the other is lost") { state in
                state.events.contains { if case .lost(unknown.id, because: _) = $0 { true } else { false } }
            }
            #expect(held.lookups > 0)
            #expect(await fixture.turn(.on, .light(fixture.light("Desk"))) == .succeeded)
            await fixture.bridge.controls.alter("Fan", by: .turning(.it(on: true)))
            try await fixture.updates.wait("the fan is on") { $0.light("Fan")?.power == .on }

            fixture.bridge.controls.reboot(for: .milliseconds(300))
            @Sendable func connections(_ state: UpdateCollector.State) -> Int {
                state.events.count { if case .connected(pairing.bridge.id, by: _) = $0 { true } else { false } }
            }
            try await fixture.updates.wait("connected again") { connections($0) == 2 }
            #expect(held.lookups > 0)
        }
    }
}
