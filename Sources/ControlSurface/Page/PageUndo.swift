import ControlProtocol
import Khipu
import Languages
import Lighting

/// A command that can be undone, or that has undone others, for people.
public struct PageCommand: Encodable, Equatable, Sendable {
    /// "Anna turned Kitchen off"
    public var text: String
    public var at: String
    /// What it took back: "turned Kitchen off". Empty if it is not an undo.
    public var undone: [String]
}

extension Directory {
    /// The command with this ticket's number; `nil` if it is no longer remembered.
    public func pageCommand(_ number: UInt64, for reader: PageReader) -> PageCommand? {
        let words = reader.language
        let undone = state.history.steps.reversed().filter { $0.undone?.ticket.number == number }
        if let ticket = undone.first?.undone?.ticket {
            let who = Sender(ticket).words(words).asBeginning
            return PageCommand(
                text: words("\(who) \(words("took back a change"))"), at: ticket.time.iso8601,
                undone: undone.flatMap { deeds(of: $0.wording, words) })
        }
        for step in state.history.steps.reversed() {
            guard let ticket = step.tickets.last(where: { $0.number == number }) else { continue }
            let deeds = state.history.wording(of: ticket).map { self.deeds(of: $0, words) } ?? []
            let said = deeds.isEmpty ? [words("changed something")] : deeds
            return PageCommand(
                text: sentence(Sender(ticket).words(words).asBeginning, said, words), at: ticket.time.iso8601,
                undone: [])
        }
        return nil
    }

    /// What a command with this ticket did; `nil` if it is no longer remembered.
    func deed(of ticket: Ticket, _ words: Language) -> String? {
        let deeds = state.history.wording(of: ticket).map { self.deeds(of: $0, words) } ?? []
        guard let last = deeds.last else { return nil }
        return deeds.count == 1 ? last : list(deeds, words)
    }

    private func deeds(of wordings: [History.Wording], _ words: Language) -> [String] {
        wordings.compactMap { wording in
            let presenter = DeedWords(home: wording.names.map { remembering($0) } ?? self, words: words)
            return presenter.deed(wording.command).map(presenter.text)
        }.unique
    }

    private func sentence(_ who: String, _ deeds: [String], _ words: Language) -> String {
        DeedWords(home: self, words: words).sentence(who, deeds.map { Deed(.other($0)) })
    }

    private func list(_ deeds: [String], _ words: Language) -> String {
        let few = deeds.count > 4 ? deeds.prefix(3) + [words("did \(deeds.count - 3) more things")] : deeds[...]
        return words.list(Array(few))
    }
}
