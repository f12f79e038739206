/// How a command ended. Every response has one.
public enum Outcome: Equatable, Codable, Sendable {
    case succeeded
    case failed(Failure)

    public var failure: Failure? {
        if case let .failed(failure) = self { failure } else { nil }
    }
}

extension Outcome {
    /// The outcome of a command with several parts: succeeded if all parts did, the failure itself if all parts failed
    /// in the same way, otherwise partly failed.
    public static func all(_ parts: [(target: Target, outcome: Outcome)]) -> Self {
        let failures = parts.compactMap { part in part.outcome.failure.map { Failure.Part(part.target, $0) } }
        guard let first = failures.first else { return .succeeded }
        if failures.count == parts.count, failures.allSatisfy({ $0.failure == first.failure }) {
            return .failed(first.failure)
        }
        return .failed(.partly(failures, of: parts.count))
    }
    /// How a command for these lights ended at each of them.
    func parts(for lights: [Light.ID]) -> [(target: Target, outcome: Outcome)] {
        let outcomes: [Target: Outcome] =
            if case let .partly(parts, of: _)? = failure {
                Dictionary(parts.map { ($0.target, .failed($0.failure)) }) { first, _ in first }
            } else {
                Dictionary(lights.map { (.light($0), self) }) { first, _ in first }
            }
        return lights.map { (.light($0), outcomes[.light($0)] ?? .succeeded) }
    }
}
