import HashTreeCollections
import Khipu

/// Makes lights show given states: what they showed once, or what a script wants. What a light shows already, within
/// the precision in which bridges report, is not sent, nor what it is not able to show (``Shortfall``). One that is on and
/// is to be off gets its level and tone as well, so that it shows them when it is next turned on.
struct LightRestorer: UseCase {
    enum Request {
        /// Each light once.
        case restore([DesiredState], Transition)
        /// A step of what lights follow. It turns none on or off unless a state says so: whoever turns a light off
        /// meanwhile wants it off.
        case follow([DesiredState], Transition)
    }

    enum Response {
        /// The lights that did not show their state.
        case restoring([Light.ID], Outcome)
        case following(Outcome)
    }

    let commands: CommandsUnderWay
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .restore(states, transition):
            commands.carryOut(.restore(states, over: transition), ticket) { [respond] plan, outcome in
                respond(.restoring(plan?.changedLights ?? [], outcome), ticket)
            }
        case let .follow(states, transition):
            commands.carryOut(.follow(states, over: transition), ticket) { [respond] _, outcome in
                respond(.following(outcome), ticket)
            }
        }
    }
}

extension AppState {
    /// - Parameter isByHand: whether a person wants it: then what lights show of it is taken over from what they follow.
    func restored(to states: [DesiredState], over transition: Transition, isByHand: Bool) -> Plan {
        var (planned, refused): ([PlannedLight], [Failure.Part]) = ([], [])
        for state in states {
            guard let light = lights[state.light] else {
                let target = Target.light(state.light)
                let bridge = state.light.bridge
                refused.append(
                    Failure.Part(target, isUnread(bridge) ? missingConnection(to: bridge) : .noSuchTarget(target)))
                continue
            }
            let values = state.values
            if values.hasValues, light.part(of: values) == nil, (state.power ?? light.power) == .on {
                refused.append(Failure.Part(.light(light.id), [light].failure(lacking: values.ability)))
            } else {
                let named = isByHand ? values.named : []
                planned.append(PlannedLight(light, sent: missing(of: state, at: light), named: named))
            }
        }
        let isStep = planned.contains { $0.sent != nil }
        return Plan(transition: transition, lights: planned, refused: refused, effect: isStep ? .records : .none)
    }

    /// What must be sent so that a light shows a state; `nil` if it shows it. Of a light whose bridge is not connected
    /// nobody knows what it shows, so it is sent everything.
    private func missing(of state: DesiredState, at light: Light) -> DesiredState? {
        let shown = light.wanted
        let part = light.part(of: state.values)?.completed(from: shown)
        guard case .lost? = bridges[light.id.bridge]?.connection else {
            return light.missing(of: DesiredState(light.id, power: state.power, part), showing: shown)
        }
        guard state.power != nil || part != nil else { return nil }
        return switch state.power ?? light.power {
        case .on: DesiredState(light.id, power: .on, part)
        case .off: DesiredState(light.id, power: .off, light.power == .on ? part : nil)
        }
    }
}

extension Light {
    /// What must be sent so that the light shows a state; `nil` if it shows it, or will when it is back in reach. The
    /// values of a light that is off and stays so do not count: many lamps take none while they are off.
    func missing(of state: DesiredState, showing shown: Values) -> DesiredState? {
        let power = state.power ?? shown.power
        guard shown.power == .on else {
            return power == .off ? nil : DesiredState(id, power: .on, state.values)
        }
        let lacking = shown.lacking(state.values, within: limits)
        guard power == .off || lacking.hasValues else { return nil }
        // Turning on is sent with them, in case somebody has just turned it off.
        return DesiredState(id, power: power, lacking)
    }

    /// Whether the values of a state differ from the light's, and are not sent because it is off and stays so.
    public func withholds(_ state: DesiredState) -> Bool {
        guard let part = part(of: state.values), power == .off, state.power != .on else { return false }
        return values.lacking(part, within: limits).hasValues
    }
}

extension Light.Values {
    /// What they do not have of a patch: its brightness, its colour or white tone, both, or nothing.
    fileprivate func lacking(_ patch: LightPatch, within limits: Light.Limits) -> LightPatch {
        let tone = patch.tone?.held(within: limits)
        var lacking = LightPatch()
        let (dimmed, coloured) = (applying(LightPatch(brightness: patch.brightness)), applying(LightPatch(tone: tone)))
        if !dimmed.agrees(with: self) { lacking.brightness = patch.brightness }
        if !coloured.agrees(with: self) || !names(effectOf: coloured) { lacking.tone = patch.tone }
        return lacking
    }
}

extension LightPatch.Tone {
    fileprivate func held(within limits: Light.Limits) -> Self {
        switch self {
        case let .white(mirek): .white(limits.held(mirek))
        case let .effect(effect, over: base): .effect(effect, over: base?.held(within: limits))
        case .color, .gradient: self
        }
    }
}
