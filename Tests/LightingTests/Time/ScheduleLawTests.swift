import Foundation
import Khipu
import Lighting
import Synchronization
import TestSupport
import Testing

/// Homes all over the world, with the same triggers in each.
struct ScheduledHome: Sendable, CustomStringConvertible {
    let home: HomeTime
    /// Every occurrence of each trigger.
    let occurrences: [String: [Timestamp]]
    var description: String { home.zone.name }

    static let all = [
        SunTests.berlin, SunTests.tromso, SunTests.chatham, SunTests.saoPaulo,
        HomeTime(zone: ZoneFixture.lordHowe, place: Place(latitude: -31.55, longitude: 159.08)),
        HomeTime(zone: ZoneFixture.kathmandu, place: Place(latitude: 27.72, longitude: 85.32)),
    ].map { ScheduledHome(home: $0) }

    static let triggers = [
        "workdays": "06:45 mon-fri", "in the gap": "02:30", "midnight": "midnight sun", "evening": "sunset - 20m",
        "morning": "sunrise + 10m sat,sun", "night": "every 3h between 22:00 and 06:00 wed",
        "dark": "every 50m between dusk and 23:00 mon",
    ].mapValues { trigger($0) }

    /// 10,000 days, over the last summer time of São Paulo.
    static let days = 0..<10_000
    static let start = time("2012-01-02T00:00:00Z")
    static let end = start.advanced(by: .seconds(86_400 * days.count))

    private init(home: HomeTime) {
        self.home = home
        occurrences = Self.triggers.mapValues { Self.occurrences(of: $0, in: home) }
    }

    /// Day by day, as the words define it.
    private static func occurrences(of trigger: ClockTrigger, in home: HomeTime) -> [Timestamp] {
        let first = home.date(at: start).advanced(by: -2)
        var all: [Timestamp] = []
        for day in 0..<days.count + 4 {
            let date = first.advanced(by: day)
            switch trigger {
            case let .at(moment, days):
                guard days.contains(date.weekday) else { continue }
                all += [home.instant(of: moment, on: date)].compactMap(\.self)
            case let .every(step, from, to, days):
                guard days.contains(date.weekday), var next = home.instant(of: from, on: date) else { continue }
                let tomorrow = home.instant(of: from, on: date.advanced(by: 1)) ?? Timestamp(milliseconds: .max)
                while next < tomorrow, home.isBetween(from, to, at: next) {
                    all.append(next)
                    next = next.advanced(by: step)
                }
            case let .once(time): return [time]
            case let .after(duration, since: time): return [time.advanced(by: duration)]
            }
        }
        return all.filter { $0 > start && $0 <= end }
    }
}

struct ScheduleLawTests {
    private typealias Handed = [String: [Timestamp]]

    private func restarted(_ schedule: Schedule<String>) throws -> Schedule<String> {
        let copy = try JSONDecoder().decode(Schedule<String>.self, from: JSONEncoder().encode(schedule))
        #expect(copy == schedule)
        return copy
    }

    @Test(arguments: ScheduledHome.all)
    func `in 10,000 days each occurrence comes exactly once and on time, over restarts at random moments`(
        scheduled: ScheduledHome
    ) throws {
        let (home, triggers) = (scheduled.home, ScheduledHome.triggers)
        var random = SplitMix(seed: 21)
        var schedule = Schedule<String>()
        schedule.replaceTriggers(with: triggers, at: ScheduledHome.start, in: home)
        var handed: Handed = [:]
        var now = ScheduledHome.start
        while let next = schedule.next, next <= ScheduledHome.end {
            // Thrown, because '#expect' takes longer than a look at the schedule.
            guard next > now else { throw TestError("it goes on at \(next) after \(now)") }
            if Int.random(in: 0..<4, using: &random) == 0 {
                let early = Timestamp(milliseconds: .random(in: now.milliseconds..<next.milliseconds, using: &random))
                guard schedule.due(at: early, in: home) == [], schedule.next == next else {
                    throw TestError("a look too early finds something at \(home.zone.shown(early))")
                }
            }
            if Int.random(in: 0..<300, using: &random) == 0 {
                schedule = try restarted(schedule)
                if Bool.random(using: &random) { schedule.replaceTriggers(with: triggers, at: now, in: home) }
            }
            now = next
            let due = schedule.due(at: now, in: home)
            guard !due.isEmpty, due.allSatisfy({ $0.time == now && $0.lateness == .zero }) else {
                throw TestError("\(due) is due at \(home.zone.shown(now))")
            }
            for occurrence in due { handed[occurrence.key, default: []].append(occurrence.time) }
        }
        for (key, expected) in scheduled.occurrences {
            #expect(handed[key] == expected, "\(key)")
            #expect(expected.count > 1000)
        }
    }

    @Test(arguments: ScheduledHome.all)
    func `sleeps, restarts and a clock that is set lose no occurrence and repeat none`(scheduled: ScheduledHome) throws
    {
        let (home, triggers) = (scheduled.home, ScheduledHome.triggers)
        var random = SplitMix(seed: 22)
        var schedule = Schedule<String>()
        schedule.replaceTriggers(with: triggers, at: ScheduledHome.start, in: home)
        var handed: Handed = [:]
        // What is done: everything until the latest time that the clock has shown.
        var done = ScheduledHome.start
        var now = ScheduledHome.start
        while now < ScheduledHome.end {
            switch Int.random(in: 0..<200, using: &random) {
            // Time passes until the next look, or a little longer.
            case 0..<144:
                now = max(now, schedule.next ?? now).advanced(by: .milliseconds(.random(in: 0...2, using: &random)))
            // Asleep, stopped, or set forward.
            case 144..<184: now = now.advanced(by: .seconds(.random(in: 0..<3 * 86_400, using: &random)))
            // Set back by less than a day, but not by more than that in all.
            case 184..<198:
                now = max(
                    now.advanced(by: .seconds(-.random(in: 0..<20 * 3600, using: &random))),
                    done.advanced(by: .seconds(-86_000)))
            case 198:
                now = now.advanced(by: .seconds(-.random(in: 2 * 86_400..<40 * 86_400, using: &random)))
                now = max(now, ScheduledHome.start)
                if now < done.advanced(by: .seconds(-86_400)) { done = now }
            default: schedule = try restarted(schedule)
            }
            // What is later is not in the expected occurrences.
            now = min(now, ScheduledHome.end)
            let due = schedule.due(at: now, in: home)
            for (key, occurrences) in scheduled.occurrences {
                // Those in what has not been done, of which only the newest comes; not if it is the one that came last.
                let newest = occurrences.last(after: done, through: now)
                let expected = newest == handed[key]?.last ? nil : newest
                let found = due.filter { $0.key == key }
                guard found.map(\.time) == [expected].compactMap(\.self),
                    found.allSatisfy({ $0.lateness == now.since($0.time) })
                else { throw TestError("\(key) at \(home.zone.shown(now)): \(found) instead of \(expected as Any)") }
                if let newest { handed[key, default: []].append(newest) }
            }
            done = max(done, now)
            // What lists promise is what the schedule has planned. To ask costs as much as all the rest.
            guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
            let promised = triggers.compactMap { key, trigger in
                home.next(trigger, after: schedule.done(key, at: now))
            }.min()
            guard promised == schedule.next else {
                throw TestError("\(promised as Any) is promised, \(schedule.next as Any) planned")
            }
        }
    }

    private let berlin = SunTests.berlin

    private func schedule(_ triggers: [String: String], at now: String) throws -> Schedule<String> {
        var schedule = Schedule<String>()
        schedule.replaceTriggers(with: try triggers.mapValues { try ClockTrigger($0) }, at: time(now), in: berlin)
        return schedule
    }

    @Test func `triggers that are added, changed and removed leave the marks of the others alone`() throws {
        var schedule = try schedule(["a": "12:00", "b": "13:00", "c": "14:00"], at: "2026-01-10T08:00:00Z")
        // Nobody looked at 12:00 and 13:00 local time. 'b' is changed, 'c' removed, 'd' added at 13:30.
        let triggers = ["a": "12:00", "b": "13:05", "d": "13:10"]
        schedule.replaceTriggers(
            with: try triggers.mapValues { try ClockTrigger($0) }, at: time("2026-01-10T12:30:00Z"), in: berlin)
        let due = schedule.due(at: time("2026-01-10T12:30:00Z"), in: berlin)
        #expect(due.map(\.key) == ["a"] && due.map(\.lateness) == [.seconds(5400)])
        #expect(schedule.next == time("2026-01-11T11:00:00Z"))
    }

    @Test func `a timer runs once, also if the clock is set back behind it`() throws {
        var schedule = try schedule(["timer": "2026-01-10T12:00:00Z"], at: "2026-01-10T08:00:00Z")
        #expect(schedule.due(at: time("2026-01-10T12:00:00Z"), in: berlin).count == 1 && schedule.next == nil)
        #expect(schedule.due(at: time("2026-01-10T11:00:00Z"), in: berlin) == [])
        #expect(schedule.due(at: time("2026-01-10T12:00:00Z"), in: berlin) == [])
        // Set back by days, and by time passing, it is reached again.
        #expect(schedule.due(at: time("2025-12-01T00:00:00Z"), in: berlin) == [])
        #expect(schedule.due(at: time("2026-01-10T12:00:00Z"), in: berlin) == [])
    }

    @Test func `a clock that was a year ahead blocks nothing`() throws {
        var schedule = try schedule(["daily": "07:00"], at: "2026-11-22T12:00:00Z")
        #expect(
            schedule.due(at: time("2027-11-22T12:00:00Z"), in: berlin).map(\.time) == [time("2027-11-22T06:00:00Z")])
        #expect(schedule.due(at: time("2026-11-22T12:01:00Z"), in: berlin) == [])
        #expect(schedule.next == time("2026-11-23T06:00:00Z"))
        #expect(schedule.due(at: time("2026-11-23T06:00:00Z"), in: berlin).count == 1)
    }

    @Test func `a machine without a battery, which starts in 1970, repeats nothing when it learns the time`() throws {
        var schedule = try schedule(["daily": "07:00"], at: "2026-11-22T05:00:00Z")
        #expect(schedule.due(at: time("2026-11-22T06:00:00Z"), in: berlin).count == 1)
        schedule = try restarted(schedule)
        #expect(schedule.due(at: time("1970-01-01T00:00:10Z"), in: berlin) == [])
        #expect(schedule.due(at: time("2026-11-22T06:05:00Z"), in: berlin) == [])
        #expect(schedule.due(at: time("2026-11-23T06:00:00Z"), in: berlin).count == 1)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `a home that moves loses no occurrence and repeats none, with and without a restart`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let homes = ScheduledHome.all.map(\.home) + [HomeTime(zone: ZoneFixture.newYork)]
        let triggers = [
            "daily": "07:00", "workdays": "06:45 mon-fri", "evening": "sunset - 20m", "hourly": "every 50m",
        ]
        .mapValues { trigger($0) }
        var (home, now) = (homes[0], time("2026-01-10T08:00:00Z"))
        var schedule = Schedule<String>()
        schedule.replaceTriggers(with: triggers, at: now, in: home)
        var last: [String: Timestamp] = triggers.mapValues { _ in now }
        for _ in 0..<200 {
            now = now.advanced(by: .seconds(.random(in: 0..<2 * 86_400, using: &random)))
            // What the old home had until now, as each of its looks would have found it.
            let old = schedule.due(at: now, in: home)
            for occurrence in old { last[occurrence.key] = occurrence.time }
            guard let next = homes.randomElement(using: &random) else { continue }
            if Bool.random(using: &random) { schedule = try restarted(schedule) }
            home = next
            let due = schedule.due(at: now, in: home)
            #expect(due.allSatisfy { occurrence in last[occurrence.key].map { $0 < occurrence.time } ?? false })
            for occurrence in due { last[occurrence.key] = occurrence.time }
            // From now on, exactly what a schedule has that never knew another home.
            var fresh = Schedule<String>()
            fresh.replaceTriggers(with: triggers, at: now, in: home)
            #expect(schedule.next == fresh.next)
        }
    }

    @Test func `a sunset begins to come when the home gets a place, and is not said to be late`() throws {
        var schedule = Schedule<String>()
        let nowhere = HomeTime(zone: berlin.zone)
        schedule.replaceTriggers(with: ["evening": trigger("sunset")], at: time("2026-01-10T08:00:00Z"), in: nowhere)
        #expect(schedule.due(at: time("2026-01-12T08:00:00Z"), in: nowhere).isEmpty && schedule.next == nil)
        #expect(schedule.due(at: time("2026-01-12T08:00:00Z"), in: berlin).isEmpty)
        let sunset = try #require(berlin.next(trigger("sunset"), after: time("2026-01-12T08:00:00Z")))
        #expect(schedule.next == sunset)
        #expect(schedule.due(at: sunset, in: berlin).map(\.time) == [sunset])
    }

    @Test func `what comes at another time in the new zone comes once, and late if that is over`() throws {
        for (look, isLate) in [("2026-01-10T05:30:00Z", false), ("2026-01-10T06:30:00Z", true)] {
            var schedule = Schedule<String>()
            let utc = HomeTime.utc
            schedule.replaceTriggers(with: ["daily": trigger("07:00")], at: time("2026-01-09T08:00:00Z"), in: utc)
            #expect(
                schedule.due(at: time(look), in: berlin).map(\.time) == (isLate ? [time("2026-01-10T06:00:00Z")] : []))
            #expect(schedule.next == time(isLate ? "2026-01-11T06:00:00Z" : "2026-01-10T06:00:00Z"))
        }
    }

    @Test func `what was due before a look is in the order of time`() throws {
        var schedule = try schedule(
            ["z": "09:00", "b": "10:00", "a": "10:00", "c": "every 1h"], at: "2026-01-10T07:30:00Z")
        let due = schedule.due(at: time("2026-01-10T10:30:00Z"), in: berlin)
        #expect(due.map(\.key) == ["z", "a", "b", "c"])
        #expect(due.last?.time == time("2026-01-10T10:00:00Z"))
    }

    @Test func `a look that finds nothing looks at no trigger, however many there are`() throws {
        var schedule = Schedule<CountedKey>()
        let triggers = (0..<1000).map { (CountedKey(number: $0), ClockTrigger.at(.time(TimeOfDay(seconds: $0 * 60)))) }
        let now = time("2026-01-10T22:00:00Z")
        schedule.replaceTriggers(with: Dictionary(uniqueKeysWithValues: triggers), at: now, in: berlin)
        _ = schedule.due(at: now, in: berlin)
        let before = schedule
        CountedKey.uses.withLock { $0 = 0 }
        for second in 1..<50 { #expect(schedule.due(at: now.advanced(by: .seconds(second)), in: berlin).isEmpty) }
        #expect(CountedKey.uses.withLock(\.self) == 0)
        #expect(schedule == before)
        // One that finds something looks at few.
        CountedKey.uses.withLock { $0 = 0 }
        #expect(schedule.due(at: now.advanced(by: .seconds(3600)), in: berlin).count == 1)
        #expect(CountedKey.uses.withLock(\.self) < 100)
    }
}

/// Counts how often it is looked at.
private struct CountedKey: Hashable, Comparable, Codable, Sendable {
    static let uses = Mutex(0)
    let number: Int

    static func < (one: Self, other: Self) -> Bool {
        uses.withLock { $0 += 1 }
        return one.number < other.number
    }

    func hash(into hasher: inout Hasher) {
        Self.uses.withLock { $0 += 1 }
        hasher.combine(number)
    }
}

extension [Timestamp] {
    /// The last one in a stretch of time.
    fileprivate func last(after start: Timestamp, through end: Timestamp) -> Timestamp? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] <= end { low = middle + 1 } else { high = middle }
        }
        return low > 0 && self[low - 1] > start ? self[low - 1] : nil
    }
}
