import Khipu
import Lighting

extension Directory {
    /// The command with this ticket, as it was worded then; `nil` if it is no longer remembered.
    func words(ofCommand ticket: Ticket) -> String? {
        state.history.command(of: ticket).map { words(of: $0.command, naming: $0.names) }
    }

    /// The commands that the undo or redo with this ticket took back or did again, in that order, as they were worded.
    /// Empty if a later one has replaced it.
    func wordsOfCommands(reversedBy ticket: Ticket) -> [String] {
        steps(reversedBy: ticket).map { words(of: $0.command, naming: $0.names) }
    }

    /// The steps of these commands.
    func steps(reversedBy ticket: Ticket) -> [History.Step] {
        let undone = state.history.undone.filter { $0.undone?.ticket.number == ticket.number }
        let redone = state.history.done.filter { $0.tickets.last?.number == ticket.number }
        return undone.reversed() + redone
    }

    private func words(of command: Message.Lighting, naming names: Journal.Names?) -> String {
        command.words(in: names.map { remembering($0) } ?? self)
    }
}
