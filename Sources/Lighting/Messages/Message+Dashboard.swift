// swift-format-ignore
extension Message {
    public enum Dashboard: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        case show
        case showing  ([DashboardPin], Outcome)
        case pin      (Target)
        case pinning  (Target, Outcome)
        case unpin    (Target)
        case unpinning(Target, Outcome)
        /// Moves a pin to a place, counted from 0.
        case move     (Target, to: Int)
        case moving   (Target, to: Int, Outcome)
        case toggle   (Toggle, of: Target)
        case toggling (Toggle, of: Target, Outcome)

        public enum Toggle: Equatable, Codable, Sendable { case display(to: Light.Interface) }

        public var outcome: Outcome? {
            switch self {
            case let .showing(_, o), let .pinning(_, o), let .unpinning(_, o), let .moving(_, _, o), let .toggling(_, _, o): o
            case .show, .pin, .unpin, .move, .toggle: nil
            }
        }
    }
}
