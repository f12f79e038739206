import HueWire
import Lighting
import SimulatedBridge
import TestSupport
import Testing

@testable import HueBridge

/// A bridge that is never left alone: its lights are read all the same, and it is not taken for lost.
@Suite(.timeLimit(.minutes(5)))
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

    @Test(arguments: [
        (
            Delivery.busy("HTTP 429"), "it is busy and has not taken all of it in time; the rest follows",
            "it is busy; the command is sent when its turn comes", "it is busy and has not answered in time"
        ),
        // It hung up, was stopped, or its answer was cut or garbage: the lamp may have changed.
        (
            .unknown, "it has not acknowledged all of it in time; the rest is still being sent",
            "the command still waits for others; it is sent when its turn comes", "it has not answered in time"
        ),
    ])
    func `a late answer calls the bridge busy only if the bridge said so`(
        delivery: Delivery, sent: String, waiting: String, reading: String
    ) {
        let bridge = Bridge.ID("ecb5fafffe010203")
        var settings = GatewaySettings()
        settings.lightsPerSecond = 1
        var queue = CommandQueue(bridge, settings)
        queue.connect(at: .zero)
        for lamp: ResourceID in ["first", "second"] {
            let caller = CommandQueue.Caller(lights: [lamp], reply: { _ in })
            queue.ask([(LightUpdate(on: true), [lamp])], by: .test, for: caller, at: .zero)
        }
        let requests = queue.next(at: .zero).requests
        #expect(requests.map(\.content) == [.light("first", LightUpdate(on: true))])
        for request in requests { queue.finish(request, delivery, chance: 0, at: .zero) }
        queue.ask(.read, for: CommandQueue.Caller(reply: { _ in }), at: .zero) { _ in .done }
        let later = queue.next(at: .seconds(10)).requests
        #expect(
            queue.takeAnswers().map(\.outcome) == [
                .failed(.unconfirmed(by: bridge, words: BridgeWords(sent))),
                .failed(.unconfirmed(by: bridge, words: BridgeWords(waiting))),
                .failed(.unreachable(bridge, because: reading)),
            ])
        #expect(later.map(\.content) == [.light("first", LightUpdate(on: true))])
    }

    /// It was decided by what the home was then: two rooms of one name might be made.
    @Test func `a change of rooms that came too late is not sent any more`() {
        let bridge = Bridge.ID("ecb5fafffe010203")
        var queue = CommandQueue(bridge, GatewaySettings())
        queue.connect(at: .zero)
        for _ in 1...4 {
            queue.ask(.other, for: CommandQueue.Caller(isDecided: true, reply: { _ in }), at: .zero) { _ in .done }
        }
        let requests = queue.next(at: .zero).requests
        #expect(requests.count == 3)
        #expect(queue.next(at: .seconds(10)).requests.isEmpty)
        #expect(
            queue.takeAnswers().map(\.outcome).last
                == .failed(.unreachable(bridge, because: "it has not answered in time")))
        for request in requests { queue.finish(request, .done, chance: 0, at: .seconds(10)) }
        #expect(queue.next(at: .seconds(20)).requests.isEmpty && queue.scheduler.jobs.isEmpty)
    }

    /// The caller of the second was told that it came too late while the bridge was still thinking.
    @Test(arguments: [Duration.seconds(1), .seconds(11)])
    func `a change of rooms that the bridge refused for being busy is not sent after its caller was answered`(
        refused: Duration
    ) throws {
        let bridge = Bridge.ID("ecb5fafffe010203")
        var queue = CommandQueue(bridge, GatewaySettings())
        queue.connect(at: .zero)
        queue.ask(.other, for: CommandQueue.Caller(isDecided: true, reply: { _ in }), at: .zero) { _ in .done }
        let request = try #require(queue.next(at: .zero).requests.first)
        if refused > .seconds(10) { #expect(queue.next(at: .seconds(10)).requests.isEmpty) }
        queue.finish(request, .busy("busy"), chance: 0, at: refused)
        for time in stride(from: 10, through: 60, by: 10) {
            #expect(queue.next(at: .seconds(time)).requests.isEmpty)
        }
        #expect(queue.scheduler.jobs.isEmpty)
        let busy = "it is busy and has not answered in time"
        let unknown: BridgeWords = "it has not answered in time, and may have carried it out or not"
        #expect(
            queue.takeAnswers().map(\.outcome) == [
                .failed(
                    refused > .seconds(10)
                        ? .unconfirmed(by: bridge, words: unknown) : .unreachable(bridge, because: busy))
            ])
    }

    @Test func `a caller whose command was under way when the connection was lost is not told that the bridge is busy`()
    {
        let bridge = Bridge.ID("ecb5fafffe010203")
        var queue = CommandQueue(bridge, GatewaySettings())
        queue.connect(at: .zero)
        let caller = CommandQueue.Caller(lights: ["lamp"], reply: { _ in })
        queue.ask([(LightUpdate(on: true), ["lamp"])], by: .test, for: caller, at: .zero)
        #expect(queue.next(at: .zero).requests.count == 1)
        queue.lose(.unreachable(bridge, because: "the connection broke"), at: .seconds(1))
        _ = queue.next(at: .seconds(10))
        let words: BridgeWords =
            "the connection was lost before it had taken all of it; the rest follows when it is back"
        #expect(queue.takeAnswers().map(\.outcome) == [.failed(.unconfirmed(by: bridge, words: words))])
    }

    @Test func `while the connection is lost, values that are to follow when it is back can be replaced`() {
        let bridge = Bridge.ID("ecb5fafffe010203")
        var queue = CommandQueue(bridge, GatewaySettings())
        queue.connect(at: .zero)
        func ask(_ update: LightUpdate, of lights: [ResourceID], at time: Duration) {
            queue.ask(
                [(update, lights)], by: .test, for: CommandQueue.Caller(lights: lights, reply: { _ in }), at: time)
        }
        ask(LightUpdate(on: false), of: ["lamp"], at: .zero)
        let sent = queue.next(at: .zero).requests
        for request in sent { queue.finish(request, .unknown, chance: 1, at: .seconds(5)) }
        let broken = Failure.unreachable(bridge, because: "the connection broke")
        queue.lose(broken, at: .seconds(6))
        _ = queue.next(at: .seconds(10))
        let follows = Outcome.failed(
            .unconfirmed(
                by: bridge,
                words: "the connection was lost before it had taken all of it; the rest follows when it is back"))
        #expect(queue.takeAnswers().map(\.outcome) == [follows])

        ask(LightUpdate(on: true), of: ["lamp"], at: .seconds(20))
        ask(LightUpdate(on: true), of: ["other"], at: .seconds(20))
        _ = queue.next(at: .seconds(23))
        #expect(queue.takeAnswers().map(\.outcome) == [.failed(broken), follows])

        // If only some of its lights have such values, all of it waits: it would otherwise be carried out in part.
        ask(LightUpdate(on: true, brightness: 40), of: ["lamp", "other"], at: .seconds(24))
        _ = queue.next(at: .seconds(28))
        #expect(queue.takeAnswers().map(\.outcome) == [follows])

        queue.connect(at: .seconds(30))
        let contents = queue.next(at: .seconds(30)).requests.map(\.content)
        #expect(
            contents.count == 2
                && ["lamp", "other"].allSatisfy { contents.contains(.light($0, LightUpdate(on: true, brightness: 40))) }
        )
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
                            let order = DesiredState(light, .bri(Double(level + 1) / 100))
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
