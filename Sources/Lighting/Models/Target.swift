/// What a command applies to. It names lights instead of copying them: a step is computed from the state at the moment
/// the command is carried out.
public enum Target: Hashable, Codable, Sendable {
    case light(Light.ID)
    case room(Room.ID)
    /// Every light of every bridge.
    case all
}
