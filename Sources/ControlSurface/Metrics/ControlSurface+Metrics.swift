import HashTreeCollections
import Khipu
import Lighting

extension ControlSurface {
    /// The home as it is now, and what has happened since the start, as Prometheus reads it. Answers at once: no bridge is
    /// asked, nothing is waited for.
    public func metrics(as format: MetricsFormat) -> [UInt8] {
        directory.metrics(as: format, version: version, registry.collect())
    }
}

extension Directory {
    /// What the home shows, and the series that were collected, each family once and in the order of ``MetricFamily``.
    ///
    /// A value that may be wrong, because nobody has heard of its lamp or sensor since, is left out: a graph has a gap
    /// there, and no line that says something false.
    func metrics(
        as format: MetricsFormat, version: String, _ collected: [MetricFamily: [MetricsRegistry.Sample]]
    ) -> [UInt8] {
        var text = MetricsText(format)
        let (rooms, bridges) = (roomOfLight, bridges)
        let lights = lights.map { (light: $0, labels: MetricLabels("light", $0.id.description)) }
        let known = lights.filter { !$0.light.freshness.isInDoubt }
        let sensors = sensors.map { (sensor: $0, labels: MetricLabels("sensor", $0.id.description)) }
        let heard = sensors.filter(\.sensor.isHeard)
        let automations = state.automations.lasting
        for family in MetricFamily.allCases {
            func add(_ labels: MetricLabels, _ value: MetricValue) { text.add(family, labels, value) }
            func add(_ labels: MetricLabels, _ value: MetricValue?) { if let value { add(labels, value) } }
            switch family {
            case .buildInfo: add(MetricLabels("version", version), .whole(1))

            case .lightInfo:
                for (light, _) in lights {
                    add(
                        MetricLabels([
                            ("light", light.id.description), ("name", light.name), ("room", rooms[light.id]?.name),
                            ("bridge", light.id.bridge.description), ("kind", light.kindWord),
                        ]), .whole(1))
                }
            case .lightReachable: for (light, labels) in lights { add(labels, .flag(!light.freshness.isInDoubt)) }
            case .lightOn: for (light, labels) in known { add(labels, .flag(light.power == .on)) }
            case .lightBrightness:
                for (light, labels) in known where light.limits.dims {
                    // As lists round it.
                    add(labels, .number(light.brightness.percent / 100))
                }
            case .lightTemperature:
                for (light, labels) in known where light.selectedMode == .ct && light.temperature.value > 0 {
                    add(labels, .number((1_000_000 / Double(light.temperature.value)).rounded()))
                }

            case .roomInfo:
                for room in self.rooms {
                    add(
                        MetricLabels([
                            ("room", room.id.description), ("name", room.name), ("kind", room.kind.rawValue),
                            ("bridge", room.id.bridge.description),
                        ]), .whole(1))
                }
            case .roomOn:
                for room in self.rooms {
                    let known = room.lights.compactMap { light($0) }.filter { !$0.freshness.isInDoubt }
                    guard !known.isEmpty else { continue }
                    add(MetricLabels("room", room.id.description), .flag(known.contains { $0.power == .on }))
                }

            case .sensorInfo:
                for (sensor, _) in sensors {
                    add(
                        MetricLabels([
                            ("sensor", sensor.id.description), ("name", sensor.name), ("room", roomName(of: sensor)),
                            ("bridge", sensor.id.bridge.description), ("product", sensor.product),
                        ]), .whole(1))
                }
            case .sensorReachable:
                for (sensor, labels) in sensors { add(labels, .flag(sensor.staleSince == nil && sensor.isReachable)) }
            case .sensorBattery:
                for (sensor, labels) in sensors { add(labels, sensor.battery.map { .number($0.value) }) }
            case .sensorTemperature:
                for (sensor, labels) in heard { add(labels, sensor.temperature.map { .number($0.value) }) }
            case .sensorIlluminance:
                for (sensor, labels) in heard { add(labels, sensor.lightLevel.map { .number($0.value) }) }
            case .sensorMotion: for (sensor, labels) in heard { add(labels, sensor.motion.map { .flag($0.value) }) }
            case .sensorContact:
                for (sensor, labels) in heard { add(labels, sensor.contact.map { .flag($0.value == .open) }) }

            case .bridgeInfo:
                for bridge in bridges {
                    add(
                        MetricLabels([
                            ("bridge", bridge.id.description), ("name", bridge.name), ("model", bridge.model),
                            ("firmware", bridge.firmware?.version ?? ""),
                        ]), .whole(1))
                }
            case .bridgeConnected:
                for bridge in bridges { add(MetricLabels("bridge", bridge.id.description), .flag(bridge.isConnected)) }

            case .automationEnabled:
                for automation in automations { add(automation.labels, .flag(automation.isEnabled)) }
            case .automationLastRun:
                for automation in automations {
                    add(automation.labels, state.automations.ended[automation.id]?.first.map { .seconds($0.ended) })
                }

            case .bridgeEvents, .bridgeLastEvent, .bridgeReconnects, .bridgeRequests, .bridgeRequestSeconds,
                .queueWaiting, .commandsFolded, .commands, .commandSeconds, .automationRuns, .mqttConnected,
                .mqttPublished, .mqttOutbox, .certificateEnd, .processMemory, .processCPU, .processDescriptors,
                .processStart:
                for sample in collected[family] ?? [] { add(sample.labels, sample.value) }
            }
        }
        return text.finished()
    }
}

extension MetricValue {
    /// Since 1970.
    fileprivate static func seconds(_ time: Timestamp) -> Self { .number(Double(time.milliseconds) / 1000) }
}

extension Light {
    /// What it can do.
    fileprivate var kindWord: String {
        if modes.contains(.hsb) { return "color" }
        if modes.contains(.ct) { return "white" }
        return limits.dims ? "dimmable" : "on_off"
    }
}

extension Sensor {
    /// Whether its readings are those of now.
    fileprivate var isHeard: Bool { staleSince == nil && isReachable && isEnabled }
}

extension Automation {
    fileprivate var labels: MetricLabels { MetricLabels("automation", name) }
}
