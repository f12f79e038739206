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
            case .notPaired: (.notPaired, "Accepts lightd no longer: pair with it again")
            case let .lost(failure): (.lost, "Lost since {at}: \(failure.reason)")
            }
        return PageBridge(
            id: id.description, title: name.orElse("Hue bridge"), state: state, text: text, at: since.iso8601)
    }

    /// - Parameter lights: how many lights it has.
    func notice(lights: Int) -> PageNotice? {
        let title: String
        let text: String
        switch pageState {
        case .connected, .connecting: return nil
        case .notPaired:
            title = "\(noun) accepts lightd no longer."
            text = "Pair with it again: press its button when the page asks for it."
        case .lost(.certificateRefused):
            title = "\(noun) shows another certificate than when it was paired."
            text = "Nothing is sent to it. If it was reset or replaced, pair with it again to trust it."
        case .lost:
            title = "\(noun) is lost."
            text =
                switch lights {
                case 0: "Not reached since {at}; trying again. Is it powered, and on this network?"
                case 1: "Its only light is shown as it was at {at}; trying again."
                default: "Its \(lights) lights are shown as they were at {at}; trying again."
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
