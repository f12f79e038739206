import Khipu

/// Sets brightness, colour and white tone. Turns lights on that are off, because whoever sets a level wants to see it.
/// Skips the lamps of a room that cannot show the setting.
struct LightValueSetter: UseCase {
    enum Request { case apply(Light.Setting, Target, Transition) }
    enum Response { case applying(Light.Setting, Target, Outcome) }

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .apply(setting, target, transition):
            let reply: Reply<Outcome> = { [respond] in respond(.applying(setting, target, $0), ticket) }
            do throws(Failure) {
                let lights = try store.state().lights(of: target, ableTo: setting)
                store.expect([.turning(.it(.on))] + setting.changes, of: lights, by: ticket)
                let states = lights.map { DesiredState($0.id, power: .on, setting: setting.completed(for: $0)) }
                stack.set(states, transition, ticket, reply)
            } catch {
                reply(.failed(error))
            }
        }
    }
}

extension Light.Setting {
    /// A lamp needs a whole colour: what the setting leaves out is taken from what the lamp shows now.
    fileprivate func completed(for light: Light) -> Self {
        switch self {
        case .hsb(nil, nil, let brightness?): .bri(brightness)
        case let .hsb(hue, saturation, brightness):
            .hsb(hue: hue ?? light.hue, saturation: saturation ?? light.saturation, brightness: brightness)
        case .ct, .bri: self
        }
    }
}
