import HueWire
import Khipu

/// What was asked of lamps while the bridge did not reach them, kept until they return, as a value without a clock.
struct OfflineCommands: Sendable {
    /// What is done with it.
    struct Policy: Equatable, Sendable {
        /// `false`: a lamp that returns is left as it is.
        var applies = true
        /// What is older than this when the lamp returns is forgotten.
        var keeps: Duration = .seconds(600)
        /// A lamp that has just returned shows its power-on state, and hears nothing yet.
        var pause: Duration = .seconds(2)
    }

    private struct Kept: Sendable {
        var patch: Patch
        var ticket: Ticket?
        var asked: Duration
        var due: Duration?
    }

    let policy: Policy
    private var kept: [ResourceID: Kept] = [:]

    init(_ policy: Policy) {
        self.policy = policy
    }

    /// Keeps what is asked of a lamp that is out of reach; the newest wins, attribute by attribute.
    mutating func keep(_ patch: Patch, for light: ResourceID, by ticket: Ticket?, at now: Duration) {
        guard policy.applies else { return }
        let whole = kept[light]?.patch.merged(with: patch) ?? patch
        kept[light] = Kept(patch: whole, ticket: ticket, asked: now)
    }

    /// Somebody has asked something else of it meanwhile.
    mutating func forget(_ light: ResourceID) { kept[light] = nil }

    mutating func returned(_ light: ResourceID, at now: Duration) { kept[light]?.due = now + policy.pause }
    mutating func left(_ light: ResourceID) { kept[light]?.due = nil }

    /// What is to be asked of lamps that are back.
    mutating func due(at now: Duration) -> [(light: ResourceID, patch: Patch, ticket: Ticket?)] {
        let ready = kept.filter { $0.value.due.map { $0 <= now } ?? false }
        for light in ready.keys { kept[light] = nil }
        kept = kept.filter { now - $0.value.asked <= policy.keeps }
        return ready.filter { now - $0.value.asked <= policy.keeps }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value.patch, $0.value.ticket) }
    }

    var next: Duration? { kept.values.compactMap(\.due).min() }
}
