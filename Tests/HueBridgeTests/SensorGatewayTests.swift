import Foundation
import Khipu
import Lighting
import LightingTestKit
import TestSupport
import Testing

@testable import HueBridge
@testable import SimulatedBridge

/// Sensors and switches of a whole bridge, in both APIs, through a connection.
struct SensorGatewayTests {
    private static let home = {
        var home = HomeFile.flat
        home.rooms[1].accessories = [
            HomeFile.Accessory(name: "Hall", kind: .motion), HomeFile.Accessory(name: "Dial Living", kind: .dial),
            HomeFile.Accessory(name: "Dimmer", kind: .switch),
        ]
        return home
    }()

    private func date(_ fixture: BridgeFixture) async -> Date { await fixture.bridge.controls.core.today() }

    private func press(_ fixture: BridgeFixture, _ event: String) async throws {
        try await fixture.bridge.controls.report("Dial Living", .button(2, event, at: await date(fixture)))
    }

    /// What the dial's buttons told, in order.
    private func told(_ fixture: BridgeFixture) -> [ButtonPress] {
        let state = fixture.updates.state
        let dial = state.sensor("Dial Living")?.id
        return state.reports.filter { $0.0 == dial }.compactMap { $0.1.press?.kind }
    }

    @Test func `both APIs have the same sensors, with the same names, rooms and readings`() throws {
        let later = Timestamp(milliseconds: 4_000_000_000_000)
        let second = DialectFixture(.v2, .square, Self.home)
        var home = second.home
        let date = Date(timeIntervalSince1970: 1_790_000_000)
        for accessory in home.accessories {
            var changes: [Accessory.Change] = accessory.firstReports(at: date)
            if accessory.kind != .motion { changes.append(.reporting(.button(3, "short_release", at: date))) }
            if accessory.kind == .dial {
                changes.append(.reporting(.rotation(Accessory.Rotation(steps: -150, milliseconds: 400), at: date)))
            }
            home = home.alter(by: .updating(.accessory(accessory.id, by: changes)))
        }
        func sensors(_ dialect: Dialect) throws -> [Sensor] {
            guard case let .resources(resources, _) = DialectFixture(dialect, home).ask(.everything) else { return [] }
            var map = HomeResources(bridge: .sample)
            map.load(resources, at: later)
            let names = Dictionary(uniqueKeysWithValues: map.groups.map { (Room.ID(.sample, $0.key), $0.value.name) })
            return map.allSensors.sorted { $0.name < $1.name }.map { sensor in
                // Ids and the names of products differ.
                Sensor(
                    id: Sensor.ID(bridge: .sample, resource: sensor.name), name: sensor.name,
                    product: sensor.room.flatMap { names[$0] }, abilities: sensor.abilities, motion: sensor.motion,
                    lightLevel: sensor.lightLevel, temperature: sensor.temperature, battery: sensor.battery,
                    buttons: sensor.buttons, dial: sensor.dial, isEnabled: sensor.isEnabled,
                    isReachable: sensor.isReachable)
            }
        }
        let (first, other) = (try sensors(.v1), try sensors(.v2))
        #expect(first == other)
        #expect(first.map(\.name) == ["Dial Living", "Dimmer", "Hall"])
        #expect(first.allSatisfy { $0.product == "Living" })
        #expect(first[0].dial?.value == -150 && first[0].buttons[2].last?.value == .released)
        #expect(first[2].motion?.value == false && abs((first[2].lightLevel?.value ?? 0) - 10) < 0.01)
    }

    @Test func `what happens is told by the stream, each once, and never again after a reconnect with ghosts`()
        async throws
    {
        let repeats = try Fault(.duplicateEvents)
        let ghosts = try Fault(.ghostButtons)
        try await withBridge(Self.home, { $0.quirks += [repeats, ghosts] }) { fixture in
            try await press(fixture, "initial_press")
            try await fixture.connect()
            #expect(fixture.updates.state.sensor("Dial Living")?.buttons[1].last?.value == .pressed)
            try await press(fixture, "short_release")
            try await until("the release is told") { told(fixture) == [.released] }
            try await fixture.bridge.controls.report("Hall", .motion(true, at: await date(fixture)))
            try await until("motion is told") { fixture.updates.state.sensor("Hall")?.motion?.value == true }
            // The connection is lost, and meanwhile the button is pressed.
            fixture.bridge.controls.reboot(for: .milliseconds(100))
            try await fixture.updates.wait { !$0.isConnected }
            try await press(fixture, "initial_press")
            try await fixture.updates.wait { $0.isConnected }
            try await until("what was missed is known") {
                fixture.updates.state.sensor("Dial Living")?.buttons[1].last?.value == .pressed
            }
            try await press(fixture, "long_press")
            try await until("the next press is told") { told(fixture) == [.released, .longPressed] }
            let motions = fixture.updates.state.reports.compactMap(\.1.motion)
            #expect(motions == [true])
        }
    }

    @Test(arguments: [BridgeModel.round, .square]) func `a bridge without a stream is asked, and tells the same`(
        model: BridgeModel
    ) async throws {
        let clock = HandBridgeClock()
        // A square bridge whose stream is refused is polled by API v2.
        let refused = try Fault(.eventsRefused, .number(503))
        try await withBridge(
            Self.home,
            {
                $0.model = model
                if model == .square { $0.quirks.append(refused) }
            },
            gateway: {
                $0.pollInterval = .seconds(5)
                $0.run(on: clock)
            }
        ) { fixture in
            try await press(fixture, "initial_press")
            let pairing = try await fixture.pair()
            fixture.gateway.bridges.connect(pairing)
            try await until("it is connected") {
                clock.wind(by: .seconds(1))
                return fixture.updates.state.isConnected
            }
            #expect(fixture.updates.state.sensor("Dial Living")?.buttons[1].last?.value == .pressed)
            #expect(fixture.updates.state.sensors.count == 3 && told(fixture) == [])
            func polled(_ what: String, _ condition: @escaping @Sendable () -> Bool) async throws {
                try await until(what) {
                    clock.wind(by: .seconds(5))
                    return condition()
                }
            }
            try await press(fixture, "long_press")
            try await polled("the press is told") { !told(fixture).isEmpty }
            try await fixture.bridge.controls.report("Hall", .motion(true, at: await date(fixture)))
            try await polled("motion is told") { fixture.updates.state.sensor("Hall")?.motion?.value == true }
            #expect(fixture.updates.state.reports.contains { $0.1.motion == true })
            #expect(told(fixture).count == 1)
        }
    }
}
