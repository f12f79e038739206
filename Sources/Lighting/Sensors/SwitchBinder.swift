import HashTreeCollections
import Khipu

/// Binds switches to lights and unbinds them, and saves that.
struct SwitchBinder: UseCase {
    enum Request {
        case bind(SwitchBinding)
        case unbind(Sensor.ID)
        /// A bridge was forgotten, and its switches with it.
        case save
    }

    enum Response {
        case binding(SwitchBinding, Outcome)
        case unbinding(Sensor.ID, Outcome)
        case notSaved(Failure)
    }

    let store: AppStore
    let archive: Archive
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        let state = store.state()
        switch request {
        case let .bind(binding):
            let named = SwitchBinding(
                of: binding.id, to: binding.target, scenes: binding.scenes,
                names: Journal.Names(of: .switches(.bind(binding), ticket: ticket), in: state))
            let reply: Reply<Outcome> = { [respond] in respond(.binding(named, $0), ticket) }
            if let failure = state.objection(to: binding) { return reply(.failed(failure)) }
            store.change(by: .adding(.binding(named)))
            save(reply)
        case let .unbind(id):
            let reply: Reply<Outcome> = { [respond] in respond(.unbinding(id, $0), ticket) }
            guard state.bindings[id] != nil else { return reply(.failed(.notBound(id))) }
            store.change(by: .removing(.binding(id)))
            save(reply)
        case .save:
            save { [respond] in if let failure = $0.failure { respond(.notSaved(failure), ticket) } }
        }
    }

    @DomainActor
    private func save(_ reply: @escaping Reply<Outcome>) {
        archive.keep(.bindings(store.state().bindings.values.sorted { $0.id < $1.id }), reply)
    }
}

extension AppState {
    /// Why a switch cannot be bound like this.
    fileprivate func objection(to binding: SwitchBinding) -> Failure? {
        guard let sensor = sensors[binding.id] else { return .noSuchSensor(binding.id) }
        guard !sensor.buttons.isEmpty || sensor.abilities.contains(.dial) else {
            return .impossible("'\(sensor.name)' has neither buttons nor a dial")
        }
        if case let .room(id) = binding.target, rooms[id] == nil { return .noSuchTarget(binding.target) }
        if case let .light(id) = binding.target, lights[id] == nil { return .noSuchTarget(binding.target) }
        return (binding.scenes ?? []).first { scenes[$0] == nil }.map { .noSuchScene($0) }
    }
}
