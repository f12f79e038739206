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
