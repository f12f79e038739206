/// How a command ended. Every response bears one.
public enum Outcome: Equatable, Codable, Sendable {
    case succeeded
    case failed(Failure)

    public var failure: Failure? {
        if case let .failed(failure) = self { failure } else { nil }
    }
}

extension Outcome {
    /// One outcome of many parts: succeeded where all did, the failure itself where all parts failed alike, otherwise partly.
    public static func all(_ parts: [(target: Target, outcome: Outcome)]) -> Self {
        let failures = parts.compactMap { part in part.outcome.failure.map { Failure.Part(part.target, $0) } }
        guard let first = failures.first else { return .succeeded }
        if failures.count == parts.count, failures.allSatisfy({ $0.failure == first.failure }) {
            return .failed(first.failure)
        }
        return .failed(.partly(failures, of: parts.count))
    }
}
