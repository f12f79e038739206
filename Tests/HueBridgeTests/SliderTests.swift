import Foundation
import Lighting
import SimulatedBridge
import Synchronization
import TestSupport
import Testing

@testable import HueBridge

/// Many people move many sliders. SchedulerLawTests show that no rate is ever exceeded.
@Suite(.timeLimit(.minutes(5)))
struct SliderTests {
    @Test func `of a thousand moves within a second few are sent, and each lamp shows its last one`()
        async throws
    {
        let lamps = (1...20).map { "      - { name: Lamp \($0), kind: color }" }.joined(separator: "\n")
        let hall = try HomeFile(yaml: "rooms:\n  - name: Hall\n    lights:\n" + lamps, path: "hall.yaml")
        let clock = HandBridgeClock()
        try await withBridge(
            hall,
            gateway: {
                $0.run(on: clock)
                $0.commandDeadline = .seconds(1_000_000)
            }
        ) { fixture in
            try await fixture.connect()
            // A request that must wait or be repeated needs the time to go on.
            async let turning = fixture.turn(.on, .all)
            try await until("all lamps are on") {
                clock.wind(by: .milliseconds(100))
                let lights = fixture.updates.state.lights.values
                return lights.count == 20 && lights.allSatisfy { $0.power == .on }
            }
            #expect(await turning == .succeeded)
            await fixture.bridge.controls.forgetRequests()
            let lights = (1...20).map { fixture.light("Lamp \($0)") }
            let outcomes = Mutex<[Outcome]>([])
            for move in 1...50 {
                for (place, light) in lights.enumerated() {
                    let order = DesiredState(light, .bri(Self.level(place, move)))
                    fixture.gateway.lights.set([order], .usual, .test) { outcome in
                        outcomes.withLock { $0.append(outcome) }
                    }
                }
                clock.wind(by: .milliseconds(20))
            }
            try await until("every lamp has its last level") {
                clock.wind(by: .milliseconds(100))
                let state = fixture.updates.state
                return lights.enumerated().allSatisfy { place, light in
                    abs((state.lights[light]?.brightness ?? 0) - Self.level(place, 50)) < 0.003
                }
            }
            try await until("every caller is answered") {
                clock.wind(by: .milliseconds(100))
                return outcomes.withLock { $0.count == 1000 }
            }
            #expect(outcomes.withLock { $0.allSatisfy { $0 == .succeeded } })
            for place in lights.indices {
                // The bridge reports the target at once; the lamp fades to it.
                try await until("lamp \(place + 1) shows its last level") {
                    let shown = await fixture.bridge.controls.lightState(of: "Lamp \(place + 1)")
                    return shown?.level == 1 + Int((Self.level(place, 50) * 253).rounded())
                }
            }
            let writes = await fixture.bridge.controls.requests.filter { $0.method == "PUT" && $0.status == 200 }
            #expect(writes.count <= 60)
        }
    }

    /// A level of 0…1. The last levels all differ, so that no group command helps.
    private static func level(_ place: Int, _ move: Int) -> Double {
        move == 50 ? Double(8 + place * 4) / 100 : Double((move * 7 + place * 3) % 100 + 1) / 100
    }
}
