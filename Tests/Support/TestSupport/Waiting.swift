import Foundation

public struct TestError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// Waits for a condition by checking it often, and the less often the longer it has waited: many a condition asks a daemon
/// for its whole home. The limit is one that only a defect reaches, also on a busy machine.
public func until(
    _ what: String, within limit: Duration = .seconds(120), _ condition: () async throws -> Bool
) async throws {
    let start = ContinuousClock.now
    while try await !condition() {
        let waited = ContinuousClock.now - start
        guard waited < limit else { throw TestError("waited \(limit) in vain until: \(what)") }
        try await Task.sleep(for: min(max(waited / 20, .milliseconds(2)), .milliseconds(50)))
    }
}

/// Runs blocking work on its own thread, because the daemon under test runs on the threads of Swift's pool.
public func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
}
