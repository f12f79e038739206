import CoreMetrics
import Curl
import Foundation
import HueBridge
import Khipu
import Lighting
import LightingTestKit
import Logging
import SimulatedBridge
import Synchronization
import TestSupport
import Testing

@testable import HueBridge

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Runs a simulated bridge and a gateway side by side for as long as the body takes.
func withBridge(
    _ home: HomeFile = .flat,
    _ adjust: (inout Settings) -> Void = { _ in },
    gateway adjustGateway: (inout GatewaySettings) -> Void = { _ in },
    browser: MDNSBrowser = .blind, metrics: any MetricsFactory = NOOPMetricsHandler.instance,
    untilTakenIn: @escaping @Sendable () async -> Void = {},
    _ body: @escaping @Sendable (BridgeFixture) async throws -> Void
) async throws {
    var settings = Settings(home: home)
    settings.quirks = [.unlimited]
    settings.host = Loopback.next()
    // The bridge sends its events after a tenth of the usual second, but its button stays pressed, however slow the
    // machine is.
    settings.timeScale = 10
    settings.buttonWindow = .seconds(100_000)
    adjust(&settings)
    let bridge = try SimulatedBridge(settings, logger: silent)
    var gatewaySettings = GatewaySettings.patient
    // Pairing uses the given address, and does not wait for an announcement.
    gatewaySettings.usesMDNS = false
    adjustGateway(&gatewaySettings)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await bridge.run() }
        let ready = try await bridge.ready
        gatewaySettings.hosts = [
            Bridge.Address(host: ready.host, port: ready.httpsPort == 0 ? ready.httpPort : ready.httpsPort)
        ]
        let gateway = HueGateway(
            gatewaySettings, clock: ManualClock().clock, metrics: metrics, logger: silent, browser: browser,
            untilTakenIn: untilTakenIn)
        let updates = UpdateCollector()
        gateway.lights.listen { updates.hear($0) }
        gateway.bridges.listen { updates.hear($0) }
        group.addTask { try await gateway.run() }
        group.addTask {
            try await body(BridgeFixture(bridge: bridge, ready: ready, gateway: gateway, updates: updates))
        }
        // Only the body ends by itself.
        try await group.next()
        group.cancelAll()
    }
}

extension Timeouts {
    /// On a machine that stands still for a while, a bridge that answers is still waited for.
    static let patient = Timeouts(
        connection: .seconds(60), answer: .seconds(60), list: .seconds(60), discovery: .seconds(60))
}

struct BridgeFixture: Sendable {
    let bridge: SimulatedBridge
    let ready: SimulatedBridge.ConnectionDetails
    let gateway: HueGateway
    let updates: UpdateCollector

    var id: Bridge.ID { Bridge.ID(ready.bridgeID) }

    func pair(waiting: Duration = .seconds(10)) async throws -> Pairing {
        await bridge.controls.pressButton()
        return try await ask { gateway.bridges.pair(nil, waiting, $0) }.get()
    }

    /// Pairs, connects, and waits until the home is reported.
    @discardableResult
    func connect() async throws -> Pairing {
        let pairing = try await pair()
        gateway.bridges.connect(pairing)
        try await updates.wait { $0.isConnected }
        return pairing
    }

    func light(_ name: String) -> Light.ID {
        updates.state.lights.first { $0.value.name == name }?.key ?? Light.ID(bridge: id, resource: "none")
    }

    func room(_ name: String) -> Room.ID {
        updates.state.rooms.first { $0.name == name }?.id ?? Room.ID(bridge: id, resource: "none")
    }

    /// The lights of a target, as reported.
    func lights(of target: Target) -> [Light.ID] {
        switch target {
        case let .light(id): [id]
        case let .room(id): updates.state.rooms.first { $0.id == id }?.lights ?? []
        case .all: updates.state.lights.keys.sorted()
        }
    }

    func turn(_ turn: Turn, _ target: Target, over time: Transition = .usual) async -> Outcome {
        let orders = lights(of: target).map { DesiredState($0, power: turn) }
        return await send { gateway.lights.set(orders, time, .test, $0) }
    }

    func send(_ work: (@escaping Reply<Outcome>) -> Void) async -> Outcome { await ask(work) }
}

func ask<Answer: Sendable>(_ work: (@escaping Reply<Answer>) -> Void) async -> Answer {
    await withCheckedContinuation { continuation in work { continuation.resume(returning: $0) } }
}

/// Collects what a gateway publishes, keeps the resulting state, and lets tests wait for a state.
final class UpdateCollector: Sendable {
    struct State: Sendable {
        var lights: [Light.ID: Light] = [:]
        var rooms: [Room] = []
        var scenes: [Scene] = []
        var sensors: [Sensor.ID: Sensor] = [:]
        /// How many reports there were of each light.
        var lightReports: [Light.ID: Int] = [:]
        /// What sensors told, in order.
        var reports: [(Sensor.ID, Sensor.Report)] = []
        var events: [ConnectionEvent] = []
        var isConnected: Bool { if case .connected? = events.last(where: { !$0.isSeen }) { true } else { false } }
        var lost: String? {
            for case let .lost(_, because: reason) in events.reversed() { return reason.reason }
            return nil
        }
        func sensor(_ name: String) -> Sensor? { sensors.values.first { $0.name == name } }
        func light(_ name: String) -> Light? { lights.values.first { $0.name == name } }
    }

    private struct Collected {
        var state = State()
        var waiting: [(until: @Sendable (State) -> Bool, signal: AsyncStream<Void>.Continuation)] = []
    }

    private let collected = Mutex(Collected())

    var state: State { collected.withLock { $0.state } }

    func hear(_ update: BridgeUpdate) {
        change { state in
            let time = Timestamp(milliseconds: 0)
            switch update {
            case let .home(_, lights, rooms, scenes, sensors):
                state.lights = Dictionary(uniqueKeysWithValues: lights.map { ($0.id, $0) })
                state.rooms = rooms
                state.scenes = scenes
                state.sensors = Dictionary(uniqueKeysWithValues: sensors.map { ($0.id, $0) })
            case let .light(id, report):
                state.lightReports[id, default: 0] += 1
                state.lights[id] = state.lights[id]?.alter(by: .reporting(.it(report, at: time)))
            case let .signal(id, signal): state.lights[id] = state.lights[id]?.alter(by: .signaling(.it(signal)))
            case let .sensor(id, report):
                state.reports.append((id, report))
                state.sensors[id] = state.sensors[id]?.alter(by: .reporting(.it(report, at: time)))
            case let .added(.sensor(sensor)), let .changed(.sensor(sensor)): state.sensors[sensor.id] = sensor
            case let .removed(.sensor(id)): state.sensors[id] = nil
            case let .renamed(.light(id), to: name):
                state.lights[id] = state.lights[id]?.alter(by: .renaming(.it(to: name)))
            case let .added(.room(room)), let .changed(.room(room)):
                state.rooms = state.rooms.filter { $0.id != room.id } + [room]
            case let .added(.light(light)): state.lights[light.id] = light
            case let .added(.scene(scene)), let .changed(.scene(scene)):
                state.scenes = state.scenes.filter { $0.id != scene.id } + [scene]
            case let .removed(.light(id)): state.lights[id] = nil
            case let .removed(.room(id)): state.rooms.removeAll { $0.id == id }
            case let .removed(.scene(id)): state.scenes.removeAll { $0.id == id }
            case .renamed, .firmware: break
            }
        }
    }

    func hear(_ event: ConnectionEvent) { change { $0.events.append(event) } }

    /// Waits until the state is as expected. The limit is one that only a defect reaches.
    func wait(
        _ what: String = "the expected state", within limit: Duration = .seconds(120),
        until: @escaping @Sendable (State) -> Bool
    ) async throws {
        let (stream, signal) = AsyncStream<Void>.makeStream()
        let already = collected.withLock { collected in
            if until(collected.state) { return true }
            collected.waiting.append((until, signal))
            return false
        }
        if already { return }
        let came = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in stream { return true }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        if !came { throw NotInTime(what: what, state: "\(state)") }
    }

    private func change(_ alter: (inout State) -> Void) {
        let ready = collected.withLock { collected in
            alter(&collected.state)
            let state = collected.state
            let ready = collected.waiting.filter { $0.until(state) }
            collected.waiting.removeAll { $0.until(state) }
            return ready.map(\.signal)
        }
        for one in ready { one.yield() }
    }
}

struct NotInTime: Error, CustomStringConvertible {
    let what: String
    let state: String
    var description: String { "waited too long for: \(what); the state is \(state)" }
}

extension ConnectionEvent {
    var isSeen: Bool { if case .seen = self { true } else { false } }
}

extension Ticket {
    static let test = Ticket(number: 1, holder: "test", time: Timestamp(milliseconds: 0))
}

extension GatewaySettings {
    /// However long the machine stands still, nothing is given up: tests of timeouts set their own.
    static var patient: Self {
        var settings = Self()
        settings.commandDeadline = .seconds(60)
        settings.timeouts = .patient
        return settings
    }

    /// Runs on a manual clock, and never probes the event stream: the test is not about that.
    mutating func run(on clock: HandBridgeClock) {
        self.clock = clock.clock
        let never = Duration.seconds(1_000_000_000)
        (timeouts.silence, timeouts.echo, timeouts.writeEcho) = (never, never, never)
        (timeouts.audit, timeouts.streamResponse) = (never, never)
    }
}
