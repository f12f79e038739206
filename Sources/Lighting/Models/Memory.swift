public import HashTreeCollections

/// What lightd knows beyond what the bridges can tell it again, and must not forget when it ends: who set each light to
/// what it showed, and which commands can be undone.
public struct Memory: Equatable, Sendable {
    /// Lights that were read from their bridge since lightd started.
    public let lights: TreeDictionary<Light.ID, Light>
    /// Lights of bridges that have not been read since lightd started.
    public let unreadLights: TreeDictionary<Light.ID, Light>
    public let history: History
    /// What was asked of lights that follow something, and what a hand has taken over.
    public let followedLights: TreeDictionary<Light.ID, FollowedLight>

    public init(
        lights: TreeDictionary<Light.ID, Light> = [:], unreadLights: TreeDictionary<Light.ID, Light> = [:],
        history: History = History(), followedLights: TreeDictionary<Light.ID, FollowedLight> = [:]
    ) {
        self.lights = lights
        self.unreadLights = unreadLights
        self.history = history
        self.followedLights = followedLights
    }
}
