/// The result of undo or redo: which lights were changed back, and which were left as they are.
public struct Reversal: Equatable, Codable, Sendable {
    /// How many commands were undone or redone.
    public let steps: Int
    public let lights: [Light.ID]
    public let skipped: [Skipped]
    /// The scenes that were recalled again.
    public let scenes: [Scene.ID]?

    /// A light that somebody else has changed since.
    public struct Skipped: Equatable, Codable, Sendable {
        public let light: Light.ID
        public let cause: Cause

        public init(_ light: Light.ID, _ cause: Cause) {
            self.light = light
            self.cause = cause
        }
    }

    public init(steps: Int, lights: [Light.ID] = [], skipped: [Skipped] = [], scenes: [Scene.ID]? = nil) {
        self.steps = steps
        self.lights = lights
        self.skipped = skipped
        self.scenes = scenes
    }
}
