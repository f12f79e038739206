public import Khipu

/// Tells what is on the dashboard.
public struct DashboardShower: UseCase {
    public enum Request { case show(Ticket) }
    public enum Response { case showing([DashboardPin], Ticket) }

    private let store: AppStore
    private let respond: Output<Response>

    public init(store: AppStore, responder: @escaping Output<Response>) {
        self.store = store
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .show(ticket): respond(.showing(store.state().dashboard.pins, ticket))
        }
    }
}
