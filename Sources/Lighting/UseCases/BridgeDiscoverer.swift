public import Khipu

/// Looks around for bridges.
public struct BridgeDiscoverer: UseCase {
    public enum Request { case discover(for: Duration, Ticket) }
    public enum Response { case discovering([Discovery], Ticket) }

    private let stack: BridgeStack
    private let respond: Output<Response>

    public init(stack: BridgeStack, responder: @escaping Output<Response>) {
        self.stack = stack
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .discover(duration, ticket):
            stack.discover(duration) { [respond] found in respond(.discovering(found, ticket)) }
        }
    }
}
