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
            let values = try state.values
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
            try state.refuseContradiction(at: home.light(light))
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

extension Command.LightState {
    /// A list has the swatch of each light beside the values that are sent. Where only the values were changed, it is
    /// still that of what the light shows; where only the swatch was changed, nothing of that would be sent.
    ///
    /// - Throws: `invalid` if the colour is neither that of the values beside it nor what the light shows.
    fileprivate func refuseContradiction(at light: Light?) throws(ErrorReply) {
        guard let color, hue != nil || saturation != nil || temperature != nil else { return }
        let swatch = try LightColor.swatch(color)
        let ofColor =
            hue == nil && saturation == nil
            ? nil : RGBColor(hue: hue ?? swatch.hue, saturation: saturation ?? swatch.saturation)
        let agreeing = [ofColor, temperature.map { RGBColor(mirek: $0) }, light?.swatch].compactMap(\.self)
        guard !agreeing.contains(where: swatch.resembles) else { return }
        let others = [("hue", hue == nil), ("saturation", saturation == nil), ("temperature", temperature == nil)]
        let named = others.filter { !$0.1 }.map(\.0).joined(separator: " and ")
        throw ErrorReply(
            .invalid, "the color of '\(name ?? id)' is \(color), which contradicts its \(named)",
            hint: "leave one of the two out: a color beside other values is only their swatch")
    }

    /// - Throws: `invalid` if a colour and a white tone are given, and nothing says which is meant, and for what is not a
    ///   colour.
    fileprivate var values: LightPatch? {
        get throws(ErrorReply) {
            let level = brightness.map { $0 / 100 }
            let hasColor = hue != nil || saturation != nil
            guard mode != nil || !hasColor || temperature == nil else {
                throw ErrorReply(
                    .invalid, "'\(id)' has a colour and a temperature",
                    hint: "leave one of them out, or say which is meant by 'mode': color or temperature")
            }
            if hasColor, mode != .temperature {
                return .hsb(
                    hue: hue.map { $0 / 360 }, saturation: saturation.map { $0 / 100 }, brightness: level)
            }
            if let temperature, mode != .color { return .ct(temperature.mirek, brightness: level) }
            if let color, !hasColor, temperature == nil { return try LightColor.patch(color, brightness: level) }
            return level.map { .bri($0) }
        }
    }
}
