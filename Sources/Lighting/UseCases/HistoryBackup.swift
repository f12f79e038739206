public import Khipu

/// The history from before each command that is not answered yet, to return to if the command fails as a whole: then
/// there is nothing to undo, and what could be redone before still can.
@DomainActor
public final class HistoryBackup {
    private let store: AppStore
    private var histories: [UInt64: History] = [:]

    public nonisolated init(_ store: AppStore) { self.store = store }

    /// To be called before the command changes the history.
    func keep(before ticket: Ticket) { histories[ticket.number] = store.state().history }

    /// Takes in how the command ended. The histories to return to learn of failures only: a command whose values were
    /// replaced counts as done, but is not if what replaced them fails.
    func close(_ ticket: Ticket, _ outcome: Outcome) {
        let before = histories.removeValue(forKey: ticket.number)
        if let before, outcome.failure?.isTotal == true {
            store.change(by: .updating(.history(by: .reverting(.command(ticket, to: before)))))
        }
        let closing = History.Change.closing(.step(of: ticket, with: outcome))
        store.change(by: .updating(.history(by: closing)))
        if outcome != .succeeded { histories = histories.mapValues { $0.alter(by: closing) } }
    }
}
