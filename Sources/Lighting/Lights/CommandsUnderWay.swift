import HashTreeCollections
public import Khipu

/// Carries out commands by their plans. Keeps each plan until its command is settled, and the history from before the
/// command until it is answered. These are no part of the state: a change of that wakes every client.
@DomainActor
public final class CommandsUnderWay {
    private let store: AppStore
    private let stack: LightStack
    private var commands: [Ticket: Command] = [:]

    struct Command {
        let plan: Plan
        /// The history from before a command that is not answered yet: if it fails as a whole, there is nothing to undo,
        /// and what could be redone before still can.
        fileprivate(set) var historyBefore: History?
        /// What is still to be heard of a command that was answered.
        var unsettled: Unsettled?

        struct Unsettled {
            /// Lights that have not confirmed their values.
            var waiting: [Light.ID]
            /// Those that somebody else has changed since.
            var overruled: [Light.ID] = []
            /// Those of a scene that were out of reach when it was recalled.
            let unreached: [Light.ID]
            /// What has failed already.
            let failed: [Failure.Part]
        }
    }

    public nonisolated init(store: AppStore, stack: LightStack) { (self.store, self.stack) = (store, stack) }

    subscript(ticket: Ticket) -> Command? {
        get { commands[ticket] }
        set { commands[ticket] = newValue }
    }

    /// The commands that were answered, and of which something is still to be heard.
    var unsettled: [(ticket: Ticket, unsettled: Command.Unsettled)] {
        commands.compactMap { ticket, command in command.unsettled.map { (ticket, $0) } }
    }

    /// Shows at once what a command asks for, records it as a step to undo, and sends it.
    ///
    /// - Parameter reply: gets the plan, or `nil` if the command cannot be carried out, and how it ended.
    func carryOut(
        _ command: Message.Lighting, _ ticket: Ticket, _ reply: @escaping @Sendable (Plan?, Outcome) -> Void
    ) {
        do throws(Failure) {
            guard let plan = try store.state().plan(command, by: ticket) else { return reply(nil, .succeeded) }
            begin(plan, of: command, ticket)
            send(plan.scenes[...], of: plan, ticket) { reply(plan, plan.outcome(of: $0)) }
        } catch {
            reply(nil, .failed(error))
        }
    }

    private func begin(_ plan: Plan, of command: Message.Lighting, _ ticket: Ticket) {
        let state = store.state()
        let change = state.historyChange(by: plan, of: command, ticket)
        commands[ticket] = Command(plan: plan, historyBefore: change.map { _ in state.history })
        // What was sent to the lights of a scene before is carried out first, and the scene may replace it with any values.
        // Were it still expected, it would hide what the bridge reports.
        let recalled = plan.scenes.filter { !$0.isEnding }.flatMap { state.lights(of: $0.id) ?? [] }.compactMap { id in
            state.lights[id]?.awaited.map {
                AppState.Change.updating(.light(id, by: [.abandoning(.expectation(of: $0))]))
            }
        }
        let expected = plan.changing.compactMap { planned in
            state.lights[planned.id].map {
                AppState.Change.updating(.light(planned.id, by: planned.changes(of: $0, by: ticket)))
            }
        }
        let changes = (change.map { [.updating(.history(by: $0))] } ?? []) + recalled + expected
        if !changes.isEmpty { store.change(changes) }
    }

    private nonisolated func send(
        _ scenes: ArraySlice<RecalledScene>, of plan: Plan, _ ticket: Ticket, _ reply: @escaping Reply<Outcome>
    ) {
        if let scene = scenes.first {
            stack.recall(scene, plan.transition, ticket) { [self] outcome in
                guard outcome == .succeeded else { return reply(outcome) }
                send(scenes.dropFirst(), of: plan, ticket, reply)
            }
        } else if plan.sent.isEmpty {
            reply(.succeeded)
        } else {
            stack.set(plan.sent, plan.transition, ticket, reply)
        }
    }

    /// Takes in how a command was answered, or settled otherwise than it was answered: later commands no longer belong to
    /// the same gesture, unless they name it. If it failed as a whole, it is no step; where it is unconfirmed, it may still
    /// be carried out.
    func close(_ ticket: Ticket, _ outcome: Outcome) {
        let before = commands[ticket]?.historyBefore
        commands[ticket]?.historyBefore = nil
        if let before, outcome.failure?.isTotal == true {
            store.change(by: .updating(.history(by: .reverting(.command(ticket, to: before)))))
        }
        let closing = History.Change.closing(.step(of: ticket, with: outcome))
        store.change(by: .updating(.history(by: closing)))
        // The histories to return to learn of failures only: a command whose values were replaced counts as done, but is
        // not if what replaced them fails.
        guard outcome != .succeeded else { return }
        for (ticket, command) in commands {
            commands[ticket]?.historyBefore = command.historyBefore?.alter(by: closing)
        }
    }
}

extension AppState {
    fileprivate func historyChange(
        by plan: Plan, of command: Message.Lighting, _ ticket: Ticket
    ) -> History.Change? {
        switch plan.effect {
        case .none: nil
        case .records:
            .recording(
                .step(
                    History.Step(
                        command, by: ticket, of: plan.changedLights, before: lights,
                        asking: Dictionary(plan.changing.map { ($0.id, $0.after) }) { $1 },
                        names: Journal.Names(of: .lighting(command, ticket: ticket), in: self))))
        case let .undoes(reversal): .undoing(.steps(reversal.steps, by: ticket, at: lights))
        case let .redoes(reversal): .redoing(.steps(reversal.steps, by: ticket))
        }
    }
}
