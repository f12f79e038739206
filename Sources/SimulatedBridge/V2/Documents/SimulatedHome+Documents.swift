public import HueWire

/// The home as the JSON documents of API v2.
extension SimulatedHome {
    /// Every resource, in an order that does not change.
    public var documents: [JSONValue] {
        bridgeDocuments + lamps.flatMap(\.documents) + accessories.flatMap(\.documents)
            + groups.flatMap { $0.documents(in: self) } + scenes.map(\.document) + storedResources.map(\.document)
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
    /// An id that does not depend on the seed, only on the names.
    static func fixed(_ kind: String, _ bridge: String) -> ResourceID {
        DerivedID(seed: 0).uuid(kind, bridge)
    }
}

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
