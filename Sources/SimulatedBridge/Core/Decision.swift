import FoundationEssentials
import HueWire

/// What the bridge does about one request or timed task. It is decided without a clock and without a network.
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

    /// What it does to the home and the lamps.
    var update: HomeUpdate { HomeUpdate(changes: changes, radio: radio) }

    /// Whether nothing happens besides the response.
    var isOnlyResponse: Bool {
        changes.isEmpty && radio.isEmpty && revoked.isEmpty && !searches && timedTasks.isEmpty
    }
}

/// What a request costs of the bridge's budget: a message to one lamp, or a broadcast to many.
enum Cost: Equatable, Sendable { case light, group, nothing }

/// What a decision is based on: the home as the bridge knows it, the lamps as they are, the keys, and the time.
struct DecisionContext: Sendable {
    var home: SimulatedHome
    var mesh: Mesh
    var keys: [String: BridgeCore.Key] = [:]
    var derive = DerivedID(seed: 1)
    /// Since the start, in the bridge's time.
    var now: Duration = .zero
    /// The bridge's own clock, which may be wrong.
    var date = Date(timeIntervalSince1970: 0)
    /// When the last search for new lamps ends; `nil` if there was none.
    var searchUntil: Duration?
    /// The lamps that the last search has found.
    var foundLamps: [ResourceID] = []

    /// An id for something that a client creates: the same in every run with the same requests.
    func newID(_ type: ResourceType) -> ResourceID {
        derive.uuid(type.rawValue, "made/\(home.made)")
    }
}

extension DecisionContext {
    init(home: SimulatedHome) { self.init(home: home, mesh: Mesh(home)) }
}
