import HueWire

/// What goes out on the radio after the bridge has changed its picture: the lamp's new look, over a time.
enum RadioMessage: Equatable, Sendable {
    /// To one lamp. Several wait for each other.
    case unicast(ResourceID, over: Duration)
    /// To many at the same moment, as group commands and scenes go.
    case broadcast([ResourceID], over: Duration)
}
