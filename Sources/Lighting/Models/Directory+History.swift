public import Khipu

extension Directory {
    /// The command of a ticket, where it is remembered.
    public func command(of ticket: Ticket) -> Message.Lighting? {
        let undone = state.history.undone.count { $0.undone?.ticket.number == ticket.number }
        return state.history.command(of: ticket) ?? (undone > 0 ? .undo(undone, over: .usual) : nil)
    }

    /// What was taken back, or done again, by the undo or redo with this ticket, in that order; empty where it was overtaken.
    public func commands(reversedBy ticket: Ticket) -> [Message.Lighting] {
        let undone = state.history.undone.filter { $0.undone?.ticket.number == ticket.number }
        let redone = state.history.done.filter { $0.tickets.last?.number == ticket.number }
        return undone.reversed().map(\.command) + redone.map(\.command)
    }
}
