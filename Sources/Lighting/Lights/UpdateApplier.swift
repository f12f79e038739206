import HashTreeCollections
import Khipu

/// Applies what bridges report to the state.
struct UpdateApplier: UseCase {
    enum Request {
        case apply(BridgeUpdate)
        /// A full report, of which only the difference is known.
        case complete(HomeDifference)
    }
    enum Response { case notSaved(Failure) }

    let store: AppStore
    let archive: Archive
    let respond: Responder<Response>

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .apply(update): apply(update, ticket)
        case let .complete(difference): apply(difference.update(from: store.state()), ticket)
        }
    }

    @DomainActor
    private func apply(_ update: BridgeUpdate, _ ticket: Ticket) {
        switch update {
        case let .home(bridge, lights, rooms, scenes, sensors):
            store.change(
                by: .replacing(.lights(of: bridge, by: lights.map { merged($0, at: ticket.time) })),
                .replacing(.rooms(of: bridge, by: rooms)),
                .replacing(.sensors(of: bridge, by: sensors.map(merged)))
            )
            store.change(sensors.map { .updating(.day(of: $0.id, at: ticket.time)) })
            changeScenes(of: bridge, by: .replacing(.scenes(of: bridge, by: scenes)), ticket)
        case let .light(id, report):
            store.change(by: .updating(.light(id, by: [.reporting(.it(report, at: ticket.time))])))
        case let .signal(id, signal):
            store.change(by: .updating(.light(id, by: [.signaling(.it(signal))])))
        case let .sensor(id, report):
            store.change(
                by: .updating(.sensor(id, by: .reporting(.it(report, at: ticket.time)))),
                .updating(.sensorDay(id, by: report, at: ticket.time)))
        case let .firmware(id, firmware):
            store.change(by: .updating(.bridge(id, by: .reporting(.firmware(firmware)))))
        case let .renamed(.light(id), name):
            store.change(by: .updating(.light(id, by: [.renaming(.it(to: name))])))
        case let .renamed(.room(id), name):
            store.change(by: .updating(.room(id, by: .renaming(.it(to: name)))))
        case .renamed(.all, _):
            break  // The home has no name.
        case let .added(.light(light)): store.change(by: .adding(.light(merged(light, at: ticket.time))))
        case let .added(.room(room)), let .changed(.room(room)): store.change(by: .adding(.room(room)))
        case let .added(.scene(scene)), let .changed(.scene(scene)):
            changeScenes(of: scene.id.bridge, by: .adding(.scene(scene)), ticket)
        case let .added(.sensor(sensor)), let .changed(.sensor(sensor)):
            store.change(by: .adding(.sensor(merged(sensor))), .updating(.day(of: sensor.id, at: ticket.time)))
        case let .removed(.light(id)): store.change(by: .removing(.light(id)))
        case let .removed(.room(id)): store.change(by: .removing(.room(id)))
        case let .removed(.sensor(id)): store.change(by: .removing(.sensor(id)))
        case let .removed(.scene(id)): changeScenes(of: id.bridge, by: .removing(.scene(id)), ticket)
        }
    }

    /// A light that is already known keeps its pending values and its display setting; one that is remembered from
    /// before a restart, its cause if it shows the same. What is kept for it, its gateway says after it.
    @DomainActor
    private func merged(_ light: Light, at time: Timestamp) -> Light {
        let state = store.state()
        guard let before = state.lights[light.id] ?? state.unreadLights[light.id]?.resumed(as: light),
            before.modes == light.modes
        else { return light }
        let reachable = if case .unreachable = light.freshness { false } else { true }
        return before.alter(
            by: .renaming(.it(to: light.name)),
            .limiting(.it(to: light.limits)),
            .configuring(.it(as: light.configuration)),
            .signaling(.it(light.signal)),
            .reporting(
                .it(
                    Light.Report(
                        light.values.patch(runsEffects: light.limits.effects != nil), reachable: reachable,
                        source: .unseen, kept: Light.Kept(nil)), at: time))
        )
    }

    /// A sensor that is already known keeps the times of what it told itself.
    @DomainActor
    private func merged(_ sensor: Sensor) -> Sensor {
        store.state().sensors[sensor.id]?.alter(by: .reading(sensor)) ?? sensor
    }

    /// Scenes are saved, so that they can be named before their bridge is connected. Writes only if one has changed.
    @DomainActor
    private func changeScenes(of bridge: Bridge.ID, by change: AppState.Change, _ ticket: Ticket) {
        func scenes() -> [Scene] {
            store.state().scenes.values.filter { $0.id.bridge == bridge }.sorted { $0.id < $1.id }
        }
        let before = scenes()
        store.change(by: change)
        let after = scenes()
        guard before != after else { return }
        archive.keep(.scenes(of: bridge, after)) { [respond] outcome in
            if let failure = outcome.failure { respond(.notSaved(failure), ticket) }
        }
    }
}

extension Light {
    /// A remembered light that its bridge now reports like this. Nothing that was sent before the restart is on its way
    /// any more: the lamp shows it, or never will.
    fileprivate func resumed(as light: Light) -> Self {
        guard let pending = known.pending, light.isUnreachable || !pending.values.agrees(with: light.values) else {
            return self
        }
        return alter(by: .abandoning(.expectation(of: pending.ticket)))
    }
}
