import FoundationEssentials
import HueWire

extension SimulatedHome.Scene {
    /// The scene as API v1 shows it.
    ///
    /// - Parameter whole: with the state of each light, for a single scene; a list leaves that out.
    func documentV1(in home: SimulatedHome, whole: Bool) -> JSONValue {
        var members: [String: JSONValue] = [
            "owner": "none", "recycle": false, "locked": false, "appdata": [:], "picture": "",
            "lastupdated": "2026-01-31T10:00:00",
        ]
        members.merge(extrasV1.object ?? [:]) { $1 }
        if let image = extras["metadata"]?["image"]?["rid"] { members["image"] = image }
        members["name"] = .string(name)
        members["type"] = groupKind == .bridgeHome ? "LightScene" : "GroupScene"
        if groupKind != .bridgeHome, let group = home.group(group) { members["group"] = .string("\(group.number)") }
        let lamps = actions.compactMap { action in home.lamp(action.lamp).map { ($0, action) } }
        members["lights"] = .array(lamps.map { .string("\($0.0.number)") })
        members["version"] = 2
        if whole {
            members["lightstates"] = .object(
                Dictionary(lamps.map { ("\($0.number)", .object($1.stateV1(of: $0))) }) { first, _ in first })
        }
        return .object(members)
    }
}

extension SimulatedHome.Scene.Action {
    /// The state of a light, in the colour mode it was stored in.
    func stateV1(of lamp: Lamp) -> [String: JSONValue] {
        var state: [String: JSONValue] = [:]
        if let on { state["on"] = .bool(on) }
        if let level { state["bri"] = .int(level) }
        switch tint {
        case let .white(mirek): state["ct"] = .int(mirek)
        case let .color(xy): state["xy"] = .pair(xy)
        case let .shade(hue, saturation):
            state["hue"] = .int(hue)
            state["sat"] = .int(saturation)
        case LightState.Tint.none?, nil: break
        }
        if effect == .running("colorloop") { state["effect"] = "colorloop" }
        if let milliseconds { state["transitiontime"] = .int(milliseconds / 100) }
        return state
    }

    /// The action with an update applied, as far as the lamp supports it.
    func with(_ update: V1StateUpdate, _ lamp: Lamp) -> Self {
        let base = lamp.lightState.alter(by: lightStateChanges)
        let changed = update.changes(of: base, V1StateUpdate.Capabilities(lamp.kind))
        var (on, level, tint, effect) = (on, level, tint, effect)
        for change in changed {
            switch change {
            case let .turning(.it(on: value)): on = value
            case let .setting(.level(to: value)): level = value
            case let .setting(.tint(to: value)): (tint, effect) = (value, nil)
            case let .setting(.effect(to: value)): effect = value
            case .setting(.gradient): break
            }
        }
        return Self(
            lamp: self.lamp, on: on, level: level, tint: tint, effect: effect,
            gradient: tint == self.tint ? gradient : nil,
            milliseconds: update.transition.map { $0 * 100 } ?? milliseconds)
    }

    private var lightStateChanges: [LightState.Change] {
        (on.map { [.turning(.it(on: $0))] } ?? []) + (level.map { [.setting(.level(to: $0))] } ?? [])
            + (tint.map { [.setting(.tint(to: $0))] } ?? [])
    }
}
