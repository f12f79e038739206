public import Khipu

/// The history from before each command that is not answered yet, to return to if the command fails as a whole: then
/// there is nothing to undo, and what could be redone before still can.
@DomainActor
public final class HistoryBackup {
    private let store: AppStore
    private var histories: [UInt64: History] = [:]

    public nonisolated init(_ store: AppStore) { self.store = store }

    /// Changes the history, and those that it may return to: what became of a command is true in each of them.
    func change(by change: History.Change) {
        store.change(by: .updating(.history(by: change)))
        histories = histories.mapValues { $0.alter(by: change) }
    }

    /// To be called before the command changes the history.
    func keep(before ticket: Ticket) { histories[ticket.number] = store.state().history }

    /// Takes in how the command ended.
    func finish(_ ticket: Ticket, _ outcome: Outcome) {
        guard let before = histories.removeValue(forKey: ticket.number), outcome.failure?.isTotal == true else {
            return
        }
        store.change(by: .updating(.history(by: .reverting(.command(ticket, to: before)))))
    }
}
