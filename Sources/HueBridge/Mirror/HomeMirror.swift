import HueWire
import Khipu
import Lighting

/// What is known of one bridge's home, and what is expected of it. A value: times come in; updates for the domain, and
/// what is to be sent or read because of them, come out.
///
/// Each report of a light is attributed here: to the command that is being confirmed, or else to a switch, a scene, the
/// mains or another app.
struct HomeMirror: Sendable {
    /// What follows from a report.
    struct Effects: Sendable {
        var updates: [BridgeUpdate] = []
        var repairs: [Repair] = []
        /// Lights to read again: a light that returns shows its power-on state, which no event reports in time
        /// (openhab-addons#21018).
        var reads: [ResourceID] = []
        /// Lights that somebody else has changed: what was asked of them before is not sent once more.
        var yields: [ResourceID] = []
        /// Lights, rooms or scenes have come or gone.
        var isRearranged = false
    }

    private(set) var resources: HomeResources
    private(set) var confirmations = PendingConfirmations()
    private(set) var attribution = ChangeAttribution()
    private(set) var offline: OfflineCommands
    /// When a request was last sent to each light, or answered.
    private(set) var lastSent: [ResourceID: Duration] = [:]
    /// When something new was last reported of each light.
    private(set) var lastReported: [ResourceID: Duration] = [:]
    /// When each light was last read. Of what it showed then, events may come for as long as a bridge collects them.
    private var lastRead: [ResourceID: Duration] = [:]
    /// What was sent shortly before the connection was lost; `nil` once everything was read after that.
    private var sentBeforeLoss: [ResourceID: [LightUpdate]]?
    /// The scene of ours that was last recalled for each light, and what the light showed before it.
    private var recalled: [ResourceID: Recall] = [:]

    /// What lamps showed last that a dynamic scene moves.
    private var moving: [ResourceID: LightMirror] = [:]

    /// The timed effects of ours, until something else is asked of their lights.
    private var timed: [ResourceID: TimedEffect] = [:]

    /// When the signals of lights end.
    private var signalEnds: [ResourceID: Duration] = [:]

    private struct TimedEffect {
        let ticket: Ticket
        let end: Duration

        init?(_ color: LightUpdate.Color, by ticket: Ticket, at now: Duration) {
            guard case let .effect(effect, over: _) = color, let milliseconds = effect.milliseconds else { return nil }
            (self.ticket, end) = (ticket, now + .milliseconds(milliseconds))
        }

        /// Whether what the light reports now is the end of the effect: no hand's.
        func isEnding(at now: Duration) -> Bool { end - .seconds(2) <= now && now <= end + .seconds(5) }
    }

    private struct Recall {
        let scene: Cause.Kind
        let before: LightMirror
        let sent: Duration

        /// How long before a connection is lost a scene may have been recalled that no report tells of: an answer is
        /// waited for, and then its lights are read.
        static let longestSilence = Duration.seconds(20)
    }

    /// - Parameter colors: what lights were asked to show, as far as it is remembered from before.
    init(
        _ bridge: Bridge.ID, _ policy: OfflineCommands.Policy, remembering colors: [Light.ID: [HueSaturation]] = [:]
    ) {
        resources = HomeResources(bridge: bridge, remembering: colors)
        offline = OfflineCommands(policy)
    }

    mutating func apply(_ policy: OfflineCommands.Policy) { offline.policy = policy }

    // MARK: - What the bridge reports

    /// Takes in everything that the bridge has. What was reported of a light, or sent to it, since the request is newer
    /// than the answer. A light that shows what neither it nor lightd did before, after a time without a connection, was
    /// changed by somebody else; unless a scene of ours was recalled for it, of which nothing had been reported.
    mutating func load(_ everything: [Resource], askedAt asked: Duration, at time: Timestamp, _ now: Duration)
        -> Effects
    {
        let (before, firmware) = (resources.lights, resources.firmware)
        resources.load(everything, at: time)
        lastRead = resources.lights.mapValues { _ in now }
        moving = resources.lights.filter(\.value.isMoving)
        var effects = Effects(isRearranged: true)
        for (id, known) in before {
            guard isUntouched(id, since: asked) else {
                resources.keep(known)
                continue
            }
            guard let light = resources.lights[id] else { continue }
            if light.isReachable != known.isReachable {
                if light.isReachable {
                    offline.returned(id, at: now)
                    attribution.returned(id, at: now)
                } else {
                    offline.left(id)
                }
            }
            if let sent = sentBeforeLoss?[id], sent.contains(where: light.shows) { continue }
            guard sentBeforeLoss != nil, known.isReachable, light.isReachable, !light.looks(like: known),
                !light.hasMoved(since: known)
            else { continue }
            if let recall = recalled[id], known.looks(like: recall.before) {
                effects.updates.append(.light(Light.ID(resources.bridge, id), light.report(from: recall.scene)))
            } else {
                effects.yields.append(id)
            }
        }
        if sentBeforeLoss != nil { (sentBeforeLoss, recalled) = (nil, [:]) }
        effects.updates.append(resources.everything(at: time))
        // What is read anew says nothing of it.
        offline.tellAnew()
        if resources.firmware != firmware { effects.updates.append(.firmware(resources.bridge, resources.firmware)) }
        noteSignals(at: time, now)
        return effects
    }

    /// Takes in the events of one frame.
    mutating func apply(_ events: [EventContainer], at time: Timestamp, _ now: Duration) -> Effects {
        for event in events {
            attribution.see(event, in: resources, at: now)
            dropReplaced(by: event, at: now)
        }
        var effects = Effects()
        for event in events.lossesFirst {
            let before = resources.lights(in: event)
            let (updates, returned) = resources.apply(event, at: time)
            attribute(updates, after: before, at: now, &effects)
            effects.reads += returned
            // A room's grouped light may follow a moment after the room.
            if event.kind == .add, event.data.contains(where: \.isGroupedLight) { effects.isRearranged = true }
        }
        if effects.updates.contains(where: \.isSignal) { noteSignals(at: time, now) }
        decide(at: now, &effects)
        return effects
    }

    /// What was kept for lights that have just returned was asked for before a scene that somebody else recalls now.
    private mutating func dropReplaced(by event: EventContainer, at now: Duration) {
        guard event.kind == .update else { return }
        for case let .scene(scene) in event.data where scene.status?.isActive == true {
            for light in resources.lights(ofScene: scene.id) where resources.lights[light]?.isReachable == true {
                if case .scene(_, by: nil) = attribution.source(of: light, at: now) { offline.forget(light) }
            }
        }
    }

    /// Takes in lights that were read, and whether they are in reach. What was reported of a light, or sent to it, since
    /// the request is newer than the answer.
    ///
    /// - Returns: `isNew`: whether the answer contains something that was not known.
    mutating func refresh(
        _ read: [Resource], askedAt asked: Duration, at time: Timestamp, _ now: Duration
    ) -> (Effects, isNew: Bool) {
        let newer = Set(resources.lights.keys.filter { !isUntouched($0, since: asked) })
        let newerDevices = Set(newer.compactMap { resources.lights[$0]?.device })
        let lights = read.compactMap { if case let .light(light) = $0 { light } else { nil } }
        let others = read.filter { resource in
            switch resource {
            case .light: false
            case let .connectivity(part): resources.device(of: part).map { !newerDevices.contains($0) } ?? false
            default: true
            }
        }
        // First, so that the state of a light that is back is known for its power-on state.
        var effects = apply([EventContainer(.update, others)], at: time, now)
        // Of a light that is back, the state came in the same answer.
        effects.reads.removeAll { light in lights.contains { $0.id == light } }
        var isNew = !effects.updates.isEmpty
        for light in lights { lastRead[light.id] = now }
        for light in lights where !newer.contains(light.id) {
            let updates = resources.refresh(light, at: time)
            isNew = isNew || !updates.isEmpty || resources.lights[light.id] == nil
            attribute(updates, at: now, &effects)
        }
        if effects.updates.contains(where: \.isSignal) { noteSignals(at: time, now) }
        return (effects, isNew)
    }

    /// Takes in sensors that were read. What their bridge has reported since is newer than the answer, and says so itself.
    ///
    /// - Parameter isPolled: whether the bridge has no other way to tell what happens.
    /// - Returns: `isNew`: whether the answer contains something that was not known.
    mutating func refresh(
        sensors read: [Resource], isPolled: Bool, at time: Timestamp, _ now: Duration
    ) -> (Effects, isNew: Bool) {
        let occasion = isPolled ? SensorMirror.Occasion.poll : .read
        attribution.see(read, occasion, in: resources, at: now)
        var effects = Effects()
        attribute(resources.update(read, occasion, at: time).updates, at: now, &effects)
        return (effects, !effects.updates.isEmpty)
    }

    /// Whether a light has been reported just now. The answer to a command says nothing of what it shows.
    func isJustReported(_ light: ResourceID, at now: Duration) -> Bool {
        lastReported[light].map { now - $0 < .milliseconds(100) } ?? false
    }

    private func wasJustRead(_ light: ResourceID, at now: Duration) -> Bool {
        lastRead[light].map { now <= $0 + PendingConfirmations.timeout } ?? false
    }

    private func isUntouched(_ light: ResourceID, since moment: Duration) -> Bool {
        func isEarlier(_ last: Duration?) -> Bool { last.map { $0 < moment } ?? true }
        return isEarlier(lastSent[light]) && isEarlier(lastReported[light])
    }

    /// Adds updates to the effects, each light's with its cause.
    ///
    /// - Parameter before: what was known until now of lights of which an update may say nothing new.
    private mutating func attribute(
        _ updates: [BridgeUpdate], after before: [ResourceID: LightMirror] = [:], at now: Duration,
        _ effects: inout Effects
    ) {
        for update in updates {
            switch update {
            case let .light(id, report):
                lastReported[id.resourceID] = now
                let before = before[id.resourceID]
                if let report = attribute(report, of: id.resourceID, after: before, at: now, &effects) {
                    effects.updates.append(.light(id, report))
                }
            case .changed(.sensor), .added(.sensor), .removed(.sensor): effects.updates.append(update)
            case .added, .changed, .removed:
                effects.isRearranged = true
                effects.updates.append(update)
            case .home, .renamed, .sensor, .signal, .firmware: effects.updates.append(update)
            }
        }
    }

    /// - Returns: `nil` if it is to be told later: by ``decide(at:_:)``.
    private mutating func attribute(
        _ report: Light.Report, of light: ResourceID, after before: LightMirror?, at now: Duration,
        _ effects: inout Effects
    ) -> Light.Report? {
        switch report.reachable {
        case false?:
            if let lost = confirmations.lost(light, at: now) {
                offline.keep(lost.update, for: light, by: lost.ticket, at: now)
            }
            offline.left(light)
            return report
        case true?:
            offline.returned(light, at: now)
            attribution.returned(light, at: now)
        case nil: break
        }
        guard let known = resources.lights[light] else { return report }
        let meaning = confirmations.hear(known, after: before, at: now)
        let source = attribution.source(of: light, at: now)
        let hasMoved = known.hasMoved(since: moving[light])
        moving[light] = known.isMoving ? known : nil
        switch meaning {
        // Whoever recalled the dynamic scene is the cause of each of its colours.
        case .foreign where source == .otherApp && hasMoved: return report
        case let .ours(ticket): return report.from(ticket.map { .command($0) })
        // The bridge has shown the target of a light that it does not reach, and takes it back: nobody's hand.
        case let .takenBack(ticket) where !source.isOfPerson: return report.from(ticket.map { .command($0) })
        case let .unsettled(ticket, isAccepted: isAccepted):
            // The answer may be lost, and the light be where somebody wants it.
            if !isAccepted, source.isOfPerson { effects.yields.append(light) }
            return report.from(ticket.map { .command($0) })
        case .doubtful where source == .otherApp && report.reachable == nil: return nil
        // It was read before its event came.
        case .repeated where source == .otherApp && wasJustRead(light, at: now):
            return report
        case .foreign
        where source == .otherApp && known.effect?.form != .timed && timed[light]?.isEnding(at: now) == true:
            return report.from(timed[light].map { .command($0.ticket) })
        case .doubtful, .foreign, .takenBack, .repeated:
            if report.hasValues { overrule(light, by: source, at: now, &effects) }
            if !known.isReachable, report.reachable == nil, source != .power {
                // Somebody has changed what a light out of reach is to show. If it was our scene, that is what the
                // scene wants of it.
                offline.forget(light)
                if case let .scene(_, by: ticket?) = source {
                    offline.keep(known.look, for: light, by: ticket, at: now)
                }
            }
            return report.from(source)
        }
    }

    /// Something else than a command of ours has changed the light.
    private mutating func overrule(
        _ light: ResourceID, by source: Cause.Kind, at now: Duration, _ effects: inout Effects
    ) {
        confirmations.overrule(light, isHand: source != .power, isNamed: source != .otherApp, at: now)
        effects.yields.append(light)
    }

    /// Tells what lights show that went back to what they showed before a group command, and why: as soon as that can be
    /// decided.
    private mutating func decide(at now: Duration, _ effects: inout Effects) {
        var attribution = attribution
        let (reversed, missed) = confirmations.decide(at: now) { attribution.source(of: $0, at: now) != .otherApp }
        tellReversed(reversed.map { ($0, confirmations.ticket(of: $0)) }, at: now, &effects)
        for repair in missed {
            guard let light = resources.lights[repair.light] else { continue }
            let report = light.report(from: repair.ticket.map { .command($0) })
            effects.updates.append(.light(Light.ID(resources.bridge, light.id), report))
            effects.repairs.append(repair)
        }
    }

    /// Tells what lights show on which somebody has taken a group command back, and who it was.
    ///
    /// - Parameter lights: each with the command.
    private mutating func tellReversed(
        _ lights: [(ResourceID, Ticket?)], at now: Duration, _ effects: inout Effects
    ) {
        for (id, ticket) in lights {
            guard let light = resources.lights[id] else { continue }
            let source = attribution.source(of: id, at: now)
            effects.yields.append(id)
            effects.updates.append(
                .light(Light.ID(resources.bridge, id), light.report(from: source, overrules: true, judged: ticket)))
        }
    }

    /// Of lights that seem to have missed a group command, those of which that is still so now that everything was read by
    /// which one may know better.
    mutating func confirmMissed(_ repairs: [Repair], at now: Duration) -> (Effects, missed: [Repair]) {
        var effects = Effects()
        decide(at: now, &effects)
        let reversed = repairs.filter { $0.missed.map(confirmations.isHandKnown) ?? false }
        tellReversed(reversed.map { ($0.light, $0.ticket) }, at: now, &effects)
        return (effects, repairs.filter { !reversed.contains($0) })
    }

    // MARK: - What lights show

    /// What lights show, as a scene stores it: what was sent to one and not reported yet counts as shown. One that is
    /// off is stored as off.
    func actions(of lights: [ResourceID]) -> [SceneResource.Action] {
        lights.compactMap { light in
            guard let known = resources.lights[light] else { return nil }
            let shown = confirmations.pending(light).map { known.look.merged(with: $0) } ?? known.look
            let action = shown.on == false ? LightUpdate(on: false) : shown.ofScene
            return SceneResource.Action(ResourceReference(light, .light), action)
        }
    }

    /// Takes in a scene that was just read, in a copy of the home: what has changed of it, the bridge reports.
    mutating func take(_ scene: SceneResource) { resources.take(scene) }

    // MARK: - What is sent

    /// Notes an update that is about to be sent: its confirmation is expected, its colour stands for the person's words,
    /// and a light that is out of reach gets it when it returns.
    ///
    /// - Parameter sent: what the bridge is sent, if that is not the update: one command to lights of several gamuts.
    /// - Returns: what the light makes of it.
    mutating func expect(
        _ update: LightUpdate, sentAs sent: LightUpdate? = nil, of light: ResourceID, by ticket: Ticket?,
        isOfGroup: Bool,
        at now: Duration
    ) -> LightUpdate {
        lastSent[light] = now
        recalled[light] = nil
        guard let before = resources.lights[light] else { return update.held(for: nil) }
        var running = before
        if case let .effect(asked, over: _)? = confirmations.pending(light)?.color { running.effect = asked }
        let held = (sent ?? update).held(for: running)
        confirmations.sent(held, to: light, by: ticket, before: before, isOfGroup: isOfGroup, at: now)
        if let points = update.color?.points, !points.isEmpty, let shown = held.color?.points {
            resources.noteRequestedColors(points, as: shown, of: light, besideOthers: update.color?.base == nil)
        }
        if let color = update.color { timed[light] = ticket.flatMap { TimedEffect(color, by: $0, at: now) } }
        if case let .mirek(mirek) = held.color?.base { resources.noteRequestedWhite(mirek, of: light) }
        if before.isReachable {
            offline.replace(light, by: update)
        } else {
            offline.keep(update, for: light, by: ticket, at: now)
        }
        return held
    }

    /// Notes whether the bridge has accepted what was sent to lights; `nil` if its answer was lost.
    mutating func delivered(to lights: [ResourceID], isAccepted: Bool?, at now: Duration) {
        if let isAccepted {
            confirmations.answered(lights, isAccepted: isAccepted)
        } else {
            confirmations.answerLost(lights, at: now)
        }
        noteSent(to: lights, at: now)
    }

    /// Notes that a command is about to recall a scene: what its lights do next is the scene's doing.
    mutating func recall(_ scene: Scene.ID, of lights: [ResourceID], by ticket: Ticket, at now: Duration) {
        let cause = Cause.Kind.scene(scene, by: ticket)
        attribution.recall(scene.resourceID, cause, in: resources, at: now)
        for light in lights {
            // What was kept for one that has just returned was asked for before.
            if resources.lights[light]?.isReachable == true { offline.forget(light) }
            recalled[light] = resources.lights[light].map { Recall(scene: cause, before: $0, sent: now) }
        }
        confirmations.overtaken(lights)
        noteSent(to: lights, at: now)
    }

    /// Notes that lights are being spoken to, or that this has ended.
    mutating func noteSent(to lights: [ResourceID], at now: Duration) {
        for light in lights { lastSent[light] = now }
    }

    /// The connection is lost: once it is back everything is read.
    mutating func lose(at now: Duration) {
        if sentBeforeLoss == nil { recalled = recalled.filter { now - $0.value.sent <= Recall.longestSilence } }
        sentBeforeLoss = (sentBeforeLoss ?? [:]).merging(confirmations.forget(at: now)) { $0 + $1 }
        signalEnds = [:]
    }

    // MARK: - What is due

    /// What must be done now: lights without a confirmation are read; lights that are back, or were not reached by a group
    /// command, get what they missed.
    mutating func due(at now: Duration) -> (unconfirmed: [ResourceID], Effects) {
        var effects = Effects(repairs: offline.due(at: now).filter { resources.lights[$0.light] != nil })
        decide(at: now, &effects)
        for (light, end) in signalEnds where end <= now {
            signalEnds[light] = nil
            if let update = resources.endSignal(of: light) { effects.updates.append(update) }
        }
        return (confirmations.overdue(at: now), effects)
    }

    /// What the domain is to hear of what is kept for lights out of reach: nobody has done anything.
    mutating func newsOfKept(at now: Duration) -> [BridgeUpdate] {
        offline.news(at: now).compactMap { light, update -> BridgeUpdate? in
            guard let known = resources.lights[light] else { return nil }
            let kept = Light.Kept(update.map { known.patch(of: $0) })
            return .light(Light.ID(resources.bridge, light), Light.Report(LightPatch(), kept: kept))
        }
    }

    /// When what is kept for a light becomes too old. While the bridge is away, nothing else is due.
    var nextExpiry: Duration? { offline.nextExpiry }

    var nextDue: Duration? { [confirmations.next, offline.next, signalEnds.values.min()].compactMap(\.self).min() }

    private mutating func noteSignals(at time: Timestamp, _ now: Duration) {
        signalEnds = resources.lights.compactMapValues { light in light.signal.map { now + $0.end.since(time) } }
    }

    /// The bridge did not answer when these lights were to be read.
    mutating func unread(_ lights: [ResourceID], at now: Duration) { confirmations.unread(lights, at: now) }

    /// Decides about lights that were read because no confirmation came.
    ///
    /// - Parameter isAwaited: whether something newer waits to be sent to a light.
    mutating func judge(_ unconfirmed: [ResourceID], isAwaited: (ResourceID) -> Bool, at now: Duration) -> Effects {
        var effects = Effects()
        for light in unconfirmed.compactMap({ resources.lights[$0] }) {
            var source: Cause.Kind? = attribution.source(of: light.id, at: now)
            let ticket = confirmations.ticket(of: light.id)
            switch confirmations.judge(light, at: now) {
            case nil, .unsettled, .doubtful, .takenBack, .repeated: continue
            case let .ours(ticket): source = ticket.map { .command($0) }
            case .foreign: if let source { overrule(light.id, by: source, at: now, &effects) }
            }
            // This was read after the bridge had accepted the command, so it overrules what the command asked for.
            let report = light.report(from: source, overrules: !isAwaited(light.id), judged: ticket)
            effects.updates.append(.light(Light.ID(resources.bridge, light.id), report))
        }
        decide(at: now, &effects)
        return effects
    }
}

extension [EventContainer] {
    /// The order in a frame means nothing. What a bridge takes back of a light that it does not reach must not be taken
    /// for a hand because the loss is named after it.
    fileprivate var lossesFirst: Self {
        let updates = filter { $0.kind == .update && $0.data.contains(where: \.isLoss) }
        guard !updates.isEmpty else { return self }
        let losses = updates.map { EventContainer(.update, $0.data.filter(\.isLoss), created: $0.created) }
        return losses + map { EventContainer($0.kind, $0.data.filter { !$0.isLoss }, created: $0.created) }
    }
}

extension BridgeUpdate {
    fileprivate var isSignal: Bool { if case .signal = self { true } else { false } }
}

extension Resource {
    fileprivate var isLoss: Bool { if case let .connectivity(part) = self { part.isReachable == false } else { false } }
    fileprivate var isGroupedLight: Bool { if case .groupedLight = self { true } else { false } }
}

extension LightMirror {
    fileprivate func report(
        from source: Cause.Kind?, overrules: Bool = false, judged: Ticket? = nil
    ) -> Light.Report {
        Light.Report(patch, reachable: isReachable, source: source, overrules: overrules, judged: judged)
    }
}

extension Cause.Kind {
    /// Whether somebody pressed a switch or recalled a scene elsewhere.
    fileprivate var isOfPerson: Bool {
        switch self {
        case .accessory, .scene(_, by: nil): true
        default: false
        }
    }
}

extension Light.Report {
    /// Whether it tells what the light shows.
    fileprivate var hasValues: Bool { values.power != nil || values.hasValues }
}
