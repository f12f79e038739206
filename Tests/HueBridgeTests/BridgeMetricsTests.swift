import CoreMetrics
import Foundation
import HueWire
import Khipu
import Lighting
import LightingTestKit
import SimulatedBridge
import TestSupport
import Testing

@testable import ControlSurface
@testable import HueBridge

/// What is counted of a bridge, against what the bridge has logged.
@Suite(.timeLimit(.minutes(5))) struct BridgeMetricsTests {
    private static func kind(of request: LoggedRequest) -> String? {
        let path = request.path
        if path.hasPrefix("/eventstream") { return "stream" }
        guard path.hasPrefix("/clip/v2/resource") else { return nil }
        if path.contains("geofence_client") { return "probe" }
        guard request.method != "GET" else { return "read" }
        return path.contains("/grouped_light") ? "group" : path.contains("/light") ? "light" : "edit"
    }

    @Test func `each request is counted by what it was for and how it was answered`() async throws {
        let registry = MetricsRegistry()
        try await withBridge(metrics: registry) { fixture in
            let pairing = try await fixture.connect()
            let controls = fixture.bridge.controls
            await controls.answer(next: 2, with: 503)
            #expect(await fixture.turn(.off, .light(fixture.light("Desk"))) == .succeeded)
            #expect(await fixture.turn(.on, .room(fixture.room("Kitchen"))) == .succeeded)
            _ = try await fixture.gateway.connection(fixture.id)?.geofence.rename()
            try await until("every request has been answered") {
                let requests = await controls.requests.filter { $0.key == pairing.key.revealed }
                let expected = Dictionary(
                    requests.compactMap { request in Self.kind(of: request).map { ("\($0) \(request.status)", 1.0) } }
                ) { $0 + $1 }
                let counted = registry.samples(of: .bridgeRequests).reduce(into: [String: Double]()) {
                    $0["\($1.labels["kind"] ?? "") \($1.labels["code"] ?? "")"] = $1.value
                }
                return counted == expected && expected.keys.contains { $0.hasSuffix(" 503") }
            }
            let samples = registry.samples(of: .bridgeRequests)
            #expect(samples.allSatisfy { $0.labels["bridge"] == fixture.id.description })
            let timed = registry.samples(of: .bridgeRequestSeconds).filter { $0.name.hasSuffix("_count") }
            #expect(timed.map(\.value).reduce(0, +) == samples.map(\.value).reduce(0, +))
            #expect(registry.value(.bridgeEvents, ["bridge": fixture.id.description]) ?? 0 > 0)
            #expect(registry.value(.bridgeLastEvent, ["bridge": fixture.id.description]) != nil)
        }
    }

    @Test func `what has no answer says why, and a stream that is back is counted`() async throws {
        let registry = MetricsRegistry()
        try await withBridge(metrics: registry) { fixture in
            try await fixture.connect()
            let labels = ["bridge": fixture.id.description]
            #expect(registry.value(.bridgeReconnects, labels) == 0)
            await fixture.bridge.controls.hangUp(next: 3)
            _ = await fixture.turn(.off, .light(fixture.light("Desk")))
            try await until("it is counted") {
                registry.samples(of: .bridgeRequests).contains { $0.labels["code"] == "broken" }
            }
            fixture.bridge.controls.reboot(for: .milliseconds(10))
            try await until("it is followed again") { registry.value(.bridgeReconnects, labels) == 1 }
        }
    }

    @Test func `the series of a bridge that is forgotten end, and begin anew when it is paired again`() async throws {
        let registry = MetricsRegistry()
        try await withBridge(metrics: registry) { fixture in
            try await fixture.connect()
            let labels = ["bridge": fixture.id.description]
            #expect(registry.value(.bridgeEvents, labels) != nil)
            #expect(fixture.gateway.loads.map(\.bridge) == [fixture.id])
            #expect(await ask { fixture.gateway.bridges.forget(fixture.id, $0) } == .succeeded)
            // Its key was removed after it was forgotten.
            #expect(registry.collect().values.allSatisfy { $0.isEmpty })
            #expect(fixture.gateway.loads == [])
            try await fixture.connect()
            try await until("it is read") {
                registry.value(.bridgeRequests, labels.merging(["kind": "read"]) { $1 }) == 1
            }
        }
    }

    @Test func `what waits is told, and what was spared`() {
        var queue = CommandScheduler()
        let lamps = (1...3).map { ResourceID("lamp-\($0)") }
        queue.arrange([.init(groupedLight: ResourceID("room"), members: lamps)])
        #expect(queue.waitingRequests == 0 && queue.folded == 0)
        _ = queue.ask(LightUpdate(brightness: 10), of: lamps, by: 1, deadline: .seconds(9), at: .zero)
        #expect(queue.waitingRequests == 3 && queue.folded == 0)
        // Newer values in the place of those that wait.
        _ = queue.ask(LightUpdate(brightness: 20), of: lamps, by: 2, deadline: .seconds(9), at: .zero)
        #expect(queue.waitingRequests == 3 && queue.folded == 3)
        _ = queue.ask(job: 3, cost: .read, deadline: nil, at: .zero)
        #expect(queue.waitingRequests == 4)
        // One request for the whole room.
        guard case let .send(request) = queue.next(at: .zero), case .group = request.content else {
            Issue.record("no command for the room")
            return
        }
        #expect(queue.waitingRequests == 1 && queue.folded == 5)
    }
}

extension MetricsRegistry {
    fileprivate func samples(of family: MetricFamily) -> [MetricsReader.Sample] {
        var text = MetricsText(.prometheus)
        for sample in collect()[family] ?? [] { text.add(family, sample.labels, sample.value) }
        return (try? MetricsReader(String(decoding: text.finished(), as: UTF8.self)))?.samples ?? []
    }

    /// Of the only series with these labels.
    fileprivate func value(_ family: MetricFamily, _ labels: [String: String]) -> Double? {
        let found = samples(of: family).filter { sample in labels.allSatisfy { sample.labels[$0.key] == $0.value } }
        return found.count == 1 ? found[0].value : nil
    }
}
