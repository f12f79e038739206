// swift-format-ignore
extension Message {
    public enum Presence: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        /// Begins a replay; changes the settings of one that goes on.
        case begin    (PresenceReplay.Settings)
        case beginning(PresenceReplay.Settings, Outcome)
        case end
        case ending   (Outcome)
        /// Says what `begin` would do.
        case preview  (PresenceReplay.Settings)
        case previewing([UsageHistory.Use], Outcome)

        // Facts.
        /// What is to be replayed has been read from the journal, for the command with the same ticket.
        case recalled (UsageHistory, PresenceReplay.Settings)
        /// These uses are to come.
        case planned  ([UsageHistory.Use])
        case ended    (PresenceReplay.Ending)

        public var outcome: Outcome? {
            switch self {
            case let .beginning(_, o), let .ending(o), let .previewing(_, o): o
            case .begin, .end, .preview, .recalled, .planned, .ended: nil
            }
        }
    }
}
