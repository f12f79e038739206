/// A control that somebody pressed, turned or walked past: a `button`, `relative_rotary` or `motion`. Only the fact
/// that it reported something is read.
public struct AccessoryResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    public let type: ResourceType
    /// The device it belongs to.
    public let owner: ResourceReference?

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        type = try container.decode(ResourceType.self, forKey: .type)
        owner = container.feature(.owner)
    }

    enum CodingKeys: String, CodingKey { case id, type, owner }
}
