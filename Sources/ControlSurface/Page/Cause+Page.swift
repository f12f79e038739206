import ControlProtocol
import Khipu
import Lighting

// Why a light is as it is, in the page's words. The time is not among them: the browser knows how long ago it was.

extension Cause {
    /// In a few words: "the page", "anna", "Evening" for a scene, "wall switch Hall". `nil` if nobody knows.
    func brief(in home: Directory) -> String? {
        switch kind {
        case let .command(ticket): ticket.sender
        case let .scene(scene, by: _): home.scene(scene)?.name.orElse("a scene") ?? "a scene"
        case let .wall(name): Self.wallSwitch(name)
        case .power: "power came back"
        case .elsewhere: "another app or a switch"
        case .unseen: nil
        }
    }

    /// As a part of a sentence: "anna (uid 1000) with lightctl sent 'set @Kitchen to 40%'", as `lightctl why` says it.
    ///
    /// - Parameter words: of the command with this ticket; `nil` if it is not known any more.
    func sentence(in home: Directory, _ words: (Ticket) -> String?) -> String {
        switch kind {
        case let .command(ticket): "\(ticket.person) sent \(words(ticket).map { "'\($0)'" } ?? "a command")"
        case let .scene(scene, by: ticket):
            (home.scene(scene).map { "scene \($0.name)" } ?? "a scene that no longer exists")
                + ", recalled by \(ticket?.person ?? "another app")"
        case let .wall(name): Self.wallSwitch(name)
        case .power: "its power came back"
        case .elsewhere: "another app, or a switch that the bridge does not report"
        case .unseen: "not changed since lightd started listening"
        }
    }

    private static func wallSwitch(_ name: String) -> String { name.isEmpty ? "wall switch" : "wall switch \(name)" }
}

extension Ticket {
    /// "the page" for a command from a page, "anna" for one of "anna (uid 1000) with lightctl".
    fileprivate var sender: String { name.isEmpty ? "somebody" : spoken(name) }

    /// The same with all that is known: "the page with token 'phone' over TCP", "anna (uid 1000) with lightctl".
    fileprivate var person: String { holder.isEmpty ? "somebody" : spoken(name) + holder[name.endIndex...] }

    private var name: Substring { SenderText.brief(holder) }

    /// Whoever reads this is on a page, too, and perhaps on another one: it is not "you".
    private func spoken(_ name: Substring) -> String {
        name == "a \(Routes.pageClient)" ? "the page" : String(name)
    }
}
