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
    }

    private struct Kept: Sendable {
        /// In the order in which they were asked for; none of which newer ones leave nothing.
        var orders: [(update: LightUpdate, ticket: Ticket?, asked: Duration)] = []
        var due: Duration?
    }

    var policy: Policy
    private var kept: [ResourceID: Kept] = [:]

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

    mutating func returned(_ light: ResourceID, at now: Duration) { kept[light]?.due = now + policy.pause }
    mutating func left(_ light: ResourceID) { kept[light]?.due = nil }

    /// What must be sent now to lights that are back.
    mutating func due(at now: Duration) -> [Repair] {
        let ready = kept.filter { $0.value.due.map { $0 <= now } ?? false }
        for light in ready.keys { kept[light] = nil }
        kept = kept.filter { $0.value.orders.contains { isFresh($0.asked, at: now) } }
        return ready.sorted { $0.key < $1.key }.compactMap { light, kept in
            let orders = kept.orders.filter { isFresh($0.asked, at: now) }
            guard let newest = orders.last else { return nil }
            return Repair(
                light: light, update: orders.dropFirst().reduce(orders[0].update) { $0.merged(with: $1.update) },
                ticket: newest.ticket)
        }
    }

    /// Each is kept for as long as it says, whatever was asked after it.
    private func isFresh(_ asked: Duration, at now: Duration) -> Bool { now - asked <= policy.keeps }

    var count: Int { kept.count }

    var next: Duration? { kept.values.compactMap(\.due).min() }
}
