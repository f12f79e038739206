import ControlProtocol
import Khipu
public import Lighting

// Why a light is as it is, as programs are told and `lightctl why` says it.

extension Cause {
    /// As a part of a sentence: "anna (uid 1000) with lightctl sent 'set @Kitchen to 40%'".
    ///
    /// - Parameter words: of the command with this ticket; `nil` if it is not known any more.
    fileprivate func sentence(in home: Directory, _ words: (Ticket) -> String?) -> String {
        switch kind {
        case let .command(ticket): "\(ticket.person) sent \(words(ticket).map { "'\($0)'" } ?? "a command")"
        case let .scene(scene, by: ticket):
            (home.scene(scene).map { "scene \($0.name)" } ?? "a scene that no longer exists")
                + ", recalled by \(ticket?.person ?? "another app")"
        case let .accessory(name): name.isEmpty ? "wall switch" : "wall switch \(name)"
        case .power: "its power came back"
        case .otherApp: "another app, or a switch that the bridge does not report"
        case .unseen: "not changed since lightd started listening"
        }
    }
}

extension Directory {
    /// Who or what set a light to what it shows, as `lightctl why` says it, without the time.
    public func why(_ light: Light) -> String {
        light.shownBecause.sentence(in: self) { words(ofCommand: $0)?.inKelvin }
    }
}

extension String {
    /// The words of a command have white tones in mirek, as the API does.
    fileprivate var inKelvin: String {
        replacing(/\b(\d+) mirek\b/) { Int($0.1).map { ColorName.of(mirek: $0) } ?? String($0.0) }
    }
}

extension Ticket {
    /// With all that is known: "the page with token 'phone' over TCP", "the page named 'Anna’s phone' over TCP", "anna (uid
    /// 1000) with lightctl".
    fileprivate var person: String {
        if holder.isEmpty { return "somebody" }
        // Whoever reads this is perhaps on another page: it is not "you".
        let page = "a \(Routes.pageClient)"
        return holder == page || holder.hasPrefix(page + " ") ? "the" + holder.dropFirst() : holder
    }
}
