import HashTreeCollections
public import Khipu

/// Takes in how the lines to the bridges are. A lost line makes everything known of its lights stale, at that moment.
public struct BridgeTracker: UseCase {
    public enum Request {
        case join(Bridge)
        case connect(Bridge.ID, by: Bridge.UpdateMode, at: Timestamp)
        case lose(Bridge.ID, because: Failure, at: Timestamp)
        case see(Bridge.ID, at: Bridge.Address, name: String, model: String, time: Timestamp)
        case forget(Bridge.ID)
    }

    public enum Response { case notKept(Failure, at: Timestamp) }

    private let store: AppStore
    private let archive: Archive
    private let respond: Output<Response>

    public init(store: AppStore, archive: Archive, responder: @escaping Output<Response>) {
        self.store = store
        self.archive = archive
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .join(bridge):
            store.change(by: .adding(.bridge(bridge)))
        case let .connect(bridge, by: hearing, at: time):
            store.change(by: .updating(.bridge(bridge, by: .connecting(.it(at: time, by: hearing)))))
        case let .lose(bridge, because: reason, at: time):
            let lights = store.state().lights.keys.filter { $0.bridge == bridge }
            store.change(
                [.updating(.bridge(bridge, by: .losing(.it(at: time, because: reason))))]
                    + lights.map { .updating(.light($0, by: [.losing(.contact(at: time))])) }
            )
        case let .see(bridge, at: address, name: name, model: model, time: time):
            see(bridge, at: address, name: name, model: model, time: time)
        case let .forget(bridge):
            store.change(by: .removing(.bridge(bridge)))
        }
    }

    @DomainActor
    private func see(_ id: Bridge.ID, at address: Bridge.Address, name: String, model: String, time: Timestamp) {
        guard let before = store.state().bridges[id] else { return }
        let seen = Bridge(id: id, name: name, model: model, address: address, connection: before.connection)
        guard seen != before else { return }
        store.change(by: .adding(.bridge(seen)))
        archive.keep(.sighting(id, address, name: name, model: model)) { [respond] outcome in
            if let failure = outcome.failure { respond(.notKept(failure, at: time)) }
        }
    }
}
