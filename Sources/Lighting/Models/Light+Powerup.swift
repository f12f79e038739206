extension Light {
    /// What a lamp shows when its power returns (API v2 `powerup.preset`, API v1 `config.startup.mode`).
    public enum Powerup: String, Hashable, Codable, Sendable, CaseIterable {
        /// On, bright and warm, whatever it showed before.
        case safety
        /// As before, but only after a power cut: not after somebody used the switch at the wall. The lamp tells the
        /// two apart.
        case powerfail
        /// As before, including on or off.
        case lastOnState = "last_on_state"
        /// Values set in another app. Can be read here, but not set.
        case custom
    }
}
