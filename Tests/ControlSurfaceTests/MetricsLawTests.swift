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

/// What `/metrics` says, over homes with every kind of light, sensor, name and doubt.
@Suite struct MetricsLawTests {
    private static let homes = (1...60).map { HomeOfChance(seed: $0) }

    @Test func `each family has its head before its samples, once, and no series is there twice`() throws {
        for home in Self.homes {
            for format in MetricsFormat.allCases {
                let read = try home.metrics(as: format)
                #expect(read.hasEnd == (format == .openMetrics))
                #expect(Set(read.samples.map { [$0.name: $0.labels] }).count == read.samples.count)
                for family in read.families {
                    #expect(!family.samples.isEmpty && !family.help.isEmpty)
                    for sample in family.samples {
                        #expect(family.names(sample, in: format), "\(sample) in \(family.name), \(family.type)")
                    }
                }
            }
        }
    }

    @Test func `both formats say the same`() throws {
        for home in Self.homes {
            let texts = try MetricsFormat.allCases.map { try home.metrics(as: $0) }
            #expect(texts[0].samples == texts[1].samples)
        }
    }

    @Test func `names are read as they are, whatever stands in them`() throws {
        for home in Self.homes {
            let read = try home.metrics()
            for light in home.directory.lightBodies {
                let infos = read["lightd_light_info"].filter { $0.labels["light"] == light.id }
                try #require(infos.count == 1)
                let labels = infos[0].labels
                #expect(labels["name"].map { Array($0.utf8) } == (light.name.isEmpty ? nil : Array(light.name.utf8)))
                #expect(
                    labels["room"].map { Array($0.utf8) } == light.room.flatMap { $0.isEmpty ? nil : Array($0.utf8) })
                #expect(labels["bridge"] == light.bridge)
            }
        }
    }

    @Test func `a light is what the list of lights says, and nothing is said of what may be wrong`() throws {
        for home in Self.homes {
            let read = try home.metrics()
            let bodies = home.directory.lightBodies
            #expect(read["lightd_light_reachable"].count == bodies.count)
            for light in bodies {
                let isKnown = [.confirmed, .expected].contains(light.freshness)
                func value(_ name: String) -> Double? { read.value("lightd_light_\(name)", ["light": light.id]) }
                #expect(value("reachable") == (isKnown ? 1 : 0))
                #expect(value("on") == (isKnown ? (light.power == .on ? 1 : 0) : nil))
                #expect(value("brightness_ratio") == (isKnown ? light.brightness.map { $0 / 100 } : nil))
                let mirek = isKnown && light.mode == .temperature ? light.temperature : nil
                #expect(value("color_temperature_kelvin") == mirek.map { (1_000_000 / Double($0)).rounded() })
            }
        }
    }

    @Test func `rooms, sensors, bridges and automations are what their lists say`() throws {
        for home in Self.homes {
            let (read, directory) = (try home.metrics(), home.directory)
            for room in directory.roomBodies {
                let inDoubt = (room.unreachable ?? 0) + (room.stale ?? 0)
                let value = read.value("lightd_room_on", ["room": room.id])
                #expect(value == (inDoubt == room.lights.count ? nil : room.on > 0 ? 1 : 0))
                #expect(read.value("lightd_room_info", ["room": room.id, "kind": room.kind.rawValue]) == 1)
            }
            for sensor in directory.sensorBodies {
                func value(_ name: String) -> Double? { read.value("lightd_sensor_\(name)", ["sensor": sensor.id]) }
                let isHeard = sensor.freshness == .confirmed
                #expect(value("reachable") == (isHeard ? 1 : 0))
                // As exactly as it was told; lists round it.
                func isNear(_ value: Double?, _ shown: Double?) -> Bool {
                    value.map { ($0 * 10).rounded() / 10 } == (isHeard && sensor.enabled ? shown : nil)
                }
                #expect(isNear(value("temperature_celsius"), sensor.temperature?.value))
                #expect(isNear(value("illuminance_lux"), sensor.lightLevel?.value))
                #expect(isNear(value("motion"), sensor.motion.map { $0.value ? 1 : 0 }))
                #expect(isNear(value("contact_open"), sensor.contact.map { $0.value == .open ? 1 : 0 }))
                #expect(value("battery_ratio").map { ($0 * 10_000).rounded() / 100 } == sensor.battery?.value)
            }
            for bridge in directory.bridgeBodies {
                #expect(read.value("lightd_bridge_connected", ["bridge": bridge.id]) == (bridge.connected ? 1 : 0))
            }
            for automation in directory.state.automations.lasting {
                let value = read.value("lightd_automation_enabled", ["automation": automation.name])
                #expect(value == (automation.isEnabled ? 1 : 0))
            }
        }
    }

    /// A series for each state would be a new one at each change, and Prometheus keeps them all.
    @Test func `what changes is a value, and never a label`() throws {
        for home in Self.homes {
            func series(_ state: AppState) throws -> Set<[String: [String: String]]> {
                let read = try MetricsReader(HomeOfChance.text(Directory(state), .prometheus))
                return Set(read.samples.map { [$0.name: $0.labels] })
            }
            let state = home.directory.state
            let known = state.lights.values.filter { !$0.freshness.isInDoubt }
            let changed = state.alter(
                by: known.map { light in
                    .updating(
                        .light(
                            light.id,
                            by: [.turning(.it(light.power == .on ? .off : .on)), .setting(.brightness(to: 0.123))]))
                })
            #expect(try series(state) == series(changed))
        }
    }

    @Test func `of each family there is a row, whose words both formats write as they are`() {
        for family in MetricFamily.allCases {
            #expect(family.rawValue.wholeMatch(of: /[a-z][a-z_]+/) != nil)
            #expect(family.rawValue.hasSuffix("_total") == (family.kind == .counter))
            #expect(family.rawValue.hasSuffix("_info") == (family.kind == .info))
            #expect(!family.help.isEmpty && !family.help.contains { "\\\"\n".contains($0) })
        }
        #expect(Set(MetricFamily.allCases.map(\.help)).count >= MetricFamily.allCases.count - 1)
    }
}

extension MetricsReader.Family {
    /// Whether a sample may stand in this family.
    fileprivate func names(_ sample: MetricsReader.Sample, in format: MetricsFormat) -> Bool {
        let suffixes =
            switch (type, format) {
            case ("histogram", _): ["_bucket", "_sum", "_count"]
            case ("counter", .openMetrics): ["_total"]
            case ("info", .openMetrics): ["_info"]
            default: [""]
            }
        return suffixes.contains { sample.name == name + $0 }
    }
}

/// A home in which anything may be, the same for the same seed.
private struct HomeOfChance {
    let directory: Directory

    init(seed: Int) {
        var chance = SplitMix(seed: UInt64(seed))
        let bridges = (1...Int.random(in: 1...3, using: &chance)).map { number in
            Bridge.make(
                id: Bridge.ID("ecb5fafffe00000\(number)"), name: HostileText.name(using: &chance),
                connection: .random(using: &chance)
                    ? .connected(since: .sample, by: .stream)
                    : .lost(since: .sample, because: .unreachable(.sample, because: "no route")))
        }
        func bridge() -> Bridge.ID { bridges.randomElement(using: &chance)?.id ?? .sample }
        let lights = (0..<Int.random(in: 0...30, using: &chance)).map { number in
            let kinds: [Set<Light.Mode>] = [[.hsb, .ct], [.hsb], [.ct], []]
            let modes = kinds.randomElement(using: &chance) ?? []
            let ticket = Ticket(number: 7, holder: "test", time: .sample)
            let freshness: [Freshness] = [
                .confirmed(at: .sample), .confirmed(at: .sample), .expected(by: ticket), .stale(since: .sample),
                .unreachable(since: .sample),
            ]
            return Light.make(
                "lamp-\(number)", name: HostileText.name(using: &chance), bridge: bridge(),
                power: .random(using: &chance) ? .on : .off, brightness: .random(in: 0...1, using: &chance),
                temperature: .random(in: 153...500, using: &chance),
                mode: [.hsb, .ct, .unset].randomElement(using: &chance) ?? .unset, modes: modes,
                dims: !modes.isEmpty || .random(using: &chance), freshness: freshness.randomElement(using: &chance))
        }
        let rooms = (0..<Int.random(in: 0...6, using: &chance)).map { number in
            Room.make(
                "room-\(number)", name: HostileText.name(using: &chance), bridge: bridge(),
                kind: .random(using: &chance) ? .room : .zone,
                lights: lights.filter { _ in Int.random(in: 0..<4, using: &chance) == 0 })
        }
        let sensors = (0..<Int.random(in: 0...8, using: &chance)).map { number in
            func maybe<Value>(_ value: Value) -> Sensor.Reading<Value>? {
                Bool.random(using: &chance) ? Sensor.Reading(value, at: .sample) : nil
            }
            return Sensor(
                id: Sensor.ID(bridge: bridge(), resource: "sensor-\(number)"), name: HostileText.name(using: &chance),
                product: HostileText.name(using: &chance), room: rooms.randomElement(using: &chance)?.id,
                abilities: Set(Sensor.Ability.allCases), motion: maybe(.random(using: &chance)),
                contact: maybe(.random(using: &chance) ? .open : .closed),
                lightLevel: maybe(.random(in: 0...80_000, using: &chance)),
                temperature: maybe(.random(in: -30...45, using: &chance)),
                battery: maybe(.random(in: 0...1, using: &chance)),
                isEnabled: Int.random(in: 0..<5, using: &chance) > 0,
                isReachable: Int.random(in: 0..<5, using: &chance) > 0,
                staleSince: Int.random(in: 0..<5, using: &chance) > 0 ? nil : .sample)
        }
        let automations = (0..<Int.random(in: 0...3, using: &chance)).map { number in
            Automation(
                name: "\(number) \(HostileText.name(using: &chance))", triggers: [], steps: [],
                isEnabled: .random(using: &chance))
        }
        directory = Directory(
            AppState.make(lights: lights, rooms: rooms, sensors: sensors, bridges: bridges).alter(
                by: .replacing(
                    .automations(
                        by: AutomationState(automations, AutomationState.Memory())))))
    }

    func metrics(as format: MetricsFormat = .prometheus) throws -> MetricsReader {
        try MetricsReader(Self.text(directory, format))
    }

    static func text(_ home: Directory, _ format: MetricsFormat) -> String {
        String(decoding: home.metrics(as: format, version: "1.2.3", registry.collect()), as: UTF8.self)
    }

    /// With something in each kind of series.
    private static let registry: MetricsRegistry = {
        let registry = MetricsRegistry()
        let bridge = [("bridge", "a\"b\\c\nd")]
        Counter(label: "lightd_bridge_events_total", dimensions: bridge, factory: registry).increment(by: 7)
        Meter(label: "lightd_bridge_last_event_timestamp_seconds", dimensions: bridge, factory: registry).set(1.5)
        let timer = CoreMetrics.Timer(label: "lightd_bridge_request_seconds", dimensions: bridge, factory: registry)
        for milliseconds in [1, 20, 20, 60_000] { timer.recordMilliseconds(milliseconds) }
        CoreMetrics.Timer(label: "lightd_command_seconds", factory: registry).recordMilliseconds(3)
        registry.observe {
            [.init(.processMemory, 4e18), .init(.processCPU, .infinity), .init(.queueWaiting, 3, bridge)]
        }
        return registry
    }()
}
