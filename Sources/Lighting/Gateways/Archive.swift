/// The gateway to what must survive a restart: bridges with their keys, their scenes, the dashboard; and what lightd
/// remembers of the lights. While only lights change, nothing is written but the batches of the journal, and what a
/// presence replay has done.
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
        /// Of its rooms and zones.
        case sceneOrders(of: Bridge.ID, [SceneOrder])
        case dashboard(Dashboard)
        /// All of them, in order.
        case automations([Automation])
        /// What they are doing, and what they have done.
        case automationMemory(AutomationState.Memory)
        /// All of them.
        case bindings([SwitchBinding])
        /// What lights follow, and the curves that people have drawn.
        case followings([Following], curves: [String: Curve])
        case presence(PresenceReplay)
    }

    /// What the archive contained when it was opened.
    public struct Contents: Equatable, Sendable {
        public let pairings: [Pairing]
        public let scenes: [Scene]
        public let sceneOrders: [SceneOrder]
        public let dashboard: Dashboard
        public let followings: [Following]
        /// By name, in lower case.
        public let curves: [String: Curve]
        public let memory: Memory
        public let automations: AutomationState
        /// By name.
        public let tokens: [AccessToken]
        public let bindings: [SwitchBinding]
        public let presence: PresenceReplay?

        public init(
            pairings: [Pairing] = [], scenes: [Scene] = [], sceneOrders: [SceneOrder] = [],
            dashboard: Dashboard = Dashboard(),
            followings: [Following] = [], curves: [String: Curve] = [:], memory: Memory = Memory(),
            automations: AutomationState = AutomationState(), tokens: [AccessToken] = [],
            bindings: [SwitchBinding] = [], presence: PresenceReplay? = nil
        ) {
            self.pairings = pairings
            self.scenes = scenes
            self.sceneOrders = sceneOrders
            self.dashboard = dashboard
            self.followings = followings
            self.curves = curves
            self.memory = memory
            self.automations = automations
            self.tokens = tokens
            self.bindings = bindings
            self.presence = presence
        }
    }
}
