import HueWire

/// A radio message with the new light state of lamps, and the fade duration.
enum RadioMessage: Equatable, Sendable {
    /// To one lamp. Several are sent one after the other.
    case unicast(ResourceID, over: Duration)
    /// To many lamps at the same moment, for group commands and scenes.
    case broadcast([ResourceID], over: Duration)
}
