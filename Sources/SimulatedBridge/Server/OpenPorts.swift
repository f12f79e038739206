import Synchronization

/// The ports that are open, and the tasks that wait until all are.
final class OpenPorts: Sendable {
    private struct State {
        /// 0 if the model has no such port.
        var https: Int?
        var http: Int?
        var control: Int?
        var details: SimulatedBridge.ConnectionDetails?
        var failure: (any Error)?
        var waiting: [Int: CheckedContinuation<SimulatedBridge.ConnectionDetails, any Error>] = [:]
        var nextWaiting = 0

        var ready: SimulatedBridge.ConnectionDetails? {
            guard let https, let http, let control, var ready = details else { return nil }
            (ready.httpsPort, ready.httpPort, ready.controlPort) = (https, http, control)
            return ready
        }
    }

    private let state = Mutex(State())

    /// The addresses; `nil` unless all ports are open now, as during a reboot.
    var now: SimulatedBridge.ConnectionDetails? { state.withLock { $0.ready } }

    func opened(https port: Int, _ details: SimulatedBridge.ConnectionDetails) {
        update {
            $0.https = port
            $0.details = details
        }
    }

    func opened(http port: Int) { update { $0.http = port } }
    func opened(control port: Int) { update { $0.control = port } }
    func closeBridge() { state.withLock { ($0.https, $0.http) = (nil, nil) } }

    func fail(_ error: any Error) {
        let waiting = state.withLock { state in
            state.failure = error
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for one in waiting { one.resume(throwing: error) }
    }

    /// Waits until all ports are open. Cancelling ends the wait, so that a port that cannot be opened does not block
    /// the others.
    func open() async throws -> SimulatedBridge.ConnectionDetails {
        let number = state.withLock { state in
            defer { state.nextWaiting += 1 }
            return state.nextWaiting
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known: Result<SimulatedBridge.ConnectionDetails, any Error>? = state.withLock { state in
                    if let failure = state.failure { return .failure(failure) }
                    if let ready = state.ready { return .success(ready) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiting[number] = continuation
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }

    /// Changes the state, and resumes the waiting tasks if all ports are open now.
    private func update(_ change: (inout State) -> Void) {
        let (waiting, ready) = state.withLock { state in
            change(&state)
            guard let ready = state.ready else {
                return (
                    [CheckedContinuation<SimulatedBridge.ConnectionDetails, any Error>](),
                    nil as SimulatedBridge.ConnectionDetails?
                )
            }
            defer { state.waiting = [:] }
            return (Array(state.waiting.values), ready)
        }
        if let ready { for one in waiting { one.resume(returning: ready) } }
    }
}
