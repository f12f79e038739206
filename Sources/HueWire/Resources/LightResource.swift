/// A light, complete or as the part that an event names: an absent feature is one that the lamp lacks, or one that has
/// not changed.
public struct LightResource: Hashable, Decodable, Sendable, Identifiable {
    public let id: ResourceID
    /// The device it belongs to.
    public let owner: ResourceReference?
    /// A v2 bridge names both the light and its device; the device's name counts (openhue/openhue-api).
    public let metadata: Metadata?
    public let on: On?
    public let dimming: Dimming?
    public let colorTemperature: ColorTemperature?
    public let color: ColorFeature?
    /// "normal", or "streaming" during an entertainment session.
    public let mode: String?
    /// What the lamp does when its mains come back.
    public let powerup: PowerupFeature?

    enum CodingKeys: String, CodingKey {
        case id, owner, metadata, on, dimming, color, mode, powerup
        case colorTemperature = "color_temperature"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ResourceID.self, forKey: .id)
        owner = container.feature(.owner)
        metadata = container.feature(.metadata)
        on = container.feature(.on)
        dimming = container.feature(.dimming)
        colorTemperature = container.feature(.colorTemperature)
        color = container.feature(.color)
        mode = container.feature(.mode)
        powerup = container.feature(.powerup)
    }

    public init(
        id: ResourceID, owner: ResourceReference?, metadata: Metadata? = nil, on: On? = nil, dimming: Dimming? = nil,
        colorTemperature: ColorTemperature? = nil, color: ColorFeature? = nil, mode: String? = nil,
        powerup: PowerupFeature? = nil
    ) {
        self.id = id
        self.owner = owner
        self.metadata = metadata
        self.on = on
        self.dimming = dimming
        self.colorTemperature = colorTemperature
        self.color = color
        self.mode = mode
        self.powerup = powerup
    }
}
