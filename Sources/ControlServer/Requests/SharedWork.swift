import Synchronization

/// Work that is done once for all who ask for the same while it is under way.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let running = Mutex<[Key: Promise<Value>]>([:])

    /// How many wait for work that another has begun.
    var waiting: Int { running.withLock { Array($0.values) }.reduce(0) { $0 + $1.waiterCount } }

    /// If whoever has begun it is cancelled, another who waits begins anew.
    ///
    /// - Throws: what the work throws, to all who share it.
    func value(for key: Key, _ work: () async throws -> Value) async throws -> Value {
        let promise = Promise<Value>()
        while let underWay = running.withLock({ running in
            defer { running[key] = running[key] ?? promise }
            return running[key]
        }) {
            do { return try await underWay.value } catch is CancellationError where !Task.isCancelled {}
        }
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        running.withLock { $0[key] = nil }
        promise.fulfil(result)
        return try result.get()
    }
}
