import HueWire

/// A change asked of a bridge, in API v2's words, whichever API the bridge speaks.
enum Operation: Equatable, Sendable {
    /// - Parameter whites: the light's range in mirek, if known.
    case light(ResourceID, LightUpdate, whites: ClosedRange<Int>? = nil)
    /// All lights of a room, zone or home at once.
    case group(ResourceID, LightUpdate)
    /// - Parameter milliseconds: `nil` leaves it to the scene.
    case recall(ResourceID, milliseconds: Int?)
    /// A device, room or zone.
    case rename(ResourceType, ResourceID, to: String)
    /// What a light does when its mains come back; the preset is API v2's name.
    case powerup(ResourceID, preset: String)
}

/// What can be read from a bridge.
enum Query: Equatable, Sendable {
    case everything
    /// Every light, and whether it is in reach.
    case lights
    /// What API v2 keeps apart from the lights: whether they are in reach.
    case connectivity
    case light(ResourceID)
}
