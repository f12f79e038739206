import FoundationEssentials
import HueWire

extension SimulatedHome.Scene {
    var document: JSONValue {
        var metadata: [String: JSONValue] = ["name": .string(name)]
        for member in ["image", "appdata"] { metadata[member] = extras["metadata"]?[member] }
        var status: [String: JSONValue] = ["active": .string(self.status.rawValue)]
        if let lastRecall { status["last_recall"] = lastRecall.stamp }
        return [
            "type": "scene", "id": .id(id), "id_v1": .string("/scenes/\(v1)"), "metadata": .object(metadata),
            "group": .reference(group, groupKind), "actions": .array(actions.map(\.document)),
            "palette": extras["palette"] ?? ["color": [], "dimming": [], "color_temperature": [], "effects": []],
            "speed": .number(speed), "auto_dynamic": extras["auto_dynamic"] ?? false, "status": .object(status),
            "recall": [:],
        ]
    }
}

extension SimulatedHome.Scene.Action {
    var document: JSONValue { ["target": .reference(lamp, .light), "action": .object(action)] }

    private var action: [String: JSONValue] {
        var action: [String: JSONValue] = [:]
        if let on { action["on"] = ["on": .bool(on)] }
        if let level { action["dimming"] = ["brightness": .number(Level.percent(bri: level))] }
        switch tint {
        case let .white(mirek): action["color_temperature"] = ["mirek": .int(mirek)]
        case .color, .shade: action["color"] = ["xy": .point(tint?.point ?? XY(x: 0, y: 0))]
        case LightState.Tint.none?, nil: break
        }
        if let gradient, !gradient.isEmpty {
            action["gradient"] = [
                "points": .array(gradient.map { ["color": ["xy": .point($0)]] }), "mode": "interpolated_palette",
            ]
        }
        if case let .running(name, parameters)? = effect {
            action["effects"] = ["effect": .string(name)]
            if let parameters {
                action["effects_v2"] = ["action": ["effect": .string(name), "parameters": parameters]]
            }
        }
        if let milliseconds { action["dynamics"] = ["duration": .int(milliseconds)] }
        return action
    }
}
