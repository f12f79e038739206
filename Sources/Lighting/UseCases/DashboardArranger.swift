import HashTreeCollections
import Khipu

/// Pins, unpins and moves things on the dashboard, and saves it.
struct DashboardArranger: UseCase {
    enum Request { case arrange(Dashboard.Change) }
    enum Response { case arranging(Dashboard.Change, Outcome) }

    let store: AppStore
    let archive: Archive
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .arrange(change):
            let reply: Reply<Outcome> = { [respond] in respond(.arranging(change, $0), ticket) }
            if let failure = objection(to: change) { return reply(.failed(failure)) }
            store.change([.updating(.dashboard(by: change))] + lightChanges(for: change))
            archive.keep(.dashboard(store.state().dashboard), reply)
        }
    }

    /// Only what exists can be pinned, and only what is pinned can be moved or displayed differently. Anything pinned
    /// can be unpinned, even a light that no longer exists.
    @DomainActor
    private func objection(to change: Dashboard.Change) -> Failure? {
        let state = store.state()
        switch change {
        case .pinning(.it(.all)): return nil
        case let .pinning(.it(.light(id))): return state.lights[id] == nil ? .noSuchTarget(.light(id)) : nil
        case let .pinning(.it(.room(id))): return state.rooms[id] == nil ? .noSuchTarget(.room(id)) : nil
        case let .unpinning(.it(target)), let .moving(.it(target, _)), let .toggling(.display(target, _)):
            return state.dashboard.shows(target) ? nil : .notPinned(target)
        }
    }

    private func lightChanges(for change: Dashboard.Change) -> [AppState.Change] {
        if case let .toggling(.display(of: .light(id), to: display)) = change {
            [.updating(.light(id, by: [.toggling(.display(to: display))]))]
        } else {
            []
        }
    }
}
