import HueWire
import ServerSentEvents

/// Holds the events of a stream until everything was fetched, so that none is lost and none is applied too early.
struct EventBuffer: Sendable {
    /// `nil` once it is released.
    private var held: [ServerSentEvent]? = []

    /// - Returns: what is to be applied now.
    mutating func take(_ frame: ServerSentEvent) -> [ServerSentEvent] {
        guard held != nil else { return [frame] }
        held?.append(frame)
        return []
    }

    /// - Returns: what was held. From now on nothing is.
    mutating func release() -> [ServerSentEvent] {
        defer { held = nil }
        return held ?? []
    }
}
