import HueWire

/// The bridge's own resources: its device with its services, and the resources that every home has once.
extension SimulatedHome {
    var bridgeDevice: ResourceID { fixed(.device) }
    var discovery: ResourceID { fixed(.discovery) }
    var geolocation: ResourceID { fixed(.geolocation) }
    /// `homekit` of a square bridge; the Pro has `matter` instead (aiohue, `resource.py`).
    var fabric: (type: ResourceType, id: ResourceID) {
        let type = ResourceType(rawValue: bridge.model == .pro ? "matter" : "homekit")
        return (type, fixed(type))
    }

    private func fixed(_ type: ResourceType) -> ResourceID { DerivedID.fixed(type.rawValue, bridge.id) }

    var bridgeDocuments: [JSONValue] {
        let services = [ResourceType.bridge, .connectivity, .discovery, .softwareUpdate].map { ($0, fixed($0)) }
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
                "services": .array(services.map { .reference($0.1, $0.0) }),
            ],
            [
                "type": "bridge", "id": .id(services[0].1), "bridge_id": .string(bridge.id), "owner": owner,
                "time_zone": ["time_zone": .string(bridge.timeZone)],
            ],
            [
                "type": "zigbee_connectivity", "id": .id(services[1].1), "owner": owner, "status": "connected",
                "mac_address": "00:17:88:01:00:00:00:01",
                "channel": ["status": "set", "value": .string("channel_\(bridge.zigbeeChannel)")],
                "extended_pan_id": "0123456789abcdef",
            ],
            [
                "type": "zigbee_device_discovery", "id": .id(discovery), "owner": owner,
                "status": bridge.isSearching ? "active" : "ready",
                "action": ["action_type_values": ["search", "search_allow_default_link_key"]],
            ],
            [
                "type": "device_software_update", "id": .id(services[3].1), "owner": owner,
                "state": .string(bridge.update?.rawValue ?? SimulatedHome.Bridge.noUpdate), "problems": [],
            ],
            ["type": "geolocation", "id": .id(geolocation), "is_configured": .bool(bridge.isLocated)],
            own,
            [
                "type": "clip", "id": .id(fixed(ResourceType(rawValue: "clip"))),
                "resources": .array(ResourceType.served(by: bridge.model).sorted().map { .string($0) }),
            ],
        ] + BehaviorScript.all.map(\.document)
    }

    private var own: JSONValue {
        var members: [String: JSONValue] = ["type": .string(fabric.type.rawValue), "id": .id(fabric.id)]
        if bridge.model == .pro {
            members["max_fabrics"] = 16
            members["has_qr_code"] = false
        } else {
            members["status"] = "unpaired"
        }
        return .object(members)
    }
}

extension SimulatedHome.Bridge {
    /// The state of API v2 without an update.
    static let noUpdate = "no_update"
}

extension ResourceType {
    static let discovery = Self(rawValue: "zigbee_device_discovery")
    static let geolocation = Self(rawValue: "geolocation")

    /// A square bridge has `homekit`, the Pro `matter` and Wi-Fi.
    static func served(by model: BridgeModel) -> Set<String> {
        served.subtracting(model == .pro ? ["homekit"] : ["matter", "matter_fabric", "wifi_connectivity"])
    }
}
