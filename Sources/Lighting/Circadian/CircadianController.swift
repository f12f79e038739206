import HashTreeCollections
import Khipu

/// Lets lights follow curves, sunrises and sunsets: finds out from everything that happens what a hand has taken over,
/// and sends the steps that are due. ``FollowedLight`` decides whether it was a hand, ``Followings`` what is due; this
/// asks them, and does what they say.
struct CircadianController: UseCase {
    enum Request {
        case follow(Following.Course, Target, Set<FollowedValue>, until: Moment?, resumesAfter: Duration?)
        case unfollow(Target, timed: Bool)
        case resume(Target)
        case draw(Curve?, named: String)
        /// Something happened to lights, or a command came that changes them.
        case observe(Message.Lighting)
        /// Rooms or lights have come, gone or changed, or the time has come.
        case advance(removed: Target? = nil, read: Bridge.ID? = nil)
    }

    enum Response {
        case following(Following.Course, Target, Outcome)
        case unfollowing(Target, Outcome)
        case resuming(Target, Outcome)
        case drawing(Curve?, named: String, Outcome)
        case paused([Light.ID], Set<FollowedValue>, Cause)
        case resumed([Light.ID])
        case ended(Following.Course, Target)
        /// What is due.
        case step([DesiredState], Transition)
        case notSaved(Failure)
    }

    let store: AppStore
    let commands: CommandsUnderWay
    let archive: Archive
    let watch: ClockWatch
    let time: Live<HomeTime>
    let tickets: TicketIssuer
    /// Calls back when ``Request/advance`` is due.
    let alarm: Alarm
    let respond: Responder<Response>

    private var home: HomeTime { time.value }

    func request(to request: Request, ticket: Ticket) {
        let (now, step) = watch.look()
        if let step { move(by: step) }
        switch request {
        case let .follow(course, target, values, until: moment, resumesAfter: pause):
            let outcome = attempt { state, followings throws(Failure) in
                _ = try state.lights(of: target)
                try check(course, values, until: moment, in: followings)
                followings.start(
                    Following(
                        course, on: target, values: values, started: now,
                        until: try moment.map { (moment) throws(Failure) in try next(moment, after: now) },
                        resumesAfter: pause),
                    in: state)
                _ = followings.observe(
                    Following.members(of: target, in: state), at: now, in: state, curvePoint: curvePoint(followings))
            }
            answer(outcome, at: now, ticket) { .following(course, target, $0) }
        case let .unfollow(target, timed: isTimed):
            let outcome = attempt { state, followings throws(Failure) in
                if case .all = target {} else { _ = try state.lights(of: target) }
                guard followings.end(target, onlyTimed: isTimed, in: state) else { throw .followsNothing(target) }
            }
            answer(outcome, at: now, ticket) { .unfollowing(target, $0) }
        case let .resume(target):
            let outcome = attempt { state, followings throws(Failure) in
                let lights = try state.lights(of: target)
                let following = followings.all
                let followers = lights.filter { light in following.contains { followings.leads($0, light, in: state) } }
                guard !followers.isEmpty else { throw .followsNothing(target) }
                _ = followings.resume(target, in: state)
            }
            answer(outcome, at: now, ticket) { .resuming(target, $0) }
        case let .draw(curve, named: name):
            let outcome = attempt { state, followings throws(Failure) in
                try checkRemoval(of: curve, name, in: followings)
                followings.draw(curve, named: name)
            }
            answer(outcome, at: now, ticket) { .drawing(curve, named: name, $0) }
        case let .observe(message): observe(message, at: now, ticket)
        case let .advance(removed: removed, read: bridge):
            let state = store.state()
            guard !state.followings.all.isEmpty else { return alarm.set(nil) }
            var followings = state.followings
            followings.forgetGone(in: state, removed: removed, read: bridge)
            if followings.all != state.followings.all { save(followings, at: now) }
            look(at: followings.all.flatMap { Following.members(of: $0.target, in: state) }, now, &followings)
            advance(&followings, to: now)
        }
    }

    // MARK: - What people ask for

    @DomainActor
    private func attempt(_ change: (AppState, inout Followings) throws(Failure) -> Void) -> Result<Followings, Failure>
    {
        let state = store.state()
        var followings = state.followings
        do throws(Failure) {
            try change(state, &followings)
            return .success(followings)
        } catch {
            return .failure(error)
        }
    }

    @DomainActor
    private func answer(
        _ result: Result<Followings, Failure>, at now: Timestamp, _ ticket: Ticket,
        _ response: @escaping @Sendable (Outcome) -> Response
    ) {
        switch result {
        case var .success(followings):
            save(followings, at: now) { [respond] in respond(response($0), ticket) }
            advance(&followings, to: now)
        case let .failure(failure): respond(response(.failed(failure)), ticket)
        }
    }

    private func check(
        _ course: Following.Course, _ values: Set<FollowedValue>, until moment: Moment?, in followings: Followings
    ) throws(Failure) {
        if moment?.needsPlace == true, home.place == nil { throw .placeUnknown("until \(moment?.description ?? "")") }
        guard case let .curve(name) = course else { return }
        guard let curve = followings.curve(named: name) else { throw .noSuchCurve(name, known: followings.curveNames) }
        guard !curve.values.isDisjoint(with: values) else {
            throw .invalid("the curve '\(name)' sets no \(values.first?.words ?? "value")")
        }
        guard !curve.needsPlace(for: values) || home.place != nil else {
            throw .placeUnknown("the curve '\(name)'")
        }
    }

    private func checkRemoval(of curve: Curve?, _ name: String, in followings: Followings) throws(Failure) {
        if let curve {
            guard !curve.needsPlace(for: curve.values) || home.place != nil else {
                throw .placeUnknown("the curve '\(name)'")
            }
            return
        }
        guard followings.ownCurves[name.lowercased()] != nil else {
            throw Curve.builtIn[name.lowercased()] == nil
                ? .noSuchCurve(name, known: followings.curveNames)
                : .impossible("the curve '\(name)' is as lightd has it; there is nothing to remove")
        }
        let isFollowed = followings.all.contains { $0.course == .curve(name.lowercased()) }
        guard !isFollowed || Curve.builtIn[name.lowercased()] != nil else {
            throw .impossible("lights follow the curve '\(name)'; end that first")
        }
    }

    private func next(_ moment: Moment, after time: Timestamp) throws(Failure) -> Timestamp {
        guard time.isPlausible else { throw .wrongClock(time) }
        let today = home.date(at: time)
        let days = (0...366).lazy.map { today.advanced(by: $0) }
        guard let next = days.compactMap({ home.instant(of: moment, on: $0) }).first(where: { $0 > time }) else {
            throw .impossible("there is no \(moment) in the next year")
        }
        return next
    }

    // MARK: - What happens

    @DomainActor
    private func observe(_ message: Message.Lighting, at now: Timestamp, _ ticket: Ticket) {
        let state = store.state()
        guard !state.followings.all.isEmpty else { return }
        var followings = state.followings
        if message.outcome?.failure?.isTotal == true { followings.forget(ticket) }
        if case .following = message { followings.hear(answerTo: ticket) }
        let lights = message.light.map { [$0] } ?? Array(followings.lights.keys)
        // What a run has made of a light is over: what follows it does so again, and no hand has set it to what it was.
        if case let .restore(states, _) = message, ticket.isOwn == true {
            followings.release(states.map(\.light), from: ticket)
        }
        let named = message.isCommand && !ticket.isFollowUpStep ? commands[ticket]?.plan.named ?? [:] : [:]
        look(at: lights, now, after: named.isEmpty ? nil : (ticket, { named[$0] ?? [] }), &followings)
        if followings.all != state.followings.all { save(followings, at: now) }
        let isDue = lights.contains { followings.lights[$0]?.due != nil }
        guard !isDue else { return advance(&followings, to: now) }
        guard followings != state.followings else { return }
        keep(followings)
        // A light that came on, or that a hand was on, has a next step or an end of its own.
        alarm.set(followings.next(after: now, in: state, curvePoint: curvePoint(followings)))
    }

    /// The clock was set: what has begun goes on as if it had not been.
    @DomainActor
    private func move(by step: ClockStep) {
        var followings = store.state().followings
        guard !followings.all.isEmpty else { return }
        followings.move(by: step)
        keep(followings)
        save(followings, at: step.now)
    }

    /// Finds out whether a hand was on lights, and says so.
    @DomainActor
    private func look(
        at lights: [Light.ID], _ now: Timestamp,
        after command: (ticket: Ticket, sets: (Light.ID) -> Set<FollowedValue>)? = nil,
        _ followings: inout Followings
    ) {
        let state = store.state()
        let takeovers = followings.observe(
            lights, at: now, in: state, after: command,
            undone: { ticket in
                Set(
                    state.history.steps(reversedBy: ticket).filter { $0.undone != nil }.flatMap(\.tickets).map(\.number)
                )
            }, curvePoint: curvePoint(followings))
        for takeover in takeovers.joined {
            respond(
                .paused(takeover.lights, takeover.values, takeover.cause),
                .unasked(from: takeover.cause.ticket?.holder ?? "lightd", at: takeover.cause.time))
        }
    }

    /// What curves show: nothing by a clock that cannot be right.
    private func curvePoint(_ followings: Followings) -> (String, Timestamp) -> Curve.Point {
        { [home] name, time in
            guard time.isPlausible else { return Curve.Point() }
            return followings.curve(named: name)?.point(at: time, in: home) ?? Curve.Point()
        }
    }

    /// Sends what is due.
    @DomainActor
    private func advance(_ followings: inout Followings, to now: Timestamp) {
        let state = store.state()
        let before = followings.all
        let advance = followings.advance(to: now, in: state, curvePoint: curvePoint(followings))
        for step in advance.steps {
            let holder = "\(step.following.course.name) on \(state.name(of: step.following.target))"
            let issued = tickets(holder, now, nil)
            let ticket = step.isTurning ? issued : issued.followUpStep
            followings.note(step, ticket)
            respond(.step(step.states, step.transition), ticket)
        }
        for following in advance.ended {
            respond(.ended(following.course, following.target), .unasked(from: "lightd", at: now))
        }
        if !advance.resumed.isEmpty { respond(.resumed(advance.resumed), .unasked(from: "lightd", at: now)) }
        keep(followings)
        if followings.all != before { save(followings, at: now) }
        alarm.set(followings.next(after: now, in: state, curvePoint: curvePoint(followings)))
    }

    @DomainActor
    private func keep(_ followings: Followings) {
        if store.state().followings != followings { store.change(by: .replacing(.followings(by: followings))) }
    }

    @DomainActor
    private func save(_ followings: Followings, at now: Timestamp, _ reply: Reply<Outcome>? = nil) {
        archive.keep(.followings(followings.all, curves: followings.ownCurves)) { [respond] outcome in
            if let reply { return reply(outcome) }
            if let failure = outcome.failure { respond(.notSaved(failure), .unasked(from: "lightd", at: now)) }
        }
    }
}

extension Message.Lighting {
    /// The only light that it can be about.
    fileprivate var light: Light.ID? {
        if case let .reported(.light(id, _)) = self { id } else { nil }
    }

    fileprivate var isCommand: Bool {
        switch self {
        case .reported, .reread, .settled: false
        default: outcome == nil
        }
    }
}

extension Plan {
    /// What it sets of each light by name, whatever the light shows.
    fileprivate var named: [Light.ID: Set<FollowedValue>] {
        Dictionary(lights.lazy.filter { !$0.named.isEmpty }.map { ($0.id, $0.named) }) { $1 }
    }
}

/// What changes by hand have in common if they are one.
private struct Hand: Hashable {
    let values: Set<FollowedValue>
    let kind: Cause.Kind
}

extension [Followings.Takeover] {
    /// One hand on many lights is one.
    fileprivate var joined: [(lights: [Light.ID], values: Set<FollowedValue>, cause: Cause)] {
        return Dictionary(grouping: self) { Hand(values: $0.values, kind: $0.cause.kind) }.values.map { same in
            (same.map(\.light).sorted(), same[0].values, same[0].cause)
        }.sorted { $0.0[0] < $1.0[0] }
    }
}

extension AppState {
    /// "Desk", "@Living", "all"
    fileprivate func name(of target: Target) -> String {
        switch target {
        case let .light(id): name(of: id) ?? id.description
        case let .room(id): "@\(rooms[id]?.name ?? id.description)"
        case .all: "all"
        }
    }
}
