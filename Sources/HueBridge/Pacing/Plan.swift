import HueWire

/// What is still to be sent to one bridge, as a value without a clock, without sockets and without chance: times (since the line
/// began) and chance come in, shipments and settlements come out. docs/gateway.md tells its laws.
///
/// `ask`, `answer`, `overdue`, `resume`, `forget` and `withdraw` return the settlements that became due. After each of them, and when a
/// wait is over, `overdue` judges what is late and `next` says what to do.
struct Plan: Sendable {
    /// A grouped light and the lamps that it stands for.
    struct Group: Equatable, Sendable {
        let groupedLight: ResourceID
        let members: [ResourceID]
    }

    enum Step: Equatable, Sendable {
        /// Send it now; its answer is owed.
        case send(Shipment)
        /// Nothing can go before then, if nothing happens.
        case wait(until: Duration)
        /// Nothing to do until something happens.
        case rest
    }

    /// What was sent and is not answered.
    struct Flight: Sendable {
        let sent: Duration
        var group: ResourceID?
        var errand: UInt64?
        var wishes: [(lane: Int, wishes: Wishes)] = []
    }

    /// A group whose members have lanes.
    struct Crowd: Sendable {
        let groupedLight: ResourceID
        let lanes: [Int]
        /// The bridge refused a command to it: its members are written to one by one, until the layout is another.
        var isBarred = false
    }

    let budget: Budget
    var lanes: [Lane] = []
    private var places: [ResourceID: Int] = [:]
    /// The lanes where something waits.
    var waiting: Set<Int> = []
    var errands: [UInt64: Errand] = [:]
    private var layout: [Group] = []
    /// The largest first.
    var crowds: [Crowd] = []
    var lightWindow: Window
    var groupWindow: Window
    var recovery: Recovery
    var flights: [UInt64: Flight] = [:]
    var ledger = Ledger()
    var isSuspended = false
    private var asks: UInt64 = 0
    private var shipments: UInt64 = 0
    var coalesced = 0
    var folded = 0

    init(_ budget: Budget = Budget()) {
        var budget = budget
        budget.lightsPerSecond = max(budget.lightsPerSecond, 1)
        budget.groupsPerSecond = max(budget.groupsPerSecond, 1)
        budget.inFlight = max(budget.inFlight, 1)
        self.budget = budget
        lightWindow = Window(span: budget.second)
        groupWindow = Window(span: budget.second)
        recovery = Recovery(budget)
    }

    /// Tells which lamps each grouped light stands for: home, rooms, zones. Where two are equally large the first is preferred.
    mutating func arrange(_ layout: [Group]) {
        guard layout != self.layout else { return }
        self.layout = layout
        crowds = layout.map { group in
            var seen: Set<ResourceID> = []
            return Crowd(
                groupedLight: group.groupedLight,
                lanes: group.members.filter { seen.insert($0).inserted }.map { place(of: $0) })
        }
        .filter { $0.lanes.count > 1 }
        // A stable order: sorting alone does not promise one.
        crowds = crowds.enumerated().sorted { one, other in
            (other.element.lanes.count, one.offset) < (one.element.lanes.count, other.offset)
        }
        .map(\.element)
    }

    /// The place of a lamp's lane.
    mutating func place(of light: ResourceID) -> Int {
        if let place = places[light] { return place }
        places[light] = lanes.count
        lanes.append(Lane(light))
        return lanes.count - 1
    }

    func knownPlace(of light: ResourceID) -> Int? { places[light] }

    /// Keeps the list of waiting lanes true.
    mutating func note(_ lane: Int) {
        if lanes[lane].entries.isEmpty { waiting.remove(lane) } else { waiting.insert(lane) }
    }

    mutating func nextAsk() -> UInt64 {
        asks += 1
        return asks
    }

    mutating func nextShipment() -> UInt64 {
        shipments += 1
        return shipments
    }
}
