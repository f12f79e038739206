import HashTreeCollections
public import Khipu

/// Arranges the dashboard, and keeps it.
public struct DashboardArranger: UseCase {
    public enum Request { case arrange(Dashboard.Change, Ticket) }
    public enum Response { case arranging(Dashboard.Change, Outcome, Ticket) }

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
        case let .arrange(change, ticket):
            let reply: Reply<Outcome> = { [respond] in respond(.arranging(change, $0, ticket)) }
            if let failure = objection(to: change) { return reply(.failed(failure)) }
            store.change([.updating(.dashboard(by: change))] + displayed(change))
            archive.keep(.dashboard(store.state().dashboard), reply)
        }
    }

    /// Only what exists can be pinned, and only what is pinned can be moved or shown differently. Anything can be unpinned,
    /// also a light that is gone.
    @DomainActor
    private func objection(to change: Dashboard.Change) -> Failure? {
        let state = store.state()
        switch change {
        case .pinning(.it(.all)): return nil
        case let .pinning(.it(.light(id))): return state.lights[id] == nil ? .noSuchTarget(.light(id)) : nil
        case let .pinning(.it(.room(id))): return state.rooms[id] == nil ? .noSuchTarget(.room(id)) : nil
        case let .unpinning(.it(target)), let .moving(.it(target, _)), let .toggling(.display(target, _)):
            return state.dashboard.shows(target)
                ? nil : .invalid("\(Directory(state).name(of: target)) is not on the dashboard; pin it first")
        }
    }

    private func displayed(_ change: Dashboard.Change) -> [AppState.Change] {
        if case let .toggling(.display(of: .light(id), to: display)) = change {
            [.updating(.light(id, by: [.toggling(.display(to: display))]))]
        } else {
            []
        }
    }
}
