import FoundationEssentials
import HueWire

extension Accessory {
    /// Its sensors in API v1. A motion sensor counts as three.
    ///
    /// - Parameter settings: what API v1 wrote to the sensor of that number.
    func documentsV1(_ settings: (Int) -> V1SensorSettings?) -> [(number: Int, document: JSONValue)] {
        let parts: [Part] =
            switch kind {
            case .motion: [motion, lightLevel(settings(number + 1)), temperature]
            case .switch: [buttons]
            case .dial: [buttons, rotary]
            case .contact: []
            }
        return parts.enumerated().map { place, part in
            (number + place, document(part, number + place, isFirst: place == 0, settings(number + place)))
        }
    }

    /// The service of API v2 behind the sensor of that number.
    func serviceV1(_ number: Int) -> ResourceType {
        let types =
            switch kind {
            case .motion: ["motion", "light_level", "temperature"]
            case .switch: ["button"]
            case .dial: ["button", "relative_rotary"]
            case .contact: ["contact"]
            }
        return ResourceType(rawValue: types[min(max(number - self.number, 0), types.count - 1)])
    }

    private struct Part {
        let type: String
        let name: String
        let cluster: String
        let state: [String: JSONValue]
        let date: Date?
        var config: [String: JSONValue] = [:]
        var inputs: JSONValue?
    }

    private func document(_ part: Part, _ number: Int, isFirst: Bool, _ settings: V1SensorSettings?) -> JSONValue {
        var state = part.state
        state["lastupdated"] = .string(part.date?.stampV1 ?? "none")
        var config: [String: JSONValue] = [
            "on": .bool(isEnabled(serviceV1(number))), "battery": .int(battery), "reachable": true, "alert": "none",
            "pending": [],
        ]
        config.merge(part.config) { $1 }
        config.merge(settings?.config ?? [:]) { $1 }
        let ownName = isFirst ? nil : settings?.name
        var capabilities: [String: JSONValue] = ["certified": true, "primary": .bool(isFirst)]
        capabilities["inputs"] = part.inputs
        return [
            "state": .object(state), "config": .object(config),
            "name": .string(ownName ?? (isFirst ? name : "\(part.name) \(number)")), "type": .string(part.type),
            "modelid": .string(kind.product.model), "manufacturername": "Signify Netherlands B.V.",
            "productname": .string(part.name), "swversion": "2.53.6", "uniqueid": .string("\(zigbee)-\(part.cluster)"),
            "swupdate": ["state": "noupdates", "lastinstall": "2026-01-12T11:02:20"],
            "capabilities": .object(capabilities),
        ]
    }

    private var motion: Part {
        Part(
            type: "ZLLPresence", name: "Hue motion sensor", cluster: "02-0406",
            state: ["presence": readings.motion.map { .bool($0.value) } ?? .null], date: readings.motion?.date,
            config: [
                "sensitivity": .int(sensitivity), "sensitivitymax": .int(Self.highestSensitivity),
                "ledindication": false, "usertest": .bool(isTesting),
            ])
    }

    private func lightLevel(_ settings: V1SensorSettings?) -> Part {
        let dark = settings?.config?["tholddark"]?.int ?? 16000
        let offset = settings?.config?["tholdoffset"]?.int ?? 7000
        let level = readings.lightLevel?.value
        return Part(
            type: "ZLLLightLevel", name: "Hue ambient light sensor", cluster: "02-0400",
            state: [
                "lightlevel": level.map { .int($0) } ?? .null, "dark": level.map { .bool($0 < dark) } ?? .null,
                "daylight": level.map { .bool($0 > dark + offset) } ?? .null,
            ],
            date: readings.lightLevel?.date,
            config: ["tholddark": 16000, "tholdoffset": 7000, "ledindication": false, "usertest": .bool(isTesting)])
    }

    private var temperature: Part {
        Part(
            type: "ZLLTemperature", name: "Hue temperature sensor", cluster: "02-0402",
            state: [
                "temperature": readings.temperature.map { .int(Int(($0.value * 100).rounded())) } ?? .null
            ],
            date: readings.temperature?.date, config: ["ledindication": false, "usertest": .bool(isTesting)])
    }

    private var buttons: Part {
        // The button that was used last.
        let last = readings.buttons.max { ($0.value.date, $0.key) < ($1.value.date, $1.key) }
        let inputs = (1...4).map { button -> JSONValue in
            [
                "repeatintervals": [800],
                "events": .array(
                    Self.events.map { name, code in
                        ["buttonevent": .int(button * 1000 + code), "eventtype": .string(name)]
                    }),
            ]
        }
        return Part(
            type: "ZLLSwitch", name: kind.product.name, cluster: kind == .dial ? "01-fc00" : "02-fc00",
            state: [
                "buttonevent": last.map { button in
                    .int(button.key * 1000 + (Self.events.first { $0.name == button.value.value }?.code ?? 0))
                } ?? .null
            ],
            date: last?.value.date, inputs: .array(inputs))
    }

    /// The last digit of a button event. "Hold" is API v2's repeat and long press.
    private static let events: [(name: String, code: Int)] = [
        ("initial_press", 0), ("repeat", 1), ("short_release", 2), ("long_release", 3), ("long_press", 1),
    ]

    private var rotary: Part {
        let turn = readings.rotation?.value
        return Part(
            type: "ZLLRelativeRotary", name: "Hue tap dial rotary", cluster: "14-fc00",
            state: [
                "rotaryevent": turn == nil ? .null : 1, "expectedrotation": turn.map { .int($0.steps) } ?? .null,
                "expectedeventduration": turn.map { .int($0.milliseconds) } ?? .null,
            ],
            date: readings.rotation?.date,
            inputs: [
                [
                    "repeatintervals": [400],
                    "events": [
                        ["rotaryevent": 1, "eventtype": "start"], ["rotaryevent": 2, "eventtype": "repeat"],
                    ],
                ]
            ])
    }
}
