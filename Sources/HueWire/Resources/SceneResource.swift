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

        public init(_ target: ResourceReference) { self.target = target }
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

extension SceneResource {
    /// With what an event names of it.
    public func merged(with part: SceneResource) -> Self {
        Self(id: id, metadata: part.metadata ?? metadata, group: part.group ?? group, actions: part.actions ?? actions)
    }

    public init(id: ResourceID, metadata: Metadata?, group: ResourceReference?, actions: [Action]?) {
        self.id = id
        self.metadata = metadata
        self.group = group
        self.actions = actions
    }
}
