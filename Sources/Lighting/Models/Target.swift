/// What a command is aimed at. Never a copied light: what a step means is computed from the state at the moment it is
/// carried out.
public enum Target: Hashable, Codable, Sendable {
    case light(Light.ID)
    case room(Room.ID)
    /// Every light of every bridge.
    case all
}
