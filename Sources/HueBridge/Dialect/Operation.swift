import HueWire

/// What is asked of a bridge, in the words of API v2, whichever API it speaks.
enum Operation: Equatable, Sendable {
    /// - Parameter whites: what the lamp can show, in mirek, where it is known.
    case light(ResourceID, LightUpdate, whites: ClosedRange<Int>? = nil)
    /// All lights of a room, zone or home at once.
    case group(ResourceID, LightUpdate)
    /// - Parameter milliseconds: `nil` leaves it to the scene.
    case recall(ResourceID, milliseconds: Int?)
    /// A device, room or zone.
    case rename(ResourceType, ResourceID, to: String)
    /// What a light does when its mains come back, as API v2 names it.
    case powerup(ResourceID, preset: String)
}

/// What a bridge is asked to tell.
enum Query: Equatable, Sendable {
    case everything
    case lights
    case light(ResourceID)
}
