/// A scene that is recalled, and how.
public struct RecalledScene: Hashable, Sendable {
    public let id: Scene.ID
    /// `nil` leaves it to the scene whether it moves its lights.
    public let motion: SceneMotion?
    /// Whether it is a smart scene that is to recall no more scenes. Its lights stay as they are.
    public let isEnding: Bool

    public init(_ id: Scene.ID, motion: SceneMotion? = nil, isEnding: Bool = false) {
        (self.id, self.motion, self.isEnding) = (id, motion, isEnding)
    }
}

/// A dynamic scene moves its lights through the colours of its palette. Bridges with API v1 have none.
public struct SceneMotion: Hashable, Codable, Sendable {
    /// 0…1, which the bridge keeps with the scene; `nil` for the scene's own.
    public let speed: Double?

    public init(speed: Double? = nil) { self.speed = speed?.clampedToUnit }
}
