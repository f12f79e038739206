/// Changes to a light or a grouped light: only what is named is sent.
public struct LightUpdate: Hashable, Codable, Sendable {
    public var on: On?
    public var dimming: Dimming?
    public var colorTemperature: Tone?
    public var color: Color?
    public var dynamics: Dynamics?

    public struct Tone: Hashable, Codable, Sendable {
        public var mirek: Int
    }

    public struct Color: Hashable, Codable, Sendable {
        public var xy: XY
    }

    /// How long the change takes, in milliseconds: 0…6,000,000.
    public struct Dynamics: Hashable, Codable, Sendable {
        public var duration: Int
    }

    enum CodingKeys: String, CodingKey {
        case on, dimming, color, dynamics
        case colorTemperature = "color_temperature"
    }

    public init(
        on: Bool? = nil, brightness: Double? = nil, mirek: Int? = nil, xy: XY? = nil, milliseconds: Int? = nil
    ) {
        self.on = on.map { On($0) }
        dimming = brightness.map { Dimming($0) }
        colorTemperature = mirek.map { Tone(mirek: $0) }
        color = xy.map { Color(xy: $0) }
        dynamics = milliseconds.map { Dynamics(duration: $0) }
    }
}

/// What a light is to do when its mains come back.
public struct PowerupUpdate: Hashable, Codable, Sendable {
    public var powerup: PowerupFeature

    public init(_ preset: String) { powerup = PowerupFeature(preset: preset) }
}

/// A new name for a device, room, zone or scene.
public struct NameUpdate: Hashable, Codable, Sendable {
    public var metadata: Metadata

    public init(_ name: String) { metadata = Metadata(name: name) }
}

/// `{"recall":{"action":"active"}}`. The older form with `status` answers 500 on newer firmware
/// (Foddy/node-red-contrib-huemagic#316).
public struct SceneRecall: Hashable, Codable, Sendable {
    public var recall: Recall

    public struct Recall: Hashable, Codable, Sendable {
        public var action: String
        /// Milliseconds, 0…6,000,000.
        public var duration: Int?
    }

    public init(milliseconds: Int? = nil) {
        recall = Recall(action: "active", duration: milliseconds)
    }
}
