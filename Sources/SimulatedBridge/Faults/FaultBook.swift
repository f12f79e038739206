/// The faults that are active. Told of each occasion and the time, it says what strikes: counts down, expires, rolls the dice. A
/// value; the time is handed in, and chance is seeded, so that the same occasions are struck in the same way.
struct FaultBook: Sendable {
    struct Entry: Sendable {
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

    private var entries: [Entry] = []
    private(set) var chance: Chance
    /// Whether nothing is active that has to be asked about at each occasion.
    private(set) var isQuiet = true

    var isEmpty: Bool { entries.isEmpty }

    init(seed: UInt64) { chance = Chance(seed: seed) }

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
        entries.removeAll {
            $0.fault.kind == fault.kind && $0.fault.scope.path == fault.scope.path
                && $0.fault.scope.method == fault.scope.method
        }
        entries.append(Entry(fault: fault, since: now))
        look(at: now)
    }

    /// Ends what is of this kind, or everything.
    ///
    /// - Returns: what was active.
    @discardableResult
    mutating func end(_ kind: FaultKind? = nil, at now: Duration) -> [Fault] {
        look(at: now)
        let ended = entries.filter { kind == nil || $0.fault.kind == kind }
        entries.removeAll { kind == nil || $0.fault.kind == kind }
        look(at: now)
        return ended.map(\.fault)
    }

    /// Forgets what is over.
    mutating func look(at now: Duration) {
        entries.removeAll { $0.isOver(at: now) }
        isQuiet = entries.allSatisfy { $0.fault.kind.target == .bridge }
    }

    /// Oldest first.
    func active(at now: Duration) -> [Entry] { entries.filter { !$0.isOver(at: now) } }

    /// When the next of these ends by itself.
    func nextEnd(of kinds: Set<FaultKind>, after now: Duration) -> Duration? {
        entries.filter { kinds.contains($0.fault.kind) && !$0.isOver(at: now) }.compactMap(\.end).min()
    }

    // MARK: - Striking

    /// The fault of this kind that lasts, and strikes nothing single.
    func lasting(_ kind: FaultKind, at now: Duration) -> Entry? {
        entries.isEmpty ? nil : entries.first { $0.fault.kind == kind && !$0.isOver(at: now) }
    }

    /// The first of these faults that strikes; it has struck then.
    mutating func strike(
        _ kinds: Set<FaultKind>, _ occasion: Occasion, at now: Duration, where applies: (Entry) -> Bool = { _ in true }
    ) -> Fault? {
        guard !isQuiet else { return nil }
        for place in entries.indices where kinds.contains(entries[place].fault.kind) {
            guard applies(entries[place]), hits(place, occasion, now) else { continue }
            let fault = entries[place].fault
            struck(place, now)
            return fault
        }
        return nil
    }

    mutating func strike(_ kind: FaultKind, _ occasion: Occasion, at now: Duration) -> Fault? {
        strike([kind], occasion, at: now)
    }

    /// Lets all faults that may strike bend a thing, one after the other. Only those that change it have struck.
    mutating func bend<Thing: Equatable>(
        _ thing: Thing, _ kinds: Set<FaultKind>, _ occasion: Occasion, at now: Duration,
        by bend: (Fault, Thing) -> Thing
    ) -> Thing {
        guard !isQuiet else { return thing }
        var thing = thing
        for place in entries.indices where kinds.contains(entries[place].fault.kind) {
            guard hits(place, occasion, now) else { continue }
            let bent = bend(entries[place].fault, thing)
            guard bent != thing else { continue }
            thing = bent
            entries[place].struck += 1
        }
        look(at: now)
        return thing
    }

    private mutating func hits(_ place: Int, _ occasion: Occasion, _ now: Duration) -> Bool {
        let entry = entries[place]
        guard !entry.isOver(at: now), entry.fault.scope.covers(occasion) else { return false }
        entries[place].met += 1
        guard entries[place].met.isMultiple(of: entry.fault.scope.every ?? 1) else { return false }
        guard let probability = entry.fault.scope.probability else { return true }
        return Double.random(in: 0..<1, using: &chance) < probability
    }

    private mutating func struck(_ place: Int, _ now: Duration) {
        entries[place].struck += 1
        look(at: now)
    }

    /// A time of chance, not above the longest.
    mutating func time(upTo longest: Duration) -> Duration {
        longest * Double.random(in: 0...1, using: &chance)
    }

    /// So many of these, by chance, in their order.
    mutating func pick<Thing>(_ count: Int, of things: [Thing]) -> [Thing] {
        let places = Array(things.indices).shuffled(using: &chance).prefix(count).sorted()
        return places.map { things[$0] }
    }
}
