import Khipu
import Lighting

extension Directory {
    /// The command with this ticket, as it was worded then; `nil` if it is no longer remembered.
    func words(ofCommand ticket: Ticket) -> String? {
        state.history.command(of: ticket).map { words(of: $0.command, naming: $0.names) }
    }

    /// The commands that the undo or redo with this ticket took back or did again, in that order, as they were worded.
    /// Those that a new command has put out of reach of redo meanwhile are missing.
    func wordsOfCommands(reversedBy ticket: Ticket) -> [String] {
        state.history.steps(reversedBy: ticket).map { words(of: $0.command, naming: $0.names) }
    }

    private func words(of command: Message.Lighting, naming names: Journal.Names?) -> String {
        command.words(in: names.map { remembering($0) } ?? self)
    }
}
