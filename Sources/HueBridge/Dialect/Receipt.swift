import HueWire

/// What a bridge's answer to a ``Operation`` means.
enum Receipt: Equatable, Sendable {
    case done
    /// Taken, but the bridge doubts it, or a part of it: its own words.
    case doubted(String)
    /// Not done: its own words.
    case refused(String)
    /// Overloaded: worth another try. Its own words.
    case busy(String)
    case keyRefused
    /// It has nothing of that id any more: its own words.
    case gone(String)
    /// Taken as the status says, and no word of it can be read.
    case unreadable
}

/// What a bridge's answer to a ``Query`` means.
enum Reading: Equatable, Sendable {
    /// - Parameter unreadable: why elements were passed over.
    case resources([Resource], unreadable: [String])
    /// Overloaded: worth another try. Its own words.
    case busy(String)
    case keyRefused
    /// It has nothing there: no such light, or not this API.
    case gone
    /// No answer to the question: why.
    case senseless(String)
}
