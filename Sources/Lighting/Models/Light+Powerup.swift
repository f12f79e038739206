extension Light {
    /// What a lamp shows when its mains come back (API v2 `powerup.preset`, API v1 `config.startup.mode`).
    public enum Powerup: String, Hashable, Codable, Sendable, CaseIterable {
        /// On, bright and warm: light after a power cut, whatever was before.
        case safety
        /// As it was, where the cut was none of the switch at the wall; told by the lamp.
        case powerfail
        /// On or off and in the colour in which it was.
        case lastOnState = "last_on_state"
        /// Values of its own, made in another app. Can be read and not set here.
        case custom
    }
}
