import FoundationEssentials
import HashTreeCollections
import Khipu
import LightingTestKit
import TestSupport
import Testing

@testable import Lighting

/// A thousand days, or ten thousand, in a house whose lights follow a curve, and whose bridge and lamps are as they are in life: a value
/// is taken over if and only if a hand was on it, and what a hand has set is never changed.
struct TakeoverLawTests {
    /// Of each of the twenty houses; so many take minutes.
    private static let days = triesForLong ? 500 : 10

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `there is no phantom takeover, and no hand is overruled`(seed: UInt64) throws {
        var house = House(seed: seed)
        for _ in 0..<Self.days { try house.live() }
        // It was not dark all the time.
        #expect(house.hands > Self.days)
        #expect(house.steps > 10 * Self.days)
    }
}

private struct House {
    private var random: SplitMix
    private var now = Timestamp(milliseconds: 1_789_948_800_000)
    private var day = Timestamp(milliseconds: 1_789_948_800_000)
    private var state: AppState
    private var followings = Followings()
    private var tickets: UInt64 = 1
    private var next: Timestamp?
    /// What the lamp really shows.
    private var lamp: Light.Values
    /// Echoes that the bridge has not reported yet.
    private var late: [Echo] = []
    /// The newest report, which may come once more.
    private var last: Echo?
    private var isConnected = true
    /// What hands have set: what must be left alone, and stay as it is.
    private var handed: [FollowedValue: Double] = [:]
    private(set) var hands = 0
    private(set) var steps = 0
    private struct Echo {
        let report: Light.Report
        let time: Timestamp
        /// When the next step was asked.
        var overtaken: Timestamp?
    }

    /// What happened last: printed if the law does not hold.
    private var events: [Event] = []

    private struct Event {
        let time: Timestamp
        let kind: Kind
        let lamp: Light.Values
        let handed: [FollowedValue: Double]

        enum Kind {
            case reported(Light.Report)
            case command([Light.Change])
            case step(DesiredState)
        }
    }

    private let id: Light.ID
    private let limits = Light.Limits(temperature: 153.mirek...454.mirek, minimumDimLevel: 2)

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        let light = Light.make("sofa", brightness: 0.7, temperature: 300, modes: [.ct])
            .alter(by: .limiting(.it(to: limits)))
        let room = Room.make(lights: [light])
        (id, lamp) = (light.id, light.values)
        state = .make(lights: [light], rooms: [room])
        followings.start(
            Following(.curve("day"), on: .room(room.id), started: now), in: state)
        look()
        step()
    }

    // MARK: - A day

    mutating func live() throws {
        // Every other moment is one at which the curve moves.
        let moments = (0..<Int.random(in: 3...12, using: &random)).map { _ in
            let hours: [Range<Double>] = [0..<24, 6..<6.8, 0..<24, 20..<20.8]
            let hour = Double.random(in: hours[Int.random(in: 0..<4, using: &random)], using: &random)
            return Int64(hour * 3_600_000)
        }
        for moment in moments.sorted() {
            try pass(to: day.advanced(by: .milliseconds(moment)))
            try happen()
        }
        day = day.advanced(by: .seconds(86_400))
        try pass(to: day)
    }

    /// Steps are sent when they are due.
    private mutating func pass(to moment: Timestamp) throws {
        while let due = next, due <= moment {
            now = max(due, now.advanced(by: .milliseconds(1)))
            for echo in late { tellLate(echo, from: chance(0.5) ? nil : .otherApp) }
            late = []
            step()
            try check()
        }
        now = max(now, moment)
    }

    private mutating func happen() throws {
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1, 2: switchOn()
        case 3: switchOff()
        case 4, 5: try changeElsewhere()
        case 6: changeByCommand()
        case 7: recallScene()
        case 8: resume()
        case 9: refetch(as: .unseen)
        case 10: loseBridge()
        case 11: try restart()
        case 12: if let last { tellLate(last, from: .otherApp) }
        case 13: cutPower()
        case 14: setWhileOff()
        default: undo()
        }
        step()
        try check()
        let overtaken = late.filter { $0.overtaken != nil }
        if !overtaken.isEmpty, chance(0.5) {
            late.removeAll { $0.overtaken != nil }
            now = now.advanced(by: .seconds(5))
            for echo in overtaken { tellLate(echo, from: chance(0.5) ? nil : .otherApp) }
            try check()
        }
    }

    private func check() throws {
        guard isConnected, let light = state.lights[id], light.power == .on, let followed = followings.lights[id] else {
            return
        }
        try #require(Set(followed.pauses.keys) == Set(handed.keys), "after \(events.suffix(12)) on \(day)")
        for (value, hand) in handed {
            try #require(abs(lamp[value] - hand) < 0.001, "after \(events.suffix(12)) on \(day)")
        }
    }

    private mutating func note(_ kind: Event.Kind) {
        if events.count > 100 { events.removeFirst(50) }
        events.append(Event(time: now, kind: kind, lamp: lamp, handed: handed))
    }

    // MARK: - What happens

    private mutating func switchOn() {
        guard lamp.power == .off else { return }
        if chance(0.5) {
            lamp = lamp.with(power: .on)
            tell(Light.Report(power: .on), from: .accessory("Hall"))
        } else {
            command([.turning(.it(.on))]) { $0 = $0.with(power: .on) }
        }
    }

    private mutating func switchOff() {
        guard lamp.power == .on else { return }
        (handed, late, last) = ([:], [], nil)
        if chance(0.5) {
            lamp = lamp.with(power: .off)
            tell(Light.Report(power: .off), from: .otherApp)
        } else {
            command([.turning(.it(.off))]) { $0 = $0.with(power: .off) }
        }
    }

    /// A value that the eye can tell from what the lamp shows, and that no report can be mistaken for: neither one that
    /// has come already, nor a late one of what was asked in the last minutes.
    private mutating func different(_ value: FollowedValue) -> Double {
        let others =
            [lamp, state.lights[id]?.reported].map { $0?[value] }
            + [0, -300, -600].map { curvePoint(at: now.advanced(by: .seconds($0)))[value] }
        while true {
            let (new, least): (Double, Double) =
                value == .brightness
                ? (Double.random(in: 8...235, using: &random).rounded() / 253, 0.08)
                : (Double(Int.random(in: 153...454, using: &random)), 35)
            if others.compactMap(\.self).allSatisfy({ abs(new - $0) > least }) { return new }
        }
    }

    private mutating func set(_ value: FollowedValue) -> Light.Report {
        // What the bridge reports comes in order.
        (late, last) = ([], nil)
        let hand = different(value)
        (handed[value], hands) = (hand, hands + 1)
        switch value {
        case .brightness:
            lamp = lamp.with(brightness: hand)
            return Light.Report(brightness: hand)
        case .temperature:
            lamp = lamp.with(temperature: Mirek(Int(hand)))
            return Light.Report(temperature: Mirek(Int(hand)))
        }
    }

    private mutating func changeElsewhere() throws {
        guard lamp.power == .on, isConnected else { return }
        late = []
        tell(set(chance(0.5) ? .brightness : .temperature), from: chance(0.3) ? .accessory("Dial") : .otherApp)
    }

    private mutating func changeByCommand() {
        guard lamp.power == .on, isConnected else { return }
        let value: FollowedValue = chance(0.5) ? .brightness : .temperature
        let before = lamp
        _ = set(value)
        let wanted = lamp
        lamp = before
        command(
            value == .brightness
                ? [.setting(.brightness(to: wanted.brightness))] : [.setting(.temperature(to: wanted.temperature))],
            naming: [value]
        ) { $0 = wanted }
    }

    private mutating func setWhileOff() {
        guard lamp.power == .off, isConnected else { return }
        let hand = Double.random(in: 8...235, using: &random).rounded() / 253
        command([.turning(.it(.on)), .setting(.brightness(to: hand))], naming: [.brightness]) {
            $0 = $0.with(power: .on).with(brightness: hand)
        }
        handed[.brightness] = hand
        hands += 1
    }

    private mutating func recallScene() {
        guard isConnected else { return }
        if lamp.power == .off { lamp = lamp.with(power: .on) }
        _ = set(.brightness)
        _ = set(.temperature)
        tell(
            Light.Report(lamp, reachable: true), from: .scene(Scene.ID(bridge: .sample, resource: "relax"), by: nil))
    }

    private mutating func resume() {
        guard isConnected, lamp.power == .on else { return }
        _ = followings.resume(.all, in: state)
        handed = [:]
    }

    /// The mains are cut and come back: the lamp shows its own preset, or what it showed.
    private mutating func cutPower() {
        guard isConnected else { return }
        tell(Light.Report(reachable: false), from: nil)
        guard chance(0.5) else {
            // Only out of reach for a while: whatever was set by hand is as it was.
            return tell(Light.Report(lamp, reachable: true), from: .power)
        }
        lamp = lamp.with(power: .on).with(brightness: 1).with(temperature: 366.mirek)
        (handed, late, last) = ([:], [], nil)
        tell(Light.Report(lamp, reachable: true), from: .power)
    }

    private mutating func refetch(as source: Cause.Kind) {
        guard isConnected else { return }
        tell(Light.Report(lamp, reachable: true), from: source)
    }

    /// The bridge is away for a while, in which somebody may change something.
    private mutating func loseBridge() {
        state = state.alter(by: .updating(.light(id, by: [.losing(.contact(at: now))])))
        late = []
        look()
        now = now.advanced(by: .seconds(60))
        if lamp.power == .on, chance(0.5) { _ = set(chance(0.5) ? .brightness : .temperature) }
        refetch(as: .unseen)
    }

    /// Everything that is remembered is read back; the lamp went on meanwhile.
    private mutating func restart() throws {
        let saved = followings.lights.mapValues { $0 }
        followings = Followings(
            try decoded(followings.all),
            lights: TreeDictionary(try saved.map { ($0.key, try decoded($0.value)) }) { $1 })
        late = []
        if let light = state.lights[id] { state = state.alter(by: .adding(.light(try decoded(light.remembered)))) }
        look()
        refetch(as: .unseen)
    }

    private func decoded<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
    }

    /// A hand that is taken back at once.
    private mutating func undo() {
        guard lamp.power == .on, isConnected, handed.isEmpty, state.lights[id]?.isUnavailable == false else { return }
        let before = lamp
        let hand = command([.setting(.brightness(to: different(.brightness)))], naming: [.brightness]) { _ in }
        let undo = ticket("undo")
        state = state.alter(
            by: .updating(
                .light(id, by: [.setting(.brightness(to: before.brightness)), .expecting(.it(by: undo))])))
        _ = followings.observe(
            [id], at: now, in: state, undone: { $0 == undo ? [hand.number] : [] },
            curvePoint: { [self] _, time in curvePoint(at: time) })
        lamp = before
        tell(Light.Report(brightness: lamp.brightness), from: .command(undo))
    }

    // MARK: - The house

    private mutating func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &random) < part }

    private mutating func ticket(_ holder: String) -> Ticket {
        tickets += 1
        return Ticket(number: tickets, holder: holder, time: now)
    }

    /// Brighter and cooler in forty minutes of the morning, dimmer and warmer in the evening. Below and above what the
    /// lamp can show.
    private func curvePoint(at time: Timestamp) -> Curve.Point {
        let hour = Double(time.since(day) / .milliseconds(1)) / 3_600_000
        let share = min(max((hour - 6) * 1.5, 0), 1) - min(max((hour - 20) * 1.5, 0), 1)
        return Curve.Point(brightness: 0.01 + share * 0.9, temperature: Mirek(Int(480 - share * 340)))
    }

    private mutating func look(_ command: (Ticket, Set<FollowedValue>)? = nil) {
        _ = followings.observe(
            [id], at: now, in: state, after: command.map { command in (command.0, { _ in command.1 }) },
            curvePoint: { [self] _, time in curvePoint(at: time) })
    }

    /// The bridge reports something.
    private mutating func tell(_ report: Light.Report, from source: Cause.Kind?) {
        let report = report.from(source)
        state = state.alter(by: .updating(.light(id, by: [.reporting(.it(report, at: now))])))
        note(.reported(report))
        look()
    }

    /// A bridge is late by minutes, not by hours, and holds back what is older than its last report for seconds only.
    private mutating func tellLate(_ echo: Echo, from source: Cause.Kind?) {
        let isHeldBack = echo.overtaken.map { now.since($0) < .seconds(20) } ?? true
        if now.since(echo.time) < .seconds(300), isHeldBack { tell(echo.report, from: source) }
    }

    /// A person's command, which the bridge confirms.
    @discardableResult
    private mutating func command(
        _ changes: [Light.Change], naming values: Set<FollowedValue> = [], _ carryOut: (inout Light.Values) -> Void
    ) -> Ticket {
        let ticket = ticket("person")
        let before = state.lights[id]?.values
        state = state.alter(by: .updating(.light(id, by: changes + [.expecting(.it(by: ticket, after: before))])))
        note(.command(changes))
        look((ticket, values))
        carryOut(&lamp)
        if values.isEmpty {
            tell(Light.Report(power: lamp.power), from: .command(ticket))
        } else {
            tell(Light.Report(lamp, reachable: true), from: .command(ticket))
        }
        return ticket
    }

    /// Sends what is due, and lets the lamp and its bridge do with it what they do in life.
    private mutating func step() {
        let advance = followings.advance(to: now, in: state, curvePoint: { [self] _, time in curvePoint(at: time) })
        defer { next = followings.next(after: now, in: state, curvePoint: { [self] _, time in curvePoint(at: time) }) }
        for step in advance.steps {
            steps += 1
            let ticket = ticket("day").followUpStep
            followings.note(step, ticket)
            guard let desired = step.states.first else { continue }
            note(.step(desired))
            let mirek: Mirek? = if case let .white(mirek)? = desired.values.tone { mirek } else { nil }
            let before = state.lights[id]?.values
            let changes = desired.values.changes
            state = state.alter(by: .updating(.light(id, by: changes + [.expecting(.it(by: ticket, after: before))])))
            look()
            if !chance(0.02) {
                if let brightness = desired.values.brightness {
                    // To a step of the bridge, and not below what the lamp can.
                    lamp = lamp.with(brightness: max((brightness * 253).rounded() / 253, 0.02))
                }
                if let mirek { lamp = lamp.with(temperature: limits.held(mirek)) }
                // Only what the step has set: an event names no other value.
                let echo = Light.Report(
                    brightness: desired.values.brightness.map { _ in lamp.brightness },
                    temperature: mirek.map { _ in lamp.temperature })
                last = Echo(report: echo, time: now)
                for index in late.indices { late[index].overtaken = late[index].overtaken ?? now }
                switch Int.random(in: 0..<10, using: &random) {
                case 0: late.append(Echo(report: echo, time: now))
                case 1: break
                case 2:
                    tell(echo, from: .command(ticket))
                    tell(echo, from: .otherApp)
                case 3: tell(echo, from: nil)
                default: tell(echo, from: .command(ticket))
                }
            }
            // Nothing is waited for any longer than some seconds.
            state = state.alter(by: .updating(.light(id, by: [.abandoning(.expectation(of: ticket))])))
            look()
        }
    }
}

extension Light.Values {
    fileprivate subscript(value: FollowedValue) -> Double {
        value == .brightness ? brightness : Double(temperature.value)
    }
}
