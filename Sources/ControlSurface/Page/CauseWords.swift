import ControlProtocol
import Khipu
import Languages
import Lighting

// Why a light is as it is, in the page's words. The time is not among them: the browser knows how long ago it was.

extension Cause {
    /// In a few words: "the page", "anna", "Evening" for a scene, "wall switch Hall". `nil` if nobody knows.
    func brief(in home: Directory, _ words: Language) -> String? {
        switch kind {
        case let .command(ticket): Sender(ticket).words(words)
        case let .scene(scene, by: _):
            home.scene(scene).flatMap { $0.name.isEmpty ? nil : $0.name.isolated } ?? words("a scene")
        case let .accessory(name): name.isEmpty ? words("wall switch") : words("wall switch \(name.isolated)")
        case .power: words("power came back")
        case .otherApp: words("another app or a switch")
        case .unseen: nil
        }
    }

    /// A whole sentence: "anna turned Kitchen off".
    ///
    /// - Parameter deed: of the command with this ticket; `nil` if it is not known any more.
    func sentence(in home: Directory, _ words: Language, _ deed: (Ticket) -> String?) -> String {
        switch kind {
        case let .command(ticket):
            let who = Sender(ticket).words(words)
            return deed(ticket).map { words("\(who) \($0)") } ?? words("\(who) changed it")
        case let .scene(scene, by: ticket):
            let name = DeedWords(home: home, words: words).scene(scene)
            let chosen = home.scene(scene) == nil ? words("chose a scene that is gone") : words("chose \(name)")
            return words("\(ticket.map { Sender($0).words(words) } ?? words("another app")) \(chosen)")
        case let .accessory(name):
            return name.isEmpty ? words("wall switch") : words("wall switch \(name.isolated)")
        case .power: return words("its power came back")
        case .otherApp: return words("another app, or a switch that the bridge does not report")
        case .unseen: return words("not changed since lightd started listening")
        }
    }
}

extension Directory {
    /// What has started the run that sent a command; `nil` if none did, or it is no longer remembered.
    func reason(of ticket: Ticket) -> AutomationRun.Reason? {
        guard let gesture = ticket.gesture, case .automation = Sender(ticket).kind else { return nil }
        if let run = state.automations.runs.first(where: { $0.gesture == gesture }) { return run.reason }
        return state.automations.ended.lazy.flatMap(\.value).first { "run \($0.run)" == gesture }?.reason
    }

    /// ". It follows daylight", ". Its brightness is left alone, else it follows daylight"; empty if it follows nothing.
    func sentenceOfFollowing(_ light: Light, _ words: Language) -> String {
        guard let follows = follows(of: light) else { return "" }
        let course = words.list(follows.map(\.course).unique.map(\.isolated))
        let paused = follows.filter { $0.paused != nil }.map(\.value)
        guard !paused.isEmpty else {
            let isWhole = follows.count == FollowedValue.allCases.count { light.can($0) }
            if isWhole || follows.count > 1 { return words(". It follows \(course)") }
            return follows[0].value == .brightness
                ? words(". Its brightness follows \(course)") : words(". Its white tone follows \(course)")
        }
        let left =
            paused.count > 1
            ? words(". Its brightness and white tone are left alone")
            : paused[0] == .brightness
                ? words(". Its brightness is left alone") : words(". Its white tone is left alone")
        return paused.count == follows.count ? left : words("\(left), else it follows \(course)")
    }
}
