import HueWire
import Khipu

/// What was sent to lamps and is still to be seen of them, as a value without a clock: `now` comes in. An echo is recognised within
/// the lamp's own gamut and steps; a lamp that a group command did not reach is found, and named once.
///
/// A bridge shows what it was asked for at once, and finds out seconds later that a lamp of a group did not follow: it then tells
/// what the lamp really shows, which is what it showed before the command (docs/gateway.md).
struct PendingConfirmations: Sendable {
    /// What a report of a lamp means, given what was sent to it.
    enum Meaning: Equatable, Sendable {
        /// What this command asked for, or a step on the way there.
        case ours(Ticket?)
        /// A group command did not reach it: this is to be sent once more, to the lamp alone.
        case straggler(Patch, Ticket?)
        /// Somebody else's doing.
        case foreign
    }

    fileprivate struct Expected: Sendable {
        /// Held to what the lamp can show.
        let patch: Patch
        let ticket: Ticket?
        let sent: Duration
        let before: LightMirror
        /// Whether the lamp may have been missed by a broadcast.
        let isOfGroup: Bool
        /// Whether the lamp was so already: then nothing is to be heard of it, and what is heard is somebody else's doing.
        let wasSo: Bool
        /// Whether the bridge has taken it.
        var isTaken = false
        var isSeen = false
        var isAsked = false

        /// Until when a report may be of it: bridges find out about five seconds after the fade that a lamp did not follow.
        var end: Duration { sent + .milliseconds(patch.milliseconds ?? 400) + .seconds(9) }
    }

    /// A bridge echoes within about a second, as it gathers what happens before it tells.
    static let timeout = Duration.milliseconds(1600)

    private var expected: [ResourceID: Expected] = [:]

    /// Notes what is about to be sent to a lamp.
    ///
    /// - Parameters:
    ///   - before: what it showed until now.
    ///   - isOfGroup: whether it goes by a broadcast, which lamps may miss; what is sent to a lamp alone is answered for.
    mutating func sent(
        _ patch: Patch, to light: ResourceID, by ticket: Ticket?, before: LightMirror, isOfGroup: Bool, at now: Duration
    ) {
        // What is known of a lamp is of before where an echo is still to come.
        let isKnown = expected[light].map { $0.isSeen || $0.wasSo } ?? true
        expected[light] = Expected(
            patch: patch, ticket: ticket, sent: now, before: before, isOfGroup: isOfGroup,
            wasSo: isKnown && before.shows(patch))
    }

    /// The bridge has taken what was sent to these lamps, or has not.
    mutating func answered(_ lights: [ResourceID], isTaken: Bool) {
        for light in lights {
            if isTaken { expected[light]?.isTaken = true } else { expected[light] = nil }
        }
    }

    /// A scene takes the place of what was sent to these lights: what they show next is its doing, and nothing of before is repaired.
    mutating func overtaken(_ lights: [ResourceID]) {
        for light in lights { expected[light] = nil }
    }

    /// What the last report of a lamp means, now that it is merged into what is known.
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
        // A part of it, or what was overtaken: its own echo is still to come.
        guard expectation.isSeen || expectation.wasSo else { return .ours(expectation.ticket) }
        expected[light.id] = nil
        return .foreign
    }

    /// The lamps of which nothing was heard in time: they are to be read. Each is named once.
    mutating func overdue(at now: Duration) -> [ResourceID] {
        expected = expected.filter { now <= $0.value.end }
        let silent = expected.filter { $0.value.isOverdue(at: now) }.keys.sorted()
        for light in silent { expected[light]?.isAsked = true }
        return silent
    }

    /// A lamp was read because nothing was heard of it: as asked, missed by a group command, or somebody else's doing.
    ///
    /// - Returns: `nil` where it was heard of meanwhile, or something newer was sent.
    mutating func judge(_ light: LightMirror) -> Meaning? {
        guard let expectation = expected[light.id], expectation.isAsked, !expectation.isSeen else { return nil }
        if light.shows(expectation.patch) {
            expected[light.id]?.isSeen = true
            return .ours(expectation.ticket)
        }
        expected[light.id] = nil
        return expectation.isOfGroup && light.isReachable ? .straggler(expectation.patch, expectation.ticket) : .foreign
    }

    /// The bridge no longer reaches the lamp.
    ///
    /// - Returns: what was sent to it so lately that it was dark by then.
    mutating func lost(_ light: ResourceID, at now: Duration) -> (patch: Patch, ticket: Ticket?)? {
        guard let expectation = expected.removeValue(forKey: light), now <= expectation.end else { return nil }
        return (expectation.patch, expectation.ticket)
    }

    /// The line was lost: what is asked of the lamps is read with everything else.
    mutating func forget() { expected = [:] }

    /// When a lamp is to be read if nothing is heard of it.
    var next: Duration? { expected.values.lazy.filter(\.isWaiting).map { $0.sent + Self.timeout }.min() }
}

extension PendingConfirmations.Expected {
    fileprivate var isWaiting: Bool { isTaken && !isSeen && !isAsked }
    fileprivate func isOverdue(at now: Duration) -> Bool { isWaiting && now >= sent + PendingConfirmations.timeout }
}
