import Khipu

@testable import Lighting

/// What a home's automations must do, and may do: the oracle of ``TimeLawTests``. It knows when everything really happens
/// and what the clock shows then, and nothing of how lightd keeps its schedule, its waits and its timers.
struct TimeLedger {
    /// An automation by the clock, as a person reads it.
    struct Rule {
        let name: String
        let days: Set<Int>
        let when: When
        /// The number of the command it begins with, and of the one behind its wait.
        let first: Deed
        var then: (wait: Int, Deed)?
        let catchesUp: Bool

        enum When {
            case time(Int)
            case sunset(Int)
            case every(Int, from: Int, to: Int)
        }

        // What of it is done.
        var mark = Timestamp(milliseconds: 0)
        var last: Timestamp?
        /// When it was really handed out.
        var taken: Timestamp?
    }

    struct Deed: Hashable {
        let number: Int
        let mayRepeat: Bool
    }

    /// A command that is to come, with the real time at which it may.
    struct Expected {
        let deed: Deed
        var from: Timestamp
        var to: Timestamp
        var isRequired = true
        var most = 1
        var seen = 0
        var seenAt: Timestamp?
        var then: (wait: Int, Deed)?
        /// A timer that is found late runs by the rule of all that is late; a wait that is over just goes on.
        var isTimer = false
        /// Saved before it began.
        var isDurable = true

        var isOpen: Bool { seen == 0 }
        var isWanted: Bool { isOpen && isRequired }
    }

    struct Wish {
        let level: Int
        var from: Timestamp
        var to: Timestamp
    }

    static let tolerance = Duration.milliseconds(1100)

    let zone: [ReferenceZone]
    let homes: [HomeTime]
    var home = 0
    var rules: [Rule]
    private(set) var expected: [Expected] = []
    private(set) var done = 0
    private var latest = Timestamp(milliseconds: 0)
    /// The days that were looked at before: one is looked at some hundred times.
    private let seen = SeenDays()

    init(rules: [Rule], zones: [(ReferenceZone, HomeTime)], at now: Timestamp) {
        self.rules = rules
        (zone, homes) = (zones.map(\.0), zones.map(\.1))
        for index in self.rules.indices { self.rules[index].mark = now }
        latest = now
    }

    // MARK: - The clock

    /// Occurrences of the days around a time, in order.
    private func occurrences(_ rule: Rule, around shown: Timestamp, days: ClosedRange<Int>) -> [Timestamp] {
        let today = zone[home].day(at: shown)
        return days.flatMap { day in
            seen.occurrences(SeenDays.Key(rule: rule.name, home: home, day: today + day)) {
                occurrences(rule, on: today + day)
            }
        }
    }

    private func occurrences(_ rule: Rule, on day: Int) -> [Timestamp] {
        guard rule.days.contains(ReferenceZone.weekday(day)) else { return [] }
        switch rule.when {
        case let .time(second): return [zone[home].instant(of: second, on: day)]
        // The sun's own times are checked against an almanac by `SunTests`.
        case let .sunset(offset):
            return [
                homes[home].instant(of: .sun(.sunset, offset: .seconds(offset)), on: CivilDate(number: day))
            ].compactMap(\.self)
        case let .every(step, from, to):
            let end = zone[home].instant(of: to, on: to > from ? day : day + 1)
            return Array(
                sequence(first: zone[home].instant(of: from, on: day)) { $0.advanced(by: .seconds(step)) }
                    .prefix { $0 < end })
        }
    }

    /// When the clock starts something next.
    func next(after shown: Timestamp) -> Timestamp? {
        guard shown.isPlausible else { return .earliestPlausible }
        return rules.compactMap { rule in
            occurrences(rule, around: shown, days: -1...1).first { $0 > max(shown, rule.mark) }
        }.min()
    }

    /// How far behind the latest time the clock would be.
    func isBehind(_ shown: Timestamp, by duration: Duration) -> Bool { shown < latest.advanced(by: .zero - duration) }

    /// lightd looks at the clock.
    mutating func look(shown: Timestamp, real: Timestamp) {
        guard shown.isPlausible else { return }
        if isBehind(shown, by: .seconds(86_400)) {
            for index in rules.indices { rules[index].mark = shown }
            latest = shown
        }
        latest = max(latest, shown)
        for index in rules.indices {
            let rule = rules[index]
            let isLong = shown.since(rule.mark) > .seconds(86_400)
            guard
                let newest = occurrences(rule, around: shown, days: isLong ? -9...1 : -2...1)
                    .last(where: { $0 > rule.mark && $0 <= shown })
            else { continue }
            rules[index].mark = shown
            guard newest != rule.last else { continue }
            (rules[index].last, rules[index].taken) = (newest, real)
            start(rule, lateness: shown.since(newest), real)
        }
    }

    private mutating func start(_ rule: Rule, lateness: Duration, _ real: Timestamp) {
        guard Self.comes(lateness: lateness, rule.catchesUp) else { return }
        // While it runs, another start of it is ignored.
        let under = expected.filter { $0.deed == rule.then?.1 && $0.isOpen }
        let runs = under.contains { $0.isRequired && real < $0.from.advanced(by: .zero - Self.tolerance) }
        guard !runs else { return }
        expected.append(
            Expected(deed: rule.first, from: real, to: real, isRequired: under.isEmpty, then: rule.then))
    }

    static func comes(lateness: Duration, _ catchesUp: Bool) -> Bool {
        lateness <= .seconds(60) || (catchesUp && lateness <= .seconds(600))
    }

    /// The home has another time zone or place.
    mutating func move(to home: Int, shown: Timestamp, isRunning: Bool) {
        let hadPlace = homes[self.home].place != nil
        self.home = home
        guard isRunning, !hadPlace else { return }
        // What could not come was not missed.
        for index in rules.indices { if case .sunset = rules[index].when { rules[index].mark = shown } }
    }

    // MARK: - What is expected

    mutating func expect(_ new: Expected) { expected.append(new) }

    mutating func withdraw(_ number: Int, at real: Timestamp) {
        for index in expected.indices where expected[index].deed.number == number && expected[index].isOpen {
            if expected[index].to.advanced(by: .zero - Self.tolerance) <= real {
                expected[index].isRequired = false
            } else {
                expected[index].most = 0
            }
        }
        expected.removeAll { $0.deed.number == number && $0.most == 0 }
    }

    /// Whether it may come now.
    func isDue(_ number: Int, at real: Timestamp) -> Bool {
        expected.contains {
            $0.deed.number == number && $0.isOpen && $0.from.advanced(by: .zero - Self.tolerance) <= real
        }
    }

    func isExpected(_ number: Int) -> Bool { expected.contains { $0.deed.number == number && $0.isOpen } }

    func isCertain(_ number: Int) -> Bool {
        expected.contains { $0.deed.number == number && $0.isOpen && $0.isRequired }
    }

    /// Whether it comes nobody can say.
    mutating func doubt(_ number: Int) {
        for index in expected.indices where expected[index].deed.number == number { expected[index].isRequired = false }
    }

    mutating func move(_ number: Int, from: Timestamp, to: Timestamp) {
        for index in expected.indices where expected[index].deed.number == number && expected[index].isOpen {
            (expected[index].from, expected[index].to) = (from, to)
        }
    }

    mutating func forgive(_ index: Int) {
        if expected[index].seen > 0 { expected[index].most += 1 }
    }

    /// - Returns: what is wrong with it.
    mutating func note(_ number: Int, at real: Timestamp) -> String? {
        guard
            let index = expected.indices.sorted(by: { expected[$0].isWanted && !expected[$1].isWanted }).first(where: {
                let expected = expected[$0]
                return expected.deed.number == number && expected.seen < expected.most
                    && expected.from.advanced(by: .zero - Self.tolerance) <= real
                    && real <= expected.to.advanced(by: Self.tolerance)
            })
        else {
            return "nobody wants \(number) now; open are \(expected.filter { $0.deed.number == number })"
        }
        expected[index].seen += 1
        expected[index].seenAt = real
        done += 1
        guard let (wait, deed) = expected[index].then else { return nil }
        let due = real.advanced(by: .seconds(wait))
        if let next = expected.firstIndex(where: { $0.deed == deed && $0.isOpen }) {
            // Begun again.
            (expected[next].from, expected[next].to, expected[next].isRequired) = (due, due, true)
        } else {
            expected.append(Expected(deed: deed, from: due, to: due))
        }
        return nil
    }

    /// - Returns: what should have come.
    mutating func close(at real: Timestamp) -> String? {
        let over = expected.filter { $0.to.advanced(by: Self.tolerance) < real }
        expected.removeAll { $0.to.advanced(by: Self.tolerance) < real }
        return over.first { $0.isRequired && $0.isOpen }.map { "\($0) has not come" }
    }

    // MARK: - What goes on without lightd

    /// lightd or the machine did nothing until now.
    ///
    /// - Parameter knowsTime: whether the clock is as it was.
    mutating func wasAway(until real: Timestamp, knowsTime: Bool = true) {
        for index in expected.indices where expected[index].isOpen && expected[index].to < real {
            // When it was due nobody knows better than that.
            let (least, most) = (real.since(expected[index].to), real.since(expected[index].from))
            expected[index].to = real
            let mayRepeat = expected[index].deed.mayRepeat
            guard expected[index].isTimer, knowsTime, !Self.comes(lateness: most, mayRepeat) else { continue }
            expected[index].isRequired = false
            if !Self.comes(lateness: least, mayRepeat) { expected[index].most = 0 }
        }
        expected.removeAll { $0.most == 0 }
    }

    /// lightd was killed in the middle of what it does now, and starts again then.
    mutating func wasKilled(at real: Timestamp, again: Timestamp) {
        var more: [Expected] = []
        for index in expected.indices {
            let now = expected[index]
            if now.seenAt == real {
                // It may have been sent and not be remembered.
                if now.deed.mayRepeat { (expected[index].most, expected[index].to) = (now.seen + 1, again) }
                guard let (wait, deed) = now.then,
                    let next = expected.firstIndex(where: { $0.deed == deed && $0.isOpen })
                else { continue }
                expected[next].to = max(expected[next].to, again.advanced(by: .seconds(wait)))
                if !now.isDurable { expected[next].isRequired = false }
            } else if now.isOpen, now.from.advanced(by: .zero - Self.tolerance) <= real {
                let isLate = now.then != nil || now.isTimer || rules.contains { $0.first == now.deed }
                let mayCome = !isLate || Self.comes(lateness: again.since(now.from), false)
                expected[index].isRequired = now.isRequired && now.deed.mayRepeat && now.isDurable && mayCome
                expected[index].to = max(now.to, again)
                // It may count as done.
                guard let (wait, deed) = now.then, !now.deed.mayRepeat else { continue }
                let due = again.advanced(by: .seconds(wait))
                more.append(Expected(deed: deed, from: due, to: due, isRequired: false))
            }
        }
        expected += more
    }

    /// The clock was set while lightd did not run, so that it cannot know how long that was.
    mutating func lostTrack(by step: Duration, at real: Timestamp, waits: [Int: Int]) {
        for index in expected.indices where expected[index].isOpen && expected[index].from < .max {
            let wait = Duration.seconds(waits[expected[index].deed.number] ?? 0)
            if step > .zero {
                expected[index].from = min(expected[index].from, real)
                if expected[index].isTimer { expected[index].isRequired = false }
            } else {
                expected[index].to = max(expected[index].to, real.advanced(by: wait))
            }
        }
    }
}

private final class SeenDays {
    struct Key: Hashable {
        let rule: String
        let home: Int
        let day: Int
    }

    private var days: [Key: [Timestamp]] = [:]

    func occurrences(_ key: Key, _ find: () -> [Timestamp]) -> [Timestamp] {
        if let known = days[key] { return known }
        if days.count > 200 { days = [:] }
        let found = find()
        days[key] = found
        return found
    }
}

extension Timestamp {
    static let max = Self(milliseconds: .max / 4)
}
