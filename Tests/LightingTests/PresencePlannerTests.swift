import Khipu
import LightingTestKit
import TestSupport
import Testing

@testable import Lighting

/// What a presence replay plans: laws for any history, home and seed.
struct PresencePlannerTests {
    private static let berlin = Place(latitude: 52.5, longitude: 13.4)
    /// A Thursday, 3 December 2026, 00:00 UTC.
    private static let today = Timestamp(milliseconds: 1_796_256_000_000)
    private static let lamps = (0..<6).map { Light.ID(bridge: .sample, resource: "\($0)") }

    /// Four weeks of somebody's life: mornings and evenings, lamps of their own, some of them only after dark.
    private func history(_ random: inout SplitMix, home: HomeTime) -> UsageHistory {
        var uses: [UsageHistory.Use] = []
        for day in 1...28 where Int.random(in: 0..<8, using: &random) > 0 {
            for _ in 0..<Int.random(in: 1...10, using: &random) {
                let lamp = Int.random(in: 0..<6, using: &random)
                let hour = [6, 7, 8, 12, 17, 18, 19, 20, 21, 22, 23, 25][Int.random(in: 0..<12, using: &random)]
                let second = Int.random(in: 0..<3600, using: &random) + (lamp < 2 ? max(hour, 19) : hour) * 3600
                let start = Self.today.advanced(by: .seconds(second - day * 86_400))
                let end = start.advanced(by: .seconds(Int.random(in: 60...4 * 3600, using: &random)))
                let level = Bool.random(using: &random) ? Double.random(in: 0.1...1, using: &random) : nil
                uses.append(UsageHistory.Use(Self.lamps[lamp], from: start, to: end, level: level))
            }
        }
        return UsageHistory(uses: PresencePlanner.joined(uses))
    }

    private func home(_ random: inout SplitMix) -> HomeTime {
        HomeTime(
            zone: .fixed(Int.random(in: -11...12, using: &random) * 3600),
            place: Bool.random(using: &random)
                ? Place(
                    latitude: Double.random(in: -65...65, using: &random),
                    longitude: Double.random(in: -180...180, using: &random)) : nil)
    }

    private func plans(_ seed: UInt64) -> [(UsageHistory, HomeTime, CivilDate, [UsageHistory.Use])] {
        var random = SplitMix(seed: seed)
        let home = home(&random)
        let history = history(&random, home: home)
        let planner = PresencePlanner(history: history, seed: seed, home: home)
        return (0..<20).map { number in
            let day = home.date(at: Self.today).advanced(by: number)
            return (history, home, day, planner.uses(on: day))
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `only lamps that a person used burn, and none brighter than it was seen`(seed: UInt64) {
        var count = 0
        for (history, _, _, plan) in plans(seed) {
            count += plan.count
            for use in plan {
                let seen = history.uses.filter { $0.light == use.light }
                #expect(!seen.isEmpty)
                if let level = use.level { #expect(level <= seen.compactMap(\.level).max() ?? 0) }
                // What is unknown stays unknown only if nothing is known of the lamp.
                if use.level == nil { #expect(seen.allSatisfy { $0.level == nil }) }
            }
        }
        #expect(count > 0)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `no lamp comes on in an hour in which nobody turned one on, nor on another day`(seed: UInt64) {
        for (history, home, day, plan) in plans(seed) {
            let hours = Set(history.uses.map { home.timeOfDay(at: $0.start).hour })
            for use in plan {
                #expect(hours.contains(home.timeOfDay(at: use.start).hour))
                #expect(home.day(at: use.start) == day)
                #expect(use.duration >= UsageHistory.Use.shortest)
            }
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a lamp that was only used after sunset burns only after sunset`(seed: UInt64) {
        for (history, home, _, plan) in plans(seed) where home.place != nil {
            let nocturnal = Set(history.uses.map(\.light)).filter { lamp in
                history.uses.allSatisfy { $0.light != lamp || home.isDark(throughout: $0) }
            }
            for use in plan where nocturnal.contains(use.light) {
                #expect(home.isDark(at: use.start))
                // To the minute.
                #expect(home.isDark(at: use.end.advanced(by: .seconds(-60))))
            }
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `uses of one lamp do not overlap`(seed: UInt64) {
        for (_, _, _, plan) in plans(seed) {
            for lamp in Self.lamps {
                let uses = plan.filter { $0.light == lamp }
                #expect(zip(uses, uses.dropFirst()).allSatisfy { $0.end < $1.start })
            }
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `equal seeds give equal plans, and other seeds others`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let home = home(&random)
        let history = history(&random, home: home)
        let day = home.date(at: Self.today)
        func plan(_ seed: UInt64) -> [UsageHistory.Use] {
            (0..<7).flatMap { PresencePlanner(history: history, seed: seed, home: home).uses(on: day.advanced(by: $0)) }
        }
        #expect(plan(seed) == plan(seed))
        #expect(plan(seed) != plan(seed + 1))
    }

    @Test func `a day is replayed by one of the same weekday, or else by one of its kind`() {
        let home = HomeTime(zone: .fixed(0))
        func history(_ days: [Int]) -> UsageHistory {
            UsageHistory(
                uses: days.map { day in
                    let start = Self.today.advanced(by: .seconds(-86_400 * day + 19 * 3600 + 1800))
                    return .init(
                        Light.ID(bridge: .sample, resource: "\(day)"), from: start,
                        to: start.advanced(by: .seconds(3600)))
                })
        }
        func lamps(_ days: [Int]) -> Set<String> {
            Set(
                (0..<50).flatMap { seed in
                    PresencePlanner(history: history(days), seed: seed, home: home).uses(on: home.date(at: Self.today))
                }.map(\.light.resource))
        }
        // Today is a Thursday: a week ago was one, too, and two days ago was a workday, four days ago a Sunday.
        #expect(lamps([2, 4, 7, 14]) == ["7", "14"])
        #expect(lamps([1, 2, 4]) == ["1", "2"])
        #expect(lamps([4, 5]) == ["4", "5"])
    }

    @Test func `chance shifts by at most a quarter of an hour`() {
        let home = HomeTime(zone: .fixed(3600))
        let start = Self.today.advanced(by: .seconds(-7 * 86_400 + 18 * 3600 + 1800))
        let use = UsageHistory.Use(Self.lamps[0], from: start, to: start.advanced(by: .seconds(7200)), level: 0.4)
        let shifts = (0..<200).flatMap { seed in
            PresencePlanner(history: UsageHistory(uses: [use]), seed: seed, home: home)
                .uses(on: home.date(at: Self.today))
        }.map { $0.start.since(start.advanced(by: .seconds(7 * 86_400))) }
        #expect(shifts.allSatisfy { (.seconds(-900)...(.seconds(900))).contains($0) })
        #expect(Set(shifts).count > 100 && shifts.min()! < .seconds(-600) && shifts.max()! > .seconds(600))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a replay that begins in the evening begins with what would burn by then, in hours in which lamps come on`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        let home = home(&random)
        let planner = PresencePlanner(history: history(&random, home: home), seed: seed, home: home)
        let hours = Set(planner.history.uses.map { home.timeOfDay(at: $0.start).hour })
        for minute in stride(from: 0, to: 1440, by: 45) {
            let now = Self.today.advanced(by: .seconds(minute * 60))
            let end = now.advanced(by: .seconds(20 * 3600))
            let day = home.day(at: now)
            let plan = planner.uses(from: now, through: day, until: end)
            #expect(plan.allSatisfy { $0.start >= now && $0.end <= end })
            #expect(plan.allSatisfy { hours.contains(home.timeOfDay(at: $0.start).hour) })
            let burning = planner.uses(on: day).filter { $0.start < now && $0.end > now.advanced(by: .seconds(60)) }
            if hours.contains(home.timeOfDay(at: now).hour) {
                #expect(burning.allSatisfy { use in plan.contains { $0.light == use.light && $0.start == now } })
            }
        }
    }

    @Test func `in summer, a lamp that was used after dark waits for it`() {
        let home = HomeTime(zone: .fixed(7200), place: Self.berlin)
        // On 1 May 2026 the sun set at 20:36; on the 29th it sets at 21:17.
        let start = Timestamp(milliseconds: 1_777_660_800_000)  // 1 May, 20:40
        let use = UsageHistory.Use(Self.lamps[0], from: start, to: start.advanced(by: .seconds(7200)), level: 0.4)
        let planner = PresencePlanner(history: UsageHistory(uses: [use]), seed: 1, home: home)
        #expect(home.isDark(throughout: use))
        let plan = planner.uses(on: home.date(at: start).advanced(by: 28))
        #expect(plan.map { home.timeOfDay(at: $0.start).description }.allSatisfy { $0 >= "21:15" && $0 < "21:30" })
    }

    @Test func `where the clocks skip the hour of a use, it begins in an hour in which lamps came on, or not at all`()
        throws
    {
        let rule = try #require(ZoneRule("CET-1CEST,M3.5.0,M10.5.0/3"))
        let home = HomeTime(zone: CivilZone(name: "Europe/Berlin", from: 3600, changes: [], rule: rule))
        let sunday = try #require(CivilDate(year: 2026, month: 3, day: 22))
        let start = try #require(home.instant(of: .time(TimeOfDay(hour: 2, minute: 30)), on: sunday))
        let use = UsageHistory.Use(Self.lamps[0], from: start, to: start.advanced(by: .seconds(1800)))
        for seed in 0..<20 as Range<UInt64> {
            let planner = PresencePlanner(history: UsageHistory(uses: [use]), seed: seed, home: home)
            // It belongs to the Saturday before, as everything until four does.
            #expect(planner.uses(on: sunday.advanced(by: 6)).allSatisfy { home.timeOfDay(at: $0.start).hour == 2 })
        }
    }
}
