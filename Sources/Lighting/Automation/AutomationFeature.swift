import HashTreeCollections
public import Khipu

// swift-format-ignore
extension Message {
    public enum Automations: Equatable, Codable, Sendable {
        // Commands, each followed by its response.
        /// Makes these all lasting automations, in this order. One that is not listed is removed, unless others are kept;
        /// timers stay. With `insteadOf` they take the place of these, if those are still written so, and of no others: who
        /// has edited one must not overwrite what somebody else has made of it meanwhile.
        case replace   ([Automation], keepsOthers: Bool? = nil, insteadOf: [Automation]? = nil)
        case replacing (Difference, Outcome)
        case enable    (Automation.ID, Bool)
        case enabling  (Automation.ID, Bool, Outcome)
        /// Leaves out what the clock starts next of it, once; or, with false, does not after all.
        case skip      (Automation.ID, Bool)
        case skipping  (Automation.ID, Bool, Outcome)
        /// Removes an automation, or cancels a timer. Its runs are stopped.
        case remove    (Automation.ID)
        case removing  (Automation.ID, Outcome)
        /// Starts it whatever its conditions say; answered when it has ended, or waits.
        case run       (Automation.ID)
        case running   (Automation.ID, Outcome)
        /// Ends its runs: nothing more of them is done.
        case stop      (Automation.ID)
        case stopping  (Automation.ID, Outcome)
        /// Adds a timer, which gets a name of its own. Without a trigger it starts at once, and is answered as a run.
        case schedule  (Automation)
        case scheduling(Automation.ID, Outcome)

        // Facts.
        case started   (Automation.ID, named: String, run: UInt64, AutomationRun.Reason)
        case ended     (Automation.ID, named: String, AutomationRun.Ended)
        /// It was due and has not run, for this reason.
        case skipped   (Automation.ID, named: String, because: AutomationState.Skip.Reason)
        /// What this save and those before it were to keep is saved, or cannot be: what waited for that can begin.
        case saved     (UInt64, Outcome)

        /// What a new set changes.
        public struct Difference: Equatable, Codable, Sendable {
            public let added: [String]
            public let changed: [String]
            public let removed: [String]

            public init(added: [String] = [], changed: [String] = [], removed: [String] = []) {
                self.added = added
                self.changed = changed
                self.removed = removed
            }

            /// By name, in their order.
            public init(from known: [Automation], to new: [Automation]) {
                let before = Dictionary(known.map { ($0.id, $0) }) { $1 }
                let now = Set(new.map(\.id))
                added = new.filter { before[$0.id] == nil }.map(\.name)
                changed = new.filter { automation in before[automation.id].map { !$0.isWritten(like: automation) } ?? false }.map(\.name)
                removed = known.filter { !now.contains($0.id) }.map(\.name)
            }
        }

        public var outcome: Outcome? {
            switch self {
            case let .replacing(_, o), let .enabling(_, _, o), let .skipping(_, _, o), let .removing(_, o), let .running(_, o), let .stopping(_, o), let .scheduling(_, o): o
            case .replace, .enable, .skip, .remove, .run, .stop, .schedule, .started, .ended, .skipped, .saved: nil
            }
        }
    }
}

/// Automations and timers: starts them when it is time or when something is reported, and does what they say by the same
/// messages as a person.
///
/// Belongs after the lighting feature: a report must be applied before it can start anything.
@DomainActor
public func createAutomationFeature(
    store: AppStore,
    commands: CommandsUnderWay,
    archive: Archive,
    clock: Clock,
    time: Live<HomeTime>,
    resolve: CommandResolver,
    tickets: @escaping TicketIssuer,
    output: @escaping Output<Message>
) -> Input<Message> {
    let names = HomeNamesCache()
    let view: @DomainActor @Sendable () -> HomeView = {
        let state = store.state()
        return HomeView(state: state, names: names.names(of: state), time: time.value, now: clock.now())
    }
    let due = AlarmCall()
    let alarm = clock.alarm { due.call() }
    let keeper = AutomationKeeper(store: store, archive: archive, commands: resolve, view: view) { response, ticket in
        output(.automations(Message.Automations(response), ticket: ticket))
    }
    let saver = AutomationSaver(store: store, archive: archive, clock: clock, output: output)
    let runner = AutomationRunner(
        store: store, watch: ClockWatch(clock), saver: saver, alarm: alarm, resolve: resolve, tickets: tickets,
        view: view,
        output: output
    ) { response, ticket in
        output(.automations(Message.Automations(response), ticket: ticket))
    }
    let start = StartOfAutomations()

    @DomainActor func take(_ event: AutomationState.Event) {
        guard start.isOver else { return }
        runner.request(to: .take(event), ticket: .unasked(from: "lightd", at: clock.now()))
    }
    due.call = { take(.clock) }

    /// Automations begin when lightd knows what it can know of the home, so that what was missed meanwhile finds its
    /// lights.
    @DomainActor func begin() {
        guard !start.isOver else { return }
        start.isOver = true
        take(.started)
    }
    if store.state().hasTriedAllBridges { begin() } else { clock.wake(StartOfAutomations.longest) { begin() } }

    @DomainActor func execute(_ message: Message.Automations, _ ticket: Ticket) {
        switch message {
        case let .replace(automations, keepsOthers: keeps, insteadOf: old):
            keeper.request(
                to: .replace(automations, keepsOthers: keeps ?? false, insteadOf: old), ticket: ticket)
        case let .enable(id, isEnabled): keeper.request(to: .enable(id, isEnabled), ticket: ticket)
        case let .skip(id, isSkipped): keeper.request(to: .skip(id, isSkipped), ticket: ticket)
        case let .remove(id): keeper.request(to: .remove(id), ticket: ticket)
        case let .schedule(automation) where automation.isDue(at: clock.now()):
            runner.request(to: .take(.once(automation, ticket)), ticket: ticket)
        case let .schedule(automation): keeper.request(to: .schedule(automation), ticket: ticket)
        case let .run(id): runner.request(to: .run(id), ticket: ticket)
        case let .stop(id): runner.request(to: .stop(id), ticket: ticket)
        // What was changed may be due earlier than what the alarm is set to.
        case let .replacing(difference, .succeeded):
            for name in difference.removed { take(.stopped(Automation.ID(name), asked: nil)) }
            take(.clock)
        case let .enabling(id, false, .succeeded), let .removing(id, .succeeded):
            take(.stopped(id, asked: nil))
            take(.clock)
        case let .scheduling(id, .failed(.notSaved)):
            keeper.discard(id)
            take(.clock)
        case .replacing, .enabling, .removing, .scheduling: take(.clock)
        case .skipping: break  // The clock comes no earlier for it.
        case let .saved(number, outcome):
            saver.finish()
            if let failure = outcome.failure { output(.notSaved(failure, at: clock.now())) }
            take(.saved(number))
        case .stopping, .running, .started, .ended, .skipped: break
        }
    }

    @DomainActor func listen(_ message: Message) {
        switch message {
        case let .automations(message, ticket): execute(message, ticket)
        case let .lighting(.reported(update), _):
            hear(update)
            if !start.isOver, store.state().hasTriedAllBridges { begin() }
        // A name is a new one as soon as its bridge has accepted it, not only when that is reported.
        case .lighting(.reread, _), .lighting(.changing, _): reread()
        case let .lighting(.undoing(_, outcome), ticket) where outcome.failure == nil:
            let steps = store.state().history.steps(reversedBy: ticket).filter { $0.undone != nil }
            take(.undone(Set(steps.flatMap(\.tickets).compactMap(\.gesture))))
        case let .lighting(message, ticket) where message.outcome == .succeeded:
            guard let plan = commands[ticket]?.plan else { break }
            let lights = store.state().lights(unchangedBy: plan, ticket)
            if !lights.isEmpty { take(.claimed(lights, by: ticket)) }
        case let .lighting(message, _) where message.outcome != nil || message.settlement != nil:
            if store.state().automations.waitsForHome { take(.settled) }
        case .bridges(.joined, _), .bridges(.seen, _), .bridges(.forgetting(_, .succeeded), _): reread()
        case .bridges(.connected, _), .bridges(.lost, _):
            names.forget()
            take(.reported([.bridges]))
            if !start.isOver, store.state().hasTriedAllBridges { begin() }
        default: break
        }
    }

    @DomainActor func hear(_ update: BridgeUpdate) {
        let state = store.state()
        switch update {
        case .light where !state.automations.listens, .sensor where !state.automations.listens, .signal, .firmware:
            break
        case let .light(_, report) where report.isOnlyOfKept: break
        case let .light(id, _):
            if let light = state.lights[id] { take(.reported(names.names(of: state).subjects(of: light))) }
        case let .sensor(id, report):
            guard let sensor = state.sensors[id] else { return }
            let subjects = names.names(of: state).subjects(of: sensor)
            take(.reported(subjects))
            if let press = report.press { take(.pressed(id, subjects, button: press.button, press.kind)) }
        case .home, .renamed, .added, .changed, .removed: reread()
        }
    }

    @DomainActor func reread() {
        names.forget()
        take(.reread)
    }

    return { message in
        listen(message)
        if message.isResponse, let outcome = message.outcome,
            store.state().automations.awaits(message.ticket.number)
        {
            take(.answered(message.ticket.number, outcome))
        }
    }
}

/// Whether automations have begun since lightd started.
@DomainActor
private final class StartOfAutomations {
    /// How long they wait for bridges that neither connect nor fail.
    static let longest = Duration.seconds(20)

    var isOver = false
}

@DomainActor
private final class HomeNamesCache {
    private var known: HomeNames?

    func names(of state: AppState) -> HomeNames {
        if let known { return known }
        let names = HomeNames(state)
        known = names
        return names
    }

    func forget() { known = nil }
}

extension AppState {
    fileprivate var hasTriedAllBridges: Bool { bridges.values.allSatisfy { !$0.isNotTriedYet } }

    /// Those lights that a run is to restore, and of which a command has asked what they showed already. Nothing reports
    /// that, and it is not why they show it.
    fileprivate func lights(unchangedBy plan: Plan, _ ticket: Ticket) -> [Light.ID] {
        guard plan.effect != .none, automations.runs.contains(where: { !$0.before.isEmpty }) else { return [] }
        return plan.changing.filter { planned in
            guard let light = lights[planned.id], case .confirmed = light.freshness else { return false }
            return light.cause.ticket != ticket && light.values.agrees(with: planned.after)
        }.map(\.id).sorted()
    }
}

extension Automation {
    /// Whether, as a timer, it has nothing to wait for.
    fileprivate func isDue(at now: Timestamp) -> Bool {
        triggers.allSatisfy { trigger in
            if case let .clock(clock) = trigger, let moment = clock.moment { moment <= now } else { false }
        }
    }
}

extension AutomationState {
    fileprivate func awaits(_ number: UInt64) -> Bool { runs.contains { $0.phase == .sent(number) } }

    /// Whether a run waits for something in the home to be so.
    fileprivate var waitsForHome: Bool {
        runs.contains { if case .waitingFor = $0.phase { true } else { false } }
    }
}

extension Message.Automations {
    fileprivate init(_ response: AutomationKeeper.Response) {
        switch response {
        case let .replacing(difference, outcome): self = .replacing(difference, outcome)
        case let .enabling(id, isEnabled, outcome): self = .enabling(id, isEnabled, outcome)
        case let .skipping(id, isSkipped, outcome): self = .skipping(id, isSkipped, outcome)
        case let .removing(id, outcome): self = .removing(id, outcome)
        case let .scheduling(id, outcome): self = .scheduling(id, outcome)
        }
    }

    fileprivate init(_ response: AutomationRunner.Response) {
        switch response {
        case let .running(id, outcome): self = .running(id, outcome)
        case let .scheduling(id, outcome): self = .scheduling(id, outcome)
        case let .stopping(id, outcome): self = .stopping(id, outcome)
        case let .fact(fact): self = fact
        }
    }
}
