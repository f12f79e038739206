import HashTreeCollections
public import Khipu

/// Recalls a scene. What its lights then show, the bridge tells.
public struct SceneRecaller: UseCase {
    public enum Request { case recall(Scene.ID, Transition, Ticket) }
    public enum Response { case recalling(Scene.ID, Outcome, Ticket) }

    private let store: AppStore
    private let stack: LightStack
    private let respond: Output<Response>

    public init(store: AppStore, stack: LightStack, responder: @escaping Output<Response>) {
        self.store = store
        self.stack = stack
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .recall(scene, transition, ticket):
            let reply: Reply<Outcome> = { [respond] in respond(.recalling(scene, $0, ticket)) }
            guard store.state().scenes[scene] != nil else { return reply(.failed(.noSuchScene(scene))) }
            stack.recall(scene, transition, reply)
        }
    }
}
