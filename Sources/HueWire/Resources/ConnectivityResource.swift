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

    public init(id: ResourceID, owner: ResourceReference?, status: String?) {
        self.id = id
        self.owner = owner
        self.status = status
    }

    enum CodingKeys: String, CodingKey { case id, owner, status }

    /// `nil` where the event does not say. A word that we do not know counts as reachable: the lamp will answer for itself.
    public var isReachable: Bool? {
        status.map { $0 != "disconnected" && $0 != "connectivity_issue" }
    }
}
