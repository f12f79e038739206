import HashTreeCollections
import Khipu

/// Makes lights show given states: what they showed once, or what a script wants. What a light shows already, within
/// the precision in which bridges report, is not sent, nor what it is not able to show (``Shortfall``). One that is on and
/// is to be off gets its level and tone as well, so that it shows them when it is next turned on.
struct LightRestorer: UseCase {
    /// Each light once.
    enum Request { case restore([DesiredState], Transition) }
    /// The lights that did not show their state.
    enum Response { case restoring([Light.ID], Outcome) }

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .restore(states, transition): restore(states, transition, ticket)
        }
    }

    @DomainActor
    private func restore(_ states: [DesiredState], _ transition: Transition, _ ticket: Ticket) {
        var (missing, refused): ([(light: Light, state: DesiredState)], [Failure.Part]) = ([], [])
        for state in states {
            guard let light = store.state().lights[state.light] else {
                refused.append(Failure.Part(.light(state.light), .noSuchTarget(.light(state.light))))
                continue
            }
            if let setting = state.setting, light.part(of: setting) == nil, (state.power ?? light.power) == .on {
                refused.append(
                    Failure.Part(.light(light.id), .cannot(light: light.name, what: setting.ability)))
            } else if let part = store.state().missing(of: state, at: light) {
                missing.append((light, part))
            }
        }
        for (light, state) in missing {
            let power: [Light.Change] = state.power.map { [.turning(.it($0))] } ?? []
            store.expect(power + (state.setting?.changes ?? []), of: [light], by: ticket)
        }
        let sent = missing.map(\.light.id)
        let reply: Reply<Outcome> = { [respond, refused] outcome in
            let all = states.map(\.light)
            respond(.restoring(sent, outcome.failing(also: refused, of: all, sent: sent)), ticket)
        }
        if sent.isEmpty { reply(.succeeded) } else { stack.set(missing.map(\.state), transition, ticket, reply) }
    }
}

extension AppState {
    /// What must be sent so that a light shows a state; `nil` if it shows it. Of a light whose bridge is not connected
    /// nobody knows what it shows, so it is sent everything.
    func missing(of state: DesiredState, at light: Light) -> DesiredState? {
        let state = DesiredState(
            state.light, power: state.power, setting: state.setting.flatMap { light.part(of: $0) })
        guard case .lost? = bridges[light.id.bridge]?.connection else { return light.missing(of: state) }
        guard state.power != nil || state.setting != nil else { return nil }
        return switch state.power ?? light.power {
        case .on: DesiredState(light.id, power: .on, setting: state.setting)
        case .off: DesiredState(light.id, power: .off, setting: light.power == .on ? state.setting : nil)
        }
    }
}

extension Light {
    /// What must be sent so that the light shows a state; `nil` if it shows it, or will when it is back in reach. The
    /// values of a light that is off and stays so do not count: many lamps take none while they are off.
    fileprivate func missing(of state: DesiredState) -> DesiredState? {
        let shown = known.pending?.values ?? values
        let power = state.power ?? shown.power
        guard shown.power == .on else {
            return power == .off ? nil : DesiredState(id, power: .on, setting: state.setting)
        }
        let setting = state.setting.flatMap { shown.lacking($0, within: limits) }
        guard power == .off || setting != nil else { return nil }
        // Turning on is sent with them, in case somebody has just turned it off.
        return DesiredState(id, power: power, setting: setting)
    }

    /// Whether the values of a state differ from the light's, and are not sent because it is off and stays so.
    public func withholds(_ state: DesiredState) -> Bool {
        guard let setting = state.setting.flatMap({ part(of: $0) }), power == .off, state.power != .on else {
            return false
        }
        return values.lacking(setting, within: limits) != nil
    }
}

extension Light.Setting {
    /// Its colour or white tone alone; `nil` if it has neither.
    fileprivate var withoutBrightness: Self? {
        switch self {
        case let .hsb(hue, saturation, _): .hsb(hue: hue, saturation: saturation, brightness: nil)
        case let .ct(mirek, _): .ct(mirek)
        case .bri: nil
        }
    }
}

extension Light.Values {
    /// What they do not have of a setting: its brightness, its colour or white tone, both, or `nil` for nothing.
    fileprivate func lacking(_ setting: Light.Setting, within limits: Light.Limits) -> Light.Setting? {
        let dimmed = setting.brightness.map { with(brightness: $0) } ?? self
        let coloured = setting.withoutBrightness.map { showing($0, within: limits) } ?? self
        return switch (dimmed.agrees(with: self), coloured.agrees(with: self)) {
        case (true, true): nil
        case (false, true): setting.brightness.map { .bri($0) }
        case (true, false): setting.withoutBrightness
        case (false, false): setting
        }
    }

    private func showing(_ setting: Light.Setting, within limits: Light.Limits) -> Self {
        switch setting {
        case let .hsb(hue, saturation, _):
            with(hue: hue ?? self.hue).with(saturation: saturation ?? self.saturation)
        case let .ct(mirek, _): with(temperature: limits.held(mirek))
        case .bri: self
        }
    }
}

extension Outcome {
    /// With the parts that were refused before anything was sent.
    ///
    /// - Parameters:
    ///   - lights: all lights of the command.
    ///   - sent: those whose outcome this is.
    fileprivate func failing(also refused: [Failure.Part], of lights: [Light.ID], sent: [Light.ID]) -> Self {
        guard !refused.isEmpty else { return self }
        var failures = Dictionary(refused.map { ($0.target, $0.failure) }) { $1 }
        switch failure {
        case nil: break
        case let .partly(parts, of: _)?: for part in parts { failures[part.target] = part.failure }
        case let failure?: for light in sent { failures[.light(light)] = failure }
        }
        return .all(lights.map { (.light($0), failures[.light($0)].map { .failed($0) } ?? .succeeded) })
    }
}

/// Sends lights a step of what they follow. It turns none on or off unless a state says so: whoever turns a light off
/// meanwhile wants it off.
struct CircadianStepSender: UseCase {
    enum Request { case follow([DesiredState], Transition) }
    enum Response { case following(Outcome) }

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .follow(states, transition):
            let lights = states.compactMap { state in store.state().lights[state.light].map { ($0, state) } }
            store.expect(
                lights.map { light, state in
                    (light, (state.power.map { [.turning(.it($0))] } ?? []) + (state.setting?.changes ?? []))
                }, by: ticket)
            stack.set(lights.map(\.1), transition, ticket) { [respond] in respond(.following($0), ticket) }
        }
    }
}
