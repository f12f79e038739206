import HashTreeCollections

/// What is called what, as automations call it. Made anew only when something is added, removed or renamed, so that an
/// event costs what it concerns.
public struct HomeNames: Sendable {
    /// Whether every bridge is connected: what is not known then does not exist.
    let isWhole: Bool
    private let readBridges: Set<Bridge.ID>
    private var lights = NameTable<Light.ID>()
    private var rooms = NameTable<Room.ID>()
    private var scenes = NameTable<Scene.ID>()
    private var sensors = NameTable<Sensor.ID>()
    private var bridges = NameTable<Bridge.ID>()
    private var roomsOfLight: [Light.ID: [Room.ID]] = [:]
    private var roomOfSensor: [Sensor.ID: Room.ID] = [:]
    private var sensorsOfRoom: [Room.ID: [Sensor.ID]] = [:]

    public init(_ state: AppState) {
        isWhole = state.isWhole
        readBridges = Set(state.lights.keys.map(\.bridge)).union(state.rooms.keys.map(\.bridge))
        for bridge in state.bridges.values.sorted(by: { $0.id < $1.id }) {
            bridges.add(bridge.id, bridge.name, id: bridge.id.description)
        }
        var roomOfLight: [Light.ID: String] = [:]
        for room in state.rooms.values.sorted(by: { $0.id < $1.id }) {
            rooms.add(room.id, room.name, id: room.id, on: state.bridges[room.id.bridge])
            for light in room.lights {
                roomsOfLight[light, default: []].append(room.id)
                if room.kind == .room { roomOfLight[light] = room.name }
            }
        }
        for light in state.lights.values.sorted(by: { $0.id < $1.id }) {
            lights.add(
                light.id, light.name, in: roomOfLight[light.id], id: light.id, on: state.bridges[light.id.bridge])
        }
        for scene in state.scenes.values.sorted(by: { $0.id < $1.id }) {
            scenes.add(
                scene.id, scene.name, in: scene.room.flatMap { state.rooms[$0]?.name }, id: scene.id,
                on: state.bridges[scene.id.bridge])
        }
        for sensor in state.sensors.values.sorted(by: { $0.id < $1.id }) {
            let room = sensor.room.flatMap { state.rooms[$0] }
            sensors.add(sensor.id, sensor.name, in: room?.name, id: sensor.id, on: state.bridges[sensor.id.bridge])
            guard let room else { continue }
            roomOfSensor[sensor.id] = room.id
            sensorsOfRoom[room.id, default: []].append(sensor.id)
        }
    }

    // MARK: What a name means

    /// The sensors of this name, and those in the room of this name.
    func sensors(named name: String) -> [Sensor.ID] {
        let own = sensors.called(name.withoutRoomSign)
        let inRooms = rooms.called(name.withoutRoomSign).flatMap { sensorsOfRoom[$0] ?? [] }
        return own + inRooms.filter { !own.contains($0) }
    }

    /// The lights, rooms or home of a name: "Desk", "@Living", "all"; a room's name alone if no light has it.
    func targets(named name: String) -> [Target] {
        if NameUse(.lights, name).isAll { return [.all] }
        if name.roomSign.isEmpty {
            let found = lights.called(name)
            if !found.isEmpty { return found.map(Target.light) }
        }
        return rooms.called(name.withoutRoomSign).map(Target.room)
    }

    /// Everything that a name may mean; nothing if it means the whole home. A room stands for its sensors, also for one
    /// that has its name.
    func things(of use: NameUse) -> [NamedThing] {
        switch use.role {
        case .lights:
            return targets(named: use.text).compactMap { target in
                switch target {
                case let .light(id): .light(id)
                case let .room(id): .room(id)
                case .all: nil
                }
            }
        case .room: return rooms.called(use.text.withoutRoomSign).map(NamedThing.room)
        case .scene:
            let found = scenes.called(use.text)
            return (found.isEmpty ? scenes.called(use.text.withoutRoomSign) : found).map(NamedThing.scene)
        case .sensor:
            let inRooms = rooms.called(use.text.withoutRoomSign).filter { sensorsOfRoom[$0] != nil }
            let covered = Set(inRooms.flatMap { sensorsOfRoom[$0] ?? [] })
            let own = sensors.called(use.text.withoutRoomSign).filter { !covered.contains($0) }
            return inRooms.map(NamedThing.room) + own.map(NamedThing.sensor)
        case .bridge: return bridges.called(use.text).map(NamedThing.bridge)
        }
    }

    // MARK: What a thing is called

    /// Whether it exists, as far as is known.
    func has(_ thing: NamedThing) -> Bool { !texts(naming: thing).isEmpty }

    /// Whether its bridge was read since lightd started, so that its room is known, too.
    func isRead(_ thing: NamedThing) -> Bool {
        if case .bridge = thing { true } else { readBridges.contains(thing.bridge) }
    }

    /// What a person would type today to name this and nothing else, as they have named it before: with its room or
    /// without, with @ or without.
    func text(naming thing: NamedThing, like use: NameUse) -> String {
        var texts = texts(naming: thing)
        // The id stays the last.
        if use.text.contains("/"), texts.count > 2 { texts = texts[1..<(texts.count - 1)] + [texts[0], thing.text] }
        var signs = [use.text.roomSign]
        if use.role == .lights, case .room = thing, signs == [""] { signs.append("@") }
        let candidates = texts.flatMap { text in signs.map { $0 + text } }
        return candidates.first { things(of: NameUse(use.role, $0)) == [thing] } ?? use.text.roomSign + thing.text
    }

    private func texts(naming thing: NamedThing) -> [String] {
        switch thing {
        case let .light(id): lights.texts(naming: id)
        case let .room(id): rooms.texts(naming: id)
        case let .scene(id): scenes.texts(naming: id)
        case let .sensor(id): sensors.texts(naming: id)
        case let .bridge(id): bridges.texts(naming: id)
        }
    }

    // MARK: Under which names something may be waited for

    func subjects(of light: Light) -> Set<AutomationState.Subject> {
        var texts = lights.allTexts(naming: light.id).union(["all"])
        for room in roomsOfLight[light.id] ?? [] { texts.formUnion(rooms.allTexts(naming: room)) }
        return Set(texts.map(AutomationState.Subject.lights))
    }

    func subjects(of sensor: Sensor) -> Set<AutomationState.Subject> {
        var texts = sensors.allTexts(naming: sensor.id)
        if let room = roomOfSensor[sensor.id] { texts.formUnion(rooms.allTexts(naming: room)) }
        return Set(texts.map(AutomationState.Subject.sensor))
    }
}

extension AppState {
    /// Whether every bridge is connected: what is not known then does not exist.
    public var isWhole: Bool { !bridges.isEmpty && bridges.values.allSatisfy(\.isConnected) }
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
    var withoutRoomSign: String { hasPrefix("@") ? String(dropFirst()) : self }
    /// "@", or nothing.
    var roomSign: String { hasPrefix("@") ? "@" : "" }
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

/// A name that means nothing in the home now.
public struct MissingName: Equatable, Sendable {
    /// `nil` if any bridge is meant, and none is paired.
    public let use: NameUse?
    /// As a sentence: "no light or room is called 'Sofa'".
    public let text: String
}

extension AppState {
    /// What an automation is about and nothing in the home has now.
    ///
    /// - Parameter withCommands: whether also what its commands name, as far as that was looked at already.
    public func missing(
        in automation: Automation, _ names: HomeNames? = nil, withCommands: Bool = true
    ) -> [MissingName] {
        let names = names ?? HomeNames(self)
        var missing: [MissingName] = []
        for case let .press(name, _, _) in automation.triggers {
            let isSwitch = names.sensors(named: name).contains { sensors[$0]?.buttons.isEmpty == false }
            if !isSwitch {
                missing.append(MissingName(use: NameUse(.sensor, name), text: "no switch is called '\(name)'"))
            }
        }
        for check in automation.checks {
            if let failure = names.missing(in: check, self) {
                missing.append(MissingName(use: check.nameUse, text: failure.description))
            }
        }
        for case let .restore(name) in automation.steps {
            if let failure = names.missing(target: name) {
                missing.append(MissingName(use: NameUse(.lights, name), text: failure.description))
            }
        }
        let found = Set(missing.map(\.use))
        for name in automation.names ?? []
        where withCommands && !found.contains(name.use) && names.things(of: name.use).isEmpty {
            missing.append(MissingName(use: name.use, text: name.missing))
        }
        return missing.unique { $0.text.folded }
    }
}

extension Automation.Name {
    fileprivate var missing: String {
        if let replaced {
            return "the \(thing?.kind ?? "thing") '\(replaced)' is gone, and something else has its name"
        }
        if let thing { return "the \(thing.kind) '\(use.text)' is gone" }
        return switch use.role {
        case .lights: "no light or room is called '\(use.text)'"
        case .room: "no room or zone is called '\(use.text)'"
        case .scene: "no scene is called '\(use.text)'"
        case .sensor: "no sensor is called '\(use.text)'"
        case .bridge: "no bridge is called '\(use.text)'"
        }
    }
}

extension Automation {
    /// All that its triggers, conditions and steps look at.
    fileprivate var checks: [Check] {
        triggers.compactMap { if case let .becomes(check, _) = $0 { check } else { nil } }
            + conditions.flatMap(\.checks)
            + steps.compactMap { if case let .waitFor(check, _, _) = $0 { check } else { nil } }
    }

    /// What it looks at that a sensor only measures: of that the journal tells nothing.
    public var measuredChecks: [Check] {
        checks.filter { check in
            switch check {
            case .lightLevel, .temperature: true
            case .motion, .contact, .power, .bridge: false
            }
        }
    }
}

extension Automation.Condition {
    fileprivate var checks: [Automation.Check] {
        switch self {
        case .between, .days, .elevation: []
        case let .check(check): [check]
        case let .not(condition): condition.checks
        case let .any(conditions): conditions.flatMap(\.checks)
        }
    }
}
