import ControlProtocol
import Foundation
import LightDaemon
import Logging
import SimulatedBridge
import TestSupport

/// A daemon paired with a simulated bridge that has the limits of a real one.
struct PairedBridgeFixture: Sendable {
    let bridge: SimulatedBridge
    let client: ControlClient

    /// Runs both during the body; the home has fifty lights, all on.
    static func run(
        _ home: HomeFile? = nil, logger: Logger = silent,
        _ body: @escaping @Sendable (PairedBridgeFixture) async throws -> Void
    ) async throws {
        let path = Repository.file("Config/homes/house.yaml")
        let home = try home ?? HomeFile(yaml: String(contentsOf: URL(filePath: path), encoding: .utf8), path: path)
        var settings = Settings(home: home)
        settings.host = Loopback.next()
        let bridge = try SimulatedBridge(settings, logger: silent)
        try await withTemporaryDirectory { place in
            let path = place.path
            try await withBridge(bridge) {
                let ready = try await bridge.ready
                let host = Configuration.Host(host: ready.host, port: ready.httpsPort)
                try await withDaemon(at: path, [host], logger: logger) { client in
                    let fixture = PairedBridgeFixture(bridge: bridge, client: client)
                    try await bridge.controls.withButtonPressed { try await client.post(.pair()) }
                    try await client.post(.turn(to: .on, target: "all"))
                    try await fixture.waitForAll("everything is on") { $0.power == .on && $0.freshness == .confirmed }
                    // Bridges take one group command per second: the next one must not wait for this one.
                    try await Task.sleep(for: .milliseconds(1100))
                    await bridge.controls.forgetRequests()
                    try await body(fixture)
                }
            }
        }
    }

    var lights: [LightBody] {
        get async throws { try await client.get([LightBody].self, Routes.lights) }
    }

    /// Waits until the condition holds for every light, and returns how long that took.
    @discardableResult
    func waitForAll(
        _ what: String, within limit: Duration = .seconds(60), _ holds: @escaping @Sendable (LightBody) -> Bool
    ) async throws -> Duration {
        let began = ContinuousClock.now
        try await until(what, within: limit) {
            let lights = try await lights
            return !lights.isEmpty && lights.allSatisfy(holds)
        }
        return ContinuousClock.now - began
    }

    /// The lights about which lamps, bridge and daemon do not agree.
    var disagreements: [String] {
        get async throws {
            let lights = try await lights
            var disagreements: [String] = []
            for lamp in await bridge.controls.home.lamps {
                guard let shown = await bridge.controls.lightState(of: lamp.name),
                    let light = lights.first(where: { $0.name == lamp.name })
                else {
                    disagreements.append("\(lamp.name) is unknown")
                    continue
                }
                if shown.isOn != lamp.lightState.isOn || (light.power == .on) != shown.isOn {
                    disagreements.append(
                        "\(lamp.name): lamp \(shown.isOn), bridge \(lamp.lightState.isOn), lightd \(light.power)")
                }
                guard let brightness = light.brightness else { continue }
                let levels = [shown.level, lamp.lightState.level, level(brightness)]
                if Set(levels).count > 1, shown.isOn { disagreements.append("\(lamp.name): levels \(levels)") }
            }
            return disagreements
        }
    }
}

/// A lamp has 254 levels, from 1 on (HueWire/Level).
func level(_ percent: Double) -> Int { 1 + Int((percent * 2.53).rounded()) }

extension [LoggedRequest] {
    var commands: Self { filter { $0.method == "PUT" && $0.path.contains("light/") } }
    var refused: Int { count { $0.status == 429 || $0.status == 503 } }
    var toGroups: Self { filter { $0.path.contains("/grouped_light/") } }
    var toLights: Self { filter { $0.path.contains("/light/") } }

    /// The largest number that arrived within one second.
    var mostInASecond: Int {
        indices.map { first in
            self[first...].prefix { $0.time.timeIntervalSince(self[first].time) < 1 }.count
        }.max() ?? 0
    }
}

extension BridgeControls {
    /// Runs the body while the link button is pressed again and again: with a fast clock, one press lasts only for a
    /// moment.
    @discardableResult
    func withButtonPressed<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                while !Task.isCancelled {
                    await pressButton()
                    // Cancelled when the body has ended.
                    try? await Task.sleep(for: .milliseconds(50))
                }
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else { throw TestError("the body returned nothing") }
            return value
        }
    }
}
