// swift-format-ignore
extension Message {
    public enum Rooms: Equatable, Codable, Sendable {
        // Commands, each followed by its response once the bridge has reported the change.
        /// Creates a room or zone of the lights of these targets; without a bridge, on theirs, or on the only one.
        case create  (Room.Kind, named: String, [Target], on: Bridge.ID?)
        /// What left other rooms for it is missing in what older versions have recorded.
        case creating(Room.Kind, named: String, Room.ID?, Outcome, leaving: [Room.Departure]? = nil)
        /// Puts lights into a room, which takes them from another, or into a zone.
        case add     ([Target], to: Room.ID)
        case adding  ([Target], to: Room.ID, Outcome, leaving: [Room.Departure]? = nil)
        case remove  ([Target], from: Room.ID)
        case removing([Target], from: Room.ID, Outcome)
        /// With its name, by which the journal calls it once it is gone.
        case delete  (Room.ID, named: String)
        case deleting(Room.ID, named: String, Outcome)

        public var outcome: Outcome? {
            switch self {
            case let .creating(_, _, _, o, _), let .adding(_, _, o, _), let .removing(_, _, o), let .deleting(_, _, o): o
            case .create, .add, .remove, .delete: nil
            }
        }
    }
}
