/// The gateway to what must survive a restart: bridges with their keys, their scenes, the dashboard. Nothing is written
/// while only lights change.
public struct Archive: Sendable {
    public var keep: @Sendable (Item, @escaping Reply<Outcome>) -> Void
    /// Deletes everything about one bridge.
    public var drop: @Sendable (Bridge.ID, @escaping Reply<Outcome>) -> Void
    /// Whether something can be saved now: tries it.
    public var check: @Sendable (@escaping Reply<Outcome>) -> Void

    public init(
        keep: @escaping @Sendable (Item, @escaping Reply<Outcome>) -> Void,
        drop: @escaping @Sendable (Bridge.ID, @escaping Reply<Outcome>) -> Void,
        check: @escaping @Sendable (@escaping Reply<Outcome>) -> Void
    ) {
        self.keep = keep
        self.drop = drop
        self.check = check
    }

    public enum Item: Equatable, Sendable {
        case pairing(Pairing)
        /// A paired bridge at another address, or with another name or model.
        case sighting(Bridge.ID, Bridge.Address, name: String, model: String)
        case scenes(of: Bridge.ID, [Scene])
        case dashboard(Dashboard)
    }

    /// What the archive contained when it was opened.
    public struct Contents: Equatable, Sendable {
        public let pairings: [Pairing]
        public let scenes: [Scene]
        public let dashboard: Dashboard
        /// By name.
        public let tokens: [AccessToken]

        public init(
            pairings: [Pairing] = [], scenes: [Scene] = [], dashboard: Dashboard = Dashboard(),
            tokens: [AccessToken] = []
        ) {
            self.pairings = pairings
            self.scenes = scenes
            self.dashboard = dashboard
            self.tokens = tokens
        }
    }
}
