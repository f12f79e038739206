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
