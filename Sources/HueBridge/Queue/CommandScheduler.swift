import HueWire

/// Decides what is sent to one bridge, and when. A value without a clock, sockets or chance: times and chance come in,
/// requests and completions come out. docs/gateway.md states its laws.
///
/// `ask`, `answer`, `overdue`, `resume`, `forget` and `withdraw` return the completions that became due. After each of
/// them, and when a wait is over, call `overdue` to complete what is late, then `next` for what to do.
struct CommandScheduler: Sendable {
    /// A grouped light and its members.
    struct Group: Equatable, Sendable {
        let groupedLight: ResourceID
        let members: [ResourceID]
    }

    enum Step: Equatable, Sendable {
        /// Send it now, and report what became of it with `answer`.
        case send(ScheduledRequest)
        /// Nothing can go before that time, unless something happens.
        case wait(until: Duration)
        /// Nothing can go until something happens.
        case rest
    }

    /// What was sent and is not answered yet.
    struct InFlightRequest: Sendable {
        let sent: Duration
        /// What it counts for: a light or a group command.
        var cost = Job.Cost.light
        var group: ResourceID?
        var job: UInt64?
        var pending: [(queue: Int, pending: PendingState)] = []
        /// The queues of those lights that somebody else has changed meanwhile.
        var yielded: Set<Int> = []
    }

    /// A group and the places of its members' queues.
    struct LightGroup: Sendable {
        let groupedLight: ResourceID
        let queues: [Int]
        /// The bridge refused a command to the group: its members are sent to one by one until the layout changes.
        var isBarred = false
    }

    private(set) var budget: Budget
    var queues: [LightQueue] = []
    private var places: [ResourceID: Int] = [:]
    /// The queues that are not empty.
    var waiting: Set<Int> = []
    var jobs: [UInt64: Job] = [:]
    private var layout: [Group] = []
    /// The largest first.
    var lightGroups: [LightGroup] = []
    var lightWindow: RateWindow
    var groupWindow: RateWindow
    var recovery: RateRecovery
    var inFlightRequests: [UInt64: InFlightRequest] = [:]
    var waiters = Waiters()
    var isSuspended = false
    /// When the bridge first refused the key, if it has accepted nothing since.
    var keyRefused: Duration?
    /// Whether a read has just gone before writes: one of those goes next.
    var isWritesTurn = false
    /// How many requests were not needed, because values were sent with others or in the place of older ones.
    var folded: UInt64 = 0
    private var asks: UInt64 = 0
    private var requests: UInt64 = 0

    init(_ budget: Budget = Budget()) {
        let budget = budget.atLeastOne
        self.budget = budget
        lightWindow = RateWindow(span: budget.second)
        groupWindow = RateWindow(span: budget.second)
        recovery = RateRecovery(budget)
    }

    /// Keeps to other rates from now on. Only the rates differ.
    mutating func apply(_ new: Budget) {
        budget = new.atLeastOne
        recovery.apply(budget)
    }

    /// Sets which lights each grouped light stands for: home, rooms, zones. Of two that are equally large the first is
    /// preferred.
    mutating func arrange(_ layout: [Group]) {
        guard layout != self.layout else { return }
        self.layout = layout
        lightGroups = layout.map { group in
            LightGroup(groupedLight: group.groupedLight, queues: group.members.unique.map { place(of: $0) })
        }
        .filter { $0.queues.count > 1 }
        // Sorting alone does not promise a stable order.
        lightGroups = lightGroups.enumerated().sorted { one, other in
            (other.element.queues.count, one.offset) < (one.element.queues.count, other.offset)
        }
        .map(\.element)
    }

    /// The place of a light's queue.
    mutating func place(of light: ResourceID) -> Int {
        if let place = places[light] { return place }
        places[light] = queues.count
        queues.append(LightQueue(light))
        return queues.count - 1
    }

    /// Whether another read may be in flight. The last place is a write's: reads that hang hold up no command.
    var canRead: Bool {
        inFlightRequests.values.count { $0.job.flatMap { jobs[$0]?.cost } == .read } < max(budget.inFlight - 1, 1)
    }

    /// How many requests wait, if none of them were coalesced: one for each light with values, and jobs.
    var waitingRequests: Int {
        waiting.count { queues[$0].firstPending != nil } + jobs.values.count { !$0.isInFlight }
    }

    func knownPlace(of light: ResourceID) -> Int? { places[light] }

    /// Updates whether the queue counts as waiting.
    mutating func note(_ queue: Int) {
        if queues[queue].entries.isEmpty { waiting.remove(queue) } else { waiting.insert(queue) }
    }

    mutating func nextAsk() -> UInt64 {
        asks += 1
        return asks
    }

    mutating func nextRequestID() -> UInt64 {
        requests += 1
        return requests
    }
}

extension Budget {
    fileprivate var atLeastOne: Self {
        var budget = self
        budget.lightsPerSecond = max(lightsPerSecond, 1)
        budget.groupsPerSecond = max(groupsPerSecond, 1)
        budget.inFlight = max(inFlight, 1)
        return budget
    }
}
