import Foundation
import Lighting
import SimulatedBridge
import Synchronization
import Testing

@testable import HueBridge

/// Many hands on many sliders, before a bridge with the limits of a real one.
@Suite(.timeLimit(.minutes(1)))
struct SliderTests {
    @Test func `a thousand moves within a second stay within the budget, and the last of each lamp is what it shows`()
        async throws
    {
        let lamps = (1...20).map { "      - { name: Lamp \($0), kind: color }" }.joined(separator: "\n")
        let hall = try HomeFile(yaml: "rooms:\n  - name: Hall\n    lights:\n" + lamps, path: "hall.yaml")
        try await withBridge(hall, { $0.quirks = [] }) { fixture in
            try await fixture.connect()
            #expect(await fixture.turn(.on, .all) == .succeeded)
            try await fixture.updates.wait("all on") { $0.lights.values.allSatisfy { $0.power == .on } }
            try await Task.sleep(for: .milliseconds(1100))
            await fixture.bridge.controls.forgetRequests()
            let lights = (1...20).map { fixture.light("Lamp \($0)") }
            let outcomes = Mutex<[Outcome]>([])
            let began = ContinuousClock.now
            for move in 1...50 {
                for (place, light) in lights.enumerated() {
                    let order = DesiredState(light, setting: .bri(Self.level(place, move)))
                    fixture.gateway.lights.set([order], .usual, .test) { outcome in
                        outcomes.withLock { $0.append(outcome) }
                    }
                }
                try await Task.sleep(until: began + .milliseconds(20) * move, clock: .continuous)
            }
            let moving = ContinuousClock.now - began
            try await fixture.updates.wait("every lamp as it was left") { state in
                lights.enumerated().allSatisfy { place, light in
                    abs((state.lights[light]?.brightness ?? 0) - Self.level(place, 50)) < 0.003
                }
            }
            let time = ContinuousClock.now - began
            #expect(outcomes.withLock { $0.count == 1000 && $0.allSatisfy { $0 == .succeeded } })
            for place in lights.indices {
                let shown = await fixture.bridge.controls.lightState(of: "Lamp \(place + 1)")
                #expect(shown?.level == 1 + Int((Self.level(place, 50) * 253).rounded()))
            }
            let requests = await fixture.bridge.controls.requests
            figure("20 sliders: 1000 moves within \(moving), \(requests.count) requests, confirmed after \(time)")
            #expect(requests.allSatisfy { $0.status == 200 })
            #expect(requests.count <= 60)
            let commands = requests.filter { $0.path.contains("/light/") && $0.method == "PUT" }
            for first in commands.indices {
                let second = commands[first...].prefix { $0.time.timeIntervalSince(commands[first].time) < 1 }
                // Ten are sent in a second; those in flight, three at most, may come late and beside the next.
                #expect(second.count <= 13)
            }
        }
    }

    /// 0…1; at the end each elsewhere, so that no group command helps.
    private static func level(_ place: Int, _ move: Int) -> Double {
        move == 50 ? Double(8 + place * 4) / 100 : Double((move * 7 + place * 3) % 100 + 1) / 100
    }
}
