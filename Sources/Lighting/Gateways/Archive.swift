/// The gateway to what must survive a restart: bridges with their keys, their scenes, the dashboard; and what lightd
/// remembers of the lights. While only lights change, nothing is written but the batches of the journal.
public struct Archive: Sendable {
    public var keep: @Sendable (Item, @escaping Reply<Outcome>) -> Void
    /// Deletes everything about one bridge.
    public var drop: @Sendable (Bridge.ID, @escaping Reply<Outcome>) -> Void
    /// Whether something can be saved now: tries it.
    public var check: @Sendable (@escaping Reply<Outcome>) -> Void
    /// Takes the newest memory. It is written with the journal's next batch; without a journal, only when lightd ends.
    /// Never waits and never fails.
    public var remember: @Sendable (Memory) -> Void

    public init(
        keep: @escaping @Sendable (Item, @escaping Reply<Outcome>) -> Void,
        drop: @escaping @Sendable (Bridge.ID, @escaping Reply<Outcome>) -> Void,
        check: @escaping @Sendable (@escaping Reply<Outcome>) -> Void,
        remember: @escaping @Sendable (Memory) -> Void
    ) {
        self.keep = keep
        self.drop = drop
        self.check = check
        self.remember = remember
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
        public let memory: Memory
        /// By name.
        public let tokens: [AccessToken]

        public init(
            pairings: [Pairing] = [], scenes: [Scene] = [], dashboard: Dashboard = Dashboard(),
            memory: Memory = Memory(), tokens: [AccessToken] = []
        ) {
            self.pairings = pairings
            self.scenes = scenes
            self.dashboard = dashboard
            self.memory = memory
            self.tokens = tokens
        }
    }
}
