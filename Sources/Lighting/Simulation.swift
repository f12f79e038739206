import HashTreeCollections
public import Khipu
import Synchronization

/// What automations would have done in a time of which the journal tells.
public struct Simulation: Equatable, Sendable {
    /// By their beginning.
    public internal(set) var runs: [Run] = []
    /// The oldest entry of the journal that was found: what came before it is not known. `nil` if nothing was found.
    public internal(set) var firstEntry: Timestamp?

    public struct Run: Equatable, Sendable {
        /// The automation's name.
        public let automation: String
        public let time: Timestamp
        public let start: Start
        /// What it sent, or would have. Their tickets say when.
        public internal(set) var commands: [Message] = []
        /// `nil` if it had not ended by then.
        public internal(set) var outcome: Outcome?
        let number: UInt64?
    }

    public enum Start: Equatable, Sendable {
        case began(AutomationRun.Reason)
        case skipped(AutomationState.Skip.Reason)
    }

    /// More runs than these are no longer read by anybody.
    public static let mostRuns = 10_000
}

/// Lets automations live through a time of which the journal tells: the whole application once more, on a copy of the
/// state, with a clock that runs through that time. What bridges reported then is reported again, except what the
/// automations of that time did to lights: these take their place. What they send is listed and goes nowhere; the copied
/// lamps show it until something else is reported of them. Of a scene is known only which of its lamps it turns on and
/// off; if its bridge does not say that, all of them are taken as on.
///
/// - Parameters:
///   - state: the home as it is now, for its names and rooms.
///   - time: the home's civil time and sun.
///   - resolve: reads the commands of automations.
///   - start: when the automations begin.
///   - list: lists entries of the journal, as ``Journal/list`` does.
/// - Throws: ``Failure`` if there are too many runs; what `list` throws; `CancellationError` if the task is cancelled.
@DomainActor
public func simulate(
    _ automations: [Automation], on state: AppState, time: HomeTime, resolve: CommandResolver,
    from start: Timestamp, through end: Timestamp,
    journal list: @escaping @Sendable (Journal.Filter) async throws -> [Journal.Entry]
) async throws -> Simulation {
    // What lights and sensors show when it begins is what was reported last before that.
    let eve = start.advanced(by: .seconds(-7 * 86_400))
    let simulator = Simulator(state, time: time, resolve: resolve, at: eve)
    defer { simulator.end() }
    try await forEachEntry(from: eve, until: start, list) { try await simulator.hear($0) }
    try await simulator.begin(automations, at: start)
    try await forEachEntry(from: start, until: end, list) { try await simulator.hear($0) }
    try await simulator.wait(until: end)
    return simulator.simulation
}

@DomainActor
private final class Simulator {
    private let clock: SimulationClock
    private let queue = MessageQueue()
    private var domain: Input<Message> = { _ in }
    private var names: [String: String] = [:]
    private(set) var simulation = Simulation()

    init(_ state: AppState, time: HomeTime, resolve: CommandResolver, at start: Timestamp) {
        clock = SimulationClock(at: start)
        let connected = state.bridges.values.map { bridge -> AppState.Change in
            .updating(.bridge(bridge.id, by: .connecting(.it(at: start, by: .stream))))
        }
        // What acts by itself now may not have done so then; what did is among the reports.
        let idle: [AppState.Change] =
            [
                .replacing(.automations(by: AutomationState())), .replacing(.presence(by: nil)),
                .replacing(.followings(by: Followings(curves: state.followings.ownCurves))),
            ] + state.bindings.keys.map { .removing(.binding($0)) }
        let store = createAppStore(state.alter(by: connected + idle))
        let (queue, clock) = (queue, clock)
        let numbers = Mutex<UInt64>(1)
        domain = createAppDomain(
            store: store,
            lights: .alwaysSucceeding(in: state) { update in
                let ticket = Ticket.unasked(from: "simulation", at: clock.now)
                queue.post(.lighting(.reported(update), ticket: ticket))
            },
            bridges: .inert, rooms: .inert, scenes: .inert, sensors: .inert, archive: .alwaysSucceeding,
            journal: .inert,
            clock: clock.clock,
            time: Live(time), resolve: resolve,
            tickets: { holder, time, gesture in
                let number = numbers.withLock { number in
                    defer { number += 1 }
                    return number
                }
                return Ticket(number: number, holder: holder, time: time, gesture: gesture)
            },
            output: { queue.post($0) })
    }

    func begin(_ automations: [Automation], at time: Timestamp) async throws {
        try await wait(until: time)
        names = Dictionary(automations.map { ($0.holder, $0.name) }) { first, _ in first }
        queue.post(.automations(.replace(automations), ticket: .unasked(from: "simulation", at: time)))
        try deliver()
    }

    /// Lets a bridge report once more what it reported then.
    func hear(_ entry: Journal.Entry) async throws {
        simulation.firstEntry = simulation.firstEntry ?? entry.time
        switch entry.message {
        case let .lighting(.reported(.light(_, report)), _):
            // What the automations of that time did, these do now in their place.
            if !names.isEmpty, report.source?.ticket?.isOfAutomation == true { return }
        case .lighting(.reported, _), .lighting(.reread, _), .bridges(.connected, _), .bridges(.lost, _): break
        default: return
        }
        try await wait(until: entry.time)
        queue.post(entry.message)
        try deliver()
    }

    func wait(until end: Timestamp) async throws {
        while let call = clock.next(until: end) {
            call()
            try deliver()
            // The home's own application, on the same executor, must not wait for this one.
            await Task.yield()
        }
    }

    /// The application holds its clock, and the clock what it is to call.
    func end() { clock.stop() }

    private func deliver() throws {
        while let message = queue.next() {
            note(message)
            domain(message)
        }
        guard simulation.runs.count <= Simulation.mostRuns else {
            throw Failure.invalid("there are more than \(Simulation.mostRuns) runs in that time")
        }
    }

    private func note(_ message: Message) {
        let ticket = message.ticket
        switch message {
        case let .automations(.started(_, named: name, run: number, reason), _):
            simulation.runs.append(
                Simulation.Run(automation: name, time: ticket.time, start: .began(reason), number: number))
        case let .automations(.skipped(_, named: name, because: reason), _):
            simulation.runs.append(
                Simulation.Run(automation: name, time: ticket.time, start: .skipped(reason), number: nil))
        case let .automations(.ended(_, _, ended), _):
            let run = simulation.runs.lastIndex { $0.number == ended.run }
            if let run { simulation.runs[run].outcome = ended.outcome }
        case .lighting(.settled, _): break
        default:
            guard !ticket.isUnasked, !message.isResponse, let name = names[ticket.holder] else { return }
            // An automation runs once at a time.
            let run = simulation.runs.lastIndex { $0.automation == name && $0.number != nil }
            if let run { simulation.runs[run].commands.append(message) }
        }
    }
}

extension LightStack {
    /// Lamps that do at once what they are told, and report it.
    fileprivate static func alwaysSucceeding(
        in state: AppState, report: @escaping @Sendable (BridgeUpdate) -> Void
    ) -> Self {
        Self(
            load: { $0(.succeeded) },
            set: { states, _, ticket, reply in
                reply(.succeeded)
                for state in states {
                    report(.light(state.light, Light.Report(state.values, source: .command(ticket))))
                }
            },
            rename: { target, name, reply in
                report(.renamed(target, to: name))
                reply(.succeeded)
            },
            recall: { scene, _, ticket, reply in
                reply(.succeeded)
                guard !scene.isEnding else { return }
                let off = Set(state.scenes[scene.id]?.turnsOff ?? [])
                for light in state.lights(of: scene.id) ?? [] {
                    let power: Turn = off.contains(light) ? .off : .on
                    report(.light(light, Light.Report(LightPatch(power: power), source: .scene(scene.id, by: ticket))))
                }
            },
            configure: { $2(.succeeded) }, identify: { $1(.succeeded) },
            signal: { $2(.succeeded) }, listen: { _ in })
    }
}

/// The messages that are to be delivered.
private final class MessageQueue: Sendable {
    private let messages = Mutex<(all: [Message], first: Int)>(([], 0))

    func post(_ message: Message) { messages.withLock { $0.all.append(message) } }

    func next() -> Message? {
        messages.withLock { queue in
            guard queue.first < queue.all.count else {
                queue = ([], 0)
                return nil
            }
            defer { queue.first += 1 }
            return queue.all[queue.first]
        }
    }
}

/// A clock that runs from one thing that is due to the next.
private final class SimulationClock: Sendable {
    private typealias Call = @DomainActor @Sendable () -> Void

    private struct State {
        var now: Timestamp
        /// What is due, by the numbers of ``calls``.
        var due: [Int: Timestamp] = [:]
        var calls: [Int: Call] = [:]
        /// Of these, what is called once and cannot be set anew.
        var wakeUps: Set<Int> = []
        var number = 0

        mutating func add(_ call: @escaping Call) -> Int {
            number += 1
            calls[number] = call
            return number
        }
    }

    private let state: Mutex<State>

    init(at time: Timestamp) { state = Mutex(State(now: time)) }

    var now: Timestamp { state.withLock(\.now) }

    var clock: Clock {
        Clock(
            now: { self.now },
            passed: { .milliseconds(self.now.milliseconds) },
            wake: { duration, call in
                self.state.withLock { state in
                    let number = state.add(call)
                    state.wakeUps.insert(number)
                    state.due[number] = state.now.advanced(by: duration)
                }
            },
            alarm: { call in
                let number = self.state.withLock { $0.add(call) }
                return Alarm { time in self.state.withLock { $0.due[number] = time } }
            })
    }

    /// Winds the clock to what is due first until `end`, and gives back what to call; otherwise winds it to `end`.
    func next(until end: Timestamp) -> (@DomainActor @Sendable () -> Void)? {
        state.withLock { state in
            guard let next = state.due.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }), next.value <= end else {
                state.now = max(state.now, end)
                return nil
            }
            state.due[next.key] = nil
            state.now = max(state.now, next.value)
            return state.wakeUps.remove(next.key) == nil
                ? state.calls[next.key] : state.calls.removeValue(forKey: next.key)
        }
    }

    /// Forgets whom to call.
    func stop() {
        state.withLock { state in
            (state.due, state.calls, state.wakeUps) = ([:], [:], [])
        }
    }
}

/// Hands out the entries of a time, oldest first. They are read in pieces, so that never more than some thousands are
/// in memory.
private func forEachEntry(
    from start: Timestamp, until end: Timestamp, _ list: (Journal.Filter) async throws -> [Journal.Entry],
    _ body: @DomainActor (Journal.Entry) async throws -> Void
) async throws {
    let (most, longest) = (5000, Duration.seconds(6 * 3600))
    var (from, length) = (start, longest)
    while from < end {
        try Task.checkCancellation()
        let until = min(from.advanced(by: length), end)
        let entries = try await list(Journal.Filter(since: from, until: until, limit: most))
        // There may be more of them: only the newest are listed.
        if entries.count == most, length > .milliseconds(1) {
            length = max(length / 2, .milliseconds(1))
            continue
        }
        for entry in entries { try await body(entry) }
        (from, length) = (until, min(length * 2, longest))
    }
}
