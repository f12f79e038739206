import Curl
import Lighting
import SimulatedBridge
import TestSupport
import Testing

@testable import HueBridge

/// What the event stream left out, and the audit finds.
struct AuditTests {
    private let clock = HandBridgeClock()

    @Test func `an audit finds that a light is out of reach, and that it is back`() async throws {
        try await withoutEvents { fixture in
            await fixture.bridge.controls.alter("Sofa", by: .cutting(.mains))
            try await audited(fixture, "the sofa is out of reach") { !Self.isInReach($0.light("Sofa")) }
            await fixture.bridge.controls.alter("Sofa", by: .powering(.up))
            try await audited(fixture, "the sofa is back") { Self.isInReach($0.light("Sofa")) }
        }
    }

    @Test func `an audit finds that a light is gone from the bridge, and reads everything`() async throws {
        try await withoutEvents { fixture in
            let connection = try #require(fixture.gateway.connection(fixture.id))
            let device = try #require(connection.home.lights[fixture.light("Fan").resourceID]?.device)
            #expect(try await connection.client.send(.delete, "device/\(device)").status == 200)
            try await audited(fixture, "the fan is gone") { $0.light("Fan") == nil && $0.lights.count == 4 }
        }
    }

    private static func isInReach(_ light: Light?) -> Bool {
        if case .unreachable? = light?.freshness { false } else { true }
    }

    /// Runs a connected bridge whose stream reports no event.
    private func withoutEvents(_ body: @escaping @Sendable (BridgeFixture) async throws -> Void) async throws {
        let clock = clock
        try await withBridge(gateway: {
            $0.run(on: clock)
            $0.timeouts.audit = .seconds(25)
        }) { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.begin(try Fault(.loseEvents))
            try await body(fixture)
        }
    }

    private func audited(
        _ fixture: BridgeFixture, _ what: String, until condition: @escaping @Sendable (UpdateCollector.State) -> Bool
    ) async throws {
        try await until(what) {
            clock.wind(by: .seconds(25))
            return condition(fixture.updates.state)
        }
    }
}
