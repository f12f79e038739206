import HeapModule
public import Khipu

/// Says what is due: `now` in, the occurrences that are due and when to look again out. It is a value; saved after each
/// ``due(at:in:)`` that found something or after which ``latest`` is earlier, it hands out each occurrence once, also over
/// restarts.
///
/// An occurrence that is found late (the machine was asleep, lightd was not running, the clock was set forward) comes
/// with its lateness. Of several of one key that were missed, only the newest comes. If the clock is set back, nothing
/// that already came comes again until the clock is past it. But after a jump back of more than a day (a clock without a
/// battery that was a year ahead) everything counts from the new time on.
///
/// If the home moves, or its clocks show another time zone, everything is planned anew: what already came does not come
/// again, and what the new time has had since then comes late.
public struct Schedule<Key: Comparable & Hashable & Codable & Sendable>: Sendable {
    public struct Occurrence: Hashable, Sendable {
        public let key: Key
        /// When it was due.
        public let time: Timestamp
        /// How much later it is now.
        public let lateness: Duration
    }

    private struct Entry: Equatable {
        let trigger: ClockTrigger
        /// What was due until then is done.
        var mark: Timestamp
        /// The last one that was handed out.
        var last: Timestamp?
    }

    private struct Plan: Comparable {
        let time: Timestamp
        let key: Key

        static func < (one: Self, other: Self) -> Bool { (one.time, one.key) < (other.time, other.key) }
    }

    /// How far the clock may be set back without that everything counts anew.
    private static var longestStepBack: Duration { .seconds(86_400) }
    /// How exactly ``latest`` is kept: a look that finds nothing should not change the value each time.
    private static var precision: Duration { .seconds(60) }

    private var entries: [Key: Entry] = [:]
    /// The latest time that the clock has shown.
    private(set) var latest: Timestamp?

    // The rest follows from that and the home's time. It is made by the first call that knows it, and made anew when the
    // home has moved.
    /// For whom it was planned. It is not compared, as what follows from it.
    private(set) var planned: HomeTime?
    private var nexts: [Key: Timestamp] = [:]
    private var plans = Heap<Plan>()

    public init() {}

    /// When something is due next; `nil` if nothing is. Known after the first call of one of the functions below.
    public var next: Timestamp? { plans.min?.time }

    /// Until when everything of a key is done: what its trigger says of the time up to then does not come. Later than now
    /// if the clock was set back.
    public func done(_ key: Key, at now: Timestamp) -> Timestamp {
        isSetFarBack(to: now) ? now : max(now, entries[key]?.mark ?? now)
    }

    /// Until when what is due of a key has been handed out; `nil` if it has no trigger.
    func mark(of key: Key) -> Timestamp? { entries[key]?.mark }

    private func isSetFarBack(to now: Timestamp) -> Bool {
        latest.map { now < $0.advanced(by: .zero - Self.longestStepBack) } ?? false
    }

    /// Replaces all triggers. Those of a key that had the same one before go on; all others count from now on.
    public mutating func replaceTriggers(
        with triggers: [Key: ClockTrigger], at now: Timestamp, in time: HomeTime
    ) {
        entries = Dictionary(
            uniqueKeysWithValues: triggers.map { key, trigger in
                let entry = entries[key].flatMap { $0.trigger == trigger ? $0 : nil }
                if entry == nil { nexts[key] = time.next(trigger, after: now) }
                return (key, entry ?? Entry(trigger: trigger, mark: now))
            })
        nexts = nexts.filter { entries[$0.key] != nil }
        if planned == time { plans = Heap(nexts.map { Plan(time: $0.value, key: $0.key) }) } else { planAll(in: time) }
    }

    /// What is due, in the order of the times; of the same time, in the order of the keys. Each occurrence comes once.
    public mutating func due(at now: Timestamp, in time: HomeTime) -> [Occurrence] {
        if isSetFarBack(to: now) {
            for key in entries.keys { entries[key]?.mark = now }
            latest = now
            planned = nil
        }
        if latest.map({ now >= $0.advanced(by: Self.precision) }) ?? true { latest = now }
        var occurrences: [Occurrence] = []
        if let planned, planned != time {
            // The home has moved, or its clocks show another time. What was due until now was due by the old time; what
            // could not come by that, such as a sunset without a place, was not missed.
            occurrences = takeAllDue(at: now, in: planned)
            for key in entries.keys where nexts[key] == nil { entries[key]?.mark = now }
            self.planned = nil
        }
        if planned == nil { planAll(in: time) }
        occurrences += takeAllDue(at: now, in: time)
        // Of what was missed several times, a newer one has come than the one that was planned.
        return occurrences.sorted { ($0.time, $0.key) < ($1.time, $1.key) }
    }

    private mutating func takeAllDue(at now: Timestamp, in time: HomeTime) -> [Occurrence] {
        var occurrences: [Occurrence] = []
        while let first = plans.min, first.time <= now {
            plans.removeMin()
            if let newest = take(first.key, planned: first.time, at: now, in: time) {
                occurrences.append(Occurrence(key: first.key, time: newest, lateness: now.since(newest)))
            }
        }
        return occurrences
    }

    /// - Returns: the newest occurrence that is due; `nil` if it was handed out before, because the clock was set back
    ///   by more than a day and forward again.
    private mutating func take(
        _ key: Key, planned: Timestamp, at now: Timestamp, in time: HomeTime
    ) -> Timestamp? {
        guard let entry = entries[key] else { return nil }
        var (newest, next) = (planned, time.next(entry.trigger, after: planned))
        if let missed = next, missed <= now {
            newest = time.last(entry.trigger, after: planned, through: now) ?? missed
            next = time.next(entry.trigger, after: now)
        }
        entries[key] = Entry(trigger: entry.trigger, mark: now, last: newest)
        nexts[key] = next
        if let next { plans.insert(Plan(time: next, key: key)) }
        return newest == entry.last ? nil : newest
    }

    private mutating func planAll(in time: HomeTime) {
        nexts = entries.compactMapValues { time.next($0.trigger, after: $0.mark) }
        plans = Heap(nexts.map { Plan(time: $0.value, key: $0.key) })
        planned = time
    }
}

extension Schedule: Equatable {
    public static func == (one: Self, other: Self) -> Bool {
        one.entries == other.entries && one.latest == other.latest
    }
}

extension Schedule: Codable {
    private struct Row: Codable {
        let key: Key
        let trigger: ClockTrigger
        let mark: Timestamp
        let last: Timestamp?
    }

    private enum CodingKeys: CodingKey { case latest, entries }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        latest = try container.decodeIfPresent(Timestamp.self, forKey: .latest)
        for row in try container.decode([Row].self, forKey: .entries) {
            entries[row.key] = Entry(trigger: row.trigger, mark: row.mark, last: row.last)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(latest, forKey: .latest)
        let rows = entries.sorted { $0.key < $1.key }.map { key, entry in
            Row(key: key, trigger: entry.trigger, mark: entry.mark, last: entry.last)
        }
        try container.encode(rows, forKey: .entries)
    }
}
