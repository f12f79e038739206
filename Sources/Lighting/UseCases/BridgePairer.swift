public import Khipu

/// Pairs with a bridge, and has succeeded only when the key is safe on disk: a key that a restart forgets would leave the
/// person pressing the button again.
public struct BridgePairer: UseCase {
    public enum Request { case pair(Bridge.ID?, waiting: Duration, Ticket) }

    public enum Response {
        /// The bridge is ours; its line is about to be opened.
        case joined(Bridge, Ticket)
        case pairing(Bridge.ID?, Outcome, Ticket)
    }

    private let stack: BridgeStack
    private let archive: Archive
    private let respond: Output<Response>

    public init(stack: BridgeStack, archive: Archive, responder: @escaping Output<Response>) {
        self.stack = stack
        self.archive = archive
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .pair(bridge, waiting: duration, ticket):
            stack.pair(bridge, duration) { [self] result in
                switch result {
                case let .success(pairing): keep(pairing, ticket)
                case let .failure(failure): respond(.pairing(bridge, .failed(failure), ticket))
                }
            }
        }
    }

    private func keep(_ pairing: Pairing, _ ticket: Ticket) {
        archive.keep(.pairing(pairing)) { [stack, respond] outcome in
            if outcome == .succeeded {
                respond(.joined(pairing.bridge, ticket))
                stack.connect(pairing)
            }
            respond(.pairing(pairing.bridge.id, outcome, ticket))
        }
    }
}
