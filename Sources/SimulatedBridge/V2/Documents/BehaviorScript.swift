import HueWire

/// An automation that a bridge offers, of which clients create instances. The simulated bridge executes none, but
/// reports that instances are running, as clients expect.
struct BehaviorScript: Sendable {
    let name: String
    let category: String
    let description: String

    static let all = [
        Self(
            name: "Wake up", category: "automation",
            description: "Brighten the lights of a room slowly at a time of day."),
        Self(name: "Timers", category: "automation", description: "Turn lights on or off after a time."),
        Self(
            name: "Motion sensor", category: "accessory", description: "Turn lights on where a sensor sees motion."),
    ]

    /// The same on every bridge, as the ids of real scripts are.
    var id: ResourceID { DerivedID.fixed("behavior_script", name) }

    var document: JSONValue {
        let schema = name.lowercased().split(separator: " ").joined(separator: "_")
        return [
            "type": "behavior_script", "id": .id(id), "description": .string(description),
            "configuration_schema": ["$ref": .string("\(schema)_config.json#")], "trigger_schema": [:],
            "state_schema": [:], "version": "0.0.1",
            "metadata": ["name": .string(name), "category": .string(category)],
            "supported_features": [], "max_number_instances": 255,
        ]
    }
}
