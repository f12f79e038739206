import Khipu

/// Pairs with a bridge. Succeeds only once the key is saved: otherwise it would be lost at the next restart, and
/// somebody would have to press the link button again. The bridge is not asked for a key that cannot be saved.
struct BridgePairer: UseCase {
    enum Request { case pair(Bridge.ID?, waiting: Duration) }

    enum Response {
        /// Paired; the connection is about to be opened.
        case joined(Bridge)
        case pairing(Bridge.ID?, Outcome)
    }

    let stack: BridgeStack
    let archive: Archive
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .pair(bridge, waiting: duration):
            archive.check { [self] outcome in
                guard outcome == .succeeded else { return respond(.pairing(bridge, outcome), ticket) }
                pair(bridge, waiting: duration, ticket)
            }
        }
    }

    private func pair(_ bridge: Bridge.ID?, waiting duration: Duration, _ ticket: Ticket) {
        stack.pair(bridge, duration) { [self] result in
            switch result {
            case let .success(pairing): save(pairing, ticket)
            case let .failure(failure): respond(.pairing(bridge, .failed(failure)), ticket)
            }
        }
    }

    private func save(_ pairing: Pairing, _ ticket: Ticket) {
        archive.keep(.pairing(pairing)) { [stack, respond] outcome in
            if outcome == .succeeded {
                respond(.joined(pairing.bridge), ticket)
                stack.connect(pairing)
            } else {
                // The bridge would keep it for ever, and one more for each try.
                stack.revoke(pairing)
            }
            respond(.pairing(pairing.bridge.id, outcome), ticket)
        }
    }
}
