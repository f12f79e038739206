// swift-format-ignore
extension Message {
    public enum Switches: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        /// What the switch is bound to already is replaced.
        case bind     (SwitchBinding)
        case binding  (SwitchBinding, Outcome)
        case unbind   (Sensor.ID)
        case unbinding(Sensor.ID, Outcome)

        // Facts.
        /// A bound switch was pressed or turned, and there is nothing that it could do.
        case missed   (SwitchBinding, because: Failure)

        public var outcome: Outcome? {
            switch self {
            case let .binding(_, o), let .unbinding(_, o): o
            case .bind, .unbind, .missed: nil
            }
        }
    }
}
