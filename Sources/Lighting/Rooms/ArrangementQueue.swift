public import Khipu

/// Keeps changes of rooms and scenes apart that are about the same: the later one is carried out when the earlier one is
/// answered, and so checked against what that has led to. Two rooms created at once do not get one name, and two lights
/// added to a room at once are both in it. Changes that have nothing in common do not wait for each other.
@DomainActor
public final class ArrangementQueue {
    /// What two changes may both be about.
    enum Subject: Hashable {
        case roomName(RoomKind, lowercased: String, on: Bridge.ID)
        case sceneName(lowercased: String, of: Room.ID?)
        /// Which room each light is in: one leaves its room for another.
        case places(on: Bridge.ID)
        case lights(ofZone: Room.ID)

        static func room(_ kind: RoomKind, named name: String, on bridge: Bridge.ID) -> Self {
            .roomName(kind, lowercased: name.lowercased(), on: bridge)
        }

        static func scene(named name: String, of room: Room.ID?) -> Self {
            .sceneName(lowercased: name.lowercased(), of: room)
        }
    }

    private struct Arrangement {
        let ticket: Ticket
        let subjects: Set<Subject>
        let carryOut: @DomainActor () throws(Failure) -> Void
        let fail: @DomainActor (Failure) -> Void
        var isUnderWay = false
    }

    /// In the order in which they came.
    private var arrangements: [Arrangement] = []

    public nonisolated init() {}

    /// - Parameters:
    ///   - carryOut: makes the change, unless it cannot be made.
    ///   - fail: answers that it was not made, and why.
    func add(
        _ ticket: Ticket, about subjects: Set<Subject>,
        _ carryOut: @escaping @DomainActor () throws(Failure) -> Void,
        orElse fail: @escaping @DomainActor (Failure) -> Void
    ) {
        arrangements.append(Arrangement(ticket: ticket, subjects: subjects, carryOut: carryOut, fail: fail))
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
        for arrangement in next.map({ arrangements[$0] }) {
            do throws(Failure) {
                if let failure { throw failure }
                try arrangement.carryOut()
            } catch {
                arrangement.fail(error)
            }
        }
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
