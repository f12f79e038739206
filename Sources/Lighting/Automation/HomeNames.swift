import HashTreeCollections

/// Lights, rooms and sensors by their names, as automations call them. Made anew only when something is added, removed or
/// renamed, so that an event costs what it concerns.
struct HomeNames: Sendable {
    private var lights: [String: [Light.ID]] = [:]
    private var rooms: [String: [Room.ID]] = [:]
    private var sensors: [String: [Sensor.ID]] = [:]
    private var roomsOfLight: [Light.ID: [String]] = [:]
    private var roomOfSensor: [Sensor.ID: String] = [:]

    init(_ state: AppState) {
        for light in state.lights.values.sorted(by: { $0.id < $1.id }) {
            lights[light.name.folded, default: []].append(light.id)
            lights[light.id.description.folded] = [light.id]
        }
        for room in state.rooms.values.sorted(by: { $0.id < $1.id }) {
            rooms[room.name.folded, default: []].append(room.id)
            rooms[room.id.description.folded] = [room.id]
            for light in room.lights { roomsOfLight[light, default: []].append(room.name.folded) }
        }
        for sensor in state.sensors.values.sorted(by: { $0.id < $1.id }) {
            sensors[sensor.name.folded, default: []].append(sensor.id)
            sensors[sensor.id.description.folded] = [sensor.id]
            guard let room = sensor.room.flatMap({ state.rooms[$0] }) else { continue }
            roomOfSensor[sensor.id] = room.name.folded
            if room.name.folded != sensor.name.folded { sensors[room.name.folded, default: []].append(sensor.id) }
        }
    }

    /// The sensors of this name, and those in the room of this name.
    func sensors(named name: String) -> [Sensor.ID] { sensors[name.withoutRoomSign.folded] ?? [] }

    /// The lights, rooms or home of a name: "Desk", "@Living", "all"; a room's name alone if no light has it.
    func targets(named name: String) -> [Target] {
        let folded = name.folded
        if folded == "all" { return [.all] }
        if !folded.hasPrefix("@"), let found = lights[folded] { return found.map(Target.light) }
        return (rooms[folded.withoutRoomSign] ?? []).map(Target.room)
    }

    // MARK: Under which names something may be waited for

    func subjects(of light: Light) -> Set<AutomationState.Subject> {
        let rooms = (roomsOfLight[light.id] ?? []).map { AutomationState.Subject.lights($0) }
        return Set([.lights(light.name.folded), .lights(light.id.description.folded), .lights("all")] + rooms)
    }

    func subjects(of sensor: Sensor) -> Set<AutomationState.Subject> {
        let room = roomOfSensor[sensor.id].map { [AutomationState.Subject.sensor($0)] } ?? []
        return Set([.sensor(sensor.name.folded), .sensor(sensor.id.description.folded)] + room)
    }
}

extension HomeNames {
    /// Why nobody will ever know whether a check is true: nothing in the home tells of it; `nil` if something does.
    func missing(in check: Automation.Check, _ state: AppState) -> Failure? {
        func sensorMissing(_ name: String, _ ability: Sensor.Ability, _ words: String) -> Failure? {
            sensors(named: name).contains { state.sensors[$0]?.abilities.contains(ability) ?? false }
                ? nil : .noSuchName("nothing called '\(name)' \(words)")
        }
        return switch check {
        case let .motion(name, _): sensorMissing(name, .motion, "sees motion")
        case let .contact(name, _): sensorMissing(name, .contact, "is a contact")
        case let .lightLevel(name, _): sensorMissing(name, .lightLevel, "measures light")
        case let .temperature(name, _): sensorMissing(name, .temperature, "measures the temperature")
        case let .power(name, _): missing(target: name)
        case let .bridge(name, _):
            state.bridges.values.contains { $0.isCalled(name) }
                ? nil : .noSuchName(name.map { "no bridge is called '\($0)'" } ?? "no bridge is paired")
        }
    }

    /// Why a name can be no target: nothing in the home is called so; `nil` if something is.
    func missing(target name: String) -> Failure? {
        targets(named: name).isEmpty ? .noSuchName("no light or room is called '\(name)'") : nil
    }
}

extension String {
    /// "@Living" is Living.
    fileprivate var withoutRoomSign: String { hasPrefix("@") ? String(dropFirst()) : self }
}

extension Automation.Check {
    /// Under which name something tells of it.
    var subject: AutomationState.Subject {
        switch self {
        case let .motion(name, _), let .contact(name, _), let .lightLevel(name, _), let .temperature(name, _):
            .sensor(name.withoutRoomSign.folded)
        case let .power(name, _): .lights(name.withoutRoomSign.folded)
        case .bridge: .bridges
        }
    }
}
