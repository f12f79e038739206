import ControlProtocol
import Khipu
import Lighting

// A bridge's health in the page's words.

extension Bridge {
    /// - Parameter lights: how many lights it has.
    func entry(lights: Int) -> PageBridge {
        let (state, text): (PageBridge.State, String) =
            switch pageState {
            case .connected: (.connected, "Connected, \(counted(lights, "light"))")
            case .connecting: (.connecting, "Connecting")
            case .notPaired: (.notPaired, "No longer accepts lightd: pair with it again")
            // Only pairing brings it back.
            case let .lost(failure) where failure.needsPairing:
                (.notPaired, "Lost since {clock}: \(failure.reason.withoutMarks)")
            case let .lost(failure): (.lost, "Lost since {clock}: \(failure.reason.withoutMarks)")
            }
        return PageBridge(
            id: id.description, title: name.orElse("Hue bridge"), state: state, text: text, at: since.iso8601)
    }

    /// - Parameter lights: how many lights it has.
    func notice(lights: Int) -> PageNotice? {
        let title: String
        let text: String
        switch pageState {
        case .connecting where lights == 0:
            return PageNotice(
                id: "bridge/\(id)", kind: .info, title: "Waiting for \(noun).",
                text: "Its lights appear here as soon as it answers.", at: nil)
        case .connected, .connecting: return nil
        case .notPaired:
            title = "\(noun) no longer accepts lightd."
            text = "Pair with it again: press its button when the page asks for it."
        case .lost(.certificateRefused):
            title = "\(noun) shows a different certificate than when it was paired."
            text =
                "Nothing is sent to it. If it was reset, pair with it again to trust it. If another "
                + "has taken its place, pair with that one, and forget this one."
        case .lost:
            title = lights == 0 ? "Waiting for \(noun)." : "\(noun) is lost."
            text =
                switch lights {
                case 0:
                    "Its lights appear here as soon as it answers. Not reached since {clock}: is it powered, and on "
                        + "this network?"
                case 1: "Its only light is shown as it was at {clock}; trying again."
                default: "Its \(lights) lights are shown as they were at {clock}; trying again."
                }
        }
        return PageNotice(id: "bridge/\(id)", kind: .warning, title: title, text: text, at: since.iso8601)
    }

    /// "Hallway bridge": the word is not said twice.
    private var noun: String {
        let name = name.orElse("Hue bridge")
        return name.lowercased().contains("bridge") ? name : "\(name) bridge"
    }

    private enum PageState {
        case connected, connecting, notPaired
        case lost(Failure)
    }

    private var pageState: PageState {
        switch connection {
        case .connected: .connected
        case .lost(_, because: .keyRefused): .notPaired
        case let .lost(_, because: failure):
            failure == .notReachedYet(id) || failure == .justPaired(id) ? .connecting : .lost(failure)
        }
    }

    private var since: Timestamp {
        switch connection {
        case let .connected(since: time, by: _), let .lost(since: time, because: _): time
        }
    }
}

extension Failure {
    fileprivate var needsPairing: Bool { if case .certificateRefused = self { true } else { false } }
}
