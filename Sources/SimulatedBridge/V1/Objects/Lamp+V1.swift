import FoundationEssentials
import HueWire

extension Lamp {
    /// The light as API v1 shows it.
    var documentV1: JSONValue {
        let product = kind.product
        return [
            "state": .object(stateV1), "type": .string(product.v1), "name": .string(name),
            "modelid": .string(product.model), "manufacturername": "Signify Netherlands B.V.",
            "productname": .string(product.name),
            "capabilities": [
                "certified": true, "control": .object(control),
                "streaming": ["renderer": .bool(kind.gamut != nil), "proxy": .bool(kind != .plug)],
            ],
            "config": [
                "archetype": .string(String(archetype.filter { $0 != "_" })), "function": .string(traits.function),
                "direction": "omnidirectional", "startup": powerup.startup,
            ],
            "swupdate": ["state": "noupdates", "lastinstall": "2026-01-12T11:02:20"],
            "uniqueid": .string("\(ids.zigbee)-0b"), "swversion": "1.122.2",
            "swconfigid": .string(kind.configID), "productid": .string("Philips-\(product.model)-1"),
        ]
    }

    /// `state`, with the fields of the lamp's type.
    var stateV1: [String: JSONValue] {
        var state = lightState.v1(V1StateUpdate.Capabilities(kind))
        state["alert"] = .string(alert)
        state["mode"] = .string(isStreaming ? "streaming" : "homeautomation")
        state["reachable"] = .bool(hasMains)
        return state
    }

    private var control: [String: JSONValue] {
        var control: [String: JSONValue] = [:]
        if kind.dims {
            control["mindimlevel"] = 200
            control["maxlumen"] = 800
        }
        if let gamut = kind.gamut {
            control["colorgamuttype"] = .string(gamut.type)
            control["colorgamut"] = .array(
                [gamut.triangle.red, gamut.triangle.green, gamut.triangle.blue].map(JSONValue.pair))
        }
        if let whites = kind.whites { control["ct"] = ["min": .int(whites.minimum), "max": .int(whites.maximum)] }
        return control
    }
}

extension LampKind {
    fileprivate var configID: String {
        String(DerivedID.fixed("swconfigid", product.model).description.prefix(8)).uppercased()
    }
}

extension LightState {
    /// On, level and colour as API v1 shows them. The colour mode says which of the three colours was set; the others
    /// are converted.
    func v1(_ capabilities: V1StateUpdate.Capabilities) -> [String: JSONValue] {
        var state: [String: JSONValue] = ["on": .bool(isOn)]
        if capabilities.dims { state["bri"] = .int(level) }
        if let gamut = capabilities.gamut {
            let shade = tint.shade
            state["hue"] = .int(shade.hue)
            state["sat"] = .int(shade.saturation)
            state["xy"] = .pair(gamut.held(tint.point))
            state["effect"] = effect == .running("colorloop") ? "colorloop" : "none"
        }
        if let whites = capabilities.whites { state["ct"] = .int(whites.clamp(tint.mirek)) }
        if capabilities.gamut != nil || capabilities.whites != nil {
            state["colormode"] =
                switch tint {
                case .white: "ct"
                case .color, .none: "xy"
                case .shade: "hs"
                }
        }
        return state
    }
}

extension JSONValue {
    /// A point as API v1 writes it.
    static func pair(_ xy: XY) -> Self { [.number(xy.x), .number(xy.y)] }
}
