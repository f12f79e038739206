import Foundation

public struct TestError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// Waits for a condition by checking it often. The limit is one that only a defect reaches, also on a busy machine.
public func until(
    _ what: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { throw TestError("waited \(limit) in vain until: \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Runs blocking work on its own thread, because the daemon under test runs on the threads of Swift's pool.
public func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
}
