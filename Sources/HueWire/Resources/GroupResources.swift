/// A room (its children are devices), a zone (its children are lights) or the whole home (rooms and devices).
public struct GroupResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let metadata: Metadata?
    /// `nil` in an event that does not name them.
    public let children: [ResourceReference]?
    /// Includes its grouped light; an empty room has none.
    public let services: [ResourceReference]

    enum CodingKeys: String, CodingKey { case id, metadata, children, services }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        metadata = container.feature(.metadata)
        children = container.listIfPresent(.children)
        services = container.list(.services)
    }

    public init(
        id: ResourceID, metadata: Metadata?, children: [ResourceReference]?, services: [ResourceReference] = []
    ) {
        self.id = id
        self.metadata = metadata
        self.children = children
        self.services = services
    }
}

/// All lights of a room, zone or home as one: one command, one broadcast.
public struct GroupedLightResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let owner: ResourceReference?
    /// On if any of its lights is on.
    public let on: On?
    /// The mean of the lights that are on.
    public let dimming: Dimming?

    enum CodingKeys: String, CodingKey { case id, owner, on, dimming }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        owner = container.feature(.owner)
        on = container.feature(.on)
        dimming = container.feature(.dimming)
    }

    public init(id: ResourceID, owner: ResourceReference?, on: On? = nil, dimming: Dimming? = nil) {
        self.id = id
        self.owner = owner
        self.on = on
        self.dimming = dimming
    }
}
