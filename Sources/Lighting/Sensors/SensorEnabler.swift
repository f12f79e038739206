import HashTreeCollections
import Khipu

/// Lets sensors report, or not. Their bridges keep that, and the state changes once the bridge reports it.
struct SensorEnabler: UseCase {
    enum Request { case enable(Sensor.ID, Bool) }
    enum Response { case enabling(Sensor.ID, Bool, Outcome) }

    let store: AppStore
    let stack: SensorStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .enable(id, isEnabled):
            let reply: Reply<Outcome> = { [respond] in respond(.enabling(id, isEnabled, $0), ticket) }
            guard let sensor = store.state().sensors[id] else { return reply(.failed(.noSuchSensor(id))) }
            guard sensor.canBeDisabled else {
                return reply(.failed(.impossible("'\(sensor.name)' has nothing that can be disabled")))
            }
            stack.enable(id, isEnabled, reply)
        }
    }
}

extension Sensor {
    /// Bridges let people disable what notices or measures something: not a button, a dial or a battery.
    public var canBeDisabled: Bool {
        !abilities.isDisjoint(with: [.motion, .contact, .lightLevel, .temperature])
    }
}
