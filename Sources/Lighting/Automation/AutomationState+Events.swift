import HashTreeCollections
public import Khipu

extension AutomationState {
    /// What may concern automations.
    enum Event {
        /// lightd has started, and knows what it can know of the home.
        case started
        /// Time has passed.
        case clock
        /// Something was reported of what is called so.
        case reported(Set<Subject>)
        /// A whole home was read, or something in it was added, removed or renamed: nothing is triggered.
        case reread
        /// Nothing more is expected of the lights of some command.
        case settled
        case pressed(Sensor.ID, Set<Subject>, button: Int, ButtonPress)
        /// A person asks for it; answered with this ticket.
        case asked(Automation.ID, Ticket)
        /// A person wants this done now, as a timer that begins at once.
        case once(Automation, Ticket)
        /// What was to be saved by this save, and those before it, is saved or cannot be.
        case saved(UInt64)
        /// Nothing more of its runs is to be done.
        case stopped(Automation.ID, asked: Ticket?)
        /// A command has asked of these lights what they showed already.
        case claimed([Light.ID], by: Ticket)
        /// The commands of these gestures were taken back.
        case undone(Set<String>)
        /// This run's command was sent for these lights, with this ticket.
        case sent(AutomationRun.ID, Ticket, [Light.ID])
        /// The command with this ticket's number was answered, or could not be sent by this run.
        case answered(UInt64, Outcome)
        case unsendable(AutomationRun.ID, Failure)
    }

    /// What is to be done.
    enum Effect: Equatable {
        case send(StoredCommand, by: AutomationRun)
        case restore([DesiredState], by: AutomationRun)
        /// Keep the state, then say so.
        case save
        case answer(Ticket, Automation, Outcome)
        case tell(Message.Automations)
    }

    /// Takes in an event.
    mutating func take(_ event: Event, in view: HomeView) -> [Effect] {
        switch event {
        case .started: resume(in: view)
        case .clock: look(in: view)
        case let .reported(subjects): check(subjects, in: view)
        case .reread: recheck(in: view)
        case .settled: checkWaiting(in: view) { _ in true }
        case let .pressed(sensor, subjects, button, press):
            pressed(subjects, Button(sensor: sensor, number: button), press, in: view)
        case let .asked(id, ticket): asked(id, ticket, in: view)
        case let .once(automation, ticket):
            begin(asTimer(automation), because: .hand(ticket.holder), as: .ready, askedBy: ticket, in: view)
        case let .saved(number): begin(savedBy: number, in: view)
        case let .stopped(id, ticket): stop(id, ticket, in: view)
        case let .claimed(lights, ticket): claim(lights, by: ticket, in: view)
        case let .undone(gestures):
            runs.filter { gestures.contains($0.gesture) }.flatMap { stop($0, "it was undone", in: view) }
        case let .sent(id, ticket, lights): sent(id, ticket, lights)
        case let .answered(number, outcome): answered(number, outcome, in: view)
        case let .unsendable(id, failure): tried(id, .failed(failure), in: view)
        }
    }

    // MARK: - The clock

    /// The clock was set by so much: what waits for time to pass waits as long as if it had not been.
    mutating func move(by step: Duration) {
        holding = holding.mapValues { $0.advanced(by: step) }
        paused = paused.mapValues { $0.advanced(by: step) }
        starts = starts.mapValues { $0.map { $0.advanced(by: step) } }
        for (button, press) in first { first[button]?.until = press.until.advanced(by: step) }
        for index in runs.indices { runs[index].move(by: step) }
        count { $0.advanced(by: step) }
    }

    private mutating func look(in view: HomeView) -> [Effect] {
        var effects = hold(to: view.now)

        forgetUnknown(in: view)

        let (latest, plannedFor) = (schedule.latest, schedule.planned)
        let due = due(in: view)
        // If it counts from a new time on, a restart must not count from a later one.
        if let latest, let now = schedule.latest, now < latest { effects.append(.save) }
        var omitted: [Automation.ID: Timestamp] = [:]
        for occurrence in due {
            guard let automation = automations[occurrence.key.automation], let trigger = trigger(occurrence.key) else {
                continue
            }
            // By whichever of its triggers it is due then.
            guard omitted[automation.id] != occurrence.time else { continue }
            if let omission = takeOmission(of: automation, at: occurrence.time, in: view.time) {
                omitted[automation.id] = occurrence.time
                effects += skip(automation, .omitted(by: omission.holder), in: view)
                continue
            }
            if occurrence.lateness > Automation.punctualWithin,
                !automation.catchesUp || occurrence.lateness > Automation.catchUpWithin
            {
                effects += skip(automation, .late(occurrence.lateness), in: view)
                if automation.isTimer { remove(automation.id, in: view) }
                continue
            }
            let late = occurrence.lateness > Automation.punctualWithin ? occurrence.lateness : nil
            effects += start(automation, because: .trigger(trigger, late: late), as: .unsaved(saves + 1), in: view)
        }
        let isSetBack = latest.map { latest in schedule.latest.map { $0 < latest } ?? false } ?? false
        let isPlannedAnew = isSetBack || (plannedFor != nil && plannedFor != schedule.planned)
        let hasOthersToOmit = updateOmissions(isPlannedAnew: isPlannedAnew, in: view)
        if !due.isEmpty || hasOthersToOmit { effects.append(.save) }

        effects += lookForSecondPresses(in: view)
        for (id, since) in holding {
            guard let automation = automations[id.automation], let trigger = trigger(id),
                let duration = trigger.duration, since.advanced(by: duration) <= view.now
            else { continue }
            holding[id] = nil
            effects += start(automation, because: .trigger(trigger), as: .ready, in: view)
        }
        return effects + goOn(in: view)
    }

    /// lightd may have ended while the clock was ahead, or wrong: nothing waits for longer than it would if it began now,
    /// and what was timed by a clock that could not be right begins anew.
    private mutating func hold(to now: Timestamp) -> [Effect] {
        let before = runs
        for index in runs.indices { runs[index].hold(to: now) }
        count { $0.held(to: now, at: now) }
        // Otherwise a wait that begins anew would do so again after a second restart.
        return runs == before ? [] : [.save]
    }

    /// What the clock starts, in the order of time. A clock that cannot be right says nothing of the hour: what is due
    /// then comes when it is set, and late.
    private mutating func due(in view: HomeView) -> [Schedule<TriggerID>.Occurrence] {
        let counted = countdowns.filter { $0.value <= view.now }
            .map { Schedule.Occurrence(key: $0.key, time: $0.value, lateness: view.now.since($0.value)) }
        let scheduled = view.now.isPlausible ? schedule.due(at: view.now, in: view.time) : []
        return (counted + scheduled).sorted { ($0.time, $0.key) < ($1.time, $1.key) }
    }

    /// Goes on with runs whose time has come.
    private mutating func goOn(in view: HomeView) -> [Effect] {
        runs.filter { run in run.nextLook.map { $0 <= view.now } ?? false }.flatMap { run in
            if case .retrying = run.phase { return tryAgain(run, in: view) }
            return finishStep(of: run.id, .succeeded, in: view)
        }
    }

    /// Goes on with what was under way when lightd ended. A command that was sent and not answered, or that may have been
    /// sent, is sent again if that cannot do harm. What a run waits for has not been known meanwhile.
    private mutating func resume(in view: HomeView) -> [Effect] {
        // lightd was killed after its run was saved, and before the timer was gone.
        for run in runs where run.automation.isTimer && automations[run.automation.id] != nil {
            consume(run.automation, in: view)
        }
        update(in: view)
        // Before anything looks whether a wait is over.
        var effects = hold(to: view.now)
        // Only what was under way when lightd ended: what waited goes on below, and is not under way before that.
        for run in runs {
            switch run.phase {
            case .ready, .retrying: effects += advance(run.id, in: view)
            case .unsaved where run.mayRepeatStep: effects += advance(run.id, in: view)
            case .sent where run.mayRepeatStep: effects += advance(run.id, in: view)
            case .unsaved, .sent: effects += finishStep(of: run.id, .succeeded, in: view)
            case .waiting: break
            case let .waitingFor(_, until):
                guard let index = runs.firstIndex(where: { $0.id == run.id }) else { continue }
                runs[index].phase = .waitingFor(since: nil, until: until)
            }
        }
        return effects + recheck(in: view) + look(in: view)
    }

    // MARK: - What is reported

    /// A trigger that was false and is true now starts its automation, or begins to wait.
    private mutating func check(_ subjects: Set<Subject>, in view: HomeView) -> [Effect] {
        // A bridge that is lost reports nothing of what nobody knows any more.
        if subjects.contains(.bridges) { forgetUnknown(in: view) }
        var effects: [Effect] = []
        for id in subjects.flatMap({ triggers[$0] ?? [] }).sorted() {
            let before = truths[id]
            learn(id, in: view)
            guard before == false, truths[id] == true, let trigger = trigger(id), trigger.duration == nil,
                let automation = automations[id.automation]
            else { continue }
            effects += start(automation, because: .trigger(trigger), as: .ready, in: view)
        }
        if subjects.contains(.bridges) {
            for run in runs where run.isRetrying { effects += tryAgain(run, in: view) }
        }
        return effects + checkWaiting(in: view) { subjects.contains($0.subject) }
    }

    /// Only learns what is true now.
    private mutating func recheck(in view: HomeView) -> [Effect] {
        for id in triggers.values.joined() { learn(id, in: view) }
        var effects: [Effect] = []
        // What a run waits for may have another name now, or be gone.
        for run in runs {
            guard case .waitingFor = run.phase, case let .waitFor(check, _, _)? = run.currentStep,
                let missing = view.missing(in: check)
            else { continue }
            effects += finishStep(of: run.id, .failed(missing), in: view)
        }
        return effects + checkWaiting(in: view) { _ in true }
    }

    /// Goes on with runs that wait for one of these checks.
    private mutating func checkWaiting(
        in view: HomeView, for isConcerned: (Automation.Check) -> Bool
    ) -> [Effect] {
        for index in runs.indices {
            guard case let .waitingFor(since, until) = runs[index].phase,
                case let .waitFor(check, _, _)? = runs[index].currentStep, isConcerned(check)
            else { continue }
            let isTrue = view.truth(of: check, isSettled: true) == true
            runs[index].phase = .waitingFor(since: isTrue ? since ?? view.now : nil, until: until)
        }
        return goOn(in: view)
    }

    /// What must be true for a while does not go on being true while nobody knows: it counts anew once that is known.
    private mutating func forgetUnknown(in view: HomeView) {
        for id in holding.keys { learn(id, in: view) }
        for index in runs.indices {
            guard case .waitingFor(since: .some, let until) = runs[index].phase,
                case let .waitFor(check, _, _)? = runs[index].currentStep, view.truth(of: check, isSettled: true) == nil
            else { continue }
            runs[index].phase = .waitingFor(since: nil, until: until)
        }
    }

    /// What a press means. A long press is told as such by some switches only; by the others it is the first `held`.
    private mutating func note(_ press: ButtonPress, of button: Button) -> Set<ButtonPress> {
        switch press {
        case .held: return held.insert(button).inserted ? [.held, .longPressed] : [.held]
        case .longPressed: return held.insert(button).inserted ? [.longPressed] : []
        case .pressed, .released, .releasedLong, .releasedTwice:
            if held.contains(button) { held.remove(button) }
            return [press]
        }
    }

    private mutating func pressed(
        _ subjects: Set<Subject>, _ button: Button, _ press: ButtonPress, in view: HomeView
    ) -> [Effect] {
        let presses = note(press, of: button)
        guard let meant = joined(press, of: button, subjects, at: view.now) else { return [] }
        return start(by: meant == press ? presses : [meant], of: button.number, subjects, in: view)
    }

    /// Few bridges tell a double press, so it is made of two short ones; but only if an automation waits for it, because a
    /// short press then has to wait for the second.
    ///
    /// - Returns: `nil` if it means nothing yet, or no more.
    private mutating func joined(
        _ press: ButtonPress, of button: Button, _ subjects: Set<Subject>, at now: Timestamp
    ) -> ButtonPress? {
        let until = now.advanced(by: Self.doublePress)
        let before = first[button].flatMap { now <= $0.until ? $0 : nil }
        switch press {
        case .pressed:
            if before?.isDouble == false { first[button]?.until = until }
            return press
        case .released where before?.isDouble == false, .releasedTwice where before?.isDouble == false:
            first[button] = FirstPress(subjects: subjects, until: until, isDouble: true)
            return .releasedTwice
        case .released:
            let isAwaited = !triggered(by: [.releasedTwice], of: button.number, subjects).isEmpty
            first[button] = isAwaited ? FirstPress(subjects: subjects, until: until) : nil
            return isAwaited ? nil : press
        case .releasedTwice where before?.isDouble == true: return nil
        case .releasedTwice, .held, .longPressed, .releasedLong: return press
        }
    }

    /// The short presses that no second one has followed in time.
    private mutating func lookForSecondPresses(in view: HomeView) -> [Effect] {
        var effects: [Effect] = []
        for (button, press) in first.sorted(by: { $0.value.until < $1.value.until }) where press.until <= view.now {
            first[button] = nil
            if press.isDouble { continue }
            effects += start(by: [.released], of: button.number, press.subjects, in: view)
        }
        return effects
    }

    private mutating func start(
        by presses: Set<ButtonPress>, of button: Int, _ subjects: Set<Subject>, in view: HomeView
    ) -> [Effect] {
        var effects: [Effect] = []
        for id in triggered(by: presses, of: button, subjects) {
            guard let automation = automations[id.automation], let trigger = trigger(id) else { continue }
            effects += start(automation, because: .trigger(trigger), as: .ready, in: view)
        }
        return effects
    }

    /// The triggers that wait for one of these presses.
    private func triggered(by presses: Set<ButtonPress>, of button: Int, _ subjects: Set<Subject>) -> [TriggerID] {
        subjects.flatMap { triggers[$0] ?? [] }.sorted().filter { id in
            guard case let .press(_, wanted, kind)? = trigger(id) else { return false }
            return presses.contains(kind) && wanted ?? button == button
        }
    }

    private mutating func asked(_ id: Automation.ID, _ ticket: Ticket, in view: HomeView) -> [Effect] {
        guard let automation = automations[id] else { return [] }
        guard automation.mode == .restart || !runs.contains(where: { $0.automation.id == id }) else {
            return [.answer(ticket, automation, .failed(.impossible("'\(automation.name)' is running already")))]
        }
        return begin(automation, because: .hand(ticket.holder), as: .ready, askedBy: ticket, in: view)
    }

    // MARK: - Starting

    private mutating func start(
        _ automation: Automation, because reason: AutomationRun.Reason, as phase: AutomationRun.Phase,
        in view: HomeView
    ) -> [Effect] {
        guard automation.isEnabled else { return [] }
        if let pause = pause(automation.id, because: reason, at: view.now) {
            return pause.isNew ? skip(automation, .tooOften(until: pause.until), in: view) : []
        }
        if automation.mode == .single, runs.contains(where: { $0.automation.id == automation.id }) {
            return skip(automation, .running, because: reason, in: view)
        }
        for condition in automation.conditions {
            switch view.holds(condition) {
            case true?: continue
            case false?: return skip(automation, .condition(condition), because: reason, in: view)
            case nil: return skip(automation, .unknown(condition), because: reason, in: view)
            }
        }
        return begin(automation, because: reason, as: phase, askedBy: nil, in: view)
    }

    /// Notes that an automation is triggered by what is told of the home. One that this happens to again and again pauses:
    /// for minutes if it may bring that about itself, otherwise only until it has not been started more often than that
    /// within a minute, so that a sensor that chatters costs no more, and a hall does not stay dark.
    private mutating func pause(
        _ id: Automation.ID, because reason: AutomationRun.Reason, at now: Timestamp
    ) -> (until: Timestamp, isNew: Bool)? {
        guard let most = reason.mostStarts else { return nil }
        if let until = paused[id] {
            if now < until { return (until, false) }
            paused[id] = nil
        }
        let latest = (starts[id] ?? []).filter { $0 <= now && now.since($0) < Self.burst }
        guard latest.count >= most else {
            starts[id] = latest + [now]
            return nil
        }
        let until = reason.mayBeOwnDoing ? now.advanced(by: Self.longestPause) : latest[0].advanced(by: Self.burst)
        (starts[id], paused[id]) = (reason.mayBeOwnDoing ? nil : latest, until)
        return (until, true)
    }

    /// - Parameter trigger: what has triggered it.
    private mutating func skip(
        _ automation: Automation, _ reason: Skip.Reason, because trigger: AutomationRun.Reason? = nil, in view: HomeView
    ) -> [Effect] {
        skipped[automation.id] = Skip(time: view.now, reason: reason)
        switch reason {
        case .late, .tooOften, .omitted: break
        // A time of day comes once, and is waited for; what is told of the home comes again and again.
        case .condition, .unknown, .running: guard trigger?.isTimeOfDay == true else { return [] }
        }
        return [.tell(.skipped(automation.id, named: automation.name, because: reason))]
    }

    private mutating func begin(
        _ automation: Automation, because reason: AutomationRun.Reason, as phase: AutomationRun.Phase,
        askedBy ticket: Ticket?, in view: HomeView
    ) -> [Effect] {
        var effects: [Effect] = []
        let before = automation.restored.flatMap(view.shown(by:))
        var found: [DesiredState] = []
        var origin = nextRun
        var below: [Light.ID: UInt64] = [:]
        var takenOver: [Light.ID: Set<AutomationRun.Doer>]?
        if let index = runs.firstIndex(where: { $0.automation.id == automation.id }) {
            // What it found is what its successor is to leave, not what it has made of it; but what a hand has set since is.
            let running = runs[index]
            found = running.before.filter {
                view.state.lights[$0.light].map { running.hasMade($0) != false } ?? true
            }
            let lights = Set(found.map(\.light))
            for state in running.before where !lights.contains(state.light) {
                leave(state.light, by: running, as: state, in: view)
            }
            (origin, takenOver) = (running.origin, running.takenOver)
            below = (running.below ?? [:]).filter { lights.contains($0.key) }
            // Its place among those that restore the same lights is its successor's.
            runs[index].before = []
            effects += stop(running, "it was started again", in: view)
        }
        let run = AutomationRun(
            id: nextRun, automation: automation, reason: reason, started: view.now, before: found, phase: phase,
            asker: ticket, origin: origin, below: below.isEmpty ? nil : below, takenOver: takenOver)
        nextRun += 1
        runs.append(run)
        remember(before, in: view, by: run.id)
        if automation.isTimer, automations[automation.id] != nil { consume(automation, in: view) }
        effects.append(.tell(.started(automation.id, named: automation.name, run: run.id, reason)))
        if case .unsaved = phase { return effects }
        return effects + advance(run.id, in: view)
    }

    /// Does what was only to be saved before, and answers who was to be promised it only then.
    private mutating func begin(savedBy number: UInt64, in view: HomeView) -> [Effect] {
        let answers = runs.indices.compactMap { index -> Effect? in
            guard let asker = runs[index].asker, let save = runs[index].promise, save <= number else { return nil }
            (runs[index].asker, runs[index].promise) = (nil, nil)
            return .answer(asker, runs[index].automation, runs[index].outcome)
        }
        return answers
            + runs.flatMap { run -> [Effect] in
                guard case let .unsaved(save) = run.phase, save <= number else { return [] }
                return advance(run.id, isSaved: true, in: view)
            }
    }

    private mutating func stop(_ id: Automation.ID, _ ticket: Ticket?, in view: HomeView) -> [Effect] {
        let running = runs.filter { $0.automation.id == id }
        var effects = running.flatMap { stop($0, "it was stopped", in: view) }
        if let ticket, let automation = automations[id] ?? running.first?.automation {
            let isOver: Outcome =
                running.isEmpty ? .failed(.impossible("'\(automation.name)' is not running")) : .succeeded
            effects.append(.answer(ticket, automation, isOver))
        }
        return effects
    }

    private mutating func stop(_ run: AutomationRun, _ reason: String, in view: HomeView) -> [Effect] {
        guard let index = runs.firstIndex(where: { $0.id == run.id }) else { return [] }
        runs[index].problems.append(AutomationRun.Problem(step: run.step, failure: .impossible(reason)))
        return end(run.id, in: view)
    }

    // MARK: - Step by step

    /// Does the step that is next.
    private mutating func advance(_ id: AutomationRun.ID, isSaved: Bool = false, in view: HomeView) -> [Effect] {
        guard let index = runs.firstIndex(where: { $0.id == id }) else { return [] }
        let run = runs[index]
        runs[index].phase = .ready
        switch run.currentStep {
        case nil: return end(id, in: view)
        case .command? where !isSaved && (run.mustBeSavedFirst || rememberUnread(by: run, in: view)):
            runs[index].phase = .unsaved(saves + 1)
            return [.save]
        case let .command(command)?: return [.send(command, by: run)]
        case let .restore(name)?:
            let states = restore(name, by: run, in: view)
            if states.isEmpty, let missing = view.missing(target: name) {
                return tried(id, .failed(missing), in: view)
            }
            return [.restore(states, by: run)]
        case let .wait(duration)?:
            runs[index].phase = .waiting(from: view.now, until: view.now.advanced(by: duration))
        case let .waitFor(check, for: duration, atMost: longest)?:
            if let missing = view.missing(in: check) { return finishStep(of: id, .failed(missing), in: view) }
            let isTrue = view.truth(of: check, isSettled: true) == true
            runs[index].phase = .waitingFor(
                since: isTrue ? view.now : nil, until: longest.map { view.now.advanced(by: $0) })
            if isTrue, duration == nil { return finishStep(of: id, .succeeded, in: view) }
        }
        if runs[index].asker != nil, runs[index].promise == nil { runs[index].promise = saves + 1 }
        return [.save]
    }

    // MARK: - Runs that restore the same lights

    // Of runs that restore the same light, each newer one lies above the one whose doing the light showed when it began.
    // The uppermost restores what it found, and gives the light back to the one below. One that ends earlier restores
    // nothing: what it found is what the one above it leaves. So a light shows at the end of the last what it showed
    // before the first.

    /// Notes what lights show that a run is to restore, and which run has made them show it; of each only once.
    private mutating func remember(_ states: [DesiredState], in view: HomeView, by id: AutomationRun.ID) {
        guard let index = runs.firstIndex(where: { $0.id == id }) else { return }
        let others = runs.filter { $0.id != id && !$0.before.isEmpty }
        for state in states where !runs[index].restores(state.light) {
            runs[index].before.append(state)
            guard let light = view.state.lights[state.light],
                let below = others.last(where: { $0.hasMade(light) != false && $0.restores(light.id) })
            else { continue }
            runs[index].below = (runs[index].below ?? [:]).merging([light.id: below.origin]) { $1 }
        }
    }

    /// Before a run's first command, notes what lights show that nobody knew of when it began, because lightd had not
    /// reached their bridge yet.
    ///
    /// - Returns: whether there are any.
    private mutating func rememberUnread(by run: AutomationRun, in view: HomeView) -> Bool {
        guard run.hasSentNothing, let index = runs.firstIndex(where: { $0.id == run.id }) else { return false }
        remember(run.automation.restored.flatMap(view.shown(by:)), in: view, by: run.id)
        return runs[index].before != run.before
    }

    /// What the lights of a name are to show again, of those that still show what the run has made of them. Of one whose
    /// bridge lightd has not reached since it started nobody knows whether it does, nor what it is called now.
    private mutating func restore(_ name: String, by run: AutomationRun, in view: HomeView) -> [DesiredState] {
        let ids = Set(view.names.targets(named: name).flatMap(view.state.lights(in:)).map(\.id))
        return run.before.filter { state in
            guard let light = view.state.lights[state.light] else { return view.state.isUnread(state.light.bridge) }
            guard ids.contains(light.id) else { return false }
            let isLeft = leave(light.id, by: run, as: state, in: view)
            return !isLeft && run.hasMade(light) != false
        }
    }

    /// Takes a run out of those that restore a light.
    ///
    /// - Parameter state: what the run has found; `nil` if it was ended before it could restore that.
    /// - Returns: whether another run restores that in its place.
    @discardableResult
    private mutating func leave(
        _ light: Light.ID, by run: AutomationRun, as state: DesiredState?, in view: HomeView
    ) -> Bool {
        var isLeft = false
        for index in runs.indices where runs[index].below?[light] == run.origin {
            runs[index].below?[light] = run.below?[light]
            guard let state, let place = runs[index].before.firstIndex(where: { $0.light == light }) else { continue }
            runs[index].before[place] = state
            // One that only watches over the light has no wish for it.
            guard runs[index].named?.contains(light) ?? false else { continue }
            runs[index].takeOver(light, from: run)
            isLeft = true
        }
        if !isLeft, let below = run.below?[light], let index = runs.firstIndex(where: { $0.origin == below }),
            view.state.lights[light].map({ run.hasMade($0) != false }) ?? false
        {
            runs[index].takeOver(light, from: run)
        }
        return isLeft
    }

    /// Who asks for what a light shows wants it to stay, unless that is another wish for a while: no run restores it.
    private mutating func claim(_ lights: [Light.ID], by ticket: Ticket, in view: HomeView) -> [Effect] {
        let before = runs
        for light in lights {
            if let index = runs.firstIndex(where: { $0.isDoing(ticket) && $0.restores(light) }) {
                runs[index].found = runs[index].found ?? [:]
                runs[index].found?[light] = view.state.lights[light]?.cause
            } else {
                for index in runs.indices { runs[index].before.removeAll { $0.light == light } }
            }
        }
        return runs == before ? [] : [.save]
    }

    private mutating func finishStep(of id: AutomationRun.ID, _ outcome: Outcome, in view: HomeView) -> [Effect] {
        guard let index = runs.firstIndex(where: { $0.id == id }) else { return [] }
        if let failure = outcome.failure {
            runs[index].problems.append(AutomationRun.Problem(step: runs[index].step, failure: failure))
        }
        if runs[index].isPointless { return end(id, in: view) }
        runs[index].step += 1
        runs[index].retry = nil
        return advance(id, in: view)
    }

    private mutating func sent(_ id: AutomationRun.ID, _ ticket: Ticket, _ lights: [Light.ID]) -> [Effect] {
        guard let index = runs.firstIndex(where: { $0.id == id }) else { return [] }
        runs[index].phase = .sent(ticket.number)
        if !lights.isEmpty, !runs[index].before.isEmpty {
            runs[index].named = (runs[index].named ?? []).union(lights)
        }
        return []
    }

    private mutating func answered(_ number: UInt64, _ outcome: Outcome, in view: HomeView) -> [Effect] {
        runs.first { $0.phase == .sent(number) }.map { tried($0.id, outcome, in: view) } ?? []
    }

    /// A step is done, or has failed; if a bridge is away, it may be tried again.
    private mutating func tried(_ id: AutomationRun.ID, _ outcome: Outcome, in view: HomeView) -> [Effect] {
        guard let index = runs.firstIndex(where: { $0.id == id }) else { return [] }
        let run = runs[index]
        let until = run.retry?.until ?? view.now.advanced(by: Automation.catchUpWithin)
        guard let failure = outcome.failure, !failure.unreachable.isEmpty, view.now < until, run.mayRetryStep else {
            return finishStep(of: id, outcome, in: view)
        }
        runs[index].retry = AutomationRun.Retry(until: until, failure: failure)
        runs[index].phase = .retrying(at: min(until, view.now.advanced(by: Self.retryPause)))
        return [.save]
    }

    /// Does a step again whose bridge was away, if one is back.
    private mutating func tryAgain(_ run: AutomationRun, in view: HomeView) -> [Effect] {
        guard let retry = run.retry else { return advance(run.id, in: view) }
        guard view.now < retry.until else { return finishStep(of: run.id, .failed(retry.failure), in: view) }
        let isBack = retry.failure.unreachable.contains { view.state.bridges[$0]?.isConnected ?? false }
        if isBack { return advance(run.id, in: view) }
        if let index = runs.firstIndex(where: { $0.id == run.id }) {
            runs[index].phase = .retrying(at: min(retry.until, view.now.advanced(by: Self.retryPause)))
        }
        return []
    }

    private mutating func end(_ id: AutomationRun.ID, in view: HomeView) -> [Effect] {
        guard let index = runs.firstIndex(where: { $0.id == id }) else { return [] }
        let run = runs.remove(at: index)
        for state in run.before { leave(state.light, by: run, as: nil, in: view) }
        let ended = AutomationRun.Ended(
            run: run.id, reason: run.reason, started: run.started, ended: view.now, outcome: run.outcome)
        let automation = run.automation
        if automations[automation.id] != nil {
            self.ended[automation.id] = Array(([ended] + (self.ended[automation.id] ?? [])).prefix(Self.longestPast))
        }
        return (run.asker.map { [.answer($0, automation, run.outcome)] } ?? [])
            + [.tell(.ended(automation.id, named: automation.name, ended)), .save]
    }
}

extension AutomationState.TriggerID: Comparable {
    static func < (one: Self, other: Self) -> Bool {
        (one.automation, one.index) < (other.automation, other.index)
    }
}

extension Failure {
    /// The bridges that could not be reached.
    var unreachable: Set<Bridge.ID> {
        switch self {
        case let .unreachable(bridge, because: _): [bridge]
        case let .partly(parts, of: _): parts.reduce(into: []) { $0.formUnion($1.failure.unreachable) }
        default: []
        }
    }
}

extension AutomationRun.Reason {
    /// How often within a minute it may start an automation; `nil` if that is not counted. A person presses a button more
    /// often than anything happens by itself.
    fileprivate var mostStarts: Int? {
        switch self {
        case .trigger(.becomes, _): AutomationState.mostStarts
        case .trigger(.press, _): 3 * AutomationState.mostStarts
        case .trigger(.clock, _), .hand: nil
        }
    }

    /// Whether an automation can bring it about itself: by a lamp, but not by somebody who moves or opens a door.
    fileprivate var mayBeOwnDoing: Bool {
        switch self {
        case .trigger(.becomes(.power, _), _), .trigger(.becomes(.lightLevel, _), _),
            .trigger(.becomes(.temperature, _), _), .trigger(.becomes(.bridge, _), _):
            true
        case .trigger, .hand: false
        }
    }

    fileprivate var isTimeOfDay: Bool {
        switch self {
        case .trigger(.clock(.at), _), .trigger(.clock(.once), _): true
        case .trigger, .hand: false
        }
    }
}

extension Automation {
    /// The names of what its steps restore.
    fileprivate var restored: [String] {
        steps.compactMap { if case let .restore(name) = $0 { name } else { nil } }
    }
}

extension AutomationRun {
    /// `nil` after the last one.
    public var currentStep: Automation.Step? { automation.steps.indices.contains(step) ? automation.steps[step] : nil }

    /// When its wait is over, at the latest; `nil` if that depends on what happens.
    public var until: Timestamp? {
        switch phase {
        case .ready, .unsaved, .sent, .retrying: nil
        case let .waiting(_, until): until
        case let .waitingFor(_, until): until
        }
    }

    /// Whether its step may as well be done some minutes later. Who has asked for it by hand is answered at once.
    fileprivate var mayRetryStep: Bool { asker == nil && automation.lateness != .skip && mayRepeatStep }

    /// Whether, as what somebody wants done for a while, it would only wait now: nothing of it could be done.
    fileprivate var isPointless: Bool {
        guard asker != nil, automation.isTimer, case .wait? = automation.steps.dropFirst(step + 1).first else {
            return false
        }
        return problems.count == step + 1 && problems.allSatisfy(\.failure.isTotal)
    }

    fileprivate var isRetrying: Bool { if case .retrying = phase { true } else { false } }

    fileprivate var mayRepeatStep: Bool { currentStep?.mayComeLate ?? true }

    fileprivate var hasSentNothing: Bool {
        !automation.steps.prefix(step).contains { if case .command = $0 { true } else { false } }
    }

    /// Whether a restart in the middle of its step must find that it had come so far: to do it again would be wrong, or
    /// it would wait again first, and do it when nobody expects it any more. The first step is saved with the run.
    fileprivate var mustBeSavedFirst: Bool {
        guard step > 0, automation.steps.indices.contains(step - 1) else { return false }
        if case .waitFor = automation.steps[step - 1] { return true }
        return !mayRepeatStep
    }

    /// When time alone brings it on.
    public var nextLook: Timestamp? {
        switch phase {
        case .ready, .unsaved, .sent: return nil
        case let .retrying(time): return time
        case let .waiting(_, until): return until
        case let .waitingFor(since, until):
            guard case let .waitFor(_, for: duration, _)? = currentStep else { return until }
            return [since.map { $0.advanced(by: duration ?? .zero) }, until].compactMap(\.self).min()
        }
    }

    /// Whether a light shows what this run has made of it, or one that it has taken the light over from; `nil` if nobody knows.
    fileprivate func hasMade(_ light: Light) -> Bool? {
        let cause = light.snapshot.cause
        if cause == found?[light.id] { return true }
        // Causes are kept later than runs: after lightd was killed, nobody knows whose doing it is.
        if wasResumed, cause.kind == .unseen { return nil }
        guard let doer = cause.ticket.flatMap(Doer.init) else { return false }
        return doer == self.doer || takenOver?[light.id]?.contains(doer) ?? false
    }

    fileprivate func isDoing(_ ticket: Ticket) -> Bool { Doer(of: ticket) == doer }

    fileprivate func restores(_ light: Light.ID) -> Bool { before.contains { $0.light == light } }

    fileprivate mutating func takeOver(_ light: Light.ID, from other: Self) {
        takenOver = takenOver ?? [:]
        takenOver?[light, default: []].formUnion((other.takenOver?[light] ?? []).union([other.doer]))
    }
}

extension AutomationRun {
    /// The clock was set by so much.
    fileprivate mutating func move(by step: Duration) {
        retry = retry.map { Retry(until: $0.until.advanced(by: step), failure: $0.failure) }
        switch phase {
        case .ready, .unsaved, .sent: break
        case let .retrying(time): phase = .retrying(at: time.advanced(by: step))
        case let .waiting(from, until):
            phase = .waiting(from: from.advanced(by: step), until: until.advanced(by: step))
        case let .waitingFor(since, until):
            phase = .waitingFor(since: since?.advanced(by: step), until: until?.advanced(by: step))
        }
    }

    /// A wait that began later than now, by a clock that was ahead then, or by one that could not be right, begins now.
    fileprivate mutating func hold(to now: Timestamp) {
        if let retry {
            let latest = now.advanced(by: Automation.catchUpWithin)
            self.retry = Retry(until: retry.until.held(to: latest, at: now), failure: retry.failure)
        }
        switch phase {
        case let .waiting(from, until) where from > now || !from.isComparable(with: now):
            phase = .waiting(from: now, until: now.advanced(by: until.since(from)))
        case let .retrying(time): phase = .retrying(at: min(time, now.advanced(by: AutomationState.retryPause)))
        case let .waitingFor(since, until?):
            guard case let .waitFor(_, for: _, atMost: longest?)? = currentStep else { return }
            phase = .waitingFor(since: since, until: until.held(to: now.advanced(by: longest), at: now))
        case .ready, .unsaved, .sent, .waiting, .waitingFor: break
        }
    }
}
