import HashTreeCollections
public import Khipu

/// Ends our acquaintance with a bridge: the line, the key on the bridge as far as it can be reached, and the key on disk.
public struct BridgeForgetter: UseCase {
    public enum Request { case forget(Bridge.ID, Ticket) }
    public enum Response { case forgetting(Bridge.ID, Outcome, Ticket) }

    private let store: AppStore
    private let stack: BridgeStack
    private let archive: Archive
    private let respond: Output<Response>

    public init(store: AppStore, stack: BridgeStack, archive: Archive, responder: @escaping Output<Response>) {
        self.store = store
        self.stack = stack
        self.archive = archive
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .forget(bridge, ticket):
            guard store.state().bridges[bridge] != nil else {
                return respond(.forgetting(bridge, .failed(.noSuchBridge(bridge)), ticket))
            }
            stack.forget(bridge) { [archive, respond] _ in
                // What the bridge says to it changes nothing: our side forgets in any case.
                archive.drop(bridge) { respond(.forgetting(bridge, $0, ticket)) }
            }
        }
    }
}
