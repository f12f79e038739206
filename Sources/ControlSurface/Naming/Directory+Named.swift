public import ControlProtocol
import HashTreeCollections
import Khipu
public import Lighting

/// Names resolved, with an error for the caller if nothing or more than one thing has the name.
extension Directory {
    public func target(named text: String) throws(ErrorReply) -> Target {
        // Whoever has named one of two lamps must not get the other because its bridge is away.
        if !state.unreadLights.isEmpty {
            let known = rememberingUnread
            if case .ambiguous = known.target(text), case let .found(target) = target(text), case .light = target {
                _ = try known.target(named: text)
            }
        }
        let isLight = called(text).contains { if case .light = $0 { true } else { false } }
        if case .unknown = target(text), case let .found(bridge) = bridge(text) { throw noTarget(bridge) }
        return try resolve(
            target(text), "light or room", several: isLight ? "lights" : "rooms", text, list: "lightctl list",
            mayBeDisconnected: true)
    }

    /// A bridge is no target; what it has is.
    private func noTarget(_ bridge: Bridge.ID) -> ErrorReply {
        let rooms = rooms.filter { $0.id.bridge == bridge }.prefix(Self.mostCandidates)
            .map { text(naming: .room($0.id)) }
        let isOnly = bridges.count == 1
        return ErrorReply(
            .noSuchTarget, "'\(self.bridge(bridge)?.name ?? bridge.description)' is a bridge, not a light or room",
            hint: isOnly
                ? "'all' means all of its lights"
                : rooms.isEmpty ? "run 'lightctl list' for its lights" : "name its rooms: \(ShellQuote.line(rooms))")
    }

    /// - Throws: if it is none; if it is a scene or a sensor, with what to do instead.
    func target(toRename text: String, to name: String) throws(ErrorReply) -> Target {
        guard case .unknown = target(text) else { return try target(named: text) }
        if case let .found(scene) = scene(text) {
            throw ErrorReply(
                .noSuchTarget, "'\(self.scene(scene)?.name ?? text)' is a scene, not a light or room",
                hint: "use '\(ShellQuote.line(["lightctl", "scene", "rename", text, name]))'")
        }
        if case let .found(sensor) = sensor(text) {
            throw ErrorReply(
                .cannot,
                "'\(sensors.first { $0.id == sensor }?.name ?? text)' is a sensor or switch, which lightd "
                    + "cannot rename", hint: "rename it in the maker's app: lightd takes the new name from its bridge")
        }
        return try target(named: text)
    }

    /// What each of several lights shows, if ids are all that names them: no name, room or bridge tells them apart.
    private func hint(tellingApart names: [String]) -> String? {
        let lights = names.compactMap { name in Light.ID(name).flatMap { light($0) } }
        guard let first = lights.first else { return nil }
        let states = lights.map { light in
            let room = roomOfLight[light.id].map { " in \($0.name)" } ?? ""
            let level = light.power == .on && light.limits.dims ? " at \(light.brightness.percentWords)" : ""
            return "\(light.id)\(room) is \(light.power.rawValue)\(level)"
        }
        return (states + ["'\(ShellQuote.line("lightctl identify", operand: "\(first.id)"))' makes one blink"]).joined(
            separator: "; ")
    }

    /// A light by its id or its name; for long lists, so without a search for similar names.
    func light(named text: String) throws(ErrorReply) -> Light.ID {
        let found = called(text).compactMap { target -> Light.ID? in
            if case let .light(light) = target { light } else { nil }
        }
        if let light = found.first, found.count == 1 { return light }
        if found.isEmpty, let missingBridge { throw missingBridge.reply(in: self) }
        throw found.isEmpty
            ? ErrorReply(.noSuchTarget, "no light is called '\(text.shortened)'")
            : ErrorReply(.ambiguousTarget, "'\(text.shortened)' is the name of \(found.count) lights")
    }

    /// What log entries about a target or a sensor are about; `nil` for `all`: every entry. What has gone can be asked for
    /// by its id.
    public func subject(named text: String) throws(ErrorReply) -> Journal.Subject? {
        let target: Target
        do throws(ErrorReply) {
            target = try rememberingUnread.target(named: text)
        } catch {
            if error.error.code != .ambiguousTarget, case let .found(sensor) = sensor(text) {
                return Journal.Subject(lights: [], sensors: [sensor])
            }
            guard error.error.code != .ambiguousTarget, let id = Light.ID(text), id.bridge.isPlausible else {
                throw error
            }
            return Journal.Subject(
                lights: [id], rooms: [Room.ID(bridge: id.bridge, resource: id.resource)],
                scenes: [Scene.ID(bridge: id.bridge, resource: id.resource)],
                sensors: [Sensor.ID(bridge: id.bridge, resource: id.resource)])
        }
        guard target != .all else { return nil }
        var (lights, targets): (Set<Light.ID>, Set<Room.ID>) = ([], [])
        switch target {
        case let .light(id): lights = [id]
        case let .room(id):
            targets = [id]
            lights = Set(room(id)?.lights ?? [])
        case .all: break
        }
        let groups = rooms.filter { targets.contains($0.id) || !lights.isDisjoint(with: $0.lights) }
        let scenes = scenes.filter { scene in
            scene.lights.isEmpty
                ? groups.contains { $0.id == scene.room } : !lights.isDisjoint(with: scene.lights)
        }
        // A sensor may have the name of a light.
        let namesakes = if case let .found(sensor) = sensor(text) { Set([sensor]) } else { Set<Sensor.ID>() }
        let inRooms = sensors.filter { $0.room.map(targets.contains) ?? false }.map(\.id)
        return Journal.Subject(
            lights: lights, rooms: targets.union(groups.map(\.id)), scenes: Set(scenes.map(\.id)),
            sensors: namesakes.union(inRooms))
    }

    /// The home with the lights of bridges that have not been read since lightd started, as they are remembered.
    private var rememberingUnread: Directory {
        state.unreadLights.isEmpty
            ? self : Directory(state.alter(by: state.unreadLights.values.map { .adding(.light($0)) }), in: time)
    }

    func targets(named texts: [String]) throws(ErrorReply) -> [Target] {
        try texts.map { (text) throws(ErrorReply) in try target(named: text) }
    }

    /// - Parameters:
    ///   - kind: only a room, or only a zone.
    ///   - verb: what is to be done to it, as lightctl calls that.
    func room(named text: String, kind: RoomKind?, to verb: String) throws(ErrorReply) -> Room.ID {
        let lookup = room(text, kind: kind)
        if case .unknown = lookup, let kind, case let .found(other) = room(text, kind: nil) {
            let otherKind = self.kind(of: other)
            throw ErrorReply(
                .noSuchTarget, "'\(room(other)?.name ?? text)' is a \(otherKind), not a \(kind.rawValue)",
                hint: "use 'lightctl \(otherKind) \(verb)'")
        }
        return try resolve(
            lookup, kind?.rawValue ?? "room or zone",
            several: kind.map { "\($0.rawValue)s" } ?? "rooms and zones", text, list: "lightctl list rooms",
            mayBeDisconnected: true)
    }

    /// The room or zone of a home that has no other.
    var onlyRoom: Room.ID {
        get throws(ErrorReply) {
            let rooms = rooms
            if let room = rooms.first, rooms.count == 1 { return room.id }
            if rooms.isEmpty, let missingBridge { throw missingBridge.reply(in: self) }
            throw ErrorReply(
                .invalid, "name the room or zone whose lights the scene is to store",
                candidates: rooms.prefix(Self.mostCandidates).map { self.text(naming: .room($0.id)) })
        }
    }

    /// - Throws: if several bridges could keep a new room without lights.
    func needOneBridge(toCreate name: String, _ kind: RoomKind) throws(ErrorReply) {
        guard let first = bridges.first, bridges.count > 1 else { return }
        let option = ShellQuote.line(["--bridge", text(naming: first.id)])
        let example = ShellQuote.line("lightctl \(kind.rawValue) create \(option)", operand: name)
        throw ErrorReply(
            .whichBridge, "there are several bridges: name the one on which to create '\(name)', or lights of it",
            hint: "for example: \(example)", candidates: bridges.map(\.name))
    }

    /// - Throws: if none of a target's lights has one of these values. A target without lights may get some.
    func needLights(of target: Target, thatFollow values: Set<FollowedValue>) throws(ErrorReply) {
        let lights = lights(of: target)
        guard let first = lights.first, !lights.contains(where: { values.contains(where: $0.can) }) else { return }
        let ability = values == [.temperature] ? "show a colour temperature" : "be dimmed"
        throw Failure.cannot(light: first.name, what: ability).reply(in: self)
    }

    /// What a person should know after a light got a name that another one has; `nil` if no other has it.
    func warning(afterRenaming target: Target) -> String? {
        guard case let .light(id) = target, let name = name(of: id) else { return nil }
        let text = text(naming: target)
        return text == name ? nil : "other lights are called '\(name)' too: '\(text)' names this one"
    }

    func scene(named text: String) throws(ErrorReply) -> Scene.ID {
        try resolve(
            scene(text), "scene", several: "scenes", text, list: "lightctl list scenes", mayBeDisconnected: true)
    }

    /// Scenes of a room or zone, each by its name alone or as elsewhere.
    func scenes(named texts: [String], of room: Room.ID) throws(ErrorReply) -> [Scene.ID] {
        try zip(texts, scenes(texts, of: room)).map { (text, found) throws(ErrorReply) in
            try resolve(
                found, "scene of \(name(of: .room(room)))", several: "scenes", text,
                list: "lightctl list scenes")
        }
    }

    public func sensor(named text: String) throws(ErrorReply) -> Sensor.ID {
        try resolve(
            sensor(text), "sensor or switch", several: "sensors", text, list: "lightctl list sensors",
            mayBeDisconnected: true)
    }

    /// One sensor; those in a room, for "@room"; or "all".
    public func sensors(named text: String) throws(ErrorReply) -> [Sensor] {
        guard text.hasPrefix("@") || text.lowercased() == "all" else {
            let id = try sensor(named: text)
            return sensors.filter { $0.id == id }
        }
        guard case let .room(room) = try target(named: text) else { return sensors }
        return sensors.filter { $0.room == room }
    }

    func bridge(named text: String) throws(ErrorReply) -> Bridge.ID {
        try resolve(bridge(text), "bridge", several: "bridges", text, list: "lightctl list bridges")
    }

    /// A paired bridge by its name or id, or a bridge that is not paired yet by its id.
    func bridgeOrID(_ text: String) throws(ErrorReply) -> Bridge.ID {
        if case .unknown = bridge(text) { Bridge.ID(text) } else { try bridge(named: text) }
    }

    /// A target on the dashboard, by the text of its pin even if its light or room is gone.
    func pinnedTarget(_ text: String) throws(ErrorReply) -> Target {
        let pin = dashboard.pins.first { $0.target.text.lowercased() == text.lowercased() }
        return if let pin { pin.target } else { try target(named: text) }
    }

    /// - Parameters:
    ///   - kind: what was looked for, for the error.
    ///   - several: what more than one of them are.
    ///   - list: the command that lists all of this kind.
    ///   - mayBeDisconnected: whether the name may belong to a bridge that has not connected yet. The error is then
    ///     about that bridge.
    private func resolve<Found>(
        _ lookup: Lookup<Found>, _ kind: String, several: String, _ text: String, list: String,
        mayBeDisconnected: Bool = false
    ) throws(ErrorReply) -> Found {
        switch lookup {
        case let .found(found): return found
        case let .unknown(candidates: names):
            if mayBeDisconnected, let missingBridge { throw missingBridge.reply(in: self) }
            throw ErrorReply(
                .noSuchTarget, "no \(kind) is called '\(text.shortened)'",
                hint: lights.isEmpty ? Remedy.checkConnection.hint : "run '\(list)' for all names",
                candidates: names.isEmpty ? nil : names)
        case let .ambiguous(candidates: names, of: count):
            throw ErrorReply(
                .ambiguousTarget, "'\(text.shortened)' is the name of \(count) \(several)",
                hint: names.count < count
                    ? "these are \(names.count) of \(count); '\(list) --json' shows the id of each, which names it too"
                    : several == "lights" ? hint(tellingApart: names) : nil,
                candidates: names)
        }
    }
}

extension Bridge.ID {
    /// Whether it may be a bridge's id rather than a name.
    fileprivate var isPlausible: Bool { description.utf8.count == 16 && description.allSatisfy(\.isHexDigit) }
}

extension String {
    /// For an error: what somebody sent instead of a name may be very long.
    fileprivate var shortened: String { count > 100 ? prefix(100) + "…" : self }
}

extension Directory {
    /// How many commands of one step, such as an automation's run, a sentence names.
    private static let mostWordedCommands = 5

    /// The command with this ticket, as it was worded then; `nil` if it is no longer remembered.
    ///
    /// - Parameter light: of several commands of one ticket, the one that has set it.
    func words(ofCommand ticket: Ticket, at light: Light.ID? = nil) -> String? {
        state.history.wording(of: ticket, at: light).map(words)
    }

    /// The commands that the undo or redo with this ticket took back or did again, in that order, as they were worded.
    /// Those that a new command has put out of reach of redo meanwhile are missing.
    func wordsOfCommands(reversedBy ticket: Ticket) -> [String] {
        state.history.steps(reversedBy: ticket).map { words(of: $0.wording) }
    }

    /// "turn Fan on; set Stove to 21%"; of many commands the newest.
    private func words(of commands: [History.Wording]) -> String {
        let named = commands.suffix(Self.mostWordedCommands).map { wording in
            wording.command.words(in: wording.names.map { remembering($0) } ?? self)
        }
        let isCut = named.count < commands.count
        return ((isCut ? ["\(commands.count - named.count) more"] : []) + named).joined(separator: "; ")
    }
}

/// What is bound.
extension Directory {
    /// A scene of the target if it is a room, by its name alone; otherwise as elsewhere.
    func scene(named text: String, of target: Target) throws(ErrorReply) -> Scene.ID {
        if case let .room(room) = target {
            let called = scenes.filter { $0.room == room && $0.name.lowercased() == text.lowercased() }
            if let scene = called.first, called.count == 1 { return scene.id }
        }
        return try scene(named: text)
    }

    /// A bound switch by its name, or by the name that it had when it was bound.
    func boundSwitch(named text: String) throws(ErrorReply) -> Sensor.ID {
        let bound = state.bindings.values.filter { $0.names.name(of: $0.id)?.lowercased() == text.lowercased() }
        if case .unknown = sensor(text), let binding = bound.first, bound.count == 1 { return binding.id }
        return try sensor(named: text)
    }

    /// By the names of the switches.
    public var bindingBodies: [BindingBody] {
        state.bindings.values.sorted { NameOrder(state.name(of: $0), $0.id) }.map { body(of: $0) }
    }

    func body(of binding: SwitchBinding) -> BindingBody {
        BindingBody(
            id: binding.id.description, name: state.name(of: binding), target: binding.target.text,
            targetName: targetName(of: binding), scenes: state.scenes(of: binding).map { sceneName($0, of: binding) },
            controls: state.sensors[binding.id].map { controls(of: $0, binding) } ?? [], problem: problem(of: binding))
    }

    /// "@Living": also of one that is gone.
    func targetName(of binding: SwitchBinding) -> String {
        switch binding.target {
        case let .light(id): name(of: id) ?? binding.names.name(of: id) ?? id.description
        case let .room(id): "@" + (name(of: id) ?? binding.names.name(of: id) ?? id.description)
        case .all: "all"
        }
    }

    private func sceneName(_ id: Scene.ID, of binding: SwitchBinding) -> String {
        scene(id)?.name ?? binding.names.name(of: id) ?? id.description
    }

    /// Why it does nothing, or not all that it should; `nil` if nothing is wrong, or the bridge has not been read yet.
    private func problem(of binding: SwitchBinding) -> String? {
        func isGone(_ bridge: Bridge.ID, _ isKnown: Bool) -> Bool {
            !isKnown && self.bridge(bridge)?.isConnected == true
        }
        if isGone(binding.id.bridge, state.sensors[binding.id] != nil) { return "the switch no longer exists" }
        let isTargetGone =
            switch binding.target {
            case let .light(id): isGone(id.bridge, light(id) != nil)
            case let .room(id): isGone(id.bridge, room(id) != nil)
            case .all: false
            }
        if isTargetGone { return "\(targetName(of: binding)) no longer exists" }
        return (binding.scenes ?? []).first { isGone($0.bridge, scene($0) != nil) }.map {
            "scene '\(sceneName($0, of: binding))' no longer exists"
        }
    }

    /// What its buttons and its dial do, in words.
    private func controls(of sensor: Sensor, _ binding: SwitchBinding) -> [BindingBody.Control] {
        let scenes = state.scenes(of: binding).map { "'\(sceneName($0, of: binding))'" }
        let buttons = sensor.roles.sorted { $0.key < $1.key }.map { number, role in
            BindingBody.Control(control: "button \(number)", does: role.words(scenes))
        }
        guard sensor.abilities.contains(.dial) else { return buttons }
        return buttons + [.init(control: "dial", does: "brighter and darker, with the lights' ratios; from off, on")]
    }
}

extension ButtonRole {
    fileprivate func words(_ scenes: [String]) -> String {
        switch self {
        case .on where scenes.isEmpty: "on"
        case .on: "on; again: \(scenes.joined(separator: ", "))"
        case .off: "off"
        case .brighter: "brighter, also while held"
        case .darker: "darker, also while held"
        case let .scene(number, holds):
            (scenes.indices.contains(number) ? scenes[number] : "on and off") + (holds ? "; held: off" : "")
        case .toggle: "on and off; held: brighter or darker in turns"
        }
    }
}
