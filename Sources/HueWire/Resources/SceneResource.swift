/// A stored scene of a room or zone.
public struct SceneResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let metadata: Metadata?
    public let group: ResourceReference?
    /// `nil` in an event that does not name them.
    public let actions: [Action]?

    /// `nil` in an event that does not name it.
    public let status: Status?

    /// Whether its room shows it now: "inactive", "static", "dynamic_palette".
    public struct Status: Hashable, Decodable, Sendable {
        public let active: String?

        public var isActive: Bool { active == "static" || active == "dynamic_palette" }
    }

    /// What one light is to do.
    public struct Action: Hashable, Codable, Sendable {
        public let target: ResourceReference
        /// `nil` if it is not known: API v1 lists scenes without it.
        public let action: LightUpdate?

        private enum CodingKeys: String, CodingKey { case target, action }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            target = try container.decode(ResourceReference.self, forKey: .target)
            action = container.feature(.action)
        }

        public init(_ target: ResourceReference, _ action: LightUpdate? = nil) {
            self.target = target
            self.action = action
        }
    }

    enum CodingKeys: String, CodingKey { case id, metadata, group, actions, status }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        metadata = container.feature(.metadata)
        group = container.feature(.group)
        actions = container.listIfPresent(.actions)
        status = container.feature(.status)
    }
}

extension SceneResource {
    /// With the values that an event names.
    public func merged(with part: SceneResource) -> Self {
        Self(
            id: id, metadata: part.metadata ?? metadata, group: part.group ?? group, actions: part.actions ?? actions,
            status: part.status ?? status)
    }

    public init(
        id: ResourceID, metadata: Metadata?, group: ResourceReference?, actions: [Action]?, status: Status? = nil
    ) {
        self.id = id
        self.metadata = metadata
        self.group = group
        self.actions = actions
        self.status = status
    }
}
