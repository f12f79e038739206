import HueWire
import Khipu
import Lighting

/// Which lights still have to confirm what was sent to them. A value without a clock: `now` comes in. A confirmation is
/// recognised within the light's own gamut and precision. A light that a group command did not reach is found, and
/// named once.
///
/// A bridge reports at once what it was asked for, and finds out seconds later that a light of a group did not follow.
/// Then it reports what the light really shows, which is what it showed before the command: the same as if somebody had
/// taken the command back. Who did stays right, so a light counts as one that missed the command only if nothing speaks
/// of a hand (docs/gateway.md).
struct PendingConfirmations: Sendable {
    /// What a report of a light means, given what was sent to it.
    enum Meaning: Equatable, Sendable {
        /// Confirms this command.
        case ours(Ticket?)
        /// A step on the way there, or belongs to an older command; or to somebody who wants what that asked. Its own
        /// confirmation is still to come, or the light is read.
        ///
        /// - Parameter isAccepted: whether the bridge has answered that it accepts the command.
        case unsettled(Ticket?, isAccepted: Bool)
        /// A group command did not reach the light, or somebody has taken it back: ``decide(at:)`` says which.
        case doubtful
        /// The bridge does not reach the light, and shows again what it showed before the command.
        case takenBack(Ticket?)
        /// Caused by something else.
        case foreign
        /// Nothing more is expected of the light, and it shows what it showed before.
        case repeated
    }

    fileprivate struct Expected: Sendable {
        /// Limited to what the light can show.
        let update: LightUpdate
        let ticket: Ticket?
        let sent: Duration
        let before: LightMirror
        /// What it shows once all that was asked of it is carried out.
        let target: LightUpdate
        /// The commands before it of which reports may still come, the oldest first.
        var earlier: [Earlier]
        /// What was expected until this was sent, and is again if the bridge refuses this. At most one; an array, because a
        /// struct cannot contain another of its kind.
        var replaced: [Self]
        /// Whether it went as a broadcast, which a light may miss.
        let isOfGroup: Bool
        /// Whether the light already showed it. Then it reports nothing, and whatever it reports has another cause.
        let alreadyShown: Bool
        /// Whether the bridge has accepted it.
        var isAccepted = false
        /// Whether the bridge has refused a newer command, which is perhaps sent again.
        var isRestored = false
        /// When its answer was lost: nobody knows whether it was carried out.
        var unanswered: Duration?
        /// What the light showed when it had confirmed it.
        var seen: LightMirror?
        /// Whether it showed after that what an earlier command had asked: what seemed to confirm this one may have been the
        /// report of another. Of on, off and on again, the first looks like the last.
        var isContradicted = false
        /// When it must be read if it has not confirmed the command; `nil` once it is.
        var readDue: Duration?
        /// Since when it shows again what it showed before.
        var doubted: Duration?
        /// Somebody else has changed the light since.
        var isOverruled = false
        /// The bridge does not reach the light any more: what it reports from now on is no confirmation.
        var isLost = false
        /// When it went back to what it showed before, and nothing spoke of a hand.
        var reverted: Duration?

        struct Earlier: Sendable {
            let sent: Duration
            let before: LightUpdate
            let target: LightUpdate
        }

        var isReported: Bool { seen != nil && !isContradicted }
        /// What it showed when this was sent; `nil` if that is not known for sure.
        var settled: LightMirror? { isReported ? seen : alreadyShown ? before : nil }

        /// What it shows if it has missed the command.
        var looksIfMissed: [LightUpdate] { [before.look] + earlier.flatMap { [$0.before, $0.target] } }

        /// Whether a light shows what one does that has missed the command. Whatever else it shows, somebody wanted.
        func isMissed(by light: LightMirror) -> Bool { looksIfMissed.contains { light.shows($0) } }

        /// Whether reports of earlier commands may still come.
        private func mayBeLate(at now: Duration) -> Bool {
            !earlier.isEmpty && now <= sent + PendingConfirmations.timeout
        }

        /// That a lamp which is off shows a level already is never known.
        private var changesNothing: Bool { alreadyShown && before.isOn }

        /// Whether reports of it may still come.
        func isOpen(at now: Duration) -> Bool {
            !changesNothing && !isOverruled && (!isReported || mayBeLate(at: now))
        }

        /// Whether what a light shows may be the report of an earlier command, or of several: bridges report each value by
        /// itself.
        func mayBeReport(_ light: LightMirror, at now: Duration) -> Bool {
            guard light.isReachable, mayBeLate(at: now) else { return false }
            return isOnTheWay(light)
        }

        /// Whether each value that a light shows is one that it showed before, or was asked for.
        private func isOnTheWay(_ light: LightMirror) -> Bool {
            let looks = looksIfMissed + [target]
            return looks.contains { $0.on == light.isOn }
                && looks.contains { light.shows(LightUpdate(brightness: $0.brightness)) }
                && looks.contains { light.shows(LightUpdate(color: $0.color)) }
        }

        /// Whether the level that a light shows may be on the way to what was asked of it: between that and what it showed
        /// before, or was asked for before. A step of a sunrise follows the next before a bridge has reported it, and who
        /// sets another level meanwhile is heard. One that was off comes from nothing, or shows its last level first.
        func mayShow(_ light: LightMirror) -> Bool {
            guard light.isOn, !isOfGroup, let level = light.level, let wanted = update.brightness else {
                return !isRestored || isOnTheWay(light)
            }
            let isLast = looksIfMissed.contains { look in
                look.brightness.map { abs($0 - level) <= Self.exactness } ?? false
            }
            // One that is not known may have been this.
            let levels = looksIfMissed.map { $0.on == false ? 0 : $0.brightness ?? level }
            let (least, most) = (levels.reduce(wanted, min), levels.reduce(wanted, max))
            return isLast || (least - Self.exactness...most + Self.exactness).contains(level)
        }

        /// In which per cents of the range a level may be rounded on the way.
        private static let exactness = 1.0

        /// Whether what it was not asked for may change, too, because of it.
        func mayGoOn(at now: Duration) -> Bool {
            now <= fadeEnd + PendingConfirmations.timeout && !changesNothing
        }

        /// Whether an effect or a gradient begins that nobody of ours has asked for: whatever a lamp is sent, none begins by
        /// itself.
        func asksForNone(ofWhatBegins light: LightMirror, _ shown: LightMirror) -> Bool {
            let asked = ([update, target] + earlier.map(\.target)).compactMap(\.color)
            if let begun = light.effect?.name, begun != shown.effect?.name {
                return !asked.contains {
                    if case let .effect(effect, over: _) = $0 { effect.name == begun } else { false }
                }
            }
            return !light.gradient.isEmpty && shown.gradient.isEmpty
                && !asked.contains { if case .gradient? = $0.base { true } else { false } }
        }

        /// When the fade ends: of what is reported until then, all belongs to it.
        var fadeEnd: Duration { sent + .milliseconds(update.milliseconds ?? 400) }

        /// The last moment at which a report may belong to it: bridges find out about five seconds after the fade that
        /// a light did not follow.
        var end: Duration { max(fadeEnd, unanswered ?? .zero) + Freshness.attributionTimeout }
    }

    /// Bridges confirm within about a second, because they collect events before they send them.
    static let timeout = Duration.milliseconds(1600)

    /// No bridge finds out sooner after a fade that a light did not follow.
    private static let earliestMiss = Duration.seconds(2)
    /// Of commands that follow one another before any is confirmed, as from a slider, so many are remembered.
    private static let mostEarlier = 16
    /// How long a light is doubted: what else somebody did, or which switch it was, may be told in a later frame.
    static let doubt = ChangeAttribution.reaction

    private var expected: [ResourceID: Expected] = [:]
    /// When somebody else last changed a light.
    private var lastHand: Duration?

    /// What was sent to a light that has not reported it yet.
    func pending(_ light: ResourceID) -> LightUpdate? {
        expected[light].flatMap { $0.isAccepted && !$0.isReported && !$0.isOverruled && !$0.isLost ? $0.update : nil }
    }

    /// The command of which a light was last sent something.
    func ticket(of light: ResourceID) -> Ticket? { expected[light]?.ticket }

    /// Notes what is about to be sent to a light.
    ///
    /// - Parameters:
    ///   - before: what it showed until now.
    ///   - isOfGroup: whether it goes as a broadcast, which lights may miss. The answer to a command for one light says
    ///     whether the light got it.
    mutating func sent(
        _ update: LightUpdate, to light: ResourceID, by ticket: Ticket?, before: LightMirror, isOfGroup: Bool,
        at now: Duration
    ) {
        // While a confirmation is pending, what is known of the light may be out of date.
        let pending = expected[light].flatMap { $0.isOpen(at: now) ? $0 : nil }
        var replaced = expected[light]
        replaced?.replaced = []
        expected[light] = Expected(
            update: update, ticket: ticket, sent: now, before: before,
            target: (pending?.target ?? before.look).merged(with: update),
            earlier: pending?.earlierOfNext(at: now).suffix(Self.mostEarlier) ?? [],
            replaced: replaced.map { [$0] } ?? [], isOfGroup: isOfGroup,
            alreadyShown: pending == nil && before.shows(update), readDue: now + Self.timeout)
    }

    /// Notes whether the bridge has accepted what was sent to these lights. If not, what was expected before is again.
    mutating func answered(_ lights: [ResourceID], isAccepted: Bool) {
        for light in lights {
            if isAccepted { expected[light]?.isAccepted = true } else { expected[light] = expected[light]?.refused }
        }
    }

    /// Notes that the answer to what was sent to these lights was lost. If one shows it, it was carried out; what shows
    /// anything else was set by somebody else.
    mutating func answerLost(_ lights: [ResourceID], at now: Duration) {
        for light in lights { expected[light]?.unanswered = now }
    }

    /// A scene replaces what was sent to these lights: it causes what they show next, and nothing older is repaired.
    mutating func overtaken(_ lights: [ResourceID]) {
        for light in lights { expected[light] = nil }
    }

    /// Tells what the last report of a light means, after it was merged into what is known.
    ///
    /// - Parameter before: what was known before that.
    mutating func hear(_ light: LightMirror, after before: LightMirror? = nil, at now: Duration) -> Meaning {
        guard let expectation = expected[light.id], now <= expectation.end, !expectation.isOverruled else {
            return light.look == before?.look ? .repeated : .foreign
        }
        let settled = expectation.settled
        if expectation.isShown(by: light) {
            // Of what it was not asked for, nothing changes by itself after the fade.
            if let settled, !expectation.mayGoOn(at: now), !light.looks(like: settled) { return .foreign }
            expected[light.id]?.confirm(light, isEvent: before != nil)
            if let before, expectation.asksForNone(ofWhatBegins: light, before) { return .foreign }
            return .ours(expectation.ticket)
        }
        if expectation.mayBeReport(light, at: now) {
            expected[light.id]?.isContradicted = expectation.seen != nil
            return .unsettled(expectation.ticket, isAccepted: expectation.isAccepted)
        }
        // It shows that only because somebody has turned it off.
        if light.shows(expectation.update) { return .foreign }
        let isReverted = expectation.isMissed(by: light)
        guard settled != nil || expectation.doubted != nil && !isReverted else {
            return expectation.unanswered == nil && expectation.mayShow(light)
                ? .unsettled(expectation.ticket, isAccepted: expectation.isAccepted && !expectation.isRestored)
                : .foreign
        }
        if isReverted, !light.isReachable { return .takenBack(expectation.ticket) }
        if expectation.isOfGroup, expectation.isReported, isReverted,
            now >= expectation.fadeEnd + Self.earliestMiss
        {
            expected[light.id]?.doubted = expectation.doubted ?? now
            return .doubtful
        }
        if isReverted { expected[light.id]?.reverted = now }
        return .foreign
    }

    /// Something else has changed the light: nothing that was sent to it before is repaired.
    ///
    /// - Parameters:
    ///   - isHand: whether it was a person, as far as one can know.
    ///   - isNamed: whether the bridge says what it was.
    mutating func overrule(_ light: ResourceID, isHand: Bool, isNamed: Bool = true, at now: Duration) {
        if isHand { lastHand = now }
        if isNamed { expected[light]?.reverted = nil }
        guard let expectation = expected[light] else { return }
        if now <= expectation.end { expected[light]?.isOverruled = true } else { expected[light] = nil }
    }

    /// Decides about lights that show again what they showed before a group command: all that can be decided by now.
    /// Somebody has taken the command back if most of the lights that it changed are among them, or if somebody has
    /// changed any light since the command; otherwise they have missed it, each of which is told once.
    ///
    /// - Parameter isExplained: whether something else is known by now to have changed a light.
    mutating func decide(
        at now: Duration, _ isExplained: (ResourceID) -> Bool
    ) -> (reversed: [ResourceID], missed: [Repair]) {
        var (reversed, missed): ([ResourceID], [Repair]) = ([], [])
        for (light, expectation) in expected.sorted(by: { $0.key < $1.key }) {
            guard let doubted = expectation.doubted, !expectation.isOverruled else { continue }
            if isExplained(light) || isTakenBack(expectation) || isHandKnown(since: expectation.sent) {
                reversed.append(light)
            } else if now >= doubted + Self.doubt {
                missed.append(
                    Repair(
                        light: light, update: expectation.update, ticket: expectation.ticket, missed: expectation.sent))
                expected[light] = nil
            }
        }
        for light in reversed { overrule(light, isHand: true, at: now) }
        return (reversed, missed)
    }

    /// Whether somebody else is known to have changed any light since.
    func isHandKnown(since moment: Duration) -> Bool { lastHand.map { $0 >= moment } ?? false }

    /// Whether most of the lights that a group command has changed show something else by now. One that never showed it
    /// has not been changed, as far as one can know.
    private func isTakenBack(_ command: Expected) -> Bool {
        let changed = expected.values.filter {
            $0.isOfGroup && $0.sent == command.sent && !$0.alreadyShown && $0.isReported && !$0.isLost
        }
        return changed.count { $0.doubted != nil || $0.isOverruled } * 2 > changed.count
    }

    /// The lights that have not confirmed in time and must be read. Each is named once.
    mutating func overdue(at now: Duration) -> [ResourceID] {
        expected = expected.filter { now <= $0.value.end }
        let silent = expected.filter { $0.value.isOverdue(at: now) }.keys.sorted()
        for light in silent { expected[light]?.readDue = nil }
        return silent
    }

    /// These lights were to be read, and the bridge did not answer: they are read once more.
    mutating func unread(_ lights: [ResourceID], at now: Duration) {
        for light in lights where expected[light]?.readDue == nil { expected[light]?.readDue = now + Self.timeout }
    }

    /// Judges a light that was read because it had not confirmed. A hand in the second in which the bridge collects its
    /// events leaves one report, and no confirmation.
    ///
    /// - Returns: `nil` if it has confirmed meanwhile, or something newer was sent.
    mutating func judge(_ light: LightMirror, at now: Duration) -> Meaning? {
        guard let expectation = expected[light.id], expectation.readDue == nil, !expectation.isReported,
            !expectation.isOverruled,
            !expectation.isLost
        else { return nil }
        if expectation.isShown(by: light) {
            expected[light.id]?.confirm(light, isEvent: false)
            return .ours(expectation.ticket)
        }
        let isMissed = expectation.isMissed(by: light)
        if isMissed, !light.isReachable {
            // What it shows is kept for its return, unless somebody changes that.
            expected[light.id] = nil
            return nil
        }
        guard isMissed, expectation.isOfGroup, !expectation.isContradicted else { return .foreign }
        expected[light.id]?.doubted = expectation.doubted ?? now
        return .doubtful
    }

    /// The bridge cannot reach the light any more. It may have shown the target until now, and takes it back with the
    /// loss, or just before.
    ///
    /// - Returns: what was sent to it so recently that it can no longer have got it.
    mutating func lost(_ light: ResourceID, at now: Duration) -> (update: LightUpdate, ticket: Ticket?)? {
        guard let expectation = expected[light], now <= expectation.end else { return nil }
        let isTakenBack = expectation.reverted.map { now - $0 <= Self.doubt } ?? false
        guard !expectation.isOverruled || isTakenBack else {
            expected[light] = nil
            return nil
        }
        expected[light]?.isOverruled = false
        expected[light]?.doubted = nil
        expected[light]?.isLost = true
        return (expectation.update, expectation.ticket)
    }

    /// The connection was lost: once it is back everything is read.
    ///
    /// - Returns: what lights may come to show of what was sent to them recently: the last command, or one before it if the
    ///   bridge has not accepted the last.
    mutating func forget(at now: Duration) -> [ResourceID: [LightUpdate]] {
        defer { expected = [:] }
        return expected.filter { now <= $0.value.end && !$0.value.isOverruled && !$0.value.isLost }
            .mapValues { [$0.update] + ($0.isAccepted ? [] : $0.earlier.map(\.target)) }
    }

    var count: Int { expected.count }

    /// When the next light must be read if it does not confirm, or be decided about.
    var next: Duration? {
        expected.values.lazy.compactMap { expectation -> Duration? in
            if expectation.isWaiting { return expectation.readDue }
            return expectation.isOverruled ? nil : expectation.doubted.map { $0 + Self.doubt }
        }.min()
    }
}

extension PendingConfirmations.Expected {
    /// Whether a light shows what was asked of it. One that is off shows anything; but what leaves the power alone has not
    /// turned it off.
    fileprivate func isShown(by light: LightMirror) -> Bool {
        let isTurnedOff = !light.isOn && update.on == nil && target.on != false
        return !isTurnedOff && light.shows(update)
    }

    /// Notes that the light shows what was asked of it. Events come in order: if it did not show that before, none of an
    /// earlier command comes after this one.
    fileprivate mutating func confirm(_ light: LightMirror, isEvent: Bool) {
        (seen, isContradicted, doubted) = (light, false, nil)
        if isEvent, !earlier.contains(where: { light.shows($0.before) || light.shows($0.target) }) { earlier = [] }
    }

    /// The commands of which reports may still come once another is sent.
    fileprivate func earlierOfNext(at now: Duration) -> [Earlier] {
        let all = earlier + [Earlier(sent: sent, before: before.look, target: target)]
        return isReported ? all.filter { now - $0.sent <= PendingConfirmations.timeout } : all
    }

    /// What is expected once the bridge has refused this.
    fileprivate var refused: Self? {
        guard !isOverruled, var last = replaced.first else { return nil }
        last.isRestored = true
        last.isLost = last.isLost || isLost
        if !last.isReported { last.readDue = last.readDue ?? last.sent }
        return last
    }

    fileprivate var isWaiting: Bool { isAccepted && !isReported && readDue != nil && !isOverruled && !isLost }
    fileprivate func isOverdue(at now: Duration) -> Bool { isWaiting && readDue.map { now >= $0 } ?? false }
}
