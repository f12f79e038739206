import ControlProtocol
import Lighting

extension [Command.LightState] {
    /// The states in the domain's terms.
    ///
    /// - Returns: `unknown`: those that name no light, or more than one.
    /// - Throws: `invalid` for values that contradict each other, and for a light that is listed twice; the error of the first if all are unknown.
    func desiredStates(in home: Directory) throws(ErrorReply) -> (states: [DesiredState], unknown: [ErrorReply.Part]) {
        var states: [DesiredState] = []
        var listed: [Light.ID: String] = [:]
        var unknown: [ErrorReply.Part] = []
        var hint: String?
        for state in self {
            let values = try state.values.patch(of: state.id)
            let light: Light.ID
            do throws(ErrorReply) {
                light = try home.light(named: state.id)
            } catch {
                hint = hint ?? error.error.hint
                unknown.append(
                    ErrorReply.Part(
                        target: state.name ?? state.id, code: error.error.code, message: error.error.message))
                continue
            }
            try state.values.refuseContradiction(at: home.light(light), named: state.name ?? state.id)
            if let other = listed.updateValue(state.id, forKey: light) {
                throw ErrorReply(
                    .invalid, "'\(other)' and '\(state.id)' are the same light", hint: "list each light once")
            }
            states.append(DesiredState(light, power: state.power, values))
        }
        if let first = unknown.first, states.isEmpty {
            let message = unknown.count == 1 ? first.message : "none of the \(unknown.count) lights is known"
            throw ErrorReply(
                first.code, message, hint: hint ?? "'lightctl list --json' shows the lights with their ids",
                parts: unknown.count == 1 ? nil : unknown)
        }
        return (states, unknown)
    }
}
