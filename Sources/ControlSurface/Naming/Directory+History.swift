import Khipu
import Lighting

extension Directory {
    /// The commands that the undo or redo with this ticket took back or did again, in that order. Empty if a later one
    /// has replaced it.
    func commands(reversedBy ticket: Ticket) -> [Message.Lighting] {
        let undone = state.history.undone.filter { $0.undone?.ticket.number == ticket.number }
        let redone = state.history.done.filter { $0.tickets.last?.number == ticket.number }
        return undone.reversed().map(\.command) + redone.map(\.command)
    }
}
