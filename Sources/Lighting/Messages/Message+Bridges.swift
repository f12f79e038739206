// swift-format-ignore
extension Message {
    public enum Bridges: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        /// Looks for bridges for about this long.
        case discover   (for: Duration)
        case discovering([Discovery], Outcome)
        /// Pairs with this bridge, or with the only one in reach, waiting this long for its link button.
        case pair       (Bridge.ID?, waiting: Duration)
        case pairing    (Bridge.ID?, Outcome)
        case forget     (Bridge.ID)
        case forgetting (Bridge.ID, Outcome)

        // Facts.
        /// Paired: known since the start, or paired just now.
        case joined     (Bridge)
        case connected  (Bridge.ID, by: Bridge.UpdateMode)
        case lost       (Bridge.ID, because: Failure)
        case seen       (Bridge.ID, at: Bridge.Address, name: String, model: String)

        public var outcome: Outcome? {
            switch self {
            case let .discovering(_, o), let .pairing(_, o), let .forgetting(_, o): o
            case .discover, .pair, .forget, .joined, .connected, .lost, .seen: nil
            }
        }
    }
}
