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

/// How a scene is recalled, whatever it does by itself: it moves its lights through the colours of its palette, or leaves
/// them as it sets them. Bridges with API v1 know only the latter.
public struct SceneMotion: Hashable, Sendable {
    public let isDynamic: Bool
    /// 0…1, which the bridge keeps with the scene; `nil` for the scene's own.
    public let speed: Double?

    public init(speed: Double? = nil) { (isDynamic, self.speed) = (true, speed?.clampedToUnit) }

    private init(isDynamic: Bool) { (self.isDynamic, speed) = (isDynamic, nil) }

    /// Its lights stay as it sets them.
    public static let still = SceneMotion(isDynamic: false)
}

extension SceneMotion: Codable {
    private enum CodingKeys: String, CodingKey { case isDynamic, speed }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // Older versions knew only dynamic ones.
        isDynamic = try container.decodeIfPresent(Bool.self, forKey: .isDynamic) ?? true
        speed = try container.decodeIfPresent(Double.self, forKey: .speed)
    }
}
