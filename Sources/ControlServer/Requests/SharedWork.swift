import Synchronization

/// Work that is done once for all who ask for it while it is under way.
final class SharedWork<Value: Sendable>: Sendable {
    private let running = Mutex<Promise<Value>?>(nil)

    /// How many wait for work that another has begun.
    var waiting: Int { running.withLock { $0 }?.waiterCount ?? 0 }

    /// - Throws: what the work throws, to all who share it.
    func value(_ work: () async throws -> Value) async throws -> Value {
        let promise = Promise<Value>()
        let underWay = running.withLock { running in
            defer { running = running ?? promise }
            return running
        }
        if let underWay { return try await underWay.value }
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        running.withLock { $0 = nil }
        promise.fulfil(result)
        return try result.get()
    }
}
