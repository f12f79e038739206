import HueWire
import Lighting
import SimulatedBridge
import TestSupport
import Testing

@testable import HueBridge

/// A bridge that is never left alone: its lights are read all the same, and it is not taken for lost.
@Suite(.timeLimit(.minutes(2)))
struct StarvationTests {
    private let clock = HandBridgeClock()

    @Test func `while every lamp is set without pause, the audit of the lights gets its turn`() async throws {
        try await withSliders(gateway: {
            $0.commandDeadline = .seconds(1_000_000)
            $0.lightsPerSecond = 1_000_000
        }) { fixture in
            clock.wind(by: .seconds(60))
            try await isAudited(fixture.bridge)
        }
    }

    @Test func `a bridge that comes to the audit only after the commands' deadline is not lost`() async throws {
        try await withSliders(gateway: {
            // Of the clock that is wound, and of the requests that hang.
            $0.commandDeadline = .seconds(1)
        }) { fixture in
            await fixture.bridge.controls.begin(try Fault(.hang, nil, Fault.Scope(method: "PUT")))
            clock.wind(by: .seconds(60))
            try await isAudited(fixture.bridge)
            #expect(fixture.updates.state.lost == nil)
        }
    }

    @Test func `what a caller is told of a busy bridge is true: its command is sent later, its read is not answered`() {
        let bridge = Bridge.ID("ecb5fafffe010203")
        var queue = CommandQueue(bridge, GatewaySettings())
        queue.connect(at: .zero)
        let caller = CommandQueue.Caller(lights: ["lamp"], reply: { _ in })
        queue.ask([(Patch(on: true), ["lamp"])], by: .test, for: caller, at: .zero)
        queue.ask(.read, for: CommandQueue.Caller(reply: { _ in }), at: .zero) { _ in .done }
        let requests = queue.next(at: .seconds(10)).requests
        #expect(
            queue.takeAnswers().map(\.outcome) == [
                .failed(.unconfirmed(by: bridge, words: "it is busy; the command is sent when its turn comes")),
                .failed(.unreachable(bridge, because: "it is busy and has not answered in time")),
            ])
        #expect(requests.map(\.content) == [.light("lamp", Patch(on: true))])
    }

    @Test func `a caller whose command was under way when the connection was lost is not told that the bridge is busy`()
    {
        let bridge = Bridge.ID("ecb5fafffe010203")
        var queue = CommandQueue(bridge, GatewaySettings())
        queue.connect(at: .zero)
        let caller = CommandQueue.Caller(lights: ["lamp"], reply: { _ in })
        queue.ask([(Patch(on: true), ["lamp"])], by: .test, for: caller, at: .zero)
        #expect(queue.next(at: .zero).requests.count == 1)
        queue.lose(.unreachable(bridge, because: "the connection broke"), at: .seconds(1))
        _ = queue.next(at: .seconds(10))
        let words: BridgeWords =
            "the connection was lost before it had taken all of it; the rest follows when it is back"
        #expect(queue.takeAnswers().map(\.outcome) == [.failed(.unconfirmed(by: bridge, words: words))])
    }

    private func isAudited(_ bridge: SimulatedBridge) async throws {
        try await until("the lights are read") {
            clock.wind(by: .milliseconds(100))
            return await bridge.controls.requests.contains {
                $0.method == "GET" && $0.path == "/clip/v2/resource/light"
            }
        }
    }

    /// Runs a bridge with twenty lamps, each set again as soon as its last command is answered.
    private func withSliders(
        gateway adjust: @escaping (inout GatewaySettings) -> Void,
        _ body: @escaping @Sendable (BridgeFixture) async throws -> Void
    ) async throws {
        let lamps = (1...20).map { "      - { name: Lamp \($0), kind: color }" }.joined(separator: "\n")
        let hall = try HomeFile(yaml: "rooms:\n  - name: Hall\n    lights:\n" + lamps, path: "hall.yaml")
        let clock = clock
        try await withBridge(
            hall,
            gateway: {
                $0.run(on: clock)
                $0.timeouts.audit = .seconds(60)
                adjust(&$0)
            }
        ) { fixture in
            try await fixture.connect()
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Answers the commands that still wait.
                defer { fixture.gateway.connection(fixture.id)?.close() }
                for (place, light) in fixture.lights(of: .all).enumerated() {
                    group.addTask {
                        var level = place
                        while !Task.isCancelled {
                            level = (level + 7) % 100
                            let order = DesiredState(light, setting: .bri(Double(level + 1) / 100))
                            _ = await fixture.send { fixture.gateway.lights.set([order], .usual, .test, $0) }
                        }
                    }
                }
                group.addTask { try await body(fixture) }
                for try await _ in group {
                    // Only the body ends by itself.
                    group.cancelAll()
                    break
                }
            }
        }
    }
}
