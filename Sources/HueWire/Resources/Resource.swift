/// Any resource of a bridge. Of a type that we do not know only the name is kept.
public enum Resource: Hashable, Decodable, Sendable {
    case light(LightResource)
    case device(DeviceResource)
    case room(GroupResource)
    case zone(GroupResource)
    case home(GroupResource)
    case groupedLight(GroupedLightResource)
    case scene(SceneResource)
    case connectivity(ConnectivityResource)
    case bridge(BridgeResource)
    case sensor(SensorResource)
    case unknown(ResourceType, ResourceID)

    private enum CodingKeys: String, CodingKey { case type, id }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let type = try container.decode(ResourceType.self, forKey: .type)
        switch type {
        case .light: self = .light(try LightResource(from: decoder))
        case .device: self = .device(try DeviceResource(from: decoder))
        case .room: self = .room(try GroupResource(from: decoder))
        case .zone: self = .zone(try GroupResource(from: decoder))
        case .bridgeHome: self = .home(try GroupResource(from: decoder))
        case .groupedLight: self = .groupedLight(try GroupedLightResource(from: decoder))
        case .scene: self = .scene(try SceneResource(from: decoder))
        case .connectivity: self = .connectivity(try ConnectivityResource(from: decoder))
        case .bridge: self = .bridge(try BridgeResource(from: decoder))
        case .button, .rotary, .motion, .contact, .lightLevel, .temperature, .tamper, .devicePower:
            self = .sensor(try SensorResource(from: decoder))
        default: self = .unknown(type, try container.decode(ResourceID.self, forKey: .id))
        }
    }
}
