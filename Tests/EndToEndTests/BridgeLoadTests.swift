import ControlProtocol
import Foundation
import SimulatedBridge
import TestSupport
import Testing

/// The load that a whole daemon puts on a bridge with the limits of a real one (docs/gateway.md).
@Suite(.serialized, .timeLimit(.minutes(5)))
struct BridgeLoadTests {
    @Test func `one command turns fifty lights off with at most two commands`() async throws {
        try await PairedBridgeFixture.run { home in
            let reply = try await home.client.post(.turn(to: .off, target: "all"))
            #expect(reply.lights?.count == 50)
            let time = try await home.waitForAll("everything is off") { $0.power == .off && $0.freshness == .confirmed }
            let requests = await home.bridge.controls.requests
            printFigure("50 lights off: \(requests.count) requests, confirmed after \(time)")
            // A bridge that stands still for two seconds is asked what became of its lamps, too.
            #expect(requests.commands.count <= 2 && requests.commands.toLights.isEmpty)
            #expect(requests.refused == 0)
            try await until("the lamps have faded") { try await home.disagreements == [] }
        }
    }

    @Test func `three lamps that missed a group command are found and corrected, each once`() async throws {
        try await PairedBridgeFixture.run { home in
            let controls = home.bridge.controls
            await controls.begin(try Fault(.stragglers, 3, Fault.Scope(count: 1)))
            let began = ContinuousClock.now
            try await home.client.post(.turn(to: .off, target: "all"))
            try await until("all but three lamps are off") { await lit(home).count == 3 }
            try await until("every lamp is off") { await lit(home).isEmpty }
            let time = ContinuousClock.now - began
            try await home.waitForAll("everything is off") { $0.power == .off && $0.freshness == .confirmed }
            let requests = await controls.requests
            let commands = requests.commands
            printFigure("3 stragglers: \(requests.count) requests, repaired after \(time)")
            #expect(commands.toGroups.count == 1)
            #expect(commands.toLights.count == 3)
            #expect(requests.refused == 0)
            try await until("the lamps have faded") { try await home.disagreements == [] }
        }
    }

    @Test func `twenty sliders reach their last values without flooding the bridge`()
        async throws
    {
        try await PairedBridgeFixture.run { home in
            let sliders = Array(try await home.lights.filter { $0.brightness != nil }.prefix(20))
            try #require(sliders.count == 20)
            let began = ContinuousClock.now
            // The moves of one slider race each other, as the requests of one client do. SliderTests sends a thousand a
            // second.
            var failures: [String] = await withTaskGroup(of: String?.self) { group in
                for move in 1...10 {
                    for (place, light) in sliders.enumerated() {
                        let level = Double((move * 7 + place * 3) % 100 + 1)
                        group.addTask {
                            await errorText {
                                try await home.client.post(.set(.init(brightness: level), target: light.id))
                            }
                        }
                    }
                    try? await Task.sleep(until: began + .milliseconds(100) * move, clock: .continuous)
                }
                return await group.reduce(into: []) { if let failure = $1 { $0.append(failure) } }
            }
            failures += await withTaskGroup(of: String?.self) { group in
                for (place, light) in sliders.enumerated() {
                    group.addTask {
                        await errorText {
                            try await home.client.post(.set(.init(brightness: Self.last(place)), target: light.id))
                        }
                    }
                }
                return await group.reduce(into: []) { if let failure = $1 { $0.append(failure) } }
            }
            let moving = ContinuousClock.now - began
            try await home.waitForAll("all are confirmed") { $0.freshness == .confirmed }
            let time = ContinuousClock.now - began
            #expect(failures == [])
            try await until("the lamps have faded") { try await home.disagreements == [] }
            for (place, slider) in sliders.enumerated() {
                let wanted = level(Self.last(place))
                #expect(await home.bridge.controls.lightState(of: slider.name)?.level == wanted)
            }
            let requests = await home.bridge.controls.requests
            let commands = requests.commands
            printFigure(
                """
                20 sliders by the control API: answered within \(moving), \(requests.count) requests, \
                \(commands.count) of them commands, at most \(commands.toLights.mostInASecond) in a second, confirmed \
                after \(time)
                """)
            #expect(requests.refused == 0)
            #expect(commands.toLights.mostInASecond <= mostArrivalsPerSecond)
            #expect(commands.toGroups.mostInASecond <= 2)
            // Ten a second while the sliders move, and two seconds' worth for what is queued when they stop.
            #expect(commands.count <= 20 + 10 * (2 + Int(moving / .seconds(1))))
        }
    }

    @Test
    func `a bridge that refuses every second request for ten seconds loses nothing and is not flooded afterwards`()
        async throws
    {
        try await PairedBridgeFixture.run { home in
            let controls = home.bridge.controls
            await controls.begin(try Fault(.busy, 429, Fault.Scope(for: .seconds(10), every: 2)))
            let began = ContinuousClock.now
            let lights = Array(try await home.lights.filter { $0.brightness != nil }.prefix(12))
            // Three commands a second while the fault lasts, to lamps and to rooms.
            let failures: [String] = await withTaskGroup(of: String?.self) { group in
                for step in 0..<30 {
                    let light = lights[step % lights.count]
                    group.addTask {
                        await errorText {
                            switch step % 5 {
                            case 4: try await home.client.post(.turn(to: step < 20 ? .off : .on, target: "@kitchen"))
                            default:
                                try await home.client.post(
                                    .set(.init(brightness: Double(10 + step * 2)), target: light.id))
                            }
                        }
                    }
                    try? await Task.sleep(until: began + .milliseconds(333) * (step + 1), clock: .continuous)
                }
                return await group.reduce(into: []) { if let failure = $1 { $0.append(failure) } }
            }
            try await until("the bridge has recovered") { await controls.faults.isEmpty }
            let end = Date()
            let answered = ContinuousClock.now - began
            try await home.waitForAll("all are confirmed") { $0.freshness == .confirmed }
            let time = ContinuousClock.now - began
            let requests = await controls.requests
            printFigure(
                """
                every second request refused: \(requests.refused) of \(requests.count) refused, 30 commands, not done \
                in time \(failures.count), last answer after \(answered), confirmed after \(time)
                """)
            // A late command is reported as unconfirmed, and is still carried out.
            #expect(failures.allSatisfy { $0.hasPrefix("unconfirmed") }, "\(failures)")
            #expect(requests.refused > 3)
            #expect(requests.filter { $0.time > end }.refused == 0)
            #expect(requests.commands.toLights.mostInASecond <= mostArrivalsPerSecond)
            // One is sent per second, but the next may follow closely after one that arrives late.
            #expect(requests.commands.toGroups.mostInASecond <= 2)
            try await until("the lamps have faded") { try await home.disagreements == [] }
            for (place, light) in lights.enumerated() {
                guard let step = (0..<30).last(where: { $0 % lights.count == place && $0 % 5 != 4 }) else { continue }
                #expect(await controls.lightState(of: light.name)?.level == level(Double(10 + step * 2)))
            }
        }
    }

    /// The final level of each slider; all differ, so that no group command can be used.
    private static func last(_ place: Int) -> Double { Double(8 + place * 4) }
}

/// Ten commands are sent per second. On a busy machine the three that can be in flight may arrive late, together with
/// the next.
let mostArrivalsPerSecond = 13

/// The lamps that are really on.
private func lit(_ home: PairedBridgeFixture) async -> [String] {
    var lit: [String] = []
    for lamp in await home.bridge.controls.home.lamps {
        if await home.bridge.controls.lightState(of: lamp.name)?.isOn == true { lit.append(lamp.name) }
    }
    return lit
}

/// The error of a command that failed: "code: message".
func errorText(_ work: @Sendable () async throws -> CommandReply) async -> String? {
    do {
        _ = try await work()
        return nil
    } catch let refused as CommandRefused {
        return "\(refused.reply.error.code): \(refused.reply.error.message)"
    } catch {
        return "\(error)"
    }
}

/// Prints a measurement for docs/gateway.md if LIGHTD_TEST_FIGURES=1.
func printFigure(_ words: @autoclosure () -> String) {
    guard ProcessInfo.processInfo.environment["LIGHTD_TEST_FIGURES"] == "1" else { return }
    print("figure: \(words())")
}
