/// The faults that are active. Told of each occasion and the time, it says what strikes: counts down, expires, rolls the dice. A
/// value; the time is handed in, and chance is seeded, so that the same occasions are struck in the same way.
struct FaultRegistry: Sendable {
    struct ActiveFault: Sendable {
        let fault: Fault
        /// In the bridge's time.
        let since: Duration
        /// How many times it has struck.
        var struck = 0
        /// How many occasions it has met that it covers.
        var met = 0

        var left: Int? { fault.scope.count.map { $0 - struck } }
        var end: Duration? { fault.scope.duration.map { since + $0 } }
        func isOver(at now: Duration) -> Bool { left.map { $0 <= 0 } ?? false || end.map { $0 <= now } ?? false }
    }

    private var activeFaults: [ActiveFault] = []
    private(set) var random: SeededRandom
    /// Whether nothing is active that has to be asked about at each occasion.
    private(set) var isQuiet = true

    var isEmpty: Bool { activeFaults.isEmpty }

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    // MARK: - Beginning and ending

    /// One of the same kind, path and method gives way.
    mutating func begin(_ fault: Fault, at now: Duration) {
        var fault = fault
        switch fault.kind {
        // It is over when it has happened.
        case .move: return
        // Off for so long, slow for as long again.
        case .reboot: fault.scope.duration = .seconds(2 * max(fault.number, 0))
        default: break
        }
        activeFaults.removeAll {
            $0.fault.kind == fault.kind && $0.fault.scope.path == fault.scope.path
                && $0.fault.scope.method == fault.scope.method
        }
        activeFaults.append(ActiveFault(fault: fault, since: now))
        removeExpired(at: now)
    }

    /// Ends what is of this kind, or everything.
    ///
    /// - Returns: what was active.
    @discardableResult
    mutating func end(_ kind: FaultKind? = nil, at now: Duration) -> [Fault] {
        removeExpired(at: now)
        let ended = activeFaults.filter { kind == nil || $0.fault.kind == kind }
        activeFaults.removeAll { kind == nil || $0.fault.kind == kind }
        removeExpired(at: now)
        return ended.map(\.fault)
    }

    /// Forgets what is over.
    mutating func removeExpired(at now: Duration) {
        activeFaults.removeAll { $0.isOver(at: now) }
        isQuiet = activeFaults.allSatisfy { $0.fault.kind.target == .bridge }
    }

    /// Oldest first.
    func active(at now: Duration) -> [ActiveFault] { activeFaults.filter { !$0.isOver(at: now) } }

    /// When the next of these ends by itself.
    func nextEnd(of kinds: Set<FaultKind>, after now: Duration) -> Duration? {
        activeFaults.filter { kinds.contains($0.fault.kind) && !$0.isOver(at: now) }.compactMap(\.end).min()
    }

    // MARK: - Striking

    /// The fault of this kind that lasts, and strikes nothing single.
    func lasting(_ kind: FaultKind, at now: Duration) -> ActiveFault? {
        activeFaults.isEmpty ? nil : activeFaults.first { $0.fault.kind == kind && !$0.isOver(at: now) }
    }

    /// The first of these faults that strikes; it has struck then.
    mutating func strike(
        _ kinds: Set<FaultKind>, _ trigger: FaultTrigger, at now: Duration,
        where applies: (ActiveFault) -> Bool = { _ in true }
    ) -> Fault? {
        guard !isQuiet else { return nil }
        for place in activeFaults.indices where kinds.contains(activeFaults[place].fault.kind) {
            guard applies(activeFaults[place]), hits(place, trigger, now) else { continue }
            let fault = activeFaults[place].fault
            struck(place, now)
            return fault
        }
        return nil
    }

    mutating func strike(_ kind: FaultKind, _ trigger: FaultTrigger, at now: Duration) -> Fault? {
        strike([kind], trigger, at: now)
    }

    /// Lets all faults that may strike bend a thing, one after the other. Only those that change it have struck.
    mutating func bend<Thing: Equatable>(
        _ thing: Thing, _ kinds: Set<FaultKind>, _ trigger: FaultTrigger, at now: Duration,
        by bend: (Fault, Thing) -> Thing
    ) -> Thing {
        guard !isQuiet else { return thing }
        var thing = thing
        for place in activeFaults.indices where kinds.contains(activeFaults[place].fault.kind) {
            guard hits(place, trigger, now) else { continue }
            let bent = bend(activeFaults[place].fault, thing)
            guard bent != thing else { continue }
            thing = bent
            activeFaults[place].struck += 1
        }
        removeExpired(at: now)
        return thing
    }

    private mutating func hits(_ place: Int, _ trigger: FaultTrigger, _ now: Duration) -> Bool {
        let activeFault = activeFaults[place]
        guard !activeFault.isOver(at: now), activeFault.fault.scope.covers(trigger) else { return false }
        activeFaults[place].met += 1
        guard activeFaults[place].met.isMultiple(of: activeFault.fault.scope.every ?? 1) else { return false }
        guard let probability = activeFault.fault.scope.probability else { return true }
        return Double.random(in: 0..<1, using: &random) < probability
    }

    private mutating func struck(_ place: Int, _ now: Duration) {
        activeFaults[place].struck += 1
        removeExpired(at: now)
    }

    /// A time of chance, not above the longest.
    mutating func time(upTo longest: Duration) -> Duration {
        longest * Double.random(in: 0...1, using: &random)
    }

    /// So many of these, by chance, in their order.
    mutating func pick<Thing>(_ count: Int, of things: [Thing]) -> [Thing] {
        let places = Array(things.indices).shuffled(using: &random).prefix(count).sorted()
        return places.map { things[$0] }
    }
}
