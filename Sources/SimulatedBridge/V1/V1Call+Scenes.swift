import HueWire

/// `/scenes`.
extension V1Call {
    var sceneList: JSONValue {
        .object(
            Dictionary(home.scenes.map { ($0.v1, $0.documentV1(in: home, whole: false)) }) { first, _ in first })
    }

    func scenes(_ path: [String]) throws(V1Failure) -> V1Outcome {
        switch (request.method, path.first, path.dropFirst().first, path.count) {
        case ("GET", nil, _, _): return .document(sceneList)
        case ("POST", nil, _, _): return try createScene()
        case (_, nil, _, _): throw notAllowed
        case let (method, id?, part, count):
            guard let scene = home.scene(v1: id) else { throw absent }
            switch (method, part, count) {
            case ("GET", nil, _): return .document(scene.documentV1(in: home, whole: true))
            case ("PUT", nil, _): return try attributes(of: scene)
            case ("DELETE", nil, _): return .done([.deleted(address)], [.removing(.scene(scene.id))])
            case ("PUT", "lightstates", 3): return try lightState(path[2], of: scene)
            case (_, nil, _), (_, "lightstates", 3): throw notAllowed
            default: throw absent
            }
        }
    }

    // MARK: - Creating

    private func createScene() throws(V1Failure) -> V1Outcome {
        let reader = V1BodyReader(address)
        let body = try body()
        var name: String?
        var group: SimulatedHome.Group?
        var named: [Lamp]?
        var extras: [String: JSONValue] = ["owner": .string(key), "lastupdated": .string(context.date.stampV1)]
        let type = try body["type"].map { value throws(V1Failure) in
            try reader.word(value, "type", of: ["LightScene", "GroupScene"])
        }
        for (member, value) in body.members {
            switch member {
            case "type", "lightstates", "storelightstate", "transitiontime": break
            case "name": name = try reader.text(value, member)
            case "lights": named = try lights(value, reader)
            case "group":
                group = value.string.flatMap { home.v1Group($0) }.flatMap { group in
                    if case let .group(own) = group.origin, own.kind != .bridgeHome { own } else { nil }
                }
                guard group != nil else { throw reader.invalid(value, member) }
            case "recycle": extras[member] = .bool(try reader.bool(value, member))
            case "appdata": extras[member] = .object(try reader.object(value, member))
            case "picture": extras[member] = .string(try reader.text(value, member, 0...16))
            default: throw reader.unknown(member)
            }
        }
        let lamps = type == "GroupScene" ? group.map { home.lamps(of: $0) } : named
        guard let name, let lamps, type == "GroupScene" || !lamps.isEmpty else { throw V1Failure(.missing(address)) }
        var actions = lamps.map { SimulatedHome.Scene.Action($0) }
        if let states = try body["lightstates"].map({ value throws(V1Failure) in
            try reader.object(value, "lightstates")
        }) {
            for (number, state) in states.sorted(by: { $0.key < $1.key }) {
                guard let lamp = lamp(number), let place = actions.firstIndex(where: { $0.lamp == lamp.id }),
                    let members = state.object
                else { throw reader.invalid(.string(number), "lightstates") }
                let update = self.update(V1Body(members), for: lamp, at: "\(address)/lightstates/\(number)")
                for case let .failure(error) in update.items { throw V1Failure(error) }
                actions[place] = SimulatedHome.Scene.Action(lamp: lamp.id).with(update, lamp)
            }
        }
        guard home.scenes.count < Capacity.scenes else { throw V1Failure(.scenesFull) }
        guard let place = type == "GroupScene" ? group : home.whole else { throw V1Failure(.missing(address)) }
        let scene = SimulatedHome.Scene(
            id: context.newID(.scene), name: name, group: place.id, groupKind: place.kind, actions: actions,
            extrasV1: .object(extras))
        return .done([.success(id: scene.v1)], [.adding(.scene(scene))])
    }

    /// Reads the update of one lamp in a scene. Unlike a command, a scene may set a lamp that is off.
    private func update(_ body: V1Body, for lamp: Lamp, at address: String) -> V1StateUpdate {
        let capabilities = V1StateUpdate.Capabilities(lamp.kind)
        return V1StateUpdate(body, at: address, whites: 50...1000) { name in
            if name == "alert" || name.hasSuffix("_inc") { return .unknown(name, address) }
            return capabilities.has(name) ? nil : .unknown(name, address)
        }
    }

    // MARK: - Changing

    private func attributes(of scene: SimulatedHome.Scene) throws(V1Failure) -> V1Outcome {
        let reader = V1BodyReader(address)
        let isOfGroup = scene.groupKind != .bridgeHome
        var changes: [SimulatedHome.Scene.Change] = []
        var extras = scene.extrasV1.object ?? [:]
        var actions = scene.actions
        let body = try body()
        let items = reader.items(of: body) { name, value throws(V1Failure) in
            switch name {
            case "name": changes.append(.renaming(.it(to: try reader.text(value, name))))
            case "lights":
                guard !isOfGroup else { throw reader.fixed(name) }
                let lamps = try lights(value, reader)
                actions = lamps.map { lamp in
                    actions.first { $0.lamp == lamp.id } ?? SimulatedHome.Scene.Action(lamp)
                }
            case "storelightstate":
                if try reader.bool(value, name) {
                    actions = actions.compactMap { home.lamp($0.lamp) }.map { SimulatedHome.Scene.Action($0) }
                }
            case "recycle": extras[name] = .bool(try reader.bool(value, name))
            case "appdata": extras[name] = .object(try reader.object(value, name))
            case "picture": extras[name] = .string(try reader.text(value, name, 0...16))
            case "type", "group", "owner", "locked", "version", "lastupdated", "image": throw reader.fixed(name)
            default: throw reader.unknown(name)
            }
            return value
        }
        let isAccepted = items.contains { if case .success = $0 { true } else { false } }
        guard isAccepted else { return .done(items) }
        extras["lastupdated"] = .string(context.date.stampV1)
        if actions != scene.actions { changes.append(.setting(.actions(to: actions))) }
        changes.append(.setting(.extrasV1(to: .object(extras))))
        return .done(items, [.updating(.scene(scene.id, by: changes))])
    }

    private func lightState(_ number: String, of scene: SimulatedHome.Scene) throws(V1Failure) -> V1Outcome {
        guard let lamp = lamp(number), let place = scene.actions.firstIndex(where: { $0.lamp == lamp.id }) else {
            throw absent
        }
        let update = update(try body(), for: lamp, at: address)
        guard update.changesLightState || update.transition != nil else { return .done(update.items) }
        var actions = scene.actions
        actions[place] = actions[place].with(update, lamp)
        let extras = scene.extrasV1.merging(["lastupdated": .string(context.date.stampV1)])
        return .done(
            update.items,
            [.updating(.scene(scene.id, by: [.setting(.actions(to: actions)), .setting(.extrasV1(to: extras))]))])
    }
}
