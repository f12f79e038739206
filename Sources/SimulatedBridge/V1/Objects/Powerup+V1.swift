import HueWire

/// `config.startup` of API v1.
extension Powerup {
    var startup: JSONValue {
        var members: [String: JSONValue] = ["mode": .string(Self.modes[preset] ?? "safety"), "configured": true]
        if preset == .custom { members["customsettings"] = .object(settings) }
        return .object(members)
    }

    private static let modes: [Preset: String] = [
        .safety: "safety", .powerfail: "powerfail", .lastOnState: "lastonstate", .custom: "custom",
    ]

    /// A custom behaviour in the terms of API v1.
    private var settings: [String: JSONValue] {
        var settings: [String: JSONValue] = [:]
        settings["on"] = custom["on"]?["on"]?["on"]
        if let percent = custom["dimming"]?["dimming"]?["brightness"]?.double {
            settings["bri"] = .int(Level.bri(percent: percent))
        }
        settings["ct"] = custom["color"]?["color_temperature"]?["mirek"]
        if let point = custom["color"]?["color"]?["xy"], let x = point["x"], let y = point["y"] {
            settings["xy"] = [x, y]
        }
        return settings
    }

    /// Reads `startup`: its mode, and for "custom" its settings. `nil` for an unknown mode or an invalid setting.
    ///
    /// - Parameter kind: the lamp's kind: settings that it does not support are invalid.
    init?(startup: JSONValue, for kind: LampKind) {
        guard let preset = Self.modes.first(where: { $0.value == startup["mode"]?.string })?.key else { return nil }
        guard preset == .custom else {
            self.init(preset)
            return
        }
        guard let settings = startup["customsettings"]?.object, !settings.isEmpty else { return nil }
        let body = V1Body(settings)
        let capabilities = V1StateUpdate.Capabilities(kind)
        let update = V1StateUpdate(body, at: "", whites: kind.whites?.range ?? 153...500)
        let isAccepted = update.items.allSatisfy { if case .success = $0 { true } else { false } }
        guard isAccepted, settings.keys.allSatisfy({ ["on", "bri", "ct", "xy"].contains($0) && capabilities.has($0) })
        else {
            return nil
        }
        var custom: [String: JSONValue] = ["on": ["mode": "on", "on": ["on": .bool(update.on ?? true)]]]
        if kind.dims {
            custom["dimming"] =
                update.bri.map { ["mode": "dimming", "dimming": ["brightness": .number(Level.percent(bri: $0))]] }
                ?? ["mode": "previous"]
        }
        if let xy = update.xy {
            custom["color"] = ["mode": "color", "color": ["xy": .point(xy)]]
        } else if let ct = update.ct {
            custom["color"] = ["mode": "color_temperature", "color_temperature": ["mirek": .int(ct)]]
        } else if capabilities.gamut != nil || capabilities.whites != nil {
            custom["color"] = ["mode": "previous"]
        }
        self.init(.custom, custom: .object(custom))
    }
}
