import HueWire

/// What is still to be sent to one bridge, as a value without a clock, without sockets and without chance: times (since the line
/// began) and chance come in, shipments and settlements come out. docs/gateway.md tells its laws.
///
/// `ask`, `answer`, `overdue`, `resume`, `forget` and `withdraw` return the settlements that became due. After each of them, and when a
/// wait is over, `overdue` judges what is late and `next` says what to do.
struct CommandScheduler: Sendable {
    /// A grouped light and the lamps that it stands for.
    struct Group: Equatable, Sendable {
        let groupedLight: ResourceID
        let members: [ResourceID]
    }

    enum Step: Equatable, Sendable {
        /// Send it now; its answer is owed.
        case send(ScheduledRequest)
        /// Nothing can go before then, if nothing happens.
        case wait(until: Duration)
        /// Nothing to do until something happens.
        case rest
    }

    /// What was sent and is not answered.
    struct InFlightRequest: Sendable {
        let sent: Duration
        var group: ResourceID?
        var job: UInt64?
        var pending: [(queue: Int, pending: PendingState)] = []
    }

    /// A group whose members have lanes.
    struct LightGroup: Sendable {
        let groupedLight: ResourceID
        let queues: [Int]
        /// The bridge refused a command to it: its members are written to one by one, until the layout is another.
        var isBarred = false
    }

    let budget: Budget
    var queues: [LightQueue] = []
    private var places: [ResourceID: Int] = [:]
    /// The lanes where something waits.
    var waiting: Set<Int> = []
    var jobs: [UInt64: Job] = [:]
    private var layout: [Group] = []
    /// The largest first.
    var lightGroups: [LightGroup] = []
    var lightWindow: Window
    var groupWindow: Window
    var recovery: RateRecovery
    var inFlightRequests: [UInt64: InFlightRequest] = [:]
    var waiters = Waiters()
    var isSuspended = false
    private var asks: UInt64 = 0
    private var requests: UInt64 = 0
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
        recovery = RateRecovery(budget)
    }

    /// Tells which lamps each grouped light stands for: home, rooms, zones. Where two are equally large the first is preferred.
    mutating func arrange(_ layout: [Group]) {
        guard layout != self.layout else { return }
        self.layout = layout
        lightGroups = layout.map { group in
            var seen: Set<ResourceID> = []
            return LightGroup(
                groupedLight: group.groupedLight,
                queues: group.members.filter { seen.insert($0).inserted }.map { place(of: $0) })
        }
        .filter { $0.queues.count > 1 }
        // A stable order: sorting alone does not promise one.
        lightGroups = lightGroups.enumerated().sorted { one, other in
            (other.element.queues.count, one.offset) < (one.element.queues.count, other.offset)
        }
        .map(\.element)
    }

    /// The place of a lamp's lane.
    mutating func place(of light: ResourceID) -> Int {
        if let place = places[light] { return place }
        places[light] = queues.count
        queues.append(LightQueue(light))
        return queues.count - 1
    }

    func knownPlace(of light: ResourceID) -> Int? { places[light] }

    /// Keeps the list of waiting lanes true.
    mutating func note(_ queue: Int) {
        if queues[queue].entries.isEmpty { waiting.remove(queue) } else { waiting.insert(queue) }
    }

    mutating func nextAsk() -> UInt64 {
        asks += 1
        return asks
    }

    mutating func nextShipment() -> UInt64 {
        requests += 1
        return requests
    }
}
