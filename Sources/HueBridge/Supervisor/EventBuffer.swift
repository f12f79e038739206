import HueWire
import ServerSentEvents

/// Holds the events of a stream until everything was fetched, so that none is lost and none is applied too early.
struct EventBuffer: Sendable {
    /// `nil` once it is released.
    private var held: [ServerSentEvent]? = []
    private var size = 0

    /// A bridge sends about one frame a second, and everything is fetched in a few: more are not held.
    static let capacity = 1024
    /// In bytes: a single frame may have as many.
    static let largest = 8 << 20

    /// - Returns: what is to be applied now; `nil` if no more can be held.
    mutating func take(_ frame: ServerSentEvent) -> [ServerSentEvent]? {
        guard let count = held?.count else { return [frame] }
        size += frame.data.utf8.count
        guard count < Self.capacity, size <= Self.largest else { return nil }
        held?.append(frame)
        return []
    }

    /// - Returns: what was held. From now on nothing is.
    mutating func release() -> [ServerSentEvent] {
        defer { held = nil }
        return held ?? []
    }
}
