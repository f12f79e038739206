/// A device with a serial number: a lamp, a switch, the bridge itself. Its services are the resources that do
/// something.
public struct DeviceResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let metadata: Metadata?
    public let productData: ProductData?
    public let services: [ResourceReference]

    enum CodingKeys: String, CodingKey {
        case id, metadata, services
        case productData = "product_data"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        metadata = container.feature(.metadata)
        productData = container.feature(.productData)
        services = container.list(.services)
    }

    public init(
        id: ResourceID, metadata: Metadata?, productData: ProductData? = nil, services: [ResourceReference] = []
    ) {
        self.id = id
        self.metadata = metadata
        self.productData = productData
        self.services = services
    }
}

/// The bridge's own resource.
public struct BridgeResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    /// 16 hex digits, lower case.
    public let bridgeID: String?
    public let owner: ResourceReference?

    enum CodingKeys: String, CodingKey {
        case id, owner
        case bridgeID = "bridge_id"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        bridgeID = container.feature(.bridgeID)
        owner = container.feature(.owner)
    }

    public init(id: ResourceID, bridgeID: String?, owner: ResourceReference?) {
        self.id = id
        self.bridgeID = bridgeID
        self.owner = owner
    }
}

/// Whether the bridge reaches a device by Zigbee: API v2's counterpart of API v1's `reachable`.
public struct ConnectivityResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let owner: ResourceReference?
    /// "connected", "disconnected", "connectivity_issue", "unidirectional_incoming", "pending_discovery", or a newer
    /// status.
    public let status: String?

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        owner = container.feature(.owner)
        status = container.feature(.status)
    }

    public init(id: ResourceID, owner: ResourceReference?, status: String?) {
        self.id = id
        self.owner = owner
        self.status = status
    }

    enum CodingKeys: String, CodingKey { case id, owner, status }

    /// `nil` if the event does not say. An unknown status counts as reachable: commands to the lamp will show it.
    public var isReachable: Bool? {
        status.map { $0 != "disconnected" && $0 != "connectivity_issue" }
    }
}

/// Whether a device has newer firmware for itself: a lamp, or the bridge.
public struct SoftwareUpdateResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let owner: ResourceReference?
    /// "no_update", "update_pending", "ready_to_install", "installing" (aiohue), or another: OpenHue lists other names.
    public let state: String?

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        owner = container.feature(.owner)
        state = container.feature(.state)
    }

    public init(id: ResourceID, owner: ResourceReference?, state: String?) {
        self.id = id
        self.owner = owner
        self.state = state
    }

    enum CodingKeys: String, CodingKey { case id, owner, state }
}

/// A name that a person gave.
public struct Metadata: Hashable, Codable, Sendable {
    /// 1 to 32 characters on a Hue bridge; a longer name of another gateway is cut after 256 bytes.
    public let name: String?
    public let archetype: String?

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = container.feature(.name, as: String.self)?.heldToName
        archetype = container.feature(.archetype)
    }

    public init(name: String?, archetype: String? = nil) {
        self.name = name?.heldToName
        self.archetype = archetype
    }
}

public struct ProductData: Hashable, Decodable, Sendable {
    /// "LCA001", "BSB002"…
    public let modelID: String?
    public let productName: String?
    /// Opaque: usually "1.122.2", but not always. Cut after 256 bytes.
    public let softwareVersion: String?

    enum CodingKeys: String, CodingKey {
        case modelID = "model_id"
        case productName = "product_name"
        case softwareVersion = "software_version"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        modelID = container.feature(.modelID)
        productName = container.feature(.productName)
        softwareVersion = container.feature(.softwareVersion, as: String.self)?.heldToName
    }

    public init(modelID: String?, productName: String?, softwareVersion: String?) {
        self.modelID = modelID
        self.productName = productName
        self.softwareVersion = softwareVersion?.heldToName
    }
}
