import Foundation

public struct TestError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// Waits for a condition; looks often, and gives up at a deadline that only a defect reaches.
public func until(
    _ what: String, within limit: Duration = .seconds(20), _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { throw TestError("waited \(limit) in vain until \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Runs what blocks on a thread of its own: the pool's threads are those on which the daemon runs.
public func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
}
