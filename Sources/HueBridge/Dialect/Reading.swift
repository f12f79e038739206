import HueWire

/// What a bridge's answer to a ``Query`` means.
enum Reading: Equatable, Sendable {
    /// - Parameter unreadable: why some elements were skipped.
    case resources([Resource], unreadable: [String])
    /// Overloaded, worth another try: the bridge's words.
    case busy(String)
    case keyRefused
    /// The bridge has no such light, or does not speak this API.
    case gone
    /// Not an answer to the query: why.
    case senseless(String)

    var isBusy: Bool { if case .busy = self { true } else { false } }
}
