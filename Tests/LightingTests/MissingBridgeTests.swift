import Lighting
import LightingTestKit
import Testing

struct MissingBridgeTests {
    @Test func `a home misses a bridge if none is paired or one was never reached, and has the reason`() {
        let reached = Bridge.make(id: Bridge.ID("a"))
        let failure = Failure.certificateRefused(of: Bridge.ID("b"), because: "another key")
        let lost = Bridge.make(id: Bridge.ID("b")).alter(by: .losing(.it(at: .sample, because: failure)))
        #expect(AppState().missingBridge == .notPaired)
        #expect(AppState().alter(by: .adding(.bridge(reached))).missingBridge == nil)
        // The failure itself: a refused certificate is not reported as an unreachable bridge.
        #expect(AppState().alter(by: .adding(.bridge(lost))).missingBridge == failure)
        // The lights of a lost bridge that was reached before are known by their names.
        let light = Light.make("desk")
        let heard = Bridge(
            id: light.id.bridge, name: "", model: "", address: lost.address, connection: lost.connection)
        #expect(AppState().alter(by: .adding(.bridge(heard)), .adding(.light(light))).missingBridge == nil)
    }
}
