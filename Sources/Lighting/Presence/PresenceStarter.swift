import HashTreeCollections
import Khipu

/// Begins and ends a presence replay: reads from the journal how people light their home, and plans from that.
struct PresenceStarter: UseCase {
    enum Request {
        case begin(PresenceReplay.Settings)
        /// The journal has been read.
        case play(UsageHistory, PresenceReplay.Settings)
        case end
        case preview(PresenceReplay.Settings)
    }

    enum Response {
        case recalled(UsageHistory, PresenceReplay.Settings)
        case beginning(PresenceReplay.Settings, Outcome)
        case ending(Outcome)
        case previewing([UsageHistory.Use], Outcome)
    }

    let store: AppStore
    let journal: Journal
    let archive: Archive
    let time: Live<HomeTime>
    let respond: Responder<Response>

    private var home: HomeTime { time.value }

    func request(to request: Request, ticket: Ticket) {
        switch request {
        case let .begin(settings): begin(settings, ticket)
        case let .play(history, settings):
            let before = store.state().presence
            let replay = PresenceReplay(
                settings, began: ticket.time, history: history, plan: before?.plan.filter(\.isLit) ?? [])
            keep(replay) { [respond] in respond(.beginning(settings, $0), ticket) }
        case .end:
            guard let replay = store.state().presence, replay.isGoingOn else {
                return respond(.ending(.succeeded), ticket)
            }
            let ending = PresenceReplay.Ending(.asked(by: ticket), at: ticket.time)
            keep(replay.alter(by: .ending(.it(ending)))) { [respond] in respond(.ending($0), ticket) }
        case let .preview(settings):
            let (home, time) = (home, ticket.time)
            recall(settings, at: time) { [respond] result in
                switch result {
                case let .success(history):
                    let planner = PresencePlanner(history: history, seed: settings.seed, home: home)
                    let uses = planner.uses(
                        from: time, through: home.day(at: time).advanced(by: 1), until: settings.until)
                    respond(.previewing(uses, .succeeded), ticket)
                case let .failure(failure): respond(.previewing([], .failed(failure)), ticket)
                }
            }
        }
    }

    @DomainActor
    private func begin(_ settings: PresenceReplay.Settings, _ ticket: Ticket) {
        recall(settings, at: ticket.time) { [respond] result in
            switch result {
            case let .success(history): respond(.recalled(history, settings), ticket)
            case let .failure(failure): respond(.beginning(settings, .failed(failure)), ticket)
            }
        }
    }

    /// What is to be replayed. A replay that goes on keeps what it has: the journal now tells of the replay.
    @DomainActor
    private func recall(
        _ settings: PresenceReplay.Settings, at time: Timestamp,
        _ reply: @escaping Reply<Result<UsageHistory, Failure>>
    ) {
        let state = store.state()
        guard time.isPlausible else { return reply(.failure(.wrongClock(time))) }
        if let end = settings.until, end <= time {
            return reply(.failure(.invalid("the end of the replay is in the past")))
        }
        if let replay = state.presence, replay.isGoingOn, replay.settings.isPlain == settings.isPlain,
            replay.settings.includesPlugs == settings.includesPlugs
        {
            return reply(.success(replay.history))
        }
        if settings.isPlain {
            guard !state.plainLamps.isEmpty else {
                return reply(
                    .failure(state.lights.isEmpty ? .noLights(in: .all) : .invalid("no light here can be dimmed")))
            }
            return reply(.success(.plain(in: state, before: time, home: home)))
        }
        let home = home
        journal.readUsage(
            since: time.advanced(by: .zero - UsageHistory.length), until: time, without: state.motionSensors
        ) { result in
            reply(
                result.flatMap { history in
                    let history = history.filtered { state.canReplay($0.light, settings) }
                    let days = Set(history.uses.map { home.day(at: $0.start) }).count
                    guard days >= UsageHistory.fewestDays else {
                        return .failure(.tooFewDays(days, of: UsageHistory.fewestDays))
                    }
                    return .success(history)
                })
        }
    }

    @DomainActor
    private func keep(_ replay: PresenceReplay, _ reply: @escaping Reply<Outcome>) {
        store.change(by: .replacing(.presence(by: replay)))
        archive.keep(.presence(replay), reply)
    }
}

extension AppState {
    /// Whether a lamp is still there, and may take part.
    fileprivate func canReplay(_ id: Light.ID, _ settings: PresenceReplay.Settings) -> Bool {
        (lights[id] ?? unreadLights[id]).map { $0.limits.dims || settings.includesPlugs } ?? false
    }
}
