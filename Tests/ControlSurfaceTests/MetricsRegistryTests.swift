import ControlProtocol
import CoreMetrics
import Foundation
import HashTreeCollections
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import ControlSurface

/// What is counted and measured, as the API of swift-metrics promises it and as commands and runs bring it about.
@Suite struct MetricsRegistryTests {
    private let registry = MetricsRegistry()

    private func value(_ family: MetricFamily, _ labels: [(String, String)] = []) -> MetricValue? {
        let labels = MetricLabels(labels)
        return registry.collect()[family]?.first { $0.labels == labels }?.value
    }

    @Test func `handles of one name and the same labels are one series`() {
        let labels = [("bridge", "a")]
        let one = Counter(label: "lightd_bridge_events_total", dimensions: labels, factory: registry)
        let other = Counter(label: "lightd_bridge_events_total", dimensions: labels, factory: registry)
        one.increment()
        other.increment(by: 4)
        #expect(value(.bridgeEvents, labels) == .whole(5))
    }

    @Test func `what was never set is not told, and what is destroyed is gone, though others go on counting`() {
        let (a, b) = ([("bridge", "a")], [("bridge", "b")])
        let meter = Meter(label: "lightd_bridge_last_event_timestamp_seconds", dimensions: a, factory: registry)
        #expect(value(.bridgeLastEvent, a) == nil)
        meter.set(12.5)
        #expect(value(.bridgeLastEvent, a) == .number(12.5))
        let counters = [a, b].map { Counter(label: "lightd_bridge_events_total", dimensions: $0, factory: registry) }
        for counter in counters { counter.increment() }
        counters[0].destroy()
        meter.destroy()
        counters[0].increment()
        #expect(value(.bridgeEvents, a) == nil && value(.bridgeEvents, b) == .whole(1))
        #expect(value(.bridgeLastEvent, a) == nil)
        // One that is paired again begins anew.
        Counter(label: "lightd_bridge_events_total", dimensions: a, factory: registry).increment()
        #expect(value(.bridgeEvents, a) == .whole(1))
    }

    @Test func `a bucket has what is at most its bound, and the last one has all`() throws {
        let timer = CoreMetrics.Timer(label: "lightd_command_seconds", factory: registry)
        for milliseconds in [0, 5, 6, 10, 2_500, 11_000] { timer.recordMilliseconds(milliseconds) }
        let text = String(
            decoding: Directory(AppState()).metrics(as: .prometheus, version: "1", registry.collect()), as: UTF8.self)
        let read = try MetricsReader(text)
        func bucket(_ bound: String) -> Double? { read.value("lightd_command_seconds_bucket", ["le": bound]) }
        #expect(bucket("0.005") == 2 && bucket("0.01") == 4 && bucket("1.0") == 4 && bucket("2.5") == 5)
        #expect(bucket("10.0") == 5 && bucket("+Inf") == 6)
        #expect(read.value("lightd_command_seconds_count") == 6)
        #expect(abs((read.value("lightd_command_seconds_sum") ?? 0) - 13.521) < 1e-9)
    }

    @Test func `threads that count at the same time lose nothing`() async {
        let counter = Counter(label: "lightd_mqtt_published_total", factory: registry)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<1000 { counter.increment() } } }
        }
        #expect(value(.mqttPublished) == .whole(8000))
    }

    // MARK: - Commands

    @Test func `a command is counted by who sends it and how it ends, and one of a person is timed`() async throws {
        try await SurfaceFixture.run { fixture in
            try await fixture.perform(.turn(to: .off, target: "desk"))
            try await fixture.perform(.toggle(target: "desk"), from: ClientName.sender(overMQTT: nil))
            try await fixture.perform(
                .toggle(target: "desk"), from: ClientName.sender(overMQTT: ClientName("node-red")))
            // A user of that name, by the kernel's word.
            try await fixture.perform(.toggle(target: "desk"), from: "mqtt (uid 1000) with lightctl")
            #expect(await fixture.error(of: .recall(scene: "nothing")) != nil)
            _ = try await fixture.surface.perform(
                CommandRequest(.toggle(target: "desk"), dryRun: true), from: "test")
            _ = try await fixture.surface.log(Journal.Filter(), from: "test")
            let read = try fixture.metrics
            func count(_ source: String, _ result: String) -> Double? {
                read.value("lightd_commands_total", ["source": source, "result": result])
            }
            #expect(count("api", "succeeded") == 2 && count("mqtt", "succeeded") == 2)
            #expect(CommandSource.allCases.allSatisfy { count($0.rawValue, "succeeded") != nil })
            #expect(read.value("lightd_command_seconds_count") == 4)
            // A dry run, a read and a name that means nothing are no commands.
            #expect(read["lightd_commands_total"].map(\.value).reduce(0, +) == 4)
        }
    }

    @Test func `a command that fails has the code of its error`() async throws {
        let stack = HomeFixture.stack
        try await SurfaceFixture.run(stack: stack) { fixture in
            stack.end(with: .failed(.unreachable(.sample, because: "no route")))
            #expect(await fixture.error(of: .turn(to: .off, target: "desk")) != nil)
            let read = try fixture.metrics
            #expect(read.value("lightd_commands_total", ["source": "api", "result": "bridge_unreachable"]) == 1)
        }
    }

    @Test(arguments: [
        (Ticket(number: 1, holder: "anna (uid 1000) with lightctl", time: .sample), CommandSource.api),
        (Ticket(number: 1, holder: "switch 'Dial'", time: .sample), .api),
        (Ticket(number: 1, holder: "mqtt", time: .sample), .mqtt),
        (Ticket(number: 1, holder: "switch 'Dial'", time: .sample, gesture: "x", isOwn: true), .switch),
        (Ticket(number: 1, holder: "automation 'Hall'", time: .sample, gesture: "run 1", isOwn: true), .automation),
        (Ticket(number: 1, holder: "timer 3 of anna", time: .sample, gesture: "run 2", isOwn: true), .timer),
        (Ticket(number: 1, holder: "day on desk", time: .sample, isFollowUpStep: true, isOwn: true), .following),
        (Ticket(number: 1, holder: "wake on desk", time: .sample, isOwn: true), .following),
        (Ticket(number: 1, holder: Ticket.replayHolder, time: .sample, gesture: "5", isOwn: true), .away),
    ])
    func `the ticket says who sends a command`(ticket: Ticket, source: CommandSource) {
        #expect(CommandSource(ticket) == source)
    }

    @Test func `runs of automations are counted, and the series of one that is removed end`() async throws {
        try await SurfaceFixture.run { fixture in
            let file = """
                automations:
                - name: Good
                  do: [turn off desk]
                - name: Bad
                  do: [recall Nothing]
                """
            _ = try await fixture.surface.apply(file, keepsOthers: false, dryRun: false, from: "test")
            func runs(_ name: String, _ result: String) throws -> Double? {
                try fixture.metrics.value(
                    "lightd_automation_runs_total", ["automation": name, "result": result])
            }
            #expect(try runs("Good", "succeeded") == 0 && runs("Good", "failed") == 0)
            try await fixture.perform(.runAutomation(automation: "Good"))
            _ = await fixture.error(of: .runAutomation(automation: "Bad"))
            #expect(try runs("Good", "succeeded") == 1 && runs("Good", "failed") == 0)
            #expect(try runs("Bad", "succeeded") == 0 && runs("Bad", "failed") == 1 && runs("Bad", "skipped") == 0)
            let read = try fixture.metrics
            #expect(
                read.value("lightd_automation_last_run_timestamp_seconds", ["automation": "Good"])
                    == Double(fixture.home.clock.now.milliseconds) / 1000)
            #expect(read.value("lightd_commands_total", ["source": "automation", "result": "succeeded"]) == 1)
            // Its name in other letters is the same automation, and its series join.
            let renamed = file.replacing("Good", with: "GOOD")
            _ = try await fixture.surface.apply(renamed, keepsOthers: false, dryRun: false, from: "test")
            #expect(try runs("GOOD", "succeeded") == 0 && runs("Good", "succeeded") == nil)
            #expect(try fixture.metrics.value("lightd_automation_enabled", ["automation": "GOOD"]) == 1)
            try await fixture.perform(.removeAutomation(automation: "Good"))
            #expect(try runs("GOOD", "succeeded") == nil && runs("Bad", "failed") == 1)
        }
    }
}

extension SurfaceFixture {
    fileprivate var metrics: MetricsReader {
        get throws { try MetricsReader(String(decoding: surface.metrics(as: .prometheus), as: UTF8.self)) }
    }
}
