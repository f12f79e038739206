import HashTreeCollections
import Khipu

/// Shows the dashboard; pins, unpins and moves things on it, leaves lights out, and saves it.
struct DashboardArranger: UseCase {
    enum Request {
        case show
        case arrange(Dashboard.Change)
    }

    enum Response {
        case showing([DashboardPin], Outcome)
        case arranging(Dashboard.Change, Outcome)
    }

    let store: AppStore
    let archive: Archive
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case .show: respond(.showing(store.state().dashboard.pins, .succeeded), ticket)
        case let .arrange(change):
            let reply: Reply<Outcome> = { [respond] in respond(.arranging(change, $0), ticket) }
            if let failure = objection(to: change) { return reply(.failed(failure)) }
            store.change([.updating(.dashboard(by: change))] + displayChanges(for: change))
            archive.keep(.dashboard(store.state().dashboard), reply)
        }
    }

    /// Only what exists can be pinned, and only what is pinned can be moved or displayed differently. Anything pinned
    /// can be unpinned, even a light that no longer exists, and any light is left out no more.
    @DomainActor
    private func objection(to change: Dashboard.Change) -> Failure? {
        let state = store.state()
        switch change {
        case .pinning(.it(.all)): return nil
        case let .pinning(.it(.light(id))): return state.lights[id] == nil ? .noSuchTarget(.light(id)) : nil
        case let .pinning(.it(.room(id))): return state.rooms[id] == nil ? .noSuchTarget(.room(id)) : nil
        case let .unpinning(.it(target)), let .moving(.it(target, _)), let .toggling(.display(target, _)):
            return state.dashboard.shows(target) ? nil : .notPinned(target)
        case let .excluding(.lights(lights, _)):
            return lights.first { state.lights[$0] == nil }.map { .noSuchTarget(.light($0)) }
        case .including: return nil
        }
    }

    /// A light and its pin are displayed alike.
    @DomainActor
    private func displayChanges(for change: Dashboard.Change) -> [AppState.Change] {
        switch change {
        case let .toggling(.display(of: .light(id), to: display)):
            return [.updating(.light(id, by: [.toggling(.display(to: display))]))]
        case let .pinning(.it(.light(id))):
            let display = store.state().lights[id]?.display ?? .slider
            return [.updating(.dashboard(by: .toggling(.display(of: .light(id), to: display))))]
        case .toggling, .pinning, .unpinning, .moving, .excluding, .including: return []
        }
    }
}
