import HueWire
import Khipu

/// Which lights still have to confirm what was sent to them. A value without a clock: `now` comes in. A confirmation is
/// recognised within the light's own gamut and precision. A light that a group command did not reach is found, and
/// named once.
///
/// A bridge reports at once what it was asked for, and finds out seconds later that a light of a group did not follow.
/// Then it reports what the light really shows, which is what it showed before the command (docs/gateway.md).
struct PendingConfirmations: Sendable {
    /// What a report of a light means, given what was sent to it.
    enum Meaning: Equatable, Sendable {
        /// Confirms this command, or is a step on the way there.
        case ours(Ticket?)
        /// A group command did not reach the light: this is to be sent once more, to the light alone.
        case straggler(Patch, Ticket?)
        /// Caused by something else.
        case foreign
    }

    fileprivate struct Expected: Sendable {
        /// Limited to what the light can show.
        let patch: Patch
        let ticket: Ticket?
        let sent: Duration
        let before: LightMirror
        /// Whether it went as a broadcast, which a light may miss.
        let isOfGroup: Bool
        /// Whether the light already showed it. Then it reports nothing, and whatever it reports has another cause.
        let wasSo: Bool
        /// Whether the bridge has accepted it.
        var isTaken = false
        var isSeen = false
        var isAsked = false

        /// The last moment at which a report may belong to it: bridges find out about five seconds after the fade that
        /// a light did not follow.
        var end: Duration { sent + .milliseconds(patch.milliseconds ?? 400) + .seconds(9) }
    }

    /// Bridges confirm within about a second, because they collect events before they send them.
    static let timeout = Duration.milliseconds(1600)

    private var expected: [ResourceID: Expected] = [:]

    /// What was sent to a light that has not reported it yet.
    func pending(_ light: ResourceID) -> Patch? {
        expected[light].flatMap { $0.isTaken && !$0.isSeen ? $0.patch : nil }
    }

    /// Notes what is about to be sent to a light.
    ///
    /// - Parameters:
    ///   - before: what it showed until now.
    ///   - isOfGroup: whether it goes as a broadcast, which lights may miss. The answer to a command for one light says
    ///     whether the light got it.
    mutating func sent(
        _ patch: Patch, to light: ResourceID, by ticket: Ticket?, before: LightMirror, isOfGroup: Bool, at now: Duration
    ) {
        // While a confirmation is pending, what is known of the light may be out of date.
        let isKnown = expected[light].map { $0.isSeen || $0.wasSo } ?? true
        expected[light] = Expected(
            patch: patch, ticket: ticket, sent: now, before: before, isOfGroup: isOfGroup,
            wasSo: isKnown && before.shows(patch))
    }

    /// Notes whether the bridge has accepted what was sent to these lights.
    mutating func answered(_ lights: [ResourceID], isTaken: Bool) {
        for light in lights {
            if isTaken { expected[light]?.isTaken = true } else { expected[light] = nil }
        }
    }

    /// A scene replaces what was sent to these lights: it causes what they show next, and nothing older is repaired.
    mutating func overtaken(_ lights: [ResourceID]) {
        for light in lights { expected[light] = nil }
    }

    /// Tells what the last report of a light means, after it was merged into what is known.
    mutating func hear(_ light: LightMirror, at now: Duration) -> Meaning {
        guard let expectation = expected[light.id], now <= expectation.end else {
            expected[light.id] = nil
            return .foreign
        }
        if light.shows(expectation.patch) {
            expected[light.id]?.isSeen = true
            return .ours(expectation.ticket)
        }
        if expectation.isOfGroup, expectation.isSeen, light.looks(like: expectation.before) {
            expected[light.id] = nil
            return .straggler(expectation.patch, expectation.ticket)
        }
        // It is part of it, or belongs to an older command: its own confirmation is still to come.
        guard expectation.isSeen || expectation.wasSo else { return .ours(expectation.ticket) }
        expected[light.id] = nil
        return .foreign
    }

    /// The lights that have not confirmed in time and must be read. Each is named once.
    mutating func overdue(at now: Duration) -> [ResourceID] {
        expected = expected.filter { now <= $0.value.end }
        let silent = expected.filter { $0.value.isOverdue(at: now) }.keys.sorted()
        for light in silent { expected[light]?.isAsked = true }
        return silent
    }

    /// Judges a light that was read because it had not confirmed.
    ///
    /// - Returns: `nil` if it has confirmed meanwhile, or something newer was sent.
    mutating func judge(_ light: LightMirror) -> Meaning? {
        guard let expectation = expected[light.id], expectation.isAsked, !expectation.isSeen else { return nil }
        if light.shows(expectation.patch) {
            expected[light.id]?.isSeen = true
            return .ours(expectation.ticket)
        }
        expected[light.id] = nil
        return expectation.isOfGroup && light.isReachable ? .straggler(expectation.patch, expectation.ticket) : .foreign
    }

    /// The bridge cannot reach the light any more.
    ///
    /// - Returns: what was sent to it so recently that it can no longer have got it.
    mutating func lost(_ light: ResourceID, at now: Duration) -> (patch: Patch, ticket: Ticket?)? {
        guard let expectation = expected.removeValue(forKey: light), now <= expectation.end else { return nil }
        return (expectation.patch, expectation.ticket)
    }

    /// The connection was lost: once it is back everything is read.
    mutating func forget() { expected = [:] }

    var count: Int { expected.count }

    /// When the next light must be read if it does not confirm.
    var next: Duration? { expected.values.lazy.filter(\.isWaiting).map { $0.sent + Self.timeout }.min() }
}

extension PendingConfirmations.Expected {
    fileprivate var isWaiting: Bool { isTaken && !isSeen && !isAsked }
    fileprivate func isOverdue(at now: Duration) -> Bool { isWaiting && now >= sent + PendingConfirmations.timeout }
}
