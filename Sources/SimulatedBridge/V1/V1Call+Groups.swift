import HueWire

/// `/groups`.
extension V1Call {
    var groupList: JSONValue {
        .object(
            Dictionary(home.v1Groups.map { ("\($0.number)", document(of: $0)) }) { first, _ in first })
    }

    func groups(_ path: [String]) throws(V1Failure) -> V1Outcome {
        switch (request.method, path.first, path.dropFirst().first) {
        case ("GET", nil, _): return .document(groupList)
        case ("POST", nil, _): return try createGroup()
        case (_, nil, _): throw notAllowed
        case let (method, number?, part):
            guard let group = home.v1Group(number) else { throw absent }
            if hasScenesInGroups, part == "scenes" { return try scenes(of: group, Array(path.dropFirst(2))) }
            guard path.count <= 2 else { throw absent }
            switch (method, part) {
            case ("GET", nil): return .document(document(of: group))
            case ("PUT", "action"): return try act(on: group)
            case ("PUT", nil), ("DELETE", nil):
                guard group.number != 0 else { throw V1Failure(.fixedGroup(address)) }
                return method == "PUT" ? try attributes(of: group) : delete(group)
            case (_, nil), (_, "action"): throw notAllowed
            default: throw absent
            }
        }
    }

    private func document(of group: V1GroupView) -> JSONValue {
        let document = group.document(in: home)
        return hasScenesInGroups ? document.merging(["scenes": sceneNames(of: group)]) : document
    }

    // MARK: - Creating and deleting

    private func createGroup() throws(V1Failure) -> V1Outcome {
        let reader = V1BodyReader(address)
        let body = try body()
        let type = try body["type"].map { value throws(V1Failure) in
            try reader.word(value, "type", of: ["Room", "Zone", "LightGroup", "Entertainment"])
        }
        var name: String?
        var lamps: [Lamp]?
        var room = "Other"
        for (member, value) in body.members {
            switch member {
            case "type", "recycle": break
            case "name": name = try reader.text(value, member)
            case "lights":
                lamps = try lights(value, reader)
                if type == "Room", let lamp = lamps?.first(where: { home.room(of: $0.id) != nil }) {
                    throw V1Failure(.taken("\(lamp.number)", address))
                }
            case "class": room = try reader.word(value, member, of: RoomClass.all)
            default: throw reader.unknown(member)
            }
        }
        guard let lamps, !lamps.isEmpty || type == "Room" || type == "Zone" else {
            throw V1Failure(.missing(address))
        }
        guard home.v1Groups.count < Capacity.groups else { throw V1Failure(.groupsFull) }
        if type == "Entertainment", lamps.count(where: EntertainmentArea.canRender) > Capacity.entertainmentChannels {
            throw reader.invalid(body["lights"] ?? .null, "lights")
        }
        let number = home.freeGroupNumber
        let title = name ?? "Group \(number)"
        let change: SimulatedHome.Change
        switch type {
        case "Room", "Zone":
            let kind: ResourceType = type == "Room" ? .room : .zone
            change = .adding(
                .group(
                    SimulatedHome.Group(
                        id: context.newID(kind), kind: kind, name: title,
                        archetype: RoomClass.archetype(of: room), number: number, lamps: lamps.map(\.id),
                        groupedLight: context.newID(.groupedLight))))
        case "Entertainment": change = area(title, number, lamps)
        default: change = .adding(.v1Object("/groups/\(number)", .lightGroup(V1LightGroup(title, lamps))))
        }
        return .done([.success(id: "\(number)")], [change])
    }

    /// An entertainment configuration with its lamps in a row.
    private func area(_ name: String, _ number: Int, _ lamps: [Lamp]) -> SimulatedHome.Change {
        let id = context.newID(EntertainmentArea.type)
        let members = lamps.filter(EntertainmentArea.canRender)
        let placements = members.enumerated().map { index, lamp in
            EntertainmentArea.Placement(lamp: lamp, positions: [EntertainmentArea.position(index, of: members.count)])
        }
        let proxy: JSONValue = .reference(members.first?.ids.entertainment ?? id, .entertainment)
        let document = EntertainmentArea.document(name, kind: "screen", number: number).merging([
            "type": .string(EntertainmentArea.type.rawValue), "id": .id(id),
            "stream_proxy": ["mode": "auto", "node": proxy],
        ])
        return .adding(.stored(id, document.merging(EntertainmentArea.members(of: placements))))
    }

    private func delete(_ group: V1GroupView) -> V1Outcome {
        switch group.origin {
        case let .group(own): return .done([.deleted(address)], [.removing(.group(own.id))])
        case let .area(id, document):
            let end = EntertainmentArea.stopped(id, document, in: home)
            return .done([.deleted(address)], end.changes + [.removing(.stored(id))], end.radio)
        case .list: return .done([.deleted(address)], [.removing(.v1Object(group.path))])
        }
    }

    /// Reads a list of light numbers.
    func lights(_ value: JSONValue, _ reader: V1BodyReader) throws(V1Failure) -> [Lamp] {
        guard let numbers = value.array else { throw reader.invalid(value, "lights") }
        var lamps: [Lamp] = []
        for number in numbers {
            guard let lamp = number.string.flatMap({ lamp($0) }) else { throw reader.invalid(number, "lights") }
            if !lamps.contains(where: { $0.id == lamp.id }) { lamps.append(lamp) }
        }
        return lamps
    }

    // MARK: - Changing

    private func attributes(of group: V1GroupView) throws(V1Failure) -> V1Outcome {
        let reader = V1BodyReader(address)
        var changes: [SimulatedHome.Change] = []
        var radio: [RadioMessage] = []
        var list = (name: group.name, lamps: group.lamps)
        let items = reader.items(of: try body()) { name, value throws(V1Failure) in
            switch (name, group.origin) {
            case ("name", .list): list.name = try reader.text(value, name)
            case let ("name", .group(own)):
                changes.append(.updating(.group(own.id, by: [.renaming(.it(to: try reader.text(value, name)))])))
            case let ("name", .area(id, document)):
                let text = JSONValue.string(try reader.text(value, name))
                let named = document.merging([
                    "metadata": (document["metadata"] ?? [:]).merging(["name": text]), "name": text,
                ])
                changes.append(.replacing(.stored(id, by: named)))
            case ("lights", .list): list.lamps = try lights(value, reader)
            case let ("lights", .group(own)):
                let lamps = try lights(value, reader)
                if own.kind == .room,
                    let lamp = lamps.first(where: { home.room(of: $0.id).map { $0.id != own.id } ?? false })
                {
                    throw V1Failure(.taken("\(lamp.number)", address))
                }
                changes += home.settingMembers(of: own, to: lamps.map(\.id), own.accessories)
            case let ("class", .group(own)):
                let room = try reader.word(value, name, of: RoomClass.all)
                changes.append(
                    .updating(.group(own.id, by: [.setting(.archetype(to: RoomClass.archetype(of: room)))])))
            case let ("stream", .area(id, document)):
                let session = try streaming(id, document, value, reader)
                changes += session.changes
                radio += session.radio
                return .object(["active": value["active"] ?? false])
            case ("lights", .area), ("locations", .area), ("type", _), ("class", _), ("state", _), ("action", _),
                ("sensors", _), ("recycle", _):
                throw reader.fixed(name)
            default: throw reader.unknown(name)
            }
            return value
        }
        if case .list = group.origin, list.name != group.name || list.lamps != group.lamps {
            changes.append(
                .replacing(
                    .v1Object(group.path, by: .lightGroup(V1LightGroup(list.name, list.lamps, action: group.action)))))
        }
        return .done(items, changes, radio)
    }

    /// Starts or stops an entertainment session.
    private func streaming(
        _ id: ResourceID, _ document: JSONValue, _ value: JSONValue, _ reader: V1BodyReader
    ) throws(V1Failure) -> HomeUpdate {
        guard let isActive = value["active"]?.bool else { throw reader.invalid(value, "stream") }
        guard isActive else { return EntertainmentArea.stopped(id, document, in: home) }
        do throws(EntertainmentArea.IsStreaming) {
            return try EntertainmentArea.started(id, document, by: key, in: context)
        } catch {
            throw V1Failure(V1Error(307, address: "\(address)/stream/active", "Cannot claim stream ownership"))
        }
    }

    // MARK: - Commands

    private func act(on group: V1GroupView) throws(V1Failure) -> V1Outcome {
        let body = try body()
        var scene: SimulatedHome.Scene?
        var recall: V1Outcome.Item?
        if let value = body["scene"] {
            scene = value.string.flatMap { home.scene(v1: $0) }
            recall =
                scene == nil
                ? .failure(.invalid(value, "scene", address)) : .success("\(address)/scene", value)
        }
        let update = V1StateUpdate(body, at: address, whites: 50...1000, except: ["scene"])
        var items = update.items
        if let recall {
            // At its position among the others.
            let before = body.members.prefix { $0.name != "scene" }.map(\.name)
            items.insert(recall, at: min(items.count, before.filter { hasItem($0, body) }.count))
        }
        var changes: [SimulatedHome.Change] = []
        var radio: [RadioMessage] = []
        if let scene {
            let recalled = recalling(scene, on: group, over: body["transitiontime"] == nil ? nil : update.duration)
            changes += recalled.changes
            radio += recalled.radio
        }
        let commands = commands(update, to: group, after: home.alter(by: changes))
        changes += commands
        if update.changesLightState, !group.lamps.isEmpty {
            radio.append(.broadcast(group.lamps.map(\.id), over: update.duration))
        }
        return .done(items, changes, radio)
    }

    /// Whether the response has an item for a member: a step beside an absolute value has none.
    private func hasItem(_ name: String, _ body: V1Body) -> Bool {
        !(name.hasSuffix("_inc") && body[String(name.dropLast(4))] != nil)
    }

    /// The changes of each lamp, and of the group's last command. A lamp that is off changes only if the command
    /// switches it on.
    private func commands(
        _ update: V1StateUpdate, to group: V1GroupView, after home: SimulatedHome
    ) -> [SimulatedHome.Change] {
        var changes: [SimulatedHome.Change] = []
        for lamp in group.lamps.compactMap({ home.lamp($0.id) }) where lamp.isOn || update.on == true {
            let shown = context.mesh.lightState(of: lamp.id, at: context.now)
            var own = update.changes(of: lamp.lightState, V1StateUpdate.Capabilities(lamp.kind), shown: shown).ofLamp
            if let alert = update.alert { own.append(.setting(.alert(to: alert))) }
            if !own.isEmpty { changes.append(.updating(.lamp(lamp.id, by: own))) }
        }
        let action = group.action.alter(by: update.changes(of: group.action, .all))
        guard action != group.action else { return changes }
        switch group.origin {
        case let .group(own): changes.append(.updating(.group(own.id, by: [.setting(.action(to: action))])))
        case .list:
            changes.append(
                .replacing(
                    .v1Object(group.path, by: .lightGroup(V1LightGroup(group.name, group.lamps, action: action)))))
        case .area: break
        }
        return changes
    }

    /// The recall of a scene on a group: it sets those of its lamps that are in the group, on the whole home all.
    func recalling(
        _ scene: SimulatedHome.Scene, on group: V1GroupView, over duration: Duration?
    ) -> (changes: [SimulatedHome.Change], radio: [RadioMessage]) {
        let members = Set(group.lamps.map(\.id))
        let actions = scene.actions.filter { members.contains($0.lamp) }
        var changes: [SimulatedHome.Change]
        if actions.count == scene.actions.count {
            changes = home.recalling(scene.id, at: context.date)
        } else {
            changes = actions.map { .updating(.lamp($0.lamp, by: $0.changes)) }
        }
        if actions.isEmpty { changes = [] }
        let times = actions.map { duration ?? .milliseconds($0.milliseconds ?? 400) }
        let radio = Set(times).sorted().map { time in
            RadioMessage.broadcast(zip(actions, times).filter { $1 == time }.map(\.0.lamp), over: time)
        }
        return (changes, radio)
    }
}
