/// What a bridge does about a request that changes something: decided without a clock and without a network.
struct Decision: Sendable {
    var changes: [SimulatedHome.Change] = []
    /// Sent after the changes, in this order.
    var radio: [RadioMessage] = []
    /// Keys that are deleted.
    var revoked: [String] = []
    /// Whether a search for new lamps begins.
    var searches = false
    /// What the bridge does by itself later.
    var timedTasks: [TimedTask] = []
    var response: BridgeResponse

    init(_ response: BridgeResponse) { self.response = response }

    init(changes: [SimulatedHome.Change], radio: [RadioMessage] = [], _ response: BridgeResponse) {
        self.changes = changes
        self.radio = radio
        self.response = response
    }
}

/// What a request costs of the bridge's budget: a message to one lamp, or a broadcast to many.
enum Cost: Equatable, Sendable { case light, group, nothing }
