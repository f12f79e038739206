import FoundationEssentials
import HueWire

extension V2API {
    static let postScene: Operation = { call throws(V2Failure) in
        try call.only(["metadata", "group", "actions", "palette", "speed", "auto_dynamic"])
        let group = try call.group(of: [.room, .zone, .bridgeHome])
        let name = try call.fields.need("metadata.name", call.fields.name())
        var errors: [HueError] = []
        let actions = try call.fields.need("actions", call.actions(in: group, &errors))
        guard call.home.scenes.count < Capacity.scenes else { throw .full("scene") }
        let scene = SimulatedHome.Scene(
            id: call.id, name: name, group: group.id, groupKind: group.kind, actions: actions,
            extras: try call.sceneExtras(after: [:]))
        return call.done([.adding(.scene(scene))], errors: errors)
    }

    static let putScene: Operation = { call throws(V2Failure) in
        guard let scene = call.home.scene(call.id) else { throw .notFound }
        try call.only(["metadata", "actions", "palette", "speed", "auto_dynamic", "recall"])
        var changes: [SimulatedHome.Scene.Change] = []
        var errors: [HueError] = []
        if let name = try call.fields.name() { changes.append(.renaming(.it(to: name))) }
        if call.fields.has("actions") {
            guard let group = call.home.group(scene.group) else { throw .broken }
            let actions = try call.fields.need("actions", call.actions(in: group, &errors))
            changes.append(.setting(.actions(to: actions)))
        }
        let extras = try call.sceneExtras(after: scene.extras)
        if extras != scene.extras { changes.append(.setting(.extras(to: extras))) }
        let changed = scene.alter(by: changes)
        var decision = call.done(
            changes.isEmpty ? [] : [.updating(.scene(call.id, by: changes))], errors: errors)
        if scene.status == .dynamicPalette, changed.speed != scene.speed {
            for lamp in scene.actions.compactMap({ call.home.lamp($0.lamp) }) where lamp.palette != nil {
                decision.changes.append(.updating(.lamp(lamp.id, by: [.playing(.palette(speed: changed.speed))])))
            }
        }
        if let recall = try call.fields.object("recall") { try call.recall(recall, changed, &decision) }
        return decision
    }

    static let deleteScene: Operation = { call throws(V2Failure) in
        guard call.home.scene(call.id) != nil else { throw .notFound }
        return call.done([.removing(.scene(call.id))])
    }
}

extension V2API.Call {
    /// The group in the body.
    func group(of types: Set<ResourceType>) throws(V2Failure) -> SimulatedHome.Group {
        let reference = try fields.need("group", fields.reference("group", types))
        guard let group = home.group(reference.rid), group.kind == reference.rtype else {
            throw V2Failure("\(reference.rtype) \(reference.rid) is not there")
        }
        return group
    }

    /// What a scene stores besides its name and its actions, after the request.
    fileprivate func sceneExtras(after old: JSONValue) throws(V2Failure) -> JSONValue {
        var extras = old.object ?? [:]
        if let metadata = try fields.object("metadata") {
            var members = extras["metadata"]?.object ?? [:]
            if try metadata.reference("image", [ResourceType(rawValue: "public_image")]) != nil {
                members["image"] = try metadata.value("image")
            }
            if let appdata = try metadata.text("appdata", 1...16) { members["appdata"] = .string(appdata) }
            if !members.isEmpty { extras["metadata"] = .object(members) }
        }
        if let palette = try fields.object("palette") { extras["palette"] = try Self.palette(palette) }
        if let speed = try fields.number("speed", 0...1) { extras["speed"] = .number(speed) }
        if let isDynamic = try fields.bool("auto_dynamic") { extras["auto_dynamic"] = .bool(isDynamic) }
        return .object(extras)
    }

    /// The colours, levels, whites and effects of a dynamic scene; a missing list is empty.
    private static func palette(_ fields: V2Body) throws(V2Failure) -> JSONValue {
        for color in try fields.list("color", 0...9) ?? [] {
            _ = try color.inside("color").xy()
            try level(color.inside("dimming"))
        }
        for dimming in try fields.list("dimming", 0...1) ?? [] { try level(dimming) }
        for white in try fields.list("color_temperature", 0...1) ?? [] {
            let part = try white.inside("color_temperature")
            _ = try part.need("mirek", part.integer("mirek", 50...1000))
            try level(white.inside("dimming"))
        }
        _ = try fields.list("effects", 0...3)
        _ = try fields.list("effects_v2", 0...3)
        var palette: [String: JSONValue] = [:]
        for name in ["color", "dimming", "color_temperature", "effects"] {
            palette[name] = try fields.value(name) ?? []
        }
        palette["effects_v2"] = try fields.value("effects_v2")
        return .object(palette)
    }

    private static func level(_ fields: V2Body) throws(V2Failure) {
        _ = try fields.need("brightness", fields.number("brightness", 0...100))
    }

    /// The action of each lamp. Attributes that a lamp does not support are left out and reported.
    fileprivate func actions(
        in group: SimulatedHome.Group, _ errors: inout [HueError]
    ) throws(V2Failure) -> [SimulatedHome.Scene.Action]? {
        guard let list = try fields.list("actions", 0...200) else { return nil }
        let members = Set(group.lamps)
        var actions: [SimulatedHome.Scene.Action] = []
        for fields in list {
            let target = try fields.need("target", fields.reference("target", [.light])).rid
            guard let lamp = home.lamp(target), members.contains(target) else {
                throw V2Failure("light \(target) is not in the group of the scene")
            }
            guard !actions.contains(where: { $0.lamp == target }) else {
                throw V2Failure("light \(target) is there twice")
            }
            let update = try V2LightUpdate(fields.inside("action"), for: .scene)
            guard update.xy == nil || update.mirek == nil else {
                throw V2Failure("\(fields.memberPath("action")) cannot have both color and color_temperature")
            }
            let applied = update.carriedOut(on: lamp.powered, target, in: context)
            errors += applied.errors
            actions.append(update.action(of: lamp, applied.changes))
        }
        return actions
    }

    fileprivate func recall(_ fields: V2Body, _ scene: SimulatedHome.Scene, _ decision: inout Decision)
        throws(V2Failure)
    {
        // The form for old firmware breaks new firmware (Foddy/node-red-contrib-huemagic#316).
        guard fields.has("action") else { throw .broken }
        let action = try fields.word("action", ["active", "static", "dynamic_palette"])
        let duration = try fields.integer("duration", 0...6_000_000) ?? 400
        let dimming = try fields.object("dimming")
        let level = try dimming.map { part throws(V2Failure) in
            try part.need("brightness", part.number("brightness", 0...100))
        }
        let isDynamic = action == "dynamic_palette" || action == "active" && scene.extras["auto_dynamic"] == true
        decision.changes += home.recalling(
            scene.id, as: isDynamic ? .dynamicPalette : .static, level: level.map { Level.bri(percent: $0) },
            at: context.date)
        if isDynamic { decision.timedTasks.append(.move(scene, after: context.now)) }
        let lamps = scene.actions.map(\.lamp).filter { home.lamp($0)?.isStreaming == false }
        if !lamps.isEmpty { decision.radio = [.broadcast(lamps, over: .milliseconds(Int64(duration)))] }
    }
}

extension V2LightUpdate {
    /// The same update as a scene stores it, reduced to what the lamp supports.
    fileprivate func action(of lamp: Lamp, _ changes: [Lamp.Change]) -> SimulatedHome.Scene.Action {
        var (level, tint, points): (Int?, LightState.Tint?, [XY]?)
        var effect: LightState.Effect?
        for change in changes {
            switch change {
            case let .setting(.level(to: l)): level = l
            case let .setting(.tint(to: t)): tint = t
            case let .setting(.gradient(to: g)): points = g
            case let .setting(.effect(to: e)): effect = e
            default: break
            }
        }
        return SimulatedHome.Scene.Action(
            lamp: lamp.id, on: on, level: level, tint: tint, effect: effect, gradient: points,
            milliseconds: hasDuration ? Int(duration / .milliseconds(1)) : nil)
    }
}

extension Lamp {
    /// The lamp as if on and reachable: a scene only stores the update, so nothing about it can fail.
    fileprivate var powered: Lamp { alter(by: (hasMains ? [] : [.powering(.up)]) + [.turning(.it(on: true))]) }
}
