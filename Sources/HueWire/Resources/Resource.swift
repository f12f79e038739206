/// Any resource of a bridge. Of a type that we do not know only the name is kept.
public enum Resource: Hashable, Decodable, Sendable {
    /// Behind a reference: it is by far the largest, and a bridge has several others for each.
    indirect case light(LightResource)
    case device(DeviceResource)
    case room(GroupResource)
    case zone(GroupResource)
    case home(GroupResource)
    case groupedLight(GroupedLightResource)
    case scene(SceneResource)
    case smartScene(SmartSceneResource)
    case connectivity(ConnectivityResource)
    case bridge(BridgeResource)
    case sensor(SensorResource)
    case motionArea(MotionAreaResource)
    case softwareUpdate(SoftwareUpdateResource)
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
        case .smartScene: self = .smartScene(try SmartSceneResource(from: decoder))
        case .connectivity: self = .connectivity(try ConnectivityResource(from: decoder))
        case .bridge: self = .bridge(try BridgeResource(from: decoder))
        case .button, .rotary, .motion, .cameraMotion, .convenienceMotion, .securityMotion, .contact, .lightLevel,
            .temperature, .tamper, .devicePower:
            self = .sensor(try SensorResource(from: decoder))
        case .motionArea: self = .motionArea(try MotionAreaResource(from: decoder))
        case .softwareUpdate: self = .softwareUpdate(try SoftwareUpdateResource(from: decoder))
        default: self = .unknown(type, try container.decode(ResourceID.self, forKey: .id))
        }
    }
}

/// The id of a resource on its bridge: a lower-case UUID on v2 bridges. Opaque to us.
public struct ResourceID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let description: String

    public init(_ id: String) { description = id }
    public init(stringLiteral id: String) { description = id }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        description = try container.decode(String.self)
        guard Self.isUsable(description) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "an id that no resource has")
        }
    }

    /// Whether a bridge may call something so: real ids are UUIDs and numbers, and those of emulators are short words.
    /// Others would be kept many times over, and could show themselves as what they are not.
    static func isUsable(_ id: String) -> Bool {
        id.utf8.count <= 128 && id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    public static func < (one: Self, other: Self) -> Bool { one.description < other.description }
}

/// The type of a resource. New types appear without notice, so an unknown one is kept as its text.
public struct ResourceType: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    public static let light = Self(rawValue: "light")
    public static let device = Self(rawValue: "device")
    public static let groupedLight = Self(rawValue: "grouped_light")
    public static let room = Self(rawValue: "room")
    public static let zone = Self(rawValue: "zone")
    public static let bridgeHome = Self(rawValue: "bridge_home")
    public static let scene = Self(rawValue: "scene")
    public static let smartScene = Self(rawValue: "smart_scene")
    public static let bridge = Self(rawValue: "bridge")
    public static let button = Self(rawValue: "button")
    public static let rotary = Self(rawValue: "relative_rotary")
    public static let motion = Self(rawValue: "motion")
    public static let cameraMotion = Self(rawValue: "camera_motion")
    public static let motionArea = Self(rawValue: "motion_area_configuration")
    /// Of an area's lamps, a candidate to watch in it.
    public static let motionCandidate = Self(rawValue: "motion_area_candidate")
    public static let convenienceMotion = Self(rawValue: "convenience_area_motion")
    public static let securityMotion = Self(rawValue: "security_area_motion")
    public static let contact = Self(rawValue: "contact")
    public static let lightLevel = Self(rawValue: "light_level")
    public static let temperature = Self(rawValue: "temperature")
    public static let tamper = Self(rawValue: "tamper")
    public static let devicePower = Self(rawValue: "device_power")
    public static let geofenceClient = Self(rawValue: "geofence_client")
    public static let connectivity = Self(rawValue: "zigbee_connectivity")
    public static let softwareUpdate = Self(rawValue: "device_software_update")
}

/// A pointer from one resource to another.
public struct ResourceReference: Hashable, Codable, Sendable {
    public let rid: ResourceID
    public let rtype: ResourceType

    public init(_ rid: ResourceID, _ rtype: ResourceType) {
        self.rid = rid
        self.rtype = rtype
    }
}
