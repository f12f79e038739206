import Khipu

/// Plans a replay: which lamps burn when, as they did on a day of the past, shifted by chance. Everything comes in: the
/// same history, home and seed give the same plan.
///
/// - A day is replayed by one on which lamps were used: of the same weekday if possible, otherwise also a workday or also
///   a weekend, otherwise any. Days are counted from four to four, so that a late evening belongs to its day.
/// - No lamp comes on in an hour of the day in which nobody ever turned one on.
/// - A lamp that was only used after sunset burns only after sunset, if it is known where the home is.
struct PresencePlanner {
    let history: UsageHistory
    let seed: UInt64
    let home: HomeTime

    private let days: [CivilDate: [UsageHistory.Use]]
    /// The hours of the day in which people turned lamps on.
    private let hours: Set<Int>
    private let nocturnal: Set<Light.ID>
    /// The lowest level seen: for uses of which the journal does not say it.
    private let levels: [Light.ID: Double]

    init(history: UsageHistory, seed: UInt64, home: HomeTime) {
        (self.history, self.seed, self.home) = (history, seed, home)
        days = Dictionary(grouping: history.uses) { home.day(at: $0.start) }
        hours = Set(history.uses.map { home.hour(at: $0.start) })
        nocturnal = Set(history.uses.map(\.light)).subtracting(
            history.uses.lazy.filter { use in !home.isDark(throughout: use) }.map(\.light))
        levels = Dictionary(history.uses.compactMap { use in use.level.map { (use.light, $0) } }, uniquingKeysWith: min)
    }

    /// The uses that begin on a day, by their beginning. Uses of one lamp do not overlap.
    func uses(on day: CivilDate) -> [UsageHistory.Use] {
        var random = SeededGenerator(seed: seed, day)
        guard let model = model(of: day, &random) else { return [] }
        let uses = (days[model] ?? []).compactMap { use in
            // Drawn for every use, so that what becomes of one does not change the others.
            let shifts = (Self.shift(&random), Self.shift(&random))
            return replayed(use, from: model, on: day, by: shifts)
        }
        return Self.joined(uses)
    }

    /// What a replay does from now on until the end of a day.
    ///
    /// - Parameter end: nothing burns from then on; `nil` if that is not known.
    func uses(from now: Timestamp, through last: CivilDate, until end: Timestamp?) -> [UsageHistory.Use] {
        var (uses, day): ([UsageHistory.Use], CivilDate) = ([], home.day(at: now))
        while day <= last {
            uses += self.uses(on: day)
            day = day.advanced(by: 1)
        }
        return Self.joined(uses.compactMap { begun($0, at: now) }).compactMap { $0.until(end) }
    }

    /// What is left of a use that would have begun already: now, or in the next hour in which lamps come on.
    private func begun(_ use: UsageHistory.Use, at now: Timestamp) -> UsageHistory.Use? {
        guard use.start < now else { return use }
        if hours.contains(home.hour(at: now)) { return use.from(now) }
        var time = now
        while time < use.end, !hours.contains(home.hour(at: time)) { time = time.advanced(by: .seconds(60)) }
        // Not all of them at once.
        return use.from(time.advanced(by: .milliseconds(use.start.milliseconds % 900_000)))
    }

    /// The day that is replayed on another.
    private func model(of day: CivilDate, _ random: inout SeededGenerator) -> CivilDate? {
        let kinds: [(CivilDate) -> Bool] = [
            { $0.weekday == day.weekday }, { $0.isOnWeekend == day.isOnWeekend }, { _ in true },
        ]
        let alike = kinds.lazy.map { days.keys.filter($0).sorted() }.first { !$0.isEmpty }
        return alike?.randomElement(using: &random)
    }

    /// In seconds.
    private static func shift(_ random: inout SeededGenerator) -> Int { Int.random(in: -900...900, using: &random) }

    /// A use of one day as it is replayed on another; `nil` if it cannot be without being conspicuous.
    private func replayed(
        _ use: UsageHistory.Use, from model: CivilDate, on day: CivilDate, by shifts: (start: Int, end: Int)
    ) -> UsageHistory.Use? {
        guard let start = home.instant(at: use.start, movedFrom: model, to: day) else { return nil }
        let possible = [start.advanced(by: .seconds(shifts.start)), start].first {
            hours.contains(home.hour(at: $0)) && home.day(at: $0) == day
        }
        guard let begin = possible else { return nil }
        let end = max(
            start.advanced(by: use.duration + .seconds(shifts.end)),
            begin.advanced(by: UsageHistory.Use.shortest))
        let level = use.level ?? levels[use.light]
        let moved = UsageHistory.Use(use.light, from: begin, to: end, level: level)
        guard nocturnal.contains(use.light) else { return moved }
        return home.darkPart(of: moved).flatMap { hours.contains(home.hour(at: $0.start)) ? $0 : nil }
    }

    /// Joins uses of one lamp that overlap or follow each other at once. What is joined burns at the lower level.
    static func joined(_ uses: [UsageHistory.Use]) -> [UsageHistory.Use] {
        var last: [Light.ID: UsageHistory.Use] = [:]
        var joined: [UsageHistory.Use] = []
        for use in UsageHistory(uses: uses).uses {
            guard let before = last[use.light] else {
                last[use.light] = use
                continue
            }
            if use.start <= before.end.advanced(by: UsageHistory.Use.shortest) {
                last[use.light] = UsageHistory.Use(
                    use.light, from: before.start, to: max(before.end, use.end),
                    level: [before.level, use.level].compactMap(\.self).min())
            } else {
                joined.append(before)
                last[use.light] = use
            }
        }
        return UsageHistory(uses: joined + last.values).uses
    }
}

extension UsageHistory.Use {
    /// What is left of it after a moment; `nil` if too little is.
    func from(_ time: Timestamp) -> Self? { clipped(to: max(start, time), end) }

    /// What there is of it before a moment.
    func until(_ time: Timestamp?) -> Self? { clipped(to: start, time.map { min(end, $0) } ?? end) }

    private func clipped(to start: Timestamp, _ end: Timestamp) -> Self? {
        end.since(start) < Self.shortest ? nil : Self(light, from: start, to: end, level: level)
    }
}

// MARK: The home's days

extension CivilDate {
    fileprivate var isOnWeekend: Bool { [.saturday, .sunday].contains(weekday) }
}

extension HomeTime {
    /// When a day begins: most people sleep then.
    private static let dayBreak = TimeOfDay(hour: 4)

    /// The day from four to four that a moment belongs to.
    func day(at time: Timestamp) -> CivilDate {
        let date = date(at: time)
        return timeOfDay(at: time) < Self.dayBreak ? date.advanced(by: -1) : date
    }

    /// When a day from four to four begins.
    func start(of day: CivilDate) -> Timestamp? { instant(of: .time(Self.dayBreak), on: day) }

    /// The same time of day on another day.
    func instant(at time: Timestamp, movedFrom model: CivilDate, to day: CivilDate) -> Timestamp? {
        let isNextDate = date(at: time) != model
        return instant(of: .time(timeOfDay(at: time)), on: isNextDate ? day.advanced(by: 1) : day)
    }

    /// 0…23
    func hour(at time: Timestamp) -> Int { timeOfDay(at: time).hour }

    /// Whether the sun has set; false if it is not known where the home is.
    func isDark(at time: Timestamp) -> Bool { elevation(at: time).map { $0 < -0.833 } ?? false }

    func isDark(throughout use: UsageHistory.Use) -> Bool {
        var time = use.start
        while time < use.end {
            guard isDark(at: time) else { return false }
            time = time.advanced(by: .seconds(600))
        }
        return isDark(at: use.end)
    }

    /// The first part of a use while the sun is down; `nil` if too little is.
    func darkPart(of use: UsageHistory.Use) -> UsageHistory.Use? {
        let minutes = stride(from: 0, through: Int(use.duration.components.seconds), by: 60).map {
            use.start.advanced(by: .seconds($0))
        }
        guard let first = minutes.first(where: isDark) else { return nil }
        let end = minutes.first { $0 > first && !isDark(at: $0) } ?? use.end
        return use.from(first)?.until(end)
    }
}

/// Random numbers that depend only on the seed and the day.
///
/// SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64, _ day: CivilDate) {
        state = seed
        // Days that follow each other must not give the same numbers one step later.
        state = next() ^ UInt64(bitPattern: Int64(day.number))
        state = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
