import HueWire
import Lighting
import TestSupport

@testable import HueBridge

/// A lamp that keeps its values; off keeps level and colour.
struct ModelLamp: Equatable {
    var on = false
    var brightness = 0.0
    var color: LightUpdate.Color?

    mutating func take(_ update: LightUpdate) {
        if let on = update.on { self.on = on }
        if let brightness = update.brightness { self.brightness = brightness }
        if let color = update.color { self.color = color }
    }
}

/// A command in a script.
struct Wanted {
    enum Content {
        case update(LightUpdate, of: [ResourceID])
        /// Sets these lamps to this, as a scene does.
        case recall(LightUpdate, of: [ResourceID])
        case read
    }

    let time: Duration
    let content: Content
    var timeout: Duration = .seconds(10)
}

/// A bridge that answers after a while or never, and its lamps. Time jumps from event to event.
struct SchedulerSimulation {
    struct Sent {
        let time: Duration
        let request: ScheduledRequest
        var answered: Duration?
    }

    struct Restless: Error {}

    /// The probability of each kind of failure until `calm`.
    struct Weather {
        var busy = 0.0
        var unknown = 0.0
        var unsent = 0.0
        var latency = 20...300
        var calm: Duration = .seconds(60)
    }

    var scheduler: CommandScheduler
    let layout: [CommandScheduler.Group]
    let weather: Weather
    var random: SplitMix
    var lamps: [ResourceID: ModelLamp] = [:]
    /// The result of the same commands, carried out one after the other.
    var requested: [ResourceID: ModelLamp] = [:]
    var sent: [Sent] = []
    var completions: [Completion] = []
    var asked: [UInt64: Wanted] = [:]
    var now: Duration = .zero
    private var answers: [(time: Duration, place: Int)] = []

    init(_ layout: [CommandScheduler.Group], budget: Budget = Budget(), weather: Weather = Weather(), seed: UInt64 = 1)
    {
        scheduler = CommandScheduler(budget)
        scheduler.arrange(layout)
        self.layout = layout
        self.weather = weather
        random = SplitMix(seed: seed)
        for light in Set(layout.flatMap(\.members)) { lamps[light] = ModelLamp() }
        requested = lamps
    }

    /// Runs a script until the scheduler rests.
    ///
    /// - Throws: if it does not rest within far more steps than any script needs.
    mutating func live(_ script: [Wanted]) throws {
        var coming = script[...]
        for _ in 0..<(10_000 + 200 * script.count) {
            while let wanted = coming.first, wanted.time <= now {
                coming.removeFirst()
                ask(wanted)
            }
            completions += scheduler.overdue(at: now)
            var wake: Duration?
            switch scheduler.next(at: now) {
            case let .send(request):
                send(request)
                continue
            case let .wait(until: time):
                guard time > now else { throw Restless() }
                wake = time
            case .rest: break
            }
            let answer = answers.min { $0.time < $1.time }
            guard let time = [wake, coming.first?.time, answer?.time].compactMap(\.self).min() else {
                return
            }
            now = max(now, time)
            if let answer, answer.time <= now {
                answers.removeAll { $0.place == answer.place }
                arrive(answer.place)
            }
        }
        throw Restless()
    }

    private mutating func ask(_ wanted: Wanted) {
        let token = UInt64(asked.count + 1)
        asked[token] = wanted
        let deadline = now + wanted.timeout
        switch wanted.content {
        case let .update(update, of: lights):
            for light in lights { requested[light]?.take(update) }
            completions += scheduler.ask(update, of: lights, by: token, deadline: deadline, at: now)
        case let .recall(update, of: lights):
            for light in lights { requested[light]?.take(update) }
            completions += scheduler.ask(job: token, cost: .group, touching: lights, deadline: deadline, at: now)
        case .read:
            completions += scheduler.ask(job: token, cost: .read, deadline: deadline, at: now)
        }
    }

    private mutating func send(_ request: ScheduledRequest) {
        sent.append(Sent(time: now, request: request))
        let latency = Duration.milliseconds(Int.random(in: weather.latency, using: &random))
        answers.append((now + latency, sent.count - 1))
    }

    private mutating func arrive(_ place: Int) {
        sent[place].answered = now
        let trouble = now < weather.calm ? Double.random(in: 0..<1, using: &random) : 1
        let delivery: Delivery
        if trouble < weather.busy {
            delivery = .busy("")
        } else if trouble < weather.busy + weather.unknown {
            delivery = .unknown
            if Bool.random(using: &random) { carryOut(sent[place].request.content) }
        } else if trouble < weather.busy + weather.unknown + weather.unsent {
            delivery = .unsent
        } else {
            delivery = .done
            carryOut(sent[place].request.content)
        }
        let chance = Double.random(in: 0...1, using: &random)
        completions += scheduler.answer(sent[place].request.id, with: delivery, chance: chance, at: now)
    }

    /// A group command reaches the members that the layout names.
    private mutating func carryOut(_ content: ScheduledRequest.Content) {
        switch content {
        case let .light(light, update): lamps[light]?.take(update)
        case let .group(grouped, _, update):
            for group in layout where group.groupedLight == grouped {
                for light in group.members { lamps[light]?.take(update) }
            }
        case let .job(id):
            if case let .recall(update, of: lights)? = asked[id]?.content {
                for light in lights { lamps[light]?.take(update) }
            }
        }
    }

    // MARK: - Results

    func touched(by request: ScheduledRequest) -> [ResourceID] {
        switch request.content {
        case let .light(light, _): return [light]
        case let .group(grouped, _, _): return layout.first { $0.groupedLight == grouped }?.members ?? []
        case let .job(id):
            if case let .recall(_, of: lights)? = asked[id]?.content { return lights }
            return []
        }
    }

    func times(_ matches: (ScheduledRequest.Content) -> Bool) -> [Duration] {
        sent.filter { matches($0.request.content) }.map(\.time)
    }

    var lightTimes: [Duration] { times { if case .light = $0 { true } else { false } } }

    /// Commands to groups, and recalls.
    var groupTimes: [Duration] {
        times {
            switch $0 {
            case .group: true
            case .light: false
            case let .job(id): if case .recall? = asked[id]?.content { true } else { false }
            }
        }
    }

    /// The highest number in any second.
    static func most(_ times: [Duration]) -> Int {
        times.indices.map { start in times[start...].prefix { $0 < times[start] + .seconds(1) }.count }.max() ?? 0
    }

    /// The highest number in flight at once.
    var mostInFlight: Int { most { _ in true } }

    var mostReadsInFlight: Int {
        most { if case let .job(id) = $0, case .read? = asked[id]?.content { true } else { false } }
    }

    private func most(_ counts: (ScheduledRequest.Content) -> Bool) -> Int {
        sent.indices.map { place in
            sent[...place].count {
                counts($0.request.content) && $0.answered.map { $0 > sent[place].time } ?? true
            }
        }.max() ?? 0
    }
}

extension CommandScheduler.Group {
    /// A home of rooms with these numbers of lamps, and a zone of the last lamp of each room and the first of the next.
    static func home(_ rooms: [Int]) -> [CommandScheduler.Group] {
        let lamps = rooms.enumerated().map { room, count in (0..<count).map { ResourceID("lamp-\(room)-\($0)") } }
        let zone = zip(lamps, lamps.dropFirst()).flatMap { [$0.last, $1.first].compactMap(\.self) }
        return [CommandScheduler.Group(groupedLight: "home", members: lamps.flatMap(\.self))]
            + lamps.enumerated().map { CommandScheduler.Group(groupedLight: ResourceID("room-\($0)"), members: $1) }
            + (Set(zone).count > 1 ? [CommandScheduler.Group(groupedLight: "zone", members: zone)] : [])
    }
}
