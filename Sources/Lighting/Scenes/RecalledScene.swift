/// A scene that is recalled, and how.
public struct RecalledScene: Hashable, Sendable {
    public let id: Scene.ID
    /// `nil` leaves it to the scene whether it moves its lights.
    public let motion: SceneMotion?

    public init(_ id: Scene.ID, motion: SceneMotion? = nil) { (self.id, self.motion) = (id, motion) }
}

/// A dynamic scene moves its lights through the colours of its palette. Bridges with API v1 have none.
public struct SceneMotion: Hashable, Codable, Sendable {
    /// 0…1, which the bridge keeps with the scene; `nil` for the scene's own.
    public let speed: Double?

    public init(speed: Double? = nil) { self.speed = speed?.clampedToUnit }
}
