import HashTreeCollections
import Khipu

/// Ends the pairing with a bridge: closes the connection, deletes our key on the bridge if it can be reached, and
/// deletes the key on disk.
struct BridgeForgetter: UseCase {
    enum Request { case forget(Bridge.ID) }
    enum Response { case forgetting(Bridge.ID, Outcome) }

    let store: AppStore
    let stack: BridgeStack
    let archive: Archive
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .forget(bridge):
            guard store.state().bridges[bridge] != nil else {
                return respond(.forgetting(bridge, .failed(.noSuchBridge(bridge))), ticket)
            }
            stack.forget(bridge) { [archive, respond] _ in
                // The bridge is forgotten on this side even if it could not be reached.
                archive.drop(bridge) { respond(.forgetting(bridge, $0), ticket) }
            }
        }
    }
}
