import HashTreeCollections
public import Khipu

/// Recalls a scene. What its lights then show, the bridge tells.
public struct SceneRecaller: UseCase {
    public enum Request {
        case recall(Scene.ID, Transition, Ticket)
        /// It was recalled: what its lights show now, it made them show.
        case note(Scene.ID, Ticket)
    }

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
            guard let lights = lights(of: scene) else { return reply(.failed(.noSuchScene(scene))) }
            store.record(.recall(scene, over: transition), on: lights, by: ticket)
            stack.recall(scene, transition, ticket, reply)
        case let .note(scene, ticket):
            let cause = Cause(.scene(scene, by: ticket), at: ticket.time)
            store.change((lights(of: scene) ?? []).map { .updating(.light($0, by: [.causing(.it(cause))])) })
        }
    }

    /// Those that it sets; where its bridge does not tell, those of its room.
    @DomainActor
    private func lights(of scene: Scene.ID) -> [Light.ID]? {
        let state = store.state()
        guard let scene = state.scenes[scene] else { return nil }
        return scene.lights.isEmpty ? scene.room.flatMap { state.rooms[$0]?.lights } ?? [] : scene.lights
    }
}
