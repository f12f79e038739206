import HashTreeCollections
import Khipu

/// Keeps the bridges in the store up to date: paired, connected, lost, seen at another address, forgotten. When a
/// connection is lost, the lights and sensors of that bridge become stale.
struct BridgeTracker: UseCase {
    enum Request {
        case join(Bridge)
        case connect(Bridge.ID, by: Bridge.UpdateMode)
        case lose(Bridge.ID, because: Failure)
        case see(Bridge.ID, at: Bridge.Address, name: String, model: String)
        case forget(Bridge.ID)
    }

    enum Response { case notSaved(Failure) }

    let store: AppStore
    let archive: Archive
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .join(bridge):
            store.change(by: .adding(.bridge(bridge)))
        case let .connect(bridge, by: mode):
            store.change(by: .updating(.bridge(bridge, by: .connecting(.it(at: ticket.time, by: mode)))))
        case let .lose(bridge, because: failure):
            let lights = store.state().lights.keys.filter { $0.bridge == bridge }
            let sensors = store.state().sensors.keys.filter { $0.bridge == bridge }
            store.change(
                [.updating(.bridge(bridge, by: .losing(.it(at: ticket.time, because: failure))))]
                    + lights.map { .updating(.light($0, by: [.losing(.contact(at: ticket.time))])) }
                    + sensors.map { .updating(.sensor($0, by: .losing(.contact(at: ticket.time)))) }
            )
        case let .see(bridge, at: address, name: name, model: model):
            see(bridge, at: address, name: name, model: model, ticket)
        case let .forget(bridge):
            store.change(by: .removing(.bridge(bridge)))
        }
    }

    @DomainActor
    private func see(_ id: Bridge.ID, at address: Bridge.Address, name: String, model: String, _ ticket: Ticket) {
        guard let before = store.state().bridges[id] else { return }
        let seen = Bridge(
            id: id, name: name, model: model, address: address, connection: before.connection, firmware: before.firmware
        )
        guard seen != before else { return }
        store.change(by: .adding(.bridge(seen)))
        archive.keep(.sighting(id, address, name: name, model: model)) { [respond] outcome in
            if let failure = outcome.failure { respond(.notSaved(failure), ticket) }
        }
    }
}
