import Khipu

/// Looks for bridges in reach.
struct BridgeDiscoverer: UseCase {
    enum Request { case discover(for: Duration) }
    enum Response { case discovering([Discovery]) }

    let stack: BridgeStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .discover(for: duration):
            stack.discover(duration) { [respond] found in respond(.discovering(found), ticket) }
        }
    }
}
