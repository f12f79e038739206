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
