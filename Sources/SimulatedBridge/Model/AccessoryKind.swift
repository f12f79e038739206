import HueWire

/// The kind of a simulated accessory.
public enum AccessoryKind: String, Codable, Sendable, CaseIterable {
    /// Motion, light level and temperature.
    case motion
    /// Four buttons in a row.
    case `switch`
    /// Four buttons and a ring to turn.
    case dial
    /// A door or a window, open or closed.
    case contact

    /// The services of its device, buttons numbered from 1.
    var services: [(type: ResourceType, control: Int)] {
        let own: [(String, Int)] =
            switch self {
            case .motion: [("motion", 0), ("light_level", 0), ("temperature", 0)]
            case .switch: (1...4).map { ("button", $0) }
            case .dial: (1...4).map { ("button", $0) } + [("relative_rotary", 0)]
            case .contact: [("contact", 0), ("tamper", 0)]
            }
        return (own + [("device_power", 0), ("zigbee_connectivity", 0), ("device_software_update", 0)]).map {
            (ResourceType(rawValue: $0.0), $0.1)
        }
    }

    /// How many sensors it has in API v1.
    var sensors: Int {
        switch self {
        case .motion: 3
        case .switch: 1
        case .dial: 2
        case .contact: 0
        }
    }

    /// The names of the real product.
    var product: (model: String, name: String, archetype: String) {
        switch self {
        case .motion: ("SML001", "Hue motion sensor", "unknown_archetype")
        case .switch: ("RWL022", "Hue dimmer switch", "unknown_archetype")
        case .dial: ("RDM002", "Hue tap dial switch", "unknown_archetype")
        case .contact: ("SOC001", "Hue secure contact sensor", "unknown_archetype")
        }
    }
}
