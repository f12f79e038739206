// swift-format-ignore
extension Message {
    public enum Scenes: Equatable, Codable, Sendable {
        // Commands, each followed by its response once the bridge has reported the change.
        /// Stores what the lights of these targets show as a scene of the room or zone that they share.
        case save    (named: String, of: [Target])
        case saving  (named: String, Scene.ID?, Outcome)
        /// Stores what the scene's lights show now.
        case update  (Scene.ID)
        case updating(Scene.ID, Outcome)
        case rename  (Scene.ID, to: String)
        case renaming(Scene.ID, to: String, Outcome)
        /// With its name, by which the journal calls it once it is gone.
        case delete  (Scene.ID, named: String)
        case deleting(Scene.ID, named: String, Outcome)
        /// Reads what it sets on each light.
        case read    (Scene.ID)
        case reading (Scene.ID, [DesiredState], Outcome)

        public var outcome: Outcome? {
            switch self {
            case let .saving(_, _, o), let .updating(_, o), let .renaming(_, _, o), let .deleting(_, _, o),
                 let .reading(_, _, o): o
            case .save, .update, .rename, .delete, .read: nil
            }
        }
    }
}
