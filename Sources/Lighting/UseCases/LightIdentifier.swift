import Khipu

/// Makes lamps blink, so that a person sees which they are. They are left as they were, so it is no step to undo.
struct LightIdentifier: UseCase {
    enum Request { case identify(Target) }
    enum Response { case identifying(Target, Outcome) }

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .identify(target):
            let reply: Reply<Outcome> = { [respond] in respond(.identifying(target, $0), ticket) }
            do throws(Failure) {
                stack.identify(try store.state().lights(of: target).map(\.id), reply)
            } catch {
                reply(.failed(error))
            }
        }
    }
}
