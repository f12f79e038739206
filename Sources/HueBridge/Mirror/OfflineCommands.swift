import HueWire
import Khipu

/// Commands for lights that the bridge cannot reach, kept until they return. A value without a clock.
struct OfflineCommands: Sendable {
    /// What is done with them.
    struct Policy: Equatable, Sendable {
        /// `false`: a light that returns is left as it is.
        var applies = true
        /// Commands older than this when the light returns are dropped.
        var keeps: Duration = .seconds(600)
        /// A light that has just returned shows its power-on state, and does not listen yet.
        var pause: Duration = .seconds(2)

        /// Each is kept for as long as it says, whatever was asked after it.
        fileprivate func isFresh(_ asked: Duration, at now: Duration) -> Bool { now - asked < keeps }
    }

    private struct Kept: Sendable {
        /// In the order in which they were asked for; none of which newer ones leave nothing.
        var orders: [(update: LightUpdate, ticket: Ticket?, asked: Duration)] = []
        var due: Duration?

        /// One update in place of all of them.
        var update: LightUpdate? {
            orders.first.map { first in orders.dropFirst().reduce(first.update) { $0.merged(with: $1.update) } }
        }

        /// The same, however long it may take.
        var wish: LightUpdate? {
            update.map { LightUpdate(on: $0.on, brightness: $0.brightness, color: $0.color) }
        }
    }

    var policy: Policy { didSet { if !policy.applies { kept = [:] } } }
    private var kept: [ResourceID: Kept] = [:] { didSet { mayHaveNews = true } }
    /// What was last told to be kept for each light that is out of reach.
    private var told: [ResourceID: LightUpdate] = [:]
    private var mayHaveNews = false

    init(_ policy: Policy) {
        self.policy = policy
    }

    /// Keeps a command for a light that is out of reach. The newest value of each attribute wins.
    mutating func keep(_ update: LightUpdate, for light: ResourceID, by ticket: Ticket?, at now: Duration) {
        guard policy.applies else { return }
        var orders = (kept[light]?.orders ?? []).filter { $0.update.remaining(after: update) != nil }
        orders.append((update, ticket, now))
        kept[light] = Kept(orders: orders)
    }

    /// Drops those values that a light which has just returned is sent others for. One that is turned off needs none.
    mutating func replace(_ light: ResourceID, by newer: LightUpdate) {
        guard let known = kept[light] else { return }
        let orders = known.orders.compactMap { order in
            order.update.remaining(after: newer).map { rest in
                var rest = rest
                // Sent alone, a colour would end the effect that has just been sent.
                if let color = rest.color { rest.color = newer.color.map { $0.over(color) } ?? color }
                return (update: rest, ticket: order.ticket, asked: order.asked)
            }
        }
        kept[light] = newer.on == false || orders.isEmpty ? nil : Kept(orders: orders, due: known.due)
    }

    /// Drops what was kept for a light, because somebody has asked something else of it meanwhile.
    mutating func forget(_ light: ResourceID) { kept[light] = nil }

    mutating func returned(_ light: ResourceID, at now: Duration) {
        let due = now + policy.pause
        kept[light]?.due = due
    }

    mutating func left(_ light: ResourceID) { kept[light]?.due = nil }

    /// What must be sent now to lights that are back.
    mutating func due(at now: Duration) -> [Repair] {
        let ready = kept.filter { $0.value.due.map { $0 <= now } ?? false }
        for light in ready.keys { kept[light] = nil }
        dropExpired(at: now)
        let policy = policy
        return ready.sorted { $0.key < $1.key }.compactMap { light, kept in
            var kept = kept
            kept.orders.removeAll { !policy.isFresh($0.asked, at: now) }
            guard let update = kept.update, let newest = kept.orders.last else { return nil }
            return Repair(light: light, update: update, ticket: newest.ticket)
        }
    }

    private mutating func dropExpired(at now: Duration) {
        guard let nextExpiry, nextExpiry <= now else { return }
        let policy = policy
        kept = kept.compactMapValues { kept -> Kept? in
            var kept = kept
            kept.orders.removeAll { !policy.isFresh($0.asked, at: now) }
            return kept.orders.isEmpty ? nil : kept
        }
    }

    // MARK: - What is told

    /// What is kept for lights out of reach, as far as it differs from what was told last: `nil` if it is nothing any more.
    /// To a light that is back it is about to be sent.
    mutating func news(at now: Duration) -> [(light: ResourceID, kept: LightUpdate?)] {
        dropExpired(at: now)
        guard mayHaveNews else { return [] }
        let waiting = kept.filter { $0.value.due == nil }.compactMapValues(\.wish)
        let lights = Set(waiting.keys).union(told.keys).sorted().filter { waiting[$0] != told[$0] }
        (told, mayHaveNews) = (waiting, false)
        return lights.map { (light: $0, kept: waiting[$0]) }
    }

    /// Whoever was told has forgotten it.
    mutating func tellAnew() { (told, mayHaveNews) = ([:], true) }

    var count: Int { kept.count }

    /// When something must be sent, or told.
    var next: Duration? { [kept.values.compactMap(\.due).min(), nextExpiry].compactMap(\.self).min() }

    /// When something becomes too old.
    var nextExpiry: Duration? {
        kept.values.compactMap { kept in kept.orders.first.map { $0.asked + policy.keeps } }.min()
    }
}
