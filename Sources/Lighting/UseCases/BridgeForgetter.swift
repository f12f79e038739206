import HashTreeCollections
import Khipu

/// Ends the pairing with a bridge: deletes the key on disk, then closes the connection and deletes our key on the bridge
/// if it can be reached. What cannot be saved changes nothing.
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
            // Saved first: a key that is still on disk, but no longer on the bridge, would be refused at every start.
            archive.drop(bridge) { [stack, respond] outcome in
                guard outcome == .succeeded else { return respond(.forgetting(bridge, outcome), ticket) }
                // The bridge is forgotten on this side even if it could not be reached.
                stack.forget(bridge) { _ in respond(.forgetting(bridge, .succeeded), ticket) }
            }
        }
    }
}
