import HashTreeCollections
import Khipu

/// Plays a presence replay: turns its lamps on and off when they are due, plans the days to come, and ends it at the
/// first sign of life. What it has done is saved, so that a restart repeats and forgets nothing.
@DomainActor
final class PresencePlayer {
    private let store: AppStore
    private let archive: Archive
    private let time: Live<HomeTime>
    private let clock: Clock
    private let clockWatch: ClockWatch
    private let tickets: TicketIssuer
    private let output: Output<Message>
    private var alarm: Alarm?
    /// The lamps that have been told to go off, and have not answered yet.
    private var goingOff: Set<Light.ID> = []

    init(
        store: AppStore, archive: Archive, time: Live<HomeTime>, clock: Clock, tickets: @escaping TicketIssuer,
        output: @escaping Output<Message>
    ) {
        (self.store, self.archive, self.time) = (store, archive, time)
        (self.clock, self.tickets, self.output) = (clock, tickets, output)
        clockWatch = ClockWatch(clock)
        alarm = clock.alarm { [weak self] in self?.play() }
        // Not played at once: nothing is to be sent before the domain takes messages.
        if let replay = store.state().presence, replay.isActive { alarm?.set(clock.now()) }
    }

    private var home: HomeTime { time.value }

    /// Does what is due, and sets the alarm for what is due next.
    func play() {
        let now = lookAtClock()
        guard let replay = store.state().presence, replay.isActive else { return }
        guard !replay.awaitsClock(at: now) else { return setAlarm(after: now) }
        if replay.isGoingOn, let end = replay.settings.until, end <= now {
            finish(PresenceReplay.Ending(.over, at: now))
        }
        planAhead(at: now)
        let isSettled = store.state().presence?.ending.map { $0.settled <= now } ?? true
        if isSettled { for planned in store.state().presence?.plan ?? [] { carryOut(planned, at: now) } }
        save(over: replay)
        setAlarm(after: now)
    }

    /// Ends the replay if the message tells of a person, and leaves alone what that person has touched. To be called
    /// after the message has been applied.
    func watch(_ message: Message) {
        let now = lookAtClock()
        guard let replay = store.state().presence, replay.isActive else { return }
        switch message {
        case let .lighting(.turning(.off, .light(light), outcome), ticket) where ticket.holder == Ticket.replayHolder:
            wentOff(light, outcome)
        case .bridges(.connected, _), .lighting(.reported(.home), _): return play()  // Lamps may have waited for it.
        default: break
        }
        guard let sign = store.state().signOfLife(in: message, ignoringMotion: replay.settings.ignoresMotion) else {
            return save(over: replay)
        }
        change(by: .dropping(.lamps(sign.lights)))
        if replay.isGoingOn, now >= replay.watchful, let cause = sign.cause {
            finish(PresenceReplay.Ending(.noticed(cause, sign.lights.count == 1 ? sign.lights.first : nil), at: now))
        }
        save(over: replay)
        setAlarm(after: now)
    }

    /// Finds out whether the clock was set. What takes a time goes on as if it had not been.
    private func lookAtClock() -> Timestamp {
        let (now, step) = clockWatch.look()
        guard let step, let replay = store.state().presence, replay.isActive else { return now }
        change(by: .moving(.clock(step)))
        save(over: replay)
        return now
    }

    private func finish(_ ending: PresenceReplay.Ending) {
        change(by: .ending(.it(ending)))
        output(.presence(.ended(ending), ticket: .unasked(from: Ticket.replayHolder, at: ending.time)))
    }

    /// Plans the rest of this day and the next, unless they are planned.
    private func planAhead(at now: Timestamp) {
        guard let replay = store.state().presence, replay.isGoingOn else { return }
        let last = home.day(at: now).advanced(by: 1)
        guard let horizon = home.start(of: last.advanced(by: 1)), replay.horizon < horizon else { return }
        let planner = PresencePlanner(history: replay.history, seed: replay.settings.seed, home: home)
        let new = planner.uses(from: max(now, replay.horizon), through: last, until: replay.settings.until)
        let lit = Dictionary(replay.plan.filter(\.isLit).map { ($0.use.light, $0.use.end) }, uniquingKeysWith: max)
        let uses = PresencePlanner.joined(replay.plan.filter { !$0.isLit }.map(\.use) + new).compactMap { use in
            lit[use.light].map { use.from($0.advanced(by: UsageHistory.Use.shortest)) } ?? use
        }
        change(by: .planning(.uses(uses, until: horizon)))
        output(.presence(.planned(new), ticket: .unasked(from: Ticket.replayHolder, at: now)))
    }

    private func carryOut(_ planned: PresenceReplay.Planned, at now: Timestamp) {
        let (state, use) = (store.state(), planned.use)
        let isOver = use.end <= now || !(state.presence?.isGoingOn ?? false)
        guard let light = state.lights[use.light], state.isConnected(light.id.bridge) else {
            // It waits for its bridge; what is not lit then and over is not missed.
            if isOver && !planned.isLit || state.isGone(use.light) { change(by: .dropping(.uses([use]))) }
            return
        }
        switch (planned.isLit, isOver) {
        case (true, true):
            guard goingOff.insert(light.id).inserted else { return }
            send(.turn(.off, .light(light.id), over: .usual), at: now)
        case (true, false): break
        case (false, true): change(by: .dropping(.uses([use])))
        case (false, false):
            guard use.start <= now else { return }
            // Somebody or something else has it on, and may want it to stay so.
            if light.power == .on, !light.isUnavailable { return change(by: .dropping(.uses([use]))) }
            change(by: .lighting(.lamp(use)))
            let setting = use.level.flatMap { light.part(of: .bri($0)) }
            send(
                setting.map { .apply(.values($0), on: .light(light.id), over: .usual) }
                    ?? .turn(.on, .light(light.id), over: .usual), at: now)
        }
    }

    /// A lamp that its bridge could not be told to turn off is turned off when the bridge is back.
    private func wentOff(_ light: Light.ID, _ outcome: Outcome) {
        goingOff.remove(light)
        if case .failed(.unreachable) = outcome { return }
        change(by: .dropping(.lamps([light])))
    }

    /// What is sent at once is one step to undo.
    private func send(_ command: Message.Lighting, at now: Timestamp) {
        output(.lighting(command, ticket: tickets(Ticket.replayHolder, now, "\(now.milliseconds)")))
    }

    private func change(by change: PresenceReplay.Change) {
        store.change(by: .updating(.presence(by: change)))
    }

    private func save(over before: PresenceReplay) {
        guard let replay = store.state().presence, replay != before else { return }
        let (output, clock) = (output, clock)
        archive.keep(.presence(replay)) { outcome in
            if let failure = outcome.failure { output(.notSaved(failure, at: clock.now())) }
        }
    }

    private func setAlarm(after now: Timestamp) {
        guard let replay = store.state().presence, replay.isActive else { alarm?.set(nil); return }
        guard !replay.awaitsClock(at: now) else {
            alarm?.set(.earliestPlausible)
            return
        }
        var times = replay.plan.map { $0.isLit ? $0.use.end : $0.use.start }
        if let ending = replay.ending {
            times = [ending.settled]
        } else {
            times += [replay.settings.until, home.start(of: home.day(at: now).advanced(by: 1))].compactMap(\.self)
        }
        alarm?.set(times.filter { $0 > now }.min())
    }
}

extension AppState {
    fileprivate func isConnected(_ bridge: Bridge.ID) -> Bool {
        if case .connected? = bridges[bridge]?.connection { true } else { false }
    }

    /// Whether a light no longer exists, and not only has not been read yet.
    fileprivate func isGone(_ light: Light.ID) -> Bool {
        lights[light] == nil && unreadLights[light] == nil
            && (bridges[light.bridge] == nil || isConnected(light.bridge))
    }
}
