import FoundationEssentials
import HueWire

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
