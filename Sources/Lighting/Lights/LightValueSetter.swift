import Khipu

/// Sets brightness, colour and white tone. Turns lights on that are off, because whoever sets a level wants to see it.
/// Each lamp of a room takes what it can of the setting; one that can take nothing is left out (``Shortfall``).
///
/// The mean brightness of a room is brought to a level, or stepped, by its lights that are on, in their ratios; the others
/// stay off. The ratios are those from before the first of these commands: lamps that came to an end of the range return
/// from it as they were.
struct LightValueSetter: UseCase {
    enum Request { case apply(Message.Lighting.ValueChange, Target, Transition) }
    enum Response { case applying(Message.Lighting.ValueChange, Target, Outcome) }

    let commands: CommandsUnderWay
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .apply(change, target, transition):
            commands.carryOut(.apply(change, on: target, over: transition), ticket) { [respond] _, outcome in
                respond(.applying(change, target, outcome), ticket)
            }
        }
    }
}

extension AppState {
    /// - Parameter ticket: the number of the command.
    func set(
        _ change: Message.Lighting.ValueChange, on target: Target, for ticket: UInt64
    ) throws(Failure) -> [PlannedLight] {
        switch change {
        case let .values(patch):
            return try lights(of: target, taking: patch).map { PlannedLight($0, showing: $1) }
        case let .mean(brightness):
            let able = try lights(of: target, taking: .bri(brightness)).map(\.light)
            let lit = able.filter { $0.power == .on }
            guard !lit.isEmpty else { return able.map { PlannedLight($0, showing: .bri(brightness)) } }
            return RoomRatios(of: lit, for: ticket).planned(for: brightness)
        case let .meanStep(step):
            let lit = try lights(of: target, ableToStep: .brightness, by: step)
            let ratios = RoomRatios(of: lit, for: ticket)
            return ratios.planned(for: step.mean(from: ratios.mean))
        }
    }
}

extension RoomRatios {
    fileprivate func planned(for mean: Double) -> [PlannedLight] {
        levels(of: mean).map { PlannedLight($0, showing: .bri($1.level), ratio: $1) }
    }
}

extension PlannedLight {
    fileprivate init(_ light: Light, showing patch: LightPatch, ratio: Light.Ratio? = nil) {
        let patch = patch.needed(at: light)
        // To end an effect, nobody turns a light on.
        let power: Turn? = patch.tone?.isEnd == true && patch.brightness == nil && light.power == .off ? nil : .on
        let sent = DesiredState(light.id, power: power, patch.completed(from: light.values))
        self.init(light, sent: patch.hasValues ? sent : nil, named: patch.named, ratio: ratio)
    }
}

extension LightPatch {
    /// Without the end of an effect where it is certain that none runs.
    fileprivate func needed(at light: Light) -> Self {
        guard case .confirmed = light.freshness, tone?.isEnd == true, light.values.effect == nil else { return self }
        return Self(power: power, brightness: brightness)
    }
}

extension LightPatch.Tone {
    /// Whether it only ends an effect.
    fileprivate var isEnd: Bool { self == .effect(nil, over: nil) }
}

/// Changes how lights are set up. The state changes once the bridge has accepted it.
struct LightConfigurator: UseCase {
    enum Request {
        case configure(LightConfiguration.Change, Target)
        /// The bridge has answered; it reports what it accepted a moment later.
        case record(LightConfiguration.Change, Target, Outcome)
    }

    enum Response { case configuring(LightConfiguration.Change, Target, Outcome) }

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .configure(change, target):
            let reply: Reply<Outcome> = { [respond] in respond(.configuring(change, target, $0), ticket) }
            if let objection = change.objection { return reply(.failed(.invalid(objection))) }
            let state = store.state()
            do throws(Failure) {
                let lights = try state.lights(of: target)
                let able = lights.filter { $0.has(change) }
                guard !able.isEmpty else { throw .cannot(light: lights[0].name, what: change.property.ability) }
                stack.configure(able.map(\.id), change) { reply(state.outcome($0, at: able.map(\.id), of: target)) }
            } catch {
                reply(.failed(error))
            }
        case let .record(change, target, outcome):
            let able = store.state().lights(in: target).filter { $0.has(change) }
            let accepted = Set(outcome.successes(among: able.map(\.id)))
            store.change(
                able.filter { accepted.contains($0.id) }.map {
                    .updating(.light($0.id, by: [.configuring(.it(as: $0.configuration.alter(by: change)))]))
                })
        }
    }
}

extension Light {
    fileprivate func has(_ change: LightConfiguration.Change) -> Bool {
        configuration.value(of: change.property) != nil
    }
}
