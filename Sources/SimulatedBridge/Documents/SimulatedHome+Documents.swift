public import HueWire

/// The home as the JSON documents of API v2: what a real bridge says, including much that a client need not read.
extension SimulatedHome {
    /// Every resource, in an order that does not change.
    public var documents: [JSONValue] {
        bridgeDocuments + lamps.flatMap(\.documents) + accessories.flatMap(\.documents)
            + groups.flatMap { $0.documents(in: self) } + scenes.map(\.document) + kept.map(\.document)
    }

    var bridgeDevice: ResourceID { DerivedID.fixed("device", bridge.id) }

    var bridgeDocuments: [JSONValue] {
        let services: [(String, ResourceID)] = ["bridge", "zigbee_connectivity", "zigbee_device_discovery"].map {
            ($0, DerivedID.fixed($0, bridge.id))
        }
        let owner = JSONValue.reference(bridgeDevice, .device)
        let software = bridge.model == .pro ? "1.78.2071476020" : "1.78.1978293000"
        return [
            [
                "type": "device", "id": .id(bridgeDevice),
                "product_data": [
                    "model_id": .string(bridge.model.rawValue), "manufacturer_name": "Signify Netherlands B.V.",
                    "product_name": .string(bridge.model.productName),
                    "product_archetype": .string(bridge.model.archetype), "certified": true,
                    "software_version": .string(software),
                ],
                "metadata": ["name": .string(bridge.name), "archetype": .string(bridge.model.archetype)],
                "identify": [:],
                "services": .array(services.map { .reference($0.1, ResourceType(rawValue: $0.0)) }),
            ],
            [
                "type": "bridge", "id": .id(services[0].1), "bridge_id": .string(bridge.id), "owner": owner,
                "time_zone": ["time_zone": .string(bridge.timeZone)],
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
