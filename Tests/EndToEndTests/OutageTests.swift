import ControlProtocol
import Foundation
import Logging
import SimulatedBridge
import TestSupport
import Testing

/// What lightd reports while a bridge is unreachable or silent (docs/gateway.md).
@Suite(.serialized, .timeLimit(.minutes(5)))
struct OutageTests {
    @Test func `a silent stream makes every light stale until the stream is back`()
        async throws
    {
        try await PairedBridgeFixture.run { home in
            let controls = home.bridge.controls
            await controls.begin(try Fault("silent-stream"))
            // A wall switch, which the stream does not report.
            await controls.alter("Stove", by: .turning(.it(on: false)))
            let stale = try await home.waitForAll("everything is stale") {
                $0.freshness == .stale
            }
            await controls.end(.silentStream)
            let back = try await home.waitForAll("everything is confirmed again") {
                $0.freshness == .confirmed
            }
            printFigure("silent stream: stale after \(stale), true again \(back) after its end")
            try await until("all agree") { try await home.disagreements == [] }
            #expect(await controls.requests.commands == [])
            #expect(try await home.lights.first { $0.name == "Stove" }?.power == .off)
        }
    }

    @Test func `a reboot during a fade loses nothing, reports nothing false, and logs a few lines`()
        async throws
    {
        let log = LogRecorder(level: .info)
        try await PairedBridgeFixture.run(logger: log.logger) { home in
            let controls = home.bridge.controls
            let before = log.lines.count
            let began = ContinuousClock.now
            // Answered when the bridge has accepted it; the fade is under way.
            try await home.client.post(.set(.init(brightness: 20), target: "@kitchen", over: 5000))
            try await Task.sleep(for: .seconds(1))
            controls.reboot(for: .seconds(3))
            let answers = await withTaskGroup(of: (Int, String?).self) { group in
                for (step, name) in Self.switchedOff.enumerated() {
                    group.addTask {
                        (step, await errorText { try await home.client.post(.turn(to: .off, target: name)) })
                    }
                    try? await Task.sleep(for: .milliseconds(400))
                }
                return await group.reduce(into: [Int: String?]()) { $0[$1.0] = $1.1 }
            }
            try await until("the bridge is back") {
                try await home.client.get([BridgeBody].self, Routes.bridges).allSatisfy(\.connected)
            }
            try await home.waitForAll("everything is confirmed again") { $0.freshness == .confirmed }
            let time = ContinuousClock.now - began
            // The fade ends by itself; then all agree.
            try await until("lamps, bridge and daemon agree") { try await home.disagreements.isEmpty }
            #expect(await controls.lightState(of: "Stove")?.level == level(20))
            for (step, name) in Self.switchedOff.enumerated() {
                let isLit = await controls.lightState(of: name)?.isOn
                // Done; or refused with a reason and not done; or it was under way when the connection broke: then lightd
                // does not know, and says what it lacks. Or, on a machine that stands still, it waits until it is too late
                // for an answer, and is done later.
                switch answers[step] ?? nil {
                case nil: #expect(isLit == false, "\(name)")
                case let words? where words.contains("it is sent when its turn comes"):
                    try await until("\(name) is off") { await controls.lightState(of: name)?.isOn == false }
                case let words? where words.hasPrefix("unconfirmed"):
                    #expect(Self.lacks.contains { words.contains($0) }, "\(words)")
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

    /// An answer; or, from a bridge that is back before it is too late for the answer, what follows it.
    private static let lacks = ["connection", "not acknowledged", "did not report"]

    private static let switchedOff = [
        "Floor lamp", "Sofa lamp", "Window lamp", "Bed left", "Bed right", "Iris", "Desk", "Bookcase", "Bathtub",
        "Gallery",
    ]
}
