import FoundationEssentials
import HueWire

extension Accessory {
    /// Its device, and each of its services.
    var documents: [JSONValue] { [device] + services.map(document) }

    var idV1: JSONValue { .string(kind.sensors == 0 ? "" : "/sensors/\(number)") }

    private var device: JSONValue {
        var members: [String: JSONValue] = [
            "type": "device", "id": .id(id), "id_v1": idV1,
            "product_data": [
                "model_id": .string(kind.product.model), "manufacturer_name": "Signify Netherlands B.V.",
                "product_name": .string(kind.product.name), "product_archetype": .string(kind.product.archetype),
                "certified": true, "software_version": "2.53.6", "hardware_platform_type": "100b-111",
            ],
            "metadata": ["name": .string(name), "archetype": .string(kind.product.archetype)],
            "services": .array(services.map { .reference($0.id, $0.type) }),
        ]
        // A switch has no light of its own to blink with.
        if kind == .motion {
            members["identify"] = [:]
            members["usertest"] = ["status": "set", "usertest": .bool(isTesting)]
        }
        return .object(members)
    }

    private func document(_ service: Service) -> JSONValue {
        var members: [String: JSONValue] = [
            "type": .string(service.type.rawValue), "id": .id(service.id), "id_v1": idV1,
            "owner": .reference(id, .device),
        ]
        // API v1 has no software updates.
        if service.type == .softwareUpdate { members["id_v1"] = nil }
        members.merge(features(of: service)) { $1 }
        return .object(members)
    }

    private func features(of service: Service) -> [String: JSONValue] {
        switch service.type.rawValue {
        case "motion": motion
        case "light_level": lightLevel
        case "temperature": temperature
        case "button": button(service.control)
        case "relative_rotary": rotary
        case "contact": contact
        case "tamper": ["tamper_reports": []]
        case "device_power":
            [
                "power_state": [
                    "battery_state": battery < 5 ? "critical" : battery < 15 ? "low" : "normal",
                    "battery_level": .int(battery),
                ]
            ]
        case "zigbee_connectivity": ["status": "connected", "mac_address": .string(zigbee)]
        case "device_software_update": ["state": "no_update", "problems": []]
        default: [:]
        }
    }

    private var motion: [String: JSONValue] {
        var value: [String: JSONValue] = [
            "motion": .bool(readings.motion?.value ?? false),
            "motion_valid": .bool(readings.motion != nil && isEnabled(.motion)),
        ]
        if let reading = readings.motion {
            value["motion_report"] = ["changed": reading.date.stamp, "motion": .bool(reading.value)]
        }
        return [
            "enabled": .bool(isEnabled(.motion)), "motion": .object(value),
            "sensitivity": [
                "status": "set", "sensitivity": .int(sensitivity),
                "sensitivity_max": .int(Accessory.highestSensitivity),
            ],
        ]
    }

    private var lightLevel: [String: JSONValue] {
        var value: [String: JSONValue] = [
            "light_level": .int(readings.lightLevel?.value ?? 0),
            "light_level_valid": .bool(readings.lightLevel != nil),
        ]
        if let reading = readings.lightLevel {
            value["light_level_report"] = ["changed": reading.date.stamp, "light_level": .int(reading.value)]
        }
        return ["enabled": .bool(isEnabled(.lightLevel)), "light": .object(value)]
    }

    private var temperature: [String: JSONValue] {
        var value: [String: JSONValue] = [
            "temperature": .number(readings.temperature?.value ?? 0),
            "temperature_valid": .bool(readings.temperature != nil),
        ]
        if let reading = readings.temperature {
            value["temperature_report"] = ["changed": reading.date.stamp, "temperature": .number(reading.value)]
        }
        return ["enabled": .bool(isEnabled(.temperature)), "temperature": .object(value)]
    }

    private func button(_ number: Int) -> [String: JSONValue] {
        var value: [String: JSONValue] = [
            "repeat_interval": 800,
            "event_values": ["initial_press", "repeat", "short_release", "long_press", "long_release"],
        ]
        if let reading = readings.buttons[number] {
            value["button_report"] = ["updated": reading.date.stamp, "event": .string(reading.value)]
            value["last_event"] = .string(reading.value)
        }
        return ["metadata": ["control_id": .int(number)], "button": .object(value)]
    }

    private var rotary: [String: JSONValue] {
        guard let reading = readings.rotation else { return ["relative_rotary": [:]] }
        let turn: JSONValue = [
            "direction": reading.value.steps < 0 ? "counter_clock_wise" : "clock_wise",
            "steps": .int(abs(reading.value.steps)), "duration": .int(reading.value.milliseconds),
        ]
        return [
            "relative_rotary": [
                "rotary_report": ["updated": reading.date.stamp, "action": "start", "rotation": turn],
                "last_event": ["action": "start", "rotation": turn],
            ]
        ]
    }

    private var contact: [String: JSONValue] {
        guard let reading = readings.contact else { return ["enabled": .bool(isEnabled(.contact))] }
        return [
            "enabled": .bool(isEnabled(.contact)),
            "contact_report": [
                "changed": reading.date.stamp, "state": reading.value ? "contact" : "no_contact",
            ],
        ]
    }
}

extension Date {
    /// The time as API v2 writes it: UTC, with milliseconds.
    var stamp: JSONValue { .string(formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))) }
}
