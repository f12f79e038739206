import HueWire

/// Holds the events of a stream until everything was fetched, so that none is lost and none is applied too early.
struct EventBuffer: Sendable {
    /// `nil` once it is released.
    private var held: [EventFrame]? = []

    /// - Returns: what is to be applied now.
    mutating func take(_ frame: EventFrame) -> [EventFrame] {
        guard held != nil else { return [frame] }
        held?.append(frame)
        return []
    }

    /// - Returns: what was held. From now on nothing is.
    mutating func release() -> [EventFrame] {
        defer { held = nil }
        return held ?? []
    }
}
