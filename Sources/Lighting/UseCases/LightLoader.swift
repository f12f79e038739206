public import Khipu

/// Asks the bridges afresh. What they say comes as updates; the response says only whether they could be asked.
public struct LightLoader: UseCase {
    public enum Request { case load(Loadable, Ticket) }
    public enum Response { case loading(Loadable, Outcome, Ticket) }

    private let stack: LightStack
    private let respond: Output<Response>

    public init(stack: LightStack, responder: @escaping Output<Response>) {
        self.stack = stack
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .load(what, ticket):
            stack.load(what) { [respond] outcome in respond(.loading(what, outcome, ticket)) }
        }
    }
}
