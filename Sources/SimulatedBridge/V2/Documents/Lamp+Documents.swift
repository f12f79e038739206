import HueWire

extension Lamp {
    /// Its device, and the device's services: light, connectivity, entertainment and software update.
    var documents: [JSONValue] { [device, light, connectivity, entertainment, update] }

    var percent: Double { Level.percent(bri: level) }

    /// The point of its colour, in white mode too.
    var point: XY? {
        guard tint != .none, let gamut = kind.gamut else { return tint == .none ? nil : tint.point }
        return gamut.triangle.held(tint.point)
    }

    /// Its white; `nil` in colour mode.
    var mirek: Int? { if case let .white(mirek) = tint { mirek } else { nil } }

    var idV1: JSONValue { .string("/lights/\(number)") }
    private var owner: JSONValue { .reference(ids.device, .device) }

    private var device: JSONValue {
        [
            "type": "device", "id": .id(ids.device), "id_v1": idV1,
            "product_data": [
                "model_id": .string(kind.product.model), "manufacturer_name": "Signify Netherlands B.V.",
                "product_name": .string(kind.product.name), "product_archetype": .string(kind.product.archetype),
                "certified": true, "software_version": "1.122.2", "hardware_platform_type": "100b-112",
            ],
            "metadata": ["name": .string(name), "archetype": .string(archetype)], "identify": [:],
            "services": [
                .reference(id, .light), .reference(ids.connectivity, .connectivity),
                .reference(ids.entertainment, .entertainment), .reference(softwareUpdate, .softwareUpdate),
            ],
        ]
    }

    private var connectivity: JSONValue {
        [
            "type": "zigbee_connectivity", "id": .id(ids.connectivity), "id_v1": idV1, "owner": owner,
            "status": hasMains ? "connected" : "connectivity_issue", "mac_address": .string(ids.zigbee),
        ]
    }

    private var update: JSONValue {
        [
            "type": "device_software_update", "id": .id(softwareUpdate), "owner": owner, "state": "no_update",
            "problems": [],
        ]
    }

    private var entertainment: JSONValue {
        var members: [String: JSONValue] = [
            "type": "entertainment", "id": .id(ids.entertainment), "id_v1": idV1, "owner": owner,
            "renderer": .bool(kind.gamut != nil), "proxy": .bool(kind != .plug), "equalizer": .bool(kind.dims),
        ]
        if kind.gamut != nil {
            members["renderer_reference"] = .reference(id, .light)
            members["segments"] = [
                "configurable": false, "max_segments": .int(max(kind.points, 1)),
                "segments": .array((0..<max(kind.points, 1)).map { ["start": .int($0), "length": 1] }),
            ]
        }
        return .object(members)
    }

    private var light: JSONValue {
        var members: [String: JSONValue] = [
            "type": "light", "id": .id(id), "id_v1": idV1, "owner": owner, "service_id": 0,
            "metadata": ["name": .string(name), "archetype": .string(archetype), "function": .string(traits.function)],
            "product_data": ["function": "mixed"], "identify": [:], "on": ["on": .bool(isOn)],
            "mode": isStreaming ? "streaming" : "normal",
            "dynamics": [
                "status": palette == nil ? "none" : "dynamic_palette",
                "status_values": kind.gamut == nil ? ["none"] : ["none", "dynamic_palette"],
                "speed": .number(palette ?? 0), "speed_valid": .bool(palette != nil),
            ],
            "alert": ["action_values": ["breathe"]],
            "signaling": signaling,
            "powerup": powerup.document(of: kind),
        ]
        if kind.dims {
            members["dimming"] = ["brightness": .number(percent), "min_dim_level": 0.2]
            members["dimming_delta"] = [:]
        }
        if let whites = kind.whites {
            members["color_temperature"] = [
                "mirek": mirek.map { .int($0) } ?? .null, "mirek_valid": .bool(mirek != nil),
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
        }
        if !kind.effects.isEmpty { members.merge(effects) { $1 } }
        if kind.points > 0 {
            members["gradient"] = [
                "points": .array(lightState.gradient.map { ["color": ["xy": .point($0)]] }),
                "mode": .string(traits.gradientMode), "mode_values": .array(LampKind.gradientModes.map { .string($0) }),
                "points_capable": .int(kind.points), "pixel_count": 24,
            ]
        }
        return .object(members)
    }

    private var signaling: JSONValue {
        var members: [String: JSONValue] = ["signal_values": .array(signals.map { .string($0) })]
        if let signal = traits.signal {
            members["status"] = [
                "signal": .string(signal.name), "estimated_end": signal.end.stamp,
                "colors": .array(signal.colors.map { ["xy": .point($0)] }),
            ]
        }
        return .object(members)
    }

    /// Its effects, in the three forms of successive firmware.
    private var effects: [String: JSONValue] {
        let known = JSONValue.array((["no_effect"] + kind.effects).map { .string($0) })
        let timed = JSONValue.array((["no_effect"] + kind.timedEffects).map { .string($0) })
        var running: JSONValue = "no_effect"
        var status: [String: JSONValue] = ["effect": "no_effect", "effect_values": known]
        var slow: [String: JSONValue] = ["status": "no_effect", "status_values": timed, "effect_values": timed]
        switch lightState.effect {
        case .none: break
        case let .running(name, parameters):
            // A colour loop is known to API v1 alone.
            guard kind.effects.contains(name) else { break }
            running = .string(name)
            status["effect"] = running
            status["parameters"] = parameters
        case let .timed(name, milliseconds):
            slow["status"] = .string(name)
            slow["duration"] = .int(milliseconds)
        }
        return [
            "effects": ["status": running, "status_values": known, "effect_values": known],
            "effects_v2": ["action": ["effect_values": known], "status": .object(status)],
            "timed_effects": .object(slow),
        ]
    }
}

extension Powerup {
    /// As API v2 shows it: the preset and its parts.
    func document(of kind: LampKind) -> JSONValue {
        var members: [String: JSONValue] = ["preset": .string(preset.rawValue), "configured": true]
        switch preset {
        case .safety:
            members["on"] = ["mode": "on", "on": ["on": true]]
            if kind.dims { members["dimming"] = ["mode": "dimming", "dimming": ["brightness": 100.0]] }
            if kind.whites != nil {
                members["color"] = ["mode": "color_temperature", "color_temperature": ["mirek": 366]]
            }
        case .powerfail, .lastOnState:
            members["on"] = preset == .powerfail ? ["mode": "previous"] : ["mode": "on", "on": ["on": true]]
            if kind.dims { members["dimming"] = ["mode": "previous"] }
            if kind.whites != nil || kind.gamut != nil { members["color"] = ["mode": "previous"] }
        case .custom: members.merge(custom.object ?? [:]) { $1 }
        }
        return .object(members)
    }
}

extension ResourceType {
    static let entertainment = Self(rawValue: "entertainment")
}
