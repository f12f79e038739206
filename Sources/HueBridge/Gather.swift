import Lighting
import Synchronization

/// One answer of several: put together when the last has come.
final class Gather: Sendable {
    private let targets: [Target]
    private let outcomes: Mutex<[Outcome?]>
    private let reply: Reply<Outcome>

    init(_ targets: [Target], _ reply: @escaping Reply<Outcome>) {
        self.targets = targets
        self.reply = reply
        outcomes = Mutex(Array(repeating: nil, count: targets.count))
        if targets.isEmpty { reply(.succeeded) }
    }

    func put(_ outcome: Outcome, at place: Int) {
        let whole: [Outcome]? = outcomes.withLock { outcomes in
            guard outcomes[place] == nil else { return nil }
            outcomes[place] = outcome
            let known = outcomes.compactMap { $0 }
            return known.count == outcomes.count ? known : nil
        }
        guard let whole else { return }
        reply(.all(zip(targets, whole).map { (target: $0, outcome: $1) }))
    }
}
