import HueWire

/// `/capabilities`: what the bridge has place for. Totals as a square bridge tells them.
extension V1Call {
    func capabilities(_ path: [String]) throws(V1Failure) -> V1Outcome {
        guard path.isEmpty else { throw absent }
        guard request.method == "GET" else { throw notAllowed }
        let sensors = sensorCount
        let rules = numbered("rules").map(\.value)
        let streams = home.storedResources.filter { $0.document["status"] == "active" }.count
        return .document([
            "lights": Self.room(63, home.lamps.count),
            "sensors": Self.room(
                Self.mostSensors, sensors.all,
                ["clip": Self.room(250, sensors.clip), "zll": Self.room(64, sensors.zll), "zgp": Self.room(64, 0)]),
            "groups": Self.room(Self.mostGroups, home.v1Groups.count),
            "scenes": Self.room(
                Self.mostScenes, home.scenes.count,
                ["lightstates": Self.room(12600, home.scenes.reduce(0) { $0 + $1.actions.count })]),
            "schedules": Self.room(100, numbered("schedules").count),
            "rules": Self.room(
                250, rules.count,
                [
                    "conditions": Self.room(1500, rules.reduce(0) { $0 + ($1["conditions"]?.array?.count ?? 0) }),
                    "actions": Self.room(1000, rules.reduce(0) { $0 + ($1["actions"]?.array?.count ?? 0) }),
                ]),
            "resourcelinks": Self.room(64, numbered("resourcelinks").count),
            "streaming": Self.room(1, streams, ["channels": 20]),
            "timezones": ["values": .array(TimeZones.all.sorted().map { .string($0) })],
        ])
    }

    private static func room(_ total: Int, _ used: Int, _ more: [String: JSONValue] = [:]) -> JSONValue {
        .object(more.merging(["available": .int(max(0, total - used)), "total": .int(total)]) { $1 })
    }
}
