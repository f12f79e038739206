import HashTreeCollections
import Khipu

/// Recalls a scene. What its lights then show, the bridge reports.
struct SceneRecaller: UseCase {
    enum Request {
        case recall(Scene.ID, Transition)
        /// The scene was recalled: record it as the cause of what its lights show.
        case recordCause(Scene.ID)
    }

    enum Response { case recalling(Scene.ID, Outcome) }

    let store: AppStore
    let stack: LightStack
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .recall(scene, transition):
            let reply: Reply<Outcome> = { [respond] in respond(.recalling(scene, $0), ticket) }
            guard store.state().scenes[scene] != nil else { return reply(.failed(.noSuchScene(scene))) }
            store.abandonExpectations(of: scene)
            stack.recall(scene, transition, ticket, reply)
        case let .recordCause(scene):
            let cause = Cause(.scene(scene, by: ticket), at: ticket.time)
            let lights = store.state().lights(of: scene) ?? []
            store.change(lights.map { .updating(.light($0, by: [.causing(.it(cause))])) })
        }
    }
}
