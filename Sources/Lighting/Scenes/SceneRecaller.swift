import HashTreeCollections
import Khipu

/// Recalls a scene. What its lights then show, the bridge reports.
struct SceneRecaller: UseCase {
    enum Request {
        case recall(RecalledScene, Transition)
        /// The scene was recalled: record it as the cause of what its lights show.
        case recordCause(Scene.ID)
    }

    enum Response { case recalling(Scene.ID, Outcome) }

    let store: AppStore
    let commands: CommandsUnderWay
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .recall(scene, transition):
            commands.carryOut(.recall(scene.id, over: transition, moving: scene.motion), ticket) {
                [respond] _, outcome in
                respond(.recalling(scene.id, outcome), ticket)
            }
        case let .recordCause(scene):
            let cause = Cause(.scene(scene, by: ticket), at: ticket.time)
            let lights = store.state().lights(of: scene) ?? []
            store.change(lights.map { .updating(.light($0, by: [.causing(.it(cause))])) })
        }
    }
}

extension AppState {
    func recalled(_ scene: RecalledScene, over transition: Transition) throws(Failure) -> Plan {
        guard let lights = lights(of: scene.id) else { throw .noSuchScene(scene.id) }
        if let known = scenes[scene.id], known.smart != nil {
            guard transition == .usual else {
                throw .invalid("'\(known.name)' is a smart scene, which has a transition of its own")
            }
            guard scene.motion == nil else {
                throw .invalid("'\(known.name)' is a smart scene, which is neither dynamic nor static")
            }
        }
        return Plan(transition: transition, scenes: [scene], recalled: lights, effect: .records)
    }
}
