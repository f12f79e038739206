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
}
