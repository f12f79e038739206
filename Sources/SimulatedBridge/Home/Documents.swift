public import HueWire

/// The home as the JSON documents of API v2: what a real bridge says, including much that a client need not read.
extension SimulatedHome {
    /// Every resource, in an order that does not change.
    public var documents: [JSONValue] {
        bridgeDocuments + lamps.flatMap(\.documents) + groups.flatMap { $0.documents(in: self) }
            + scenes.map(\.document)
    }

    /// The documents that differ between two homes, whose collections have the same members: each as it was and as it is.
    static func differences(from old: Self, to new: Self) -> [(old: JSONValue, new: JSONValue)] {
        var pairs: [(JSONValue, JSONValue)] = []
        for (before, after) in zip(old.lamps, new.lamps) where before != after {
            pairs += zip(before.documents, after.documents)
        }
        for (before, after) in zip(old.groups, new.groups) {
            pairs += zip(before.documents(in: old), after.documents(in: new))
        }
        for (before, after) in zip(old.scenes, new.scenes) where before != after {
            pairs.append((before.document, after.document))
        }
        return pairs.filter { $0.0 != $0.1 }
    }

    var bridgeDevice: ResourceID { DerivedID.fixed("device", bridgeID) }

    private var bridgeDocuments: [JSONValue] {
        let isPro = model == "BSB003"
        let services: [(String, ResourceID)] = ["bridge", "zigbee_connectivity", "zigbee_device_discovery"].map {
            ($0, DerivedID.fixed($0, bridgeID))
        }
        let owner = JSONValue.reference(bridgeDevice, .device)
        return [
            [
                "type": "device", "id": .id(bridgeDevice),
                "product_data": [
                    "model_id": .string(model), "manufacturer_name": "Signify Netherlands B.V.",
                    "product_name": isPro ? "Hue Bridge Pro" : "Hue Bridge",
                    "product_archetype": isPro ? "bridge_v3" : "bridge_v2", "certified": true,
                    "software_version": isPro ? "1.78.2071476020" : "1.78.1978293000",
                ],
                "metadata": ["name": .string(name), "archetype": isPro ? "bridge_v3" : "bridge_v2"], "identify": [:],
                "services": .array(services.map { .reference($0.1, ResourceType(rawValue: $0.0)) }),
            ],
            [
                "type": "bridge", "id": .id(services[0].1), "bridge_id": .string(bridgeID), "owner": owner,
                "time_zone": ["time_zone": "Europe/Berlin"],
            ],
            [
                "type": "zigbee_connectivity", "id": .id(services[1].1), "owner": owner, "status": "connected",
                "mac_address": "00:17:88:01:00:00:00:01", "channel": ["status": "set", "value": "channel_25"],
                "extended_pan_id": "0123456789abcdef",
            ],
            [
                "type": "zigbee_device_discovery", "id": .id(services[2].1), "owner": owner, "status": "ready",
                "action": ["action_type_values": ["search"]],
            ],
        ]
    }
}

extension Lamp {
    var percent: Double { Level.percent(bri: level) }

    /// The point it shows, in white mode too.
    var point: XY? {
        switch tint {
        case let .color(xy): xy
        case let .white(mirek): Whites.xy(mirek: mirek).rounded
        case .none: nil
        }
    }

    fileprivate var documents: [JSONValue] { [device, light, connectivity] }

    private var idV1: JSONValue { .string("/lights/\(number)") }
    private var owner: JSONValue { .reference(ids.device, .device) }

    private var device: JSONValue {
        [
            "type": "device", "id": .id(ids.device), "id_v1": idV1,
            "product_data": [
                "model_id": .string(kind.product.model), "manufacturer_name": "Signify Netherlands B.V.",
                "product_name": .string(kind.product.name), "product_archetype": .string(kind.product.archetype),
                "certified": true, "software_version": "1.122.2", "hardware_platform_type": "100b-112",
            ],
            "metadata": ["name": .string(name), "archetype": .string(kind.product.archetype)], "identify": [:],
            "services": [.reference(id, .light), .reference(ids.connectivity, .connectivity)],
        ]
    }

    private var connectivity: JSONValue {
        [
            "type": "zigbee_connectivity", "id": .id(ids.connectivity), "id_v1": idV1, "owner": owner,
            "status": hasMains ? "connected" : "connectivity_issue", "mac_address": .string(ids.zigbee),
        ]
    }

    private var light: JSONValue {
        var members: [String: JSONValue] = [
            "type": "light", "id": .id(id), "id_v1": idV1, "owner": owner, "service_id": 0,
            "metadata": ["name": .string(name), "archetype": .string(kind.product.archetype), "function": "mixed"],
            "product_data": ["function": "mixed"], "identify": [:], "on": ["on": .bool(isOn)], "mode": "normal",
            "dynamics": [
                "status": "none", "status_values": kind.gamut == nil ? ["none"] : ["none", "dynamic_palette"],
                "speed": .number(0), "speed_valid": false,
            ],
            "alert": ["action_values": ["breathe"]],
            "signaling": ["signal_values": ["no_signal", "on_off"]],
            "powerup": ["preset": "safety", "configured": true, "on": ["mode": "on", "on": ["on": true]]],
        ]
        if kind.dims {
            members["dimming"] = ["brightness": .number(percent), "min_dim_level": 0.2]
            members["dimming_delta"] = [:]
        }
        if let whites = kind.whites {
            let shown: JSONValue = if case let .white(mirek) = tint { .int(mirek) } else { .null }
            members["color_temperature"] = [
                "mirek": shown, "mirek_valid": .bool(shown != .null),
                "mirek_schema": ["mirek_minimum": .int(whites.minimum), "mirek_maximum": .int(whites.maximum)],
            ]
            members["color_temperature_delta"] = [:]
        }
        if let gamut = kind.gamut, let point {
            members["color"] = [
                "xy": .point(point), "gamut_type": .string(gamut.type),
                "gamut": [
                    "red": .point(gamut.triangle.red), "green": .point(gamut.triangle.green),
                    "blue": .point(gamut.triangle.blue),
                ],
            ]
            members["effects"] = [
                "status": "no_effect", "status_values": ["no_effect", "candle", "fire"],
                "effect_values": ["no_effect", "candle", "fire"],
            ]
        }
        return .object(members)
    }
}

extension SimulatedHome.Group {
    fileprivate func documents(in home: SimulatedHome) -> [JSONValue] {
        let members = home.lamps(of: self)
        return [own(members, home)] + (members.isEmpty ? [] : [grouped(members)])
    }

    private var idV1: JSONValue { .string("/groups/\(number)") }

    private func own(_ members: [Lamp], _ home: SimulatedHome) -> JSONValue {
        let children: [JSONValue] =
            switch kind {
            case .room: members.map { .reference($0.ids.device, .device) }
            case .zone: members.map { .reference($0.id, .light) }
            default:
                [.reference(home.bridgeDevice, .device)]
                    + home.groups.filter { $0.kind == .room }.map { .reference($0.id, .room) }
            }
        var document: [String: JSONValue] = [
            "type": .string(kind.rawValue), "id": .id(id), "id_v1": idV1, "children": .array(children),
            "services": members.isEmpty ? [] : [.reference(groupedLight, .groupedLight)],
        ]
        if kind != .bridgeHome {
            document["metadata"] = ["name": .string(name), "archetype": .string(archetype)]
        }
        return .object(document)
    }

    private func grouped(_ members: [Lamp]) -> JSONValue {
        let lit = members.filter(\.isOn)
        var document: [String: JSONValue] = [
            "type": "grouped_light", "id": .id(groupedLight), "id_v1": idV1, "owner": .reference(id, kind),
            "on": ["on": .bool(!lit.isEmpty)], "dynamics": [:], "alert": ["action_values": ["breathe"]],
            "signaling": ["signal_values": ["alternating", "no_signal", "on_off", "on_off_color"]],
        ]
        if members.contains(where: \.kind.dims) {
            let levels = lit.filter(\.kind.dims).map(\.percent)
            let mean = levels.isEmpty ? 0 : levels.reduce(0, +) / Double(levels.count)
            document["dimming"] = ["brightness": .number(mean)]
            document["dimming_delta"] = [:]
        }
        if members.contains(where: { $0.kind.whites != nil }) {
            document["color_temperature"] = [:]
            document["color_temperature_delta"] = [:]
        }
        if members.contains(where: { $0.kind.gamut != nil }) { document["color"] = [:] }
        return .object(document)
    }
}

extension SimulatedHome.Scene {
    fileprivate var document: JSONValue {
        [
            "type": "scene", "id": .id(id),
            "id_v1": .string("/scenes/\(id.description.filter { $0 != "-" }.prefix(15))"),
            "metadata": ["name": .string(name)], "group": .reference(group, groupKind),
            "actions": .array(actions.map(\.document)),
            "palette": ["color": [], "dimming": [], "color_temperature": [], "effects": []],
            "speed": 0.5, "auto_dynamic": false, "status": ["active": isActive ? "static" : "inactive"], "recall": [:],
        ]
    }
}

extension SimulatedHome.Scene.Action {
    fileprivate var document: JSONValue {
        var action: [String: JSONValue] = ["on": ["on": .bool(on)]]
        if let level { action["dimming"] = ["brightness": .number(Level.percent(bri: level))] }
        switch tint {
        case let .white(mirek): action["color_temperature"] = ["mirek": .int(mirek)]
        case let .color(xy): action["color"] = ["xy": .point(xy)]
        case Lamp.Tint.none?, nil: break
        }
        return ["target": .reference(lamp, .light), "action": .object(action)]
    }
}

extension JSONValue {
    static func id(_ id: ResourceID) -> Self { .string(id.description) }

    static func reference(_ id: ResourceID, _ type: ResourceType) -> Self {
        ["rid": .id(id), "rtype": .string(type.rawValue)]
    }

    static func point(_ xy: XY) -> Self { ["x": .number(xy.x), "y": .number(xy.y)] }
}

extension DerivedID {
    /// Ids of the bridge's own resources hang on its id alone.
    static func fixed(_ kind: String, _ bridge: String) -> ResourceID {
        DerivedID(seed: 0).uuid(kind, bridge)
    }
}
