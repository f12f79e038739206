import Lighting
import TestSupport
import Testing

@testable import HueBridge

/// A gateway that nobody asks for anything sleeps: it waits for moments, and has no timer that ticks.
@Suite(.timeLimit(.minutes(5)))
struct RestTests {
    @Test func `in an idle hour a connection wakes for its probes and audits only, 300 times`() {
        var fixture = MachineFixture.following
        var wakes = 0
        while fixture.now < .seconds(3600), wakes < 1000 {
            wakes += 1
            for action in fixture.windToNextWake() {
                switch action {
                case .begin(.keepAliveProbe): fixture.feed(.probed(canEcho: true), .heard)
                case let .begin(.audit(audit)): fixture.feed(.audited(audit, foundDifference: false))
                default: Issue.record("\(action) in an idle home")
                }
            }
        }
        #expect(wakes <= 300)
    }

    @Test func `a gateway with one idle bridge waits for one moment: its next probe`() async throws {
        let clock = HandBridgeClock()
        try await withBridge(gateway: { $0.clock = clock.clock }) { fixture in
            try await fixture.connect()
            // What is left of connecting ends without a successor.
            try await until("only the next probe is awaited") {
                if let first = clock.alarms.first, first < .seconds(20) { clock.wind(to: first) }
                return clock.alarms == [.seconds(20)]
            }
        }
    }
}
