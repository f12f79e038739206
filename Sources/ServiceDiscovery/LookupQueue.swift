/// Which of the announced services are looked up. A value without a clock.
///
/// Each look-up has three connections to avahi-daemon, each with sockets and a thread, and anybody on the network may
/// announce any number of services. So only some are open at a time. As long as there are more services than that, the
/// services take turns, and those that the caller wants to follow keep theirs.
struct LookupQueue {
    typealias Instant = ContinuousClock.Instant

    struct Limits: Equatable {
        /// The most look-ups at a time.
        var open = 16
        /// The most services. Others are ignored until one of these is gone.
        var services = 256
        /// How long a look-up may take: resolving fails after five seconds.
        var patience: Duration = .seconds(5)
        /// How long a look-up that has brought its answer stays open for changes, if others wait that had their turn.
        var turn: Duration = .seconds(10)
    }

    private struct Turn {
        let began: Instant
        var isAnswered = false
        var isFollowed = false
    }

    private let limits: Limits
    private var turns: [ServiceName: Turn] = [:]
    /// Those that wait for their first turn, and those that wait for the next.
    private var fresh: [ServiceName] = []
    private var again: [ServiceName] = []

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// - Returns: whether the service is taken in.
    mutating func add(_ name: ServiceName) -> Bool {
        guard turns.count + fresh.count + again.count < limits.services else { return false }
        fresh.append(name)
        return true
    }

    mutating func remove(_ name: ServiceName) {
        turns[name] = nil
        fresh.removeAll { $0 == name }
        again.removeAll { $0 == name }
    }

    mutating func removeAll() { self = LookupQueue(limits) }

    /// - Parameter isFollowed: whether it is to keep its turn. More than half of all turns are never kept.
    mutating func answered(_ name: ServiceName, isFollowed: Bool) {
        let others = turns.count { $0.key != name && $0.value.isFollowed }
        turns[name]?.isAnswered = true
        turns[name]?.isFollowed = isFollowed && others < limits.open / 2
    }

    /// The look-ups to close and to open now.
    mutating func handOver(at now: Instant) -> (close: [ServiceName], open: [ServiceName]) {
        var closed: [ServiceName] = []
        var opened: [ServiceName] = []
        while !fresh.isEmpty || !again.isEmpty {
            if turns.count >= limits.open {
                guard
                    let name = turns.filter({ isOver($0.value, at: now) }).min(by: { $0.value.began < $1.value.began })?
                        .key
                else { break }
                turns[name] = nil
                again.append(name)
                closed.append(name)
            }
            let next = fresh.isEmpty ? again.removeFirst() : fresh.removeFirst()
            turns[next] = Turn(began: now)
            opened.append(next)
        }
        return (closed, opened)
    }

    /// When the next look-up may be closed for one that waits; `nil` if none waits.
    var nextHandOver: Instant? {
        fresh.isEmpty && again.isEmpty ? nil : turns.values.filter { !$0.isFollowed }.map(end).min()
    }

    private func isOver(_ turn: Turn, at now: Instant) -> Bool { !turn.isFollowed && end(turn) <= now }

    private func end(_ turn: Turn) -> Instant {
        guard turn.isAnswered else { return turn.began + limits.patience }
        return fresh.isEmpty ? turn.began + limits.turn : turn.began
    }
}
