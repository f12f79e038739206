import ControlProtocol
import HashTreeCollections
import Khipu
import Lighting

extension Message.Automations {
    func words(in home: Directory) -> String {
        switch self {
        case let .replace(automations, keepsOthers: keeps):
            "\(keeps == true ? "add" : "apply") \(counted(automations.count, "automation"))"
        case let .replacing(difference, _): "apply automations: \(difference.words)"
        case let .enable(id, isEnabled), let .enabling(id, isEnabled, _):
            "\(isEnabled ? "enable" : "disable") \(home.name(of: id))"
        case let .remove(id), let .removing(id, _): "remove \(home.name(of: id))"
        case let .run(id), let .running(id, _): "run \(home.name(of: id))"
        case let .stop(id), let .stopping(id, _): "stop \(home.name(of: id))"
        case let .schedule(automation): "set a timer: \(automation.stepWords)"
        case let .scheduling(id, _): "set \(id)"
        case let .started(_, named: name, run: _, reason): "'\(name)' starts: \(reason.words)"
        case let .ended(_, named: name, ended):
            "'\(name)' ends" + (ended.outcome.failure.map { ": \($0.words(in: home))" } ?? "")
        case let .skipped(_, named: name, because: reason): "'\(name)' does not run: \(reason.words)"
        case .saved: "the automations are saved"
        }
    }
}

extension Message.Automations.Difference {
    var words: String {
        let parts = [(added, "added"), (changed, "changed"), (removed, "removed")].filter { !$0.0.isEmpty }
        return parts.isEmpty
            ? "nothing changes" : parts.map { "\($0.1) \($0.0.joined(separator: ", "))" }.joined(separator: "; ")
    }
}

extension Directory {
    /// The automation or timer that a response is about, if it still exists.
    func automation(of response: Message.Automations) -> Automation? {
        switch response {
        case let .enabling(id, _, _), let .running(id, _), let .stopping(id, _), let .scheduling(id, _):
            state.automations.automations[id] ?? state.automations.runs.last { $0.automation.id == id }?.automation
        default: nil
        }
    }

    func name(of automation: Automation.ID) -> String {
        "'\(state.automations.automations[automation]?.name ?? automation.description)'"
    }
}

extension Automation {
    var stepWords: String { steps.map(\.description).joined(separator: ", ") }
}

extension AutomationRun.Reason {
    var words: String {
        switch self {
        case let .trigger(trigger, late: late): "\(trigger)" + (late.map { ", \($0.words) late" } ?? "")
        case let .hand(client): "asked for by \(client)"
        }
    }
}

extension AutomationState.Skip.Reason {
    var words: String {
        switch self {
        case let .condition(condition): "not '\(condition)'"
        case let .unknown(condition): "nobody knows whether '\(condition)'"
        case .running: "it is running already"
        case let .late(time): "it was due \(time.words) ago"
        case .tooOften:
            "it has started \(AutomationState.mostStarts) times or more within a minute, perhaps because of what it does "
                + "itself, or because a sensor chatters; it pauses for a while, or until 'lightctl automation enable'"
        }
    }
}
