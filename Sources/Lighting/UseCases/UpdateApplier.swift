import HashTreeCollections
public import Khipu

/// Takes in what bridges tell: the truth, as far as anyone knows it.
public struct UpdateApplier: UseCase {
    public enum Request { case hear(BridgeUpdate, at: Timestamp) }
    public enum Response { case notKept(Failure, at: Timestamp) }

    private let store: AppStore
    private let archive: Archive
    private let respond: Output<Response>

    public init(store: AppStore, archive: Archive, responder: @escaping Output<Response>) {
        self.store = store
        self.archive = archive
        self.respond = responder
    }

    public func request(to request: Request) {
        switch request {
        case let .hear(update, at: time): hear(update, at: time)
        }
    }

    @DomainActor
    private func hear(_ update: BridgeUpdate, at time: Timestamp) {
        switch update {
        case let .home(bridge, lights, rooms, scenes):
            store.change(
                by: .replacing(.lights(of: bridge, by: lights.map { known($0, at: time) })),
                .replacing(.rooms(of: bridge, by: rooms))
            )
            change(scenesOf: bridge, at: time, by: .replacing(.scenes(of: bridge, by: scenes)))
        case let .light(id, report):
            store.change(by: .updating(.light(id, by: [.reporting(.it(report, at: time))])))
        case let .renamed(.light(id), name):
            store.change(by: .updating(.light(id, by: [.renaming(.it(to: name))])))
        case let .renamed(.room(id), name):
            store.change(by: .updating(.room(id, by: .renaming(.it(to: name)))))
        case .renamed(.all, _):
            break  // A home has no name.
        case let .added(.light(light)): store.change(by: .adding(.light(known(light, at: time))))
        case let .added(.room(room)): store.change(by: .adding(.room(room)))
        case let .added(.scene(scene)): change(scenesOf: scene.id.bridge, at: time, by: .adding(.scene(scene)))
        case let .removed(.light(id)): store.change(by: .removing(.light(id)))
        case let .removed(.room(id)): store.change(by: .removing(.room(id)))
        case let .removed(.scene(id)): change(scenesOf: id.bridge, at: time, by: .removing(.scene(id)))
        }
    }

    /// A light we knew already keeps the wish that is under way and how a person wants to see it.
    @DomainActor
    private func known(_ light: Light, at time: Timestamp) -> Light {
        guard let before = store.state().lights[light.id], before.modes == light.modes else { return light }
        let reachable = if case .unreachable = light.freshness { false } else { true }
        return before.alter(
            by: .renaming(.it(to: light.name)),
            .limiting(.it(to: light.limits)),
            .powering(.up(as: light.powerup)),
            .reporting(.it(Light.Report(light.values, reachable: reachable, source: .unseen), at: time))
        )
    }

    /// Scenes are kept, so that they have names before their bridge is in reach; nothing is written where none changed.
    @DomainActor
    private func change(scenesOf bridge: Bridge.ID, at time: Timestamp, by change: AppState.Change) {
        func scenes() -> [Scene] {
            store.state().scenes.values.filter { $0.id.bridge == bridge }.sorted { $0.id < $1.id }
        }
        let before = scenes()
        store.change(by: change)
        let after = scenes()
        guard before != after else { return }
        archive.keep(.scenes(of: bridge, after)) { [respond] outcome in
            if let failure = outcome.failure { respond(.notKept(failure, at: time)) }
        }
    }
}
