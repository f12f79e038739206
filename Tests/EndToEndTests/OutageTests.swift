import ControlProtocol
import Foundation
import Logging
import SimulatedBridge
import Synchronization
import TestSupport
import Testing

/// What is told while a bridge is away, or only seems to be there (docs/gateway.md).
@Suite(.serialized, .timeLimit(.minutes(2)))
struct OutageTests {
    /// In real time: the one test that holds the daemon to its promise of 30 s.
    @Test func `a stream that falls silent makes every light stale within thirty seconds, and true again after`()
        async throws
    {
        try await PairedBridgeFixture.run { home in
            let controls = home.bridge.controls
            // Past all that a command just sent would find out.
            try await Task.sleep(for: .seconds(4))
            let began = ContinuousClock.now
            await controls.begin(try Fault("silent-stream"))
            // Somebody at the wall, of whom nothing is told.
            await controls.alter("Stove", by: .turning(.it(on: false)))
            let stale = try await home.waitForAll("everything is stale", within: .seconds(60)) {
                $0.freshness == .stale
            }
            #expect(ContinuousClock.now - began <= .seconds(30))
            await controls.end(.silentStream)
            let back = try await home.waitForAll("all is told again", within: .seconds(60)) {
                $0.freshness == .confirmed
            }
            printFigure("silent stream: stale after \(stale), true again \(back) after its end")
            #expect(back <= .seconds(30))
            try await until("all agree") { try await home.disagreements == [] }
            #expect(await controls.requests.commands == [])
            #expect(try await home.lights.first { $0.name == "Stove" }?.power == .off)
        }
    }

    @Test func `a reboot in the middle of a fade loses nothing, tells nothing false, and takes a handful of lines`()
        async throws
    {
        let log = LogRecorder(level: .info)
        try await PairedBridgeFixture.run(logger: log.logger) { home in
            let controls = home.bridge.controls
            let before = log.lines.count
            let began = ContinuousClock.now
            // Answered when the bridge has taken it; the fade is on its way.
            try await home.client.post(.set(.init(brightness: 20), target: "@kitchen", over: 5000))
            try await Task.sleep(for: .seconds(1))
            controls.reboot(for: .seconds(3))
            let answers = await withTaskGroup(of: (Int, String?).self) { group in
                for (step, name) in Self.asked.enumerated() {
                    group.addTask {
                        (step, await failure { try await home.client.post(.turn(to: .off, target: name)) })
                    }
                    try? await Task.sleep(for: .milliseconds(400))
                }
                return await group.reduce(into: [Int: String?]()) { $0[$1.0] = $1.1 }
            }
            // Until it is back nobody claims to know.
            try await until("the bridge is back", within: .seconds(60)) {
                try await home.client.get([BridgeBody].self, Routes.bridges).allSatisfy(\.connected)
            }
            try await home.waitForAll("all is told again", within: .seconds(60)) { $0.freshness == .confirmed }
            let time = ContinuousClock.now - began
            // The fade ends by itself, and with it what the lamps show.
            try await until("lamps, bridge and daemon agree") { try await home.disagreements.isEmpty }
            #expect(await controls.lightState(of: "Stove")?.level == level(20))
            for (step, name) in Self.asked.enumerated() {
                let isLit = await controls.lightState(of: name)?.isOn
                // Done, or refused with a reason and not done behind anybody's back.
                switch answers[step] ?? nil {
                case nil: #expect(isLit == false, "\(name)")
                case let words?: #expect(words.hasPrefix("bridgeUnreachable") && isLit == true, "\(name): \(words)")
                }
            }
            let lines = log.lines.dropFirst(before)
            let refused = answers.values.count { $0 != nil }
            printFigure(
                "reboot: \(refused) of \(answers.count) refused, all told after \(time), \(lines.count) lines: \(lines)"
            )
            #expect(lines.count <= 6, "\(lines)")
        }
    }

    private static let asked = [
        "Floor lamp", "Sofa lamp", "Window lamp", "Bed left", "Bed right", "Iris", "Desk", "Bookcase", "Bathtub",
        "Gallery",
    ]
}
