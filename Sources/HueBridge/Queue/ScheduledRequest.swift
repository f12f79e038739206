import HueWire

/// One request to be sent now.
struct ScheduledRequest: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case light(ResourceID, Patch)
        /// One command to a grouped light; every member was asked for this patch.
        case group(ResourceID, members: [ResourceID], Patch)
        case job(UInt64)
    }

    let id: UInt64
    let content: Content
    /// Whether everybody who asked for what it brings to one of its lights has been answered that it is late.
    var isLate = false
}
