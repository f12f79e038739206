import Synchronization

/// A value that is set once, and the tasks that wait for it.
final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Only the first result counts.
    func fulfil(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            guard state.result == nil else { return [Int: CheckedContinuation<Value, any Error>]() }
            state.result = result
            defer { state.waiting = [:] }
            return state.waiting
        }
        for waiter in waiting.values { waiter.resume(with: result) }
    }

    /// The tasks that wait.
    var waiterCount: Int { state.withLock(\.waiting.count) }

    /// `nil` until it is fulfilled.
    var result: Result<Value, any Error>? { state.withLock(\.result) }

    var isFulfilled: Bool { result != nil }

    /// - Throws: the error it was fulfilled with, or `CancellationError` if the caller's task is cancelled first.
    var value: Value {
        get async throws {
            let number = state.withLock { state in
                state.count += 1
                return state.count
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let result: Result<Value, any Error>? = state.withLock { state in
                        if let result = state.result { return result }
                        if Task.isCancelled { return .failure(CancellationError()) }
                        state.waiting[number] = continuation
                        return nil
                    }
                    if let result { continuation.resume(with: result) }
                }
            } onCancel: {
                state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
            }
        }
    }
}

extension Promise<Void> {
    func fulfil() { fulfil(.success(())) }
}

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
