public import Khipu

/// Keeps changes of rooms and scenes apart that are about the same: the later one is carried out when the earlier one is
/// answered, and so checked against what that has led to. Two rooms created at once do not get one name, and two lights
/// added to a room at once are both in it. Changes that have nothing in common do not wait for each other.
@DomainActor
public final class ArrangementQueue {
    /// What two changes may both be about. Names are in lower case.
    enum Subject: Hashable {
        case room(Room.Kind, named: String, on: Bridge.ID)
        case scene(named: String, of: Room.ID?)
        /// Which room each light is in: one leaves its room for another.
        case places(on: Bridge.ID)
        case lights(ofZone: Room.ID)
    }

    private struct Arrangement {
        let ticket: Ticket
        let subjects: Set<Subject>
        let carryOut: @DomainActor (Failure?) -> Void
        var isUnderWay = false
    }

    /// In the order in which they came.
    private var arrangements: [Arrangement] = []

    public nonisolated init() {}

    /// - Parameter carryOut: called with a failure if the change is not to be made.
    func add(
        _ ticket: Ticket, about subjects: Set<Subject>, _ carryOut: @escaping @DomainActor (Failure?) -> Void
    ) {
        arrangements.append(Arrangement(ticket: ticket, subjects: subjects, carryOut: carryOut))
        carryOutNext()
    }

    /// Takes in that a command was answered. If the bridge was silent, those that waited for it are not tried one after
    /// the other: they get the same answer, each as late as the first.
    func finish(_ ticket: Ticket, _ outcome: Outcome?) {
        guard let place = arrangements.firstIndex(where: { $0.ticket == ticket }) else { return }
        let done = arrangements.remove(at: place)
        if let failure = outcome?.failure, failure.isSilence {
            begin({ !$0.subjects.isDisjoint(with: done.subjects) }, failure)
        }
        carryOutNext()
    }

    private func carryOutNext() {
        var taken: Set<Subject> = []
        begin { arrangement in
            defer { taken.formUnion(arrangement.subjects) }
            return taken.isDisjoint(with: arrangement.subjects)
        }
    }

    private func begin(_ isNext: (Arrangement) -> Bool, _ failure: Failure? = nil) {
        let next = arrangements.indices.filter { isNext(arrangements[$0]) && !arrangements[$0].isUnderWay }
        for place in next { arrangements[place].isUnderWay = true }
        for arrangement in next.map({ arrangements[$0] }) { arrangement.carryOut(failure) }
    }
}

extension Failure {
    /// Whether the bridge has not said what it did.
    fileprivate var isSilence: Bool {
        switch self {
        case .unreachable, .unconfirmed: true
        default: false
        }
    }
}
