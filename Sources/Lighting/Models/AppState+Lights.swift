import HashTreeCollections

extension AppState {
    /// The lights in a target that are known, in the room's order; empty if there are none.
    public func lights(in target: Target) -> [Light] {
        switch target {
        case let .light(id): lights[id].map { [$0] } ?? []
        case let .room(id): rooms[id]?.lights.compactMap { lights[$0] } ?? []
        case .all: lights.values.sorted { $0.id < $1.id }
        }
    }

    /// Why something may be unknown now but not later: no bridge is paired, or the lights of a paired bridge were never
    /// read because it cannot be reached. `nil` if every bridge has been read.
    public var missingBridge: Failure? {
        guard !bridges.isEmpty else { return .notPaired }
        let read = Set(lights.keys.map(\.bridge))
        return bridges.values.sorted { $0.id < $1.id }.lazy.filter { !read.contains($0.id) }.compactMap { bridge in
            if case let .lost(_, because: failure) = bridge.connection { failure } else { nil }
        }.first
    }

    /// Why nothing is known of the lights on a bridge that has not been read since lightd started.
    func missingConnection(to bridge: Bridge.ID) -> Failure {
        if case let .lost(_, because: failure)? = bridges[bridge]?.connection { return failure }
        return .notReachedYet(bridge)
    }

    /// The lights of a target; never empty.
    func lights(of target: Target) throws(Failure) -> [Light] {
        let exists =
            switch target {
            case let .light(id): lights[id] != nil
            case let .room(id): rooms[id] != nil
            case .all: true
            }
        guard exists else { throw .noSuchTarget(target) }
        let lights = lights(in: target)
        guard !lights.isEmpty else { throw missingBridge ?? .noLights(in: target) }
        return lights
    }

    /// The lights of targets, each once, in their order. Only without a target is it empty.
    func lights(of targets: [Target]) throws(Failure) -> [Light] {
        var found: [Light] = []
        var seen: Set<Light.ID> = []
        for target in targets {
            found += try lights(of: target).filter { seen.insert($0.id).inserted }
        }
        return found
    }

    /// The lights of a target that can show a setting or a part of it, each with that part; never empty.
    func lights(
        of target: Target, taking setting: Light.Setting
    ) throws(Failure) -> [(light: Light, part: Light.Setting)] {
        let lights = try lights(of: target)
        let able = lights.compactMap { light in light.part(of: setting).map { (light, $0) } }
        guard !able.isEmpty else { throw .cannot(light: lights[0].name, what: setting.ability) }
        return able
    }

    /// The lights of a target that are on and can be stepped in a value; never empty.
    func lights(
        of target: Target, ableToStep value: Light.Value, by step: Message.Lighting.Increment
    ) throws(Failure) -> [Light] {
        guard step.points.isFinite else { throw .invalid("a step of \(step.points) points is not a number") }
        if case .lightness = step, value != .brightness {
            throw .invalid("only the brightness has steps for the eye, not the \(value.rawValue)")
        }
        let lights = try lights(of: target)
        let able = lights.filter { $0.can(step: value) }
        guard !able.isEmpty else { throw .cannot(light: lights[0].name, what: value.ability) }
        let lit = able.filter { $0.power == .on }
        guard !lit.isEmpty else {
            throw .cannot(light: able[0].name, what: "be stepped while it is off; turn it on first")
        }
        return lit
    }

    /// The lights that a scene sets, or those of its room if its bridge does not list them; `nil` if it does not exist.
    func lights(of scene: Scene.ID) -> [Light.ID]? {
        guard let scene = scenes[scene] else { return nil }
        return scene.lights.isEmpty ? scene.room.flatMap { rooms[$0]?.lights } ?? [] : scene.lights
    }
}

extension Light {
    func can(step value: Value) -> Bool {
        switch value {
        case .brightness: limits.dims
        case .hue, .saturation: modes.contains(.hsb)
        case .temperature: modes.contains(.ct)
        }
    }
}

// Complete "'Stove' cannot …".

extension Light.Setting {
    var ability: String {
        switch self {
        case .hsb: "show colours"
        case .ct: "change its white tone"
        case .bri: "be dimmed"
        }
    }
}

extension Light.Value {
    var ability: String {
        switch self {
        case .brightness: "be dimmed"
        case .hue, .saturation: "show colours"
        case .temperature: "change its white tone"
        }
    }
}
