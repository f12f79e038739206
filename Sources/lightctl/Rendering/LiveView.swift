import ControlProtocol

/// The state that `lightctl watch` has seen, so that it prints only changes.
struct LiveView: Sendable {
    enum Change: Equatable, Sendable {
        case light(LightBody, before: LightBody?)
        case room(RoomBody, before: RoomBody?)
        case scene(SceneBody, before: SceneBody?)
        case sensor(SensorBody, before: SensorBody?)
        case press(PressBody)
        case bridge(BridgeBody, before: BridgeBody?)
        case dashboard([PinBody])
        case removed(RemovedBody, name: String)
    }

    private var lights: [String: LightBody] = [:]
    private var rooms: [String: RoomBody] = [:]
    private var scenes: [String: SceneBody] = [:]
    private var sensors: [String: SensorBody] = [:]
    private var bridges: [String: BridgeBody] = [:]

    func light(_ id: String) -> LightBody? { lights[id] }
    /// By name.
    var allBridges: [BridgeBody] { bridges.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) } }

    /// Replaces everything after a resync and returns the differences.
    mutating func replace(
        lights newLights: [LightBody], rooms newRooms: [RoomBody], scenes newScenes: [SceneBody],
        sensors newSensors: [SensorBody] = [], bridges newBridges: [BridgeBody]
    ) -> [Change] {
        func missing(_ kind: String, _ old: [String], _ new: [String]) -> [RemovedBody] {
            let new = Swift.Set(new)
            return old.filter { !new.contains($0) }.sorted().map { RemovedBody(kind: kind, id: $0) }
        }
        let removed =
            missing("light", Array(lights.keys), newLights.map(\.id))
            + missing("room", Array(rooms.keys), newRooms.map(\.id))
            + missing("scene", Array(scenes.keys), newScenes.map(\.id))
            + missing("sensor", Array(sensors.keys), newSensors.map(\.id))
            + missing("bridge", Array(bridges.keys), newBridges.map(\.id))
        var changes: [Change] = []
        for bridge in newBridges { changes += take(bridge: bridge) }
        for light in newLights { changes += take(light: light) }
        for room in newRooms { changes += take(room: room) }
        for scene in newScenes { changes += take(scene: scene) }
        for sensor in newSensors { changes += take(sensor: sensor) }
        for body in removed { changes += remove(body) }
        return changes
    }

    mutating func take(light: LightBody) -> [Change] {
        let before = lights.updateValue(light, forKey: light.id)
        // A repeated confirmation changes only the time and the cause.
        if var same = before, same.freshness == light.freshness {
            (same.since, same.cause) = (light.since, light.cause)
            if same == light { return [] }
        }
        return [.light(light, before: before)]
    }

    mutating func take(room: RoomBody) -> [Change] {
        let before = rooms.updateValue(room, forKey: room.id)
        return before == room ? [] : [.room(room, before: before)]
    }

    mutating func take(scene: SceneBody) -> [Change] {
        let before = scenes.updateValue(scene, forKey: scene.id)
        return before == scene ? [] : [.scene(scene, before: before)]
    }

    mutating func take(sensor: SensorBody) -> [Change] {
        let before = sensors.updateValue(sensor, forKey: sensor.id)
        return before == sensor ? [] : [.sensor(sensor, before: before)]
    }

    mutating func take(bridge: BridgeBody) -> [Change] {
        let before = bridges.updateValue(bridge, forKey: bridge.id)
        return before == bridge ? [] : [.bridge(bridge, before: before)]
    }

    mutating func remove(_ body: RemovedBody) -> [Change] {
        let name: String? =
            switch body.kind {
            case "light": lights.removeValue(forKey: body.id)?.name
            case "room": rooms.removeValue(forKey: body.id)?.name
            case "scene": scenes.removeValue(forKey: body.id)?.name
            case "sensor": sensors.removeValue(forKey: body.id)?.name
            case "bridge": bridges.removeValue(forKey: body.id)?.name
            default: nil
            }
        return name.map { [.removed(body, name: $0)] } ?? []
    }
}

extension LiveView.Change {
    /// One line for people; `nil` for changes that only programs need (a room's counts follow from its lights), and for
    /// what is only measured.
    func text(_ clock: WallClock) -> String? {
        switch self {
        case let .light(light, before): Self.text(light, before, clock)
        case let .room(room, before):
            if let before {
                before.name == room.name ? nil : "room \(printable(before.name)): renamed to \(printable(room.name))"
            } else {
                "room \(printable(room.name)): new"
            }
        case let .scene(scene, before):
            if let before {
                before.name == scene.name ? nil : "scene \(printable(before.name)): renamed to \(printable(scene.name))"
            } else {
                "scene \(printable(scene.name)): new"
            }
        case let .sensor(sensor, before): Self.text(sensor, before, clock)
        case let .press(press): "\(printable(press.name)): \(press.words)"
        case let .bridge(bridge, before):
            before?.connected == bridge.connected && before?.reason == bridge.reason
                ? nil : "bridge \(printable(bridge.name)): \(Lists.connection(bridge, clock).text)"
        case .dashboard: nil
        case let .removed(body, name): "\(body.kind) \(printable(name)): removed"
        }
    }

    private static func text(_ sensor: SensorBody, _ before: SensorBody?, _ clock: WallClock) -> String? {
        guard let before else { return "\(printable(sensor.name)): new, \(sensor.summary(clock))" }
        var words: [String] = []
        if before.name != sensor.name { words.append("renamed to \(printable(sensor.name))") }
        if before.room != sensor.room { words.append("moved to \(sensor.room.map(printable) ?? "no room")") }
        switch (before.freshness, sensor.freshness) {
        case (_, .unreachable) where before.freshness != .unreachable: words.append("unreachable")
        case (_, .stale) where before.freshness != .stale: words.append("stale: its bridge cannot be reached")
        case (.unreachable, _) where sensor.freshness != .unreachable: words.append("reachable again")
        case (.stale, _) where sensor.freshness != .stale: words.append("up to date again")
        default: break
        }
        if before.enabled != sensor.enabled { words.append(sensor.enabled ? "switched on" : "switched off") }
        if let now = sensor.motion?.value, now != before.motion?.value { words.append(now ? "motion" : "no motion") }
        if let now = sensor.contact?.value, now != before.contact?.value { words.append(now.rawValue) }
        if let now = sensor.tampering?.value, now != before.tampering?.value {
            words.append(now ? "tampered with" : "no longer tampered with")
        }
        return words.isEmpty ? nil : "\(printable(before.name)): \(words.joined(separator: ", "))"
    }

    private static func text(_ light: LightBody, _ before: LightBody?, _ clock: WallClock) -> String? {
        guard let before else { return "\(printable(light.name)): new, \(light.summary(clock))" }
        var words: [String] = []
        if before.name != light.name { words.append("renamed to \(printable(light.name))") }
        if before.room != light.room { words.append("moved to \(light.room.map(printable) ?? "no room")") }
        switch (before.freshness, light.freshness) {
        case (_, .unreachable) where before.freshness != .unreachable: words.append("unreachable")
        case (_, .stale) where before.freshness != .stale: words.append("stale: its bridge cannot be reached")
        case (.unreachable, _) where light.freshness != .unreachable: words.append("reachable again")
        case (.stale, _) where light.freshness != .stale: words.append("up to date again")
        default: break
        }
        if before.power != light.power || words.contains("reachable again") { words.append(light.power.rawValue) }
        if let now = light.brightness, before.brightness.map(percent) != percent(now) { words.append(percent(now)) }
        if let now = light.tone, before.tone != now { words.append(now) }
        if words.isEmpty, before.freshness == .expected, light.freshness == .confirmed { words.append("confirmed") }
        guard !words.isEmpty else { return nil }
        if light.freshness == .expected { words.append("not yet confirmed") }
        return "\(printable(before.name)): \(words.joined(separator: ", "))"
    }

    /// Prints one line of JSON.
    func write(to console: Console, time: String) throws {
        func line(_ event: EventName, _ data: some Encodable) throws {
            try console.printJSON(JSONEvent(event: event, time: time, data: data), oneLine: true)
        }
        switch self {
        case let .light(body, _): try line(.light, body)
        case let .room(body, _): try line(.room, body)
        case let .scene(body, _): try line(.scene, body)
        case let .sensor(body, _): try line(.sensor, body)
        case let .press(body): try line(.press, body)
        case let .bridge(body, _): try line(.bridge, body)
        case let .dashboard(body): try line(.dashboard, body)
        case let .removed(body, _): try line(.removed, body)
        }
    }

    private struct JSONEvent<Body: Encodable>: Encodable {
        let event: EventName
        let time: String
        let data: Body
    }
}
