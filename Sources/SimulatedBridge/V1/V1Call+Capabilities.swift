import HueWire

/// `/capabilities`: how much room the bridge has left. The totals are those of a square bridge, but for the lights.
extension V1Call {
    func capabilities(_ path: [String]) throws(V1Failure) -> V1Outcome {
        guard path.isEmpty else { throw absent }
        guard request.method == "GET" else { throw notAllowed }
        let sensors = sensorCount
        let rules = all(V1Rule.self).map(\.object)
        let streams = EntertainmentArea.active(in: home).count
        return .document([
            "lights": Self.room(home.bridge.model.totalLights, home.lamps.count),
            "sensors": Self.room(
                Capacity.sensors, sensors.all,
                [
                    "clip": Self.room(Capacity.sensors, sensors.clip), "zll": Self.room(64, sensors.zll),
                    "zgp": Self.room(64, 0),
                ]),
            "groups": Self.room(Capacity.groups, home.v1Groups.count),
            "scenes": Self.room(
                Capacity.scenes, home.scenes.count,
                ["lightstates": Self.room(12600, home.scenes.reduce(0) { $0 + $1.actions.count })]),
            "schedules": Self.room(V1Schedule.limit, all(V1Schedule.self).count),
            "rules": Self.room(
                V1Rule.limit, rules.count,
                [
                    "conditions": Self.room(1500, rules.reduce(0) { $0 + $1.conditions.count }),
                    "actions": Self.room(1000, rules.reduce(0) { $0 + $1.actions.count }),
                ]),
            "resourcelinks": Self.room(V1ResourceLink.limit, all(V1ResourceLink.self).count),
            "streaming": Self.room(1, streams, ["channels": .int(Capacity.entertainmentChannels)]),
            "timezones": ["values": .array(TimeZones.all.sorted().map { .string($0) })],
        ])
    }

    private static func room(_ total: Int, _ used: Int, _ more: [String: JSONValue] = [:]) -> JSONValue {
        .object(more.merging(["available": .int(max(0, total - used)), "total": .int(total)]) { $1 })
    }
}
