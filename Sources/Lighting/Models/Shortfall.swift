import HashTreeCollections

/// A light that is not able to take all that a command asks of it.
public struct Shortfall: Equatable, Sendable {
    public let light: Light.ID
    /// What it takes; `nil` if that is nothing.
    public let given: Light.Setting?
    /// Why it is left out of the rest: "'Stove' cannot change its white tone".
    public let failure: Failure

    public init(light: Light.ID, given: Light.Setting?, failure: Failure) {
        self.light = light
        self.given = given
        self.failure = failure
    }
}

extension AppState {
    /// The lights of a command that are not able to take all that it asks of them.
    public func shortfalls(of command: Message.Lighting) -> [Shortfall] {
        switch command {
        case let .apply(.values(setting), on: target, _): lights(in: target).compactMap { $0.shortfall(of: setting) }
        case let .apply(.mean(brightness), on: target, _):
            lights(in: target).compactMap { $0.shortfall(of: .bri(brightness)) }
        case let .apply(.meanStep, on: target, _):
            lights(in: target).compactMap { $0.shortfall(ofStepping: .brightness) }
        case let .increase(value, _, on: target, _), let .decrease(value, _, on: target, _):
            lights(in: target).compactMap { $0.shortfall(ofStepping: value) }
        case let .restore(states, _):
            states.compactMap { state in state.setting.flatMap { lights[state.light]?.shortfall(of: $0) } }
        default: []
        }
    }
}

extension Light {
    fileprivate func shortfall(of setting: Setting) -> Shortfall? {
        let given = part(of: setting)
        var lacking: [String] = []
        switch setting {
        case .hsb(nil, nil, _), .bri: break
        case .hsb: if !modes.contains(.hsb) { lacking.append(setting.ability) }
        case .ct: if !modes.contains(.ct) { lacking.append(setting.ability) }
        }
        if let brightness = setting.brightness, !limits.dims { lacking.append(Setting.bri(brightness).ability) }
        guard !lacking.isEmpty else { return nil }
        return Shortfall(
            light: id, given: given, failure: .cannot(light: name, what: lacking.joined(separator: " or ")))
    }

    fileprivate func shortfall(ofStepping value: Value) -> Shortfall? {
        can(step: value) ? nil : Shortfall(light: id, given: nil, failure: .cannot(light: name, what: value.ability))
    }
}
