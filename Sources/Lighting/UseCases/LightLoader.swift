import Khipu

/// Reads everything from the bridges again. What they contain arrives as updates; the response only says whether they
/// could be read.
struct LightLoader: UseCase {
    enum Request { case load }
    enum Response { case loading(Outcome) }

    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case .load: stack.load { [respond] outcome in respond(.loading(outcome), ticket) }
        }
    }
}
