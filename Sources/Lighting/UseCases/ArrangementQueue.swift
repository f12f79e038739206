public import Khipu

/// Carries out the commands that change a bridge's rooms and scenes one after the other, each when the one before is
/// answered: it is checked against what those before it have led to, so two rooms created at once do not get one name,
/// and two lights added to a room at once are both in it.
@DomainActor
public final class ArrangementQueue {
    private typealias Arrangement = (ticket: Ticket, carryOut: @DomainActor () -> Void)

    /// The first of each bridge is under way.
    private var arrangements: [Bridge.ID: [Arrangement]] = [:]

    public nonisolated init() {}

    func add(_ ticket: Ticket, on bridge: Bridge.ID, _ carryOut: @escaping @DomainActor () -> Void) {
        arrangements[bridge, default: []].append((ticket, carryOut))
        if arrangements[bridge]?.count == 1 { carryOut() }
    }

    /// Takes in that a command was answered.
    func finish(_ ticket: Ticket) {
        guard let bridge = arrangements.first(where: { $0.value.first?.ticket == ticket })?.key else { return }
        arrangements[bridge]?.removeFirst()
        guard let next = arrangements[bridge]?.first else { return arrangements[bridge] = nil }
        next.carryOut()
    }
}
