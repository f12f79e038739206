import HashTreeCollections
import Khipu

/// Keeps the automations: replaces, switches on and off, skips once, removes them, and adds timers. What it has changed is saved
/// before it is answered.
struct AutomationKeeper: UseCase {
    enum Request {
        case replace([Automation], keepsOthers: Bool, insteadOf: [Automation]?)
        case enable(Automation.ID, Bool)
        case skip(Automation.ID, Bool)
        case remove(Automation.ID)
        case schedule(Automation)
    }

    enum Response {
        case replacing(Message.Automations.Difference, Outcome)
        case enabling(Automation.ID, Bool, Outcome)
        case skipping(Automation.ID, Bool, Outcome)
        case removing(Automation.ID, Outcome)
        case scheduling(Automation.ID, Outcome)
    }

    let store: AppStore
    let archive: Archive
    let commands: CommandResolver
    let view: @DomainActor @Sendable () -> HomeView
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        let view = view()
        var automations = store.state().automations
        let response: @Sendable (Outcome) -> Response
        var failure: Failure?
        switch request {
        case let .replace(written, keepsOthers: keepsOthers, insteadOf: old):
            let settled = automations.settled(written, in: view.names, commands)
            failure = old.flatMap { automations.failure(putting: settled, insteadOf: $0) }
            let lasting =
                keepsOthers ? automations.lasting.merging(settled, insteadOf: old ?? []) : settled
            let difference = Message.Automations.Difference(from: automations.lasting, to: lasting)
            if failure == nil {
                // One in place of one is the same, under another name perhaps.
                if let old, old.count == 1, settled.count == 1 { automations.rename(old[0].id, to: settled[0].name) }
                automations.replace(lasting, in: view)
            }
            response = { .replacing(difference, $0) }
        case let .enable(id, isEnabled):
            failure = automations.missing(id)
            automations.enable(id, isEnabled, in: view)
            response = { .enabling(id, isEnabled, $0) }
        case let .skip(id, isSkipped):
            do throws(Failure) {
                try automations.omit(id, for: isSkipped ? ticket.holder : nil, in: view)
            } catch {
                failure = error
            }
            response = { .skipping(id, isSkipped, $0) }
        case let .remove(id):
            failure = automations.has(id) ? nil : .noSuchAutomation(id)
            automations.remove(id, in: view)
            response = { .removing(id, $0) }
        case let .schedule(automation):
            let timer = automations.asTimer(automation.withNames(of: view.names, commands))
            automations.add(timer, in: view)
            response = { .scheduling(timer.id, $0) }
        }
        if let failure { return respond(response(.failed(failure)), ticket) }
        store.change(by: .replacing(.automations(by: automations)))
        archive.keep(.automationMemory(automations.memory)) { _ in }
        archive.keep(.automations(automations.all)) { [respond] in respond(response($0), ticket) }
    }

    /// Takes back a timer that could not be saved: who was told so sets it again.
    @DomainActor
    func discard(_ id: Automation.ID) {
        var automations = store.state().automations
        automations.remove(id, in: view())
        store.change(by: .replacing(.automations(by: automations)))
        archive.keep(.automations(automations.all)) { _ in }
    }
}

extension AutomationState {
    func missing(_ id: Automation.ID) -> Failure? { automations[id] == nil ? .noSuchAutomation(id) : nil }

    /// Why these cannot take the place of others: somebody has changed one of those meanwhile, or has used the name of one
    /// of these.
    public func failure(putting new: [Automation], insteadOf old: [Automation]) -> Failure? {
        for automation in old where automations[automation.id]?.isWritten(like: automation) != true {
            return .changedMeanwhile(automation.id)
        }
        let freed = Set(old.map(\.id))
        return new.first { !freed.contains($0.id) && automations[$0.id] != nil }.map { .automationExists($0.id) }
    }
}
