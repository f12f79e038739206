import HueWire

/// One request to be sent now. Its answer is owed.
struct ScheduledRequest: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case light(ResourceID, Patch)
        /// One command to a grouped light; every member wanted this patch.
        case group(ResourceID, members: [ResourceID], Patch)
        case job(UInt64)
    }

    let id: UInt64
    let content: Content
    /// How often something of it was sent before and came back.
    let returns: Int
}

/// What became of a shipment.
enum Delivery: Equatable, Sendable {
    case done
    /// Taken, but the bridge doubts that these lamps follow; none named means all.
    case doubted(String, [ResourceID] = [])
    /// It will never be taken.
    case refused(String)
    /// Overloaded: 429, 502, 503. Not carried out.
    case busy
    /// A fault of the bridge, 500: worth a few tries, as some are over at once and others last until it is restarted. Its words.
    case faulty(String)
    /// It never left: no connection.
    case unsent
    /// It left, and no answer came: it may have been carried out.
    case unknown
}
