/// A thing with a serial number: a lamp, a switch, the bridge itself. Its services are the resources that do something.
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
}

/// A room (its children are devices), a zone (its children are lights) or the whole home (rooms and devices).
public struct GroupResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let metadata: Metadata?
    /// `nil` in an event that does not name them.
    public let children: [ResourceReference]?
    /// Its grouped light among them; an empty room has none.
    public let services: [ResourceReference]

    enum CodingKeys: String, CodingKey { case id, metadata, children, services }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        metadata = container.feature(.metadata)
        children = container.listIfPresent(.children)
        services = container.list(.services)
    }
}

/// All lamps of a room, zone or home as one: one command, one broadcast.
public struct GroupedLightResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let owner: ResourceReference?
    /// On where any of its lamps is.
    public let on: On?
    /// The mean over the lamps that are on.
    public let dimming: Dimming?

    enum CodingKeys: String, CodingKey { case id, owner, on, dimming }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        owner = container.feature(.owner)
        on = container.feature(.on)
        dimming = container.feature(.dimming)
    }
}

/// A stored look of a room or zone.
public struct SceneResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let metadata: Metadata?
    public let group: ResourceReference?
    /// `nil` in an event that does not name them.
    public let actions: [Action]?

    /// What one light shall do.
    public struct Action: Hashable, Decodable, Sendable {
        public let target: ResourceReference
    }

    enum CodingKeys: String, CodingKey { case id, metadata, group, actions }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        metadata = container.feature(.metadata)
        group = container.feature(.group)
        actions = container.listIfPresent(.actions)
    }
}

/// Whether the bridge reaches a device by Zigbee: v2's word for v1's `reachable`.
public struct ConnectivityResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let owner: ResourceReference?
    /// "connected", "disconnected", "connectivity_issue", "unidirectional_incoming", "pending_discovery", or a later word.
    public let status: String?

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        owner = container.feature(.owner)
        status = container.feature(.status)
    }

    enum CodingKeys: String, CodingKey { case id, owner, status }

    /// `nil` where the event does not say. A word that we do not know counts as reachable: the lamp will answer for itself.
    public var isReachable: Bool? {
        status.map { $0 != "disconnected" && $0 != "connectivity_issue" }
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
}

extension SceneResource {
    /// With what an event names of it.
    public func merged(with part: SceneResource) -> Self {
        Self(id: id, metadata: part.metadata ?? metadata, group: part.group ?? group, actions: part.actions ?? actions)
    }

    private init(id: ResourceID, metadata: Metadata?, group: ResourceReference?, actions: [Action]?) {
        self.id = id
        self.metadata = metadata
        self.group = group
        self.actions = actions
    }
}
