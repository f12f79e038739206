import HueWire
import TestSupport
import Testing

@testable import HueBridge

/// Laws that hold for any commands and any failures.
struct SchedulerLawTests {
    static let storms: [SchedulerSimulation.Weather] = [
        SchedulerSimulation.Weather(),
        SchedulerSimulation.Weather(busy: 0.5),
        SchedulerSimulation.Weather(unknown: 0.4, latency: 5...2000),
        SchedulerSimulation.Weather(busy: 0.3, unknown: 0.2, unsent: 0.2),
        SchedulerSimulation.Weather(busy: 1, calm: .seconds(10)),
    ]

    /// Values from small sets, so that some are equal.
    private static func update(_ random: inout SplitMix, unlike place: Int) -> LightUpdate {
        var update = LightUpdate()
        update.milliseconds = [nil, nil, nil, 400].randomElement(using: &random) ?? nil
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: update.on = false
        case 2: update.on = true
        case 3: update.brightness = [20, 40].randomElement(using: &random)
        case 4: update.color = .mirek(Bool.random(using: &random) ? 250 : 366)
        case 5:
            update.on = true
            update.color = .xy(XY(x: 0.5, y: 0.4))
        case 6:
            update.on = Bool.random(using: &random)
            update.brightness = Double(place % 100)
        default:
            update.on = true
            update.brightness = 40
            update.color = .mirek(250)
        }
        return update
    }

    static func script(_ layout: [CommandScheduler.Group], count: Int, seed: UInt64) -> [Wanted] {
        var random = SplitMix(seed: seed)
        let lights = layout.first?.members ?? []
        var time = Duration.zero
        // Bursts, sliders, and pauses.
        return (0..<count).map { place in
            time += .milliseconds([0, 0, 20, 20, 100, 900].randomElement(using: &random) ?? 0)
            let targets: [ResourceID] =
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4: [lights.randomElement(using: &random)].compactMap(\.self)
                case 4..<7: layout.randomElement(using: &random)?.members ?? []
                case 7..<9: lights
                default: lights.filter { _ in Bool.random(using: &random) }
                }
            let content: Wanted.Content =
                switch Int.random(in: 0..<12, using: &random) {
                case 0: .recall(update(&random, unlike: place), of: targets)
                case 1: .read
                default: .update(update(&random, unlike: place), of: targets)
                }
            let timeout = Duration.milliseconds([500, 5000, 20_000].randomElement(using: &random) ?? 0)
            return Wanted(time: time, content: content, timeout: timeout)
        }
    }

    @Test(arguments: SchedulerLawTests.storms.indices, seeds(20 as UInt64))
    func `every lamp gets its last values, no budget is exceeded, and each command is completed once`(
        storm: Int, seed: UInt64
    ) throws {
        let layout = CommandScheduler.Group.home([[2, 3, 4], [1, 5], [4, 4, 4, 4]][Int(seed % 3)])
        var simulation = SchedulerSimulation(layout, weather: Self.storms[storm], seed: seed)
        let script = Self.script(layout, count: 60, seed: seed)
        try simulation.live(script)
        #expect(simulation.lamps == simulation.requested)

        #expect(SchedulerSimulation.most(simulation.lightTimes) <= 10)
        #expect(SchedulerSimulation.most(simulation.groupTimes) <= 1)
        #expect(simulation.mostInFlight <= 3)

        #expect(simulation.completions.map(\.token).sorted() == simulation.asked.keys.sorted())
        #expect(simulation.completions.allSatisfy { if case .failed = $0.result { false } else { true } })

        #expect(
            simulation.scheduler.inFlightRequests.isEmpty && simulation.scheduler.jobs.isEmpty
                && simulation.scheduler.waiting.isEmpty)
    }

    @Test(arguments: SchedulerLawTests.storms.indices, seeds(10 as UInt64))
    func
        `no lamp has two requests in flight, an off has no values, and a group command is for exactly its members`(
            storm: Int, seed: UInt64
        ) throws
    {
        let layout = CommandScheduler.Group.home([3, 2, 5])
        var simulation = SchedulerSimulation(layout, weather: Self.storms[storm], seed: seed)
        try simulation.live(Self.script(layout, count: 60, seed: seed))
        var busyUntil: [ResourceID: Duration] = [:]
        for sent in simulation.sent {
            for light in simulation.touched(by: sent.request) {
                #expect(busyUntil[light].map { $0 <= sent.time } ?? true)
                busyUntil[light] = sent.answered
            }
            switch sent.request.content {
            case let .group(grouped, members, update):
                #expect(layout.first { $0.groupedLight == grouped }?.members == members)
                #expect(update.on != false || update.brightness == nil && update.color == nil)
            case let .light(_, update):
                #expect(update.on != false || update.brightness == nil && update.color == nil)
                #expect(update.on != nil || update.brightness != nil || update.color != nil)
            case .job: break
            }
        }
    }

    /// Every command has another level, which identifies the command in a request.
    @Test(arguments: SchedulerLawTests.storms.indices, seeds(10 as UInt64))
    func `no lamp is sent an older value after a newer one`(storm: Int, seed: UInt64) throws {
        let layout = CommandScheduler.Group.home([3, 2, 5])
        var simulation = SchedulerSimulation(layout, weather: Self.storms[storm], seed: seed)
        let script = Self.script(layout, count: 80, seed: seed).enumerated().map { place, wanted in
            let update = LightUpdate(on: true, brightness: Double(place))
            return switch wanted.content {
            case let .update(_, of: lights): Wanted(time: wanted.time, content: .update(update, of: lights))
            case let .recall(_, of: lights): Wanted(time: wanted.time, content: .recall(update, of: lights))
            case .read: wanted
            }
        }
        try simulation.live(script)
        var last: [ResourceID: Double] = [:]
        for sent in simulation.sent {
            let level: Double? =
                switch sent.request.content {
                case let .light(_, update), let .group(_, _, update): update.brightness
                case let .job(id):
                    if case let .recall(update, _)? = simulation.asked[id]?.content { update.brightness } else { nil }
                }
            guard let level else { continue }
            for light in simulation.touched(by: sent.request) {
                #expect(level >= last[light] ?? 0)
                last[light] = level
            }
        }
    }

    /// A read that has waited for a second goes at the latest after one more write, unless so many reads are in flight
    /// that only a write's place is left.
    @Test(arguments: SchedulerLawTests.storms.indices, seeds(10 as UInt64))
    func `reads and writes take turns: neither waits longer for the other than a second and one request`(
        storm: Int, seed: UInt64
    ) throws {
        let layout = CommandScheduler.Group.home([3, 2, 5])
        let budget = Budget(lightsPerSecond: 1000, groupsPerSecond: 1000)
        var simulation = SchedulerSimulation(layout, budget: budget, weather: Self.storms[storm], seed: seed)
        try simulation.live(Self.script(layout, count: 80, seed: seed))
        func isRead(_ sent: SchedulerSimulation.Sent) -> Bool {
            if case let .job(id) = sent.request.content, case .read? = simulation.asked[id]?.content {
                true
            } else {
                false
            }
        }
        let areReads = simulation.sent.map(isRead)
        let reads = simulation.sent.filter(isRead)
        let readsInFlight = simulation.sent.map { sent in
            reads.count { $0.time < sent.time && ($0.answered ?? sent.time) > sent.time }
        }
        for (place, sent) in simulation.sent.enumerated() where areReads[place] {
            guard case let .job(id) = sent.request.content, let wanted = simulation.asked[id] else { continue }
            // Only its first sending: one that is refused begins anew.
            guard !simulation.sent[..<place].contains(where: { $0.request.content == sent.request.content }) else {
                continue
            }
            let overdue = (0..<place).filter {
                simulation.sent[$0].time > wanted.time + budget.longestReadWait && readsInFlight[$0] < 2
            }
            #expect(!zip(overdue, overdue.dropFirst()).contains { !areReads[$0] && !areReads[$1] }, "\(sent)")
        }
        #expect(simulation.mostReadsInFlight <= 2)
    }

    @Test func `forty sliders that never rest before a slow bridge do not delay a read by more than two seconds`()
        throws
    {
        let layout = CommandScheduler.Group.home([40])
        var simulation = SchedulerSimulation(layout, weather: SchedulerSimulation.Weather(latency: 420...420))
        let sliders = stride(from: 0, to: 20_000, by: 200).flatMap { time in
            layout[0].members.enumerated().map { place, lamp in
                Wanted(
                    time: .milliseconds(time),
                    content: .update(LightUpdate(on: true, brightness: Double((time / 200 + place) % 100)), of: [lamp]))
            }
        }
        let reads = [3, 8, 13].map { Wanted(time: .seconds($0), content: .read) }
        try simulation.live((sliders + reads).sorted { $0.time < $1.time })
        let waits = simulation.sent.compactMap { sent -> Duration? in
            guard case let .job(id) = sent.request.content, let read = simulation.asked[id] else { return nil }
            return sent.time - read.time
        }
        #expect(waits.count == 3)
        #expect(waits.allSatisfy { $0 <= .seconds(2) }, "\(waits)")
    }

    @Test(arguments: [1, 3, 10]) func `no second has more requests than the rate allows`(rate: Int) {
        var window = RateWindow(span: .seconds(1))
        var random = SplitMix(seed: 7)
        var now = Duration.zero
        var times: [Duration] = []
        for _ in 0..<400 {
            now += .milliseconds(Int.random(in: 0..<120, using: &random))
            let opening = window.opening(rate: rate, at: now)
            #expect(opening >= now)
            now = opening
            #expect(window.opening(rate: rate, at: now) == now)
            window.note(at: now)
            times.append(now)
        }
        #expect(SchedulerSimulation.most(times) <= rate)
    }

    @Test(arguments: [1, 3, 10], 0..<20 as Range<UInt64>)
    func `no second brings the bridge more requests than the rate allows, however long each is on its way`(
        rate: Int, seed: UInt64
    ) {
        var window = RateWindow(span: .milliseconds(1050))
        var random = SplitMix(seed: seed)
        var now = Duration.zero
        var arrivals: [Duration] = []
        var flying: [(sent: Duration, answered: Duration)] = []
        while arrivals.count < 300 {
            let opening = max(window.opening(rate: rate, at: now), now)
            if let next = flying.min(by: { $0.answered < $1.answered }), flying.count == 3 || next.answered <= opening {
                now = max(now, next.answered)
                flying.removeAll { $0 == next }
                window.answered(sent: next.sent, at: now)
                continue
            }
            now = opening
            window.note(at: now)
            // Now and then one takes long: its connection is new.
            let latency = Int.random(in: 0..<10, using: &random) == 0 ? 100...900 : 2...60
            let answered = now + .milliseconds(Int.random(in: latency, using: &random))
            flying.append((now, answered))
            arrivals.append(now + (answered - now) * Double.random(in: 0...1, using: &random))
        }
        #expect(SchedulerSimulation.most(arrivals.sorted()) <= rate)
    }

    @Test func `the predicted time of each later request is right`() {
        var random = SplitMix(seed: 3)
        for _ in 0..<50 {
            var window = RateWindow(span: .seconds(1))
            let rate = Int.random(in: 1...6, using: &random)
            var now = Duration.zero
            for _ in 0..<Int.random(in: 0...9, using: &random) {
                now = window.opening(rate: rate, at: now + .milliseconds(Int.random(in: 0...300, using: &random)))
                window.note(at: now)
            }
            let foretold = (1...20).map { window.opening($0, rate: rate, at: now) }
            for time in foretold {
                now = window.opening(rate: rate, at: now)
                #expect(time == now)
                window.note(at: now)
            }
        }
    }
}
