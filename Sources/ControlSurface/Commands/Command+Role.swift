import AutomationFiles
public import ControlProtocol
import FoundationEssentials
import Lighting

extension Command {
    /// What a token must allow for this command, and for the steps of a timer.
    public var neededRole: TokenAccess {
        guard case let .schedule(steps: texts, at: _, after: _) = self else { return role }
        // A step that cannot be read is refused in any case.
        let steps = Set(texts).flatMap { (try? Automation.Step.steps(from: $0)) ?? [] }
        return steps.map(\.neededRole).reduce(role, max)
    }
}

extension Automation.Step {
    fileprivate var neededRole: TokenAccess {
        guard case let .command(command) = self else { return .control }
        return (try? JSONDecoder().decode(Command.self, from: Data(command.json.utf8)))?.role ?? .full
    }
}
