public import Khipu

/// Reads the commands that automations keep, for a domain that does not know their language.
public struct CommandResolver: Sendable {
    /// The message that a stored command means now: its names are looked up in this state.
    ///
    /// - Throws: ``Failure/invalid(_:)`` with words for a person if a name no longer exists.
    let message:
        @DomainActor @Sendable (StoredCommand, AppState, Timestamp) throws(Failure) -> (@Sendable (Ticket) -> Message)
    /// The same command with other names in the place of its own.
    let renamed: @Sendable (StoredCommand, (NameUse) -> String) -> StoredCommand

    public init(
        message:
            @escaping @DomainActor @Sendable (
                StoredCommand, AppState, Timestamp
            ) throws(Failure) -> (@Sendable (Ticket) -> Message),
        renamed: @escaping @Sendable (StoredCommand, (NameUse) -> String) -> StoredCommand
    ) {
        (self.message, self.renamed) = (message, renamed)
    }
}

/// Makes a ticket for a command that the domain itself sends.
///
/// - Parameters: who sends it, when, and what it has in common with other commands of one step to undo.
public typealias TicketIssuer = @DomainActor @Sendable (String, Timestamp, String?) -> Ticket

/// Takes in what happens, and does what automations want done then: sends their commands with tickets of their own, as a
/// person would.
struct AutomationRunner: UseCase {
    enum Request {
        case take(AutomationState.Event)
        case run(Automation.ID)
        case stop(Automation.ID)
    }

    enum Response {
        case running(Automation.ID, Outcome)
        case stopping(Automation.ID, Outcome)
        case scheduling(Automation.ID, Outcome)
        case fact(Message.Automations)
    }

    let store: AppStore
    let watch: ClockWatch
    let saver: AutomationSaver
    let alarm: Alarm
    let resolve: CommandResolver
    let tickets: TicketIssuer
    let view: @DomainActor @Sendable () -> HomeView
    let output: Output<Message>
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .take(event): take(event, ticket)
        case let .run(id):
            if let failure = store.state().automations.missing(id) {
                respond(.running(id, .failed(failure)), ticket)
            } else {
                take(.asked(id, ticket), ticket)
            }
        case let .stop(id):
            if store.state().automations.has(id) {
                take(.stopped(id, asked: ticket), ticket)
            } else {
                respond(.stopping(id, .failed(.noSuchAutomation(id))), ticket)
            }
        }
    }

    @DomainActor
    private func take(_ event: AutomationState.Event, _ ticket: Ticket) {
        var view = view()
        let before = store.state().automations
        var state = before
        let (now, step) = watch.look()
        view.now = now
        if let step { state.move(by: step.duration) }
        let isRenamed = event.needsNames && state.keepNames(in: view, resolve)
        var effects = state.take(event.with(view.names, resolve), in: view)[...]
        var isUnsaved = step != nil && !state.runs.isEmpty
        while let effect = effects.popFirst() {
            switch effect {
            case .save: isUnsaved = true
            case let .tell(fact):
                respond(.fact(fact), .unasked(from: fact.holder ?? "lightd", at: view.now))
            case let .answer(asker, automation, outcome):
                let isStopping = if case .stopped(_, asked: asker) = event { true } else { false }
                respond(
                    isStopping
                        ? .stopping(automation.id, outcome)
                        : automation.isTimer
                            ? .scheduling(automation.id, outcome) : .running(automation.id, outcome), asker)
            case let .send(command, by: run):
                do throws(Failure) {
                    let message = try resolve.message(command, view.state, view.now)
                    effects += send({ run.remainder(of: message($0), in: view.state) }, by: run, &state, in: view)
                } catch {
                    effects += state.take(.unsendable(run.id, error), in: view)
                }
            case let .restore(states, by: run):
                effects += send({ .lighting(.restore(states, over: .usual), ticket: $0) }, by: run, &state, in: view)
            }
        }
        // Timers that have begun are gone, and are runs instead; others have moved with the clock.
        let areOthers = isRenamed || state.order != before.order || state.automations != before.automations
        if isUnsaved || areOthers { state.saves += 1 }
        // Planned anew for another zone or place it may be equal, and must not be forgotten.
        let isPlannedAnew = state.schedule.planned != before.schedule.planned
        if state != before || isPlannedAnew { store.change(by: .replacing(.automations(by: state))) }
        if isUnsaved || areOthers { saver.save(withAutomations: areOthers) }
        alarm.set(state.next(at: view.now))
    }

    @DomainActor
    private func send(
        _ message: (Ticket) -> Message, by run: AutomationRun, _ state: inout AutomationState, in view: HomeView
    ) -> [AutomationState.Effect] {
        let ticket = tickets(run.automation.holder, view.now, run.gesture)
        let message = message(ticket)
        output(message)
        guard case let .lighting(command, _) = message, let plan = try? view.state.plan(command, by: ticket),
            plan.effect == .records
        else { return state.take(.sent(run.id, ticket, []), in: view) }
        return state.take(.sent(run.id, ticket, plan.changedLights), in: view)
    }
}

extension AutomationRun {
    /// Of a step that is tried again, what concerns the bridges that were away: at the others it was done, and somebody
    /// may have been there since.
    fileprivate func remainder(of message: Message, in state: AppState) -> Message {
        guard let bridges = retry?.failure.unreachable, case let .lighting(command, ticket) = message,
            let plan = try? state.plan(command, by: ticket)
        else { return message }
        let (rest, done) = (
            plan.sent.filter { bridges.contains($0.light.bridge) },
            plan.sent.filter { !bridges.contains($0.light.bridge) }
        )
        return done.isEmpty || rest.isEmpty ? message : .lighting(.restore(rest, over: plan.transition), ticket: ticket)
    }
}

extension AutomationState.Event {
    /// Whether names may mean something else than before, or are about to be looked up for the first time.
    fileprivate var needsNames: Bool {
        switch self {
        case .started, .reread, .asked: true
        case let .reported(subjects): subjects.contains(.bridges)
        case .clock, .pressed, .once, .saved, .settled, .stopped, .undone, .claimed, .sent, .answered, .unsendable:
            false
        }
    }

    /// With what the names in a new automation mean.
    fileprivate func with(_ names: HomeNames, _ commands: CommandResolver) -> Self {
        guard case let .once(automation, ticket) = self else { return self }
        return .once(automation.withNames(of: names, commands), ticket)
    }
}

extension Message.Automations {
    /// Whose doing the fact is, for the journal.
    fileprivate var holder: String? {
        switch self {
        case let .started(_, named: name, _, _), let .ended(_, named: name, _), let .skipped(_, named: name, _):
            "automation '\(name)'"
        default: nil
        }
    }
}

/// Keeps what automations remember, one save at a time: what changes meanwhile is kept by the next one, however often.
@DomainActor
final class AutomationSaver {
    private let store: AppStore
    private let archive: Archive
    private let clock: Clock
    private let output: Output<Message>
    private var isSaving = false
    private var isDue = false
    private var areAutomationsDue = false

    init(store: AppStore, archive: Archive, clock: Clock, output: @escaping Output<Message>) {
        (self.store, self.archive, self.clock, self.output) = (store, archive, clock, output)
    }

    /// - Parameter withAutomations: whether there are others than before. They are kept after what is remembered of
    ///   them, so that a timer that has begun is lost at no moment: until both are kept it is there twice, and its run
    ///   counts.
    func save(withAutomations: Bool = false) {
        areAutomationsDue = areAutomationsDue || withAutomations
        isDue = isSaving
        guard !isSaving else { return }
        isSaving = true
        let state = store.state().automations
        archive.keep(.automationMemory(state.memory)) { [clock, output] outcome in
            output(.automations(.saved(state.saves, outcome), ticket: .unasked(from: "lightd", at: clock.now())))
        }
        guard areAutomationsDue else { return }
        areAutomationsDue = false
        archive.keep(.automations(state.all)) { [clock, output] outcome in
            if let failure = outcome.failure { output(.notSaved(failure, at: clock.now())) }
        }
    }

    /// The save was answered.
    func finish() {
        isSaving = false
        if isDue { save() }
    }
}
