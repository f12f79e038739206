import FoundationEssentials
import HueWire

/// What a decision is made upon: the home as the bridge believes it to be, the lamps as they are, who may speak, and the time.
struct DecisionContext: Sendable {
    var home: SimulatedHome
    var mesh: Mesh
    var keys: [String: BridgeCore.Key] = [:]
    var derive = DerivedID(seed: 1)
    /// Since the start, in the bridge's time.
    var now: Duration = .zero
    /// The bridge's own clock, which may be wrong.
    var date = Date(timeIntervalSince1970: 0)
    /// Until when a search for new lamps goes on; `nil` where none was ever made.
    var searchUntil: Duration?
    /// The lamps that the last search has found.
    var found: [ResourceID] = []

    init(home: SimulatedHome) {
        self.home = home
        mesh = Mesh(home)
    }

    init(
        home: SimulatedHome, mesh: Mesh, keys: [String: BridgeCore.Key], derive: DerivedID, now: Duration, date: Date,
        searchUntil: Duration?, found: [ResourceID]
    ) {
        self.home = home
        self.mesh = mesh
        self.keys = keys
        self.derive = derive
        self.now = now
        self.date = date
        self.searchUntil = searchUntil
        self.found = found
    }

    /// An id for something that a client makes. The same in every run that does the same.
    func newID(_ type: ResourceType, _ place: Int = 0) -> ResourceID {
        derive.uuid(type.rawValue, "made/\(home.made + place)")
    }
}
