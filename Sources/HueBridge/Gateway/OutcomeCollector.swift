import Lighting
import Synchronization

/// Collects the outcomes of several parts and replies once, when the last has come.
final class OutcomeCollector: Sendable {
    private let targets: [[Target]]
    private let outcomes: Mutex<[Outcome?]>
    private let reply: Reply<Outcome>

    /// - Parameter targets: the targets of each part; a part that fails as a whole fails for all of them.
    init(_ targets: [[Target]], _ reply: @escaping Reply<Outcome>) {
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
        // A single part speaks for itself.
        if let only = whole.first, whole.count == 1 { return reply(only) }
        reply(.all(zip(targets, whole).flatMap { targets, outcome in parts(targets, outcome) }))
    }

    /// A part's outcome, target by target.
    private func parts(_ targets: [Target], _ outcome: Outcome) -> [(target: Target, outcome: Outcome)] {
        guard case let .failed(.partly(failed, of: _)) = outcome else { return targets.map { ($0, outcome) } }
        let failures = Dictionary(failed.map { ($0.target, $0.failure) }) { one, _ in one }
        return targets.map { ($0, failures[$0].map { .failed($0) } ?? .succeeded) }
    }
}
