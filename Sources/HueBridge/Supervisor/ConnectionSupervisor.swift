import HueWire
import Lighting
import Logging
import ServerSentEvents

/// Keeps the connection to one bridge alive: carries out what ``ConnectionStateMachine`` decides, and feeds the results
/// back to it.
///
/// Results come through one queue and are applied one after the other, so that nothing is applied of a request that was
/// cancelled, nor of an attempt that has ended. The queue stays short: each request has one result, and the event stream
/// is read on only when what it brought was taken in, here and by those to whom it was published.
actor ConnectionSupervisor {
    typealias Request = ConnectionStateMachine.Request

    let connection: BridgeConnection
    let finder: BridgeFinder
    private var machine: ConnectionStateMachine
    private var buffer = EventBuffer()
    /// Whether it has followed an event stream.
    private var hasFollowed = false
    private var running: [Request: CancellableTask] = [:]
    private var timer: (time: Duration, task: CancellableTask)?
    private let results: AsyncStream<QueuedResult>
    private let resultQueue: AsyncStream<QueuedResult>.Continuation

    private struct QueuedResult: Sendable {
        let result: RequestResult
        /// `nil`: it does not come from a request.
        var source: (request: Request, task: CancellableTask)?
    }

    enum RequestResult: Sendable {
        case input(ConnectionStateMachine.Input)
        /// The stream is read on once they are taken in.
        case frames([ServerSentEvent], taken: AsyncStream<Never>.Continuation)
        case everything([Resource], askedAt: Duration)
        /// `nil`: the bridge did not say. If it is gone, the stream ends.
        case identity(PublicConfig?)
    }

    init(connection: BridgeConnection, finder: BridgeFinder) {
        self.connection = connection
        self.finder = finder
        machine = ConnectionStateMachine(
            bridge: connection.id, at: connection.client.call.address, hasEventStream: connection.client.dialect == .v2,
            pollInterval: connection.settings.pollInterval, timeouts: connection.settings.timeouts)
        (results, resultQueue) = AsyncStream.makeStream()
    }

    /// Runs until cancelled.
    func run() async {
        let (connection, browser, queue) = (connection, finder.browser, resultQueue)
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await _ in browser.changes() {
                    let (all, anonymous) = browser.addresses(of: connection.id)
                    queue.yield(QueuedResult(result: .input(.announced(all, anonymous: anonymous))))
                }
            }
            group.addTask {
                for await isAnswered in connection.writes() {
                    queue.yield(QueuedResult(result: .input(.written(isAnswered: isAnswered))))
                }
            }
            feed(.started, at: connection.elapsed, &group)
            for await queued in results {
                guard queued.source.map({ running[$0.request] === $0.task }) ?? true else { continue }
                // The time before anybody acts on what is published.
                let now = connection.elapsed
                feed(apply(queued.result), at: now, &group)
            }
        }
    }

    /// Changes how often the bridge is polled, if it is.
    nonisolated func poll(every interval: Duration) {
        resultQueue.yield(QueuedResult(result: .input(.pollInterval(interval))))
    }

    private func feed(
        _ input: ConnectionStateMachine.Input, at now: Duration, _ group: inout DiscardingTaskGroup
    ) {
        for action in machine.handle(input, at: now, chance: .random(in: 0...1)) {
            perform(action, &group)
        }
        setTimer(&group)
    }

    /// One timer is set at a time. It may fire too early, which does no harm, but never too late.
    private func setTimer(_ group: inout DiscardingTaskGroup) {
        if let time = timer?.time, time <= connection.elapsed { timer = nil }
        guard let wake = machine.nextWake, timer.map({ wake < $0.time }) ?? true else { return }
        timer?.task.cancel()
        let (connection, queue) = (connection, resultQueue)
        let task = group.addCancellableTask { _ in
            await connection.clock.rest(until: wake)
            if !Task.isCancelled { queue.yield(QueuedResult(result: .input(.woke))) }
        }
        timer = (wake, task)
    }

    // MARK: - Results

    /// Applies what a request has brought.
    private func apply(_ result: RequestResult) -> ConnectionStateMachine.Input {
        switch result {
        case .input(.streamFlooded):
            connection.logger.notice("it sends more events than can be taken in, and is polled for a while")
            return .streamFlooded
        case let .input(input): return input
        case let .frames(frames, taken: taken):
            defer { taken.finish() }
            for frame in frames {
                guard let released = buffer.take(frame) else { return apply(.input(.streamFlooded)) }
                for frame in released { apply(frame) }
            }
            return .heard
        case let .everything(resources, askedAt: asked):
            connection.load(resources, askedAt: asked, since: connection.losses)
            return .fetched
        case let .identity(config):
            if let config { publishIdentity(config) }
            return .identified
        }
    }

    private func apply(_ frame: ServerSentEvent) {
        do {
            connection.take(try EventContainer.all(in: frame))
        } catch {
            connection.logger.debug("an event cannot be read", metadata: ["problem": "\(error)"])
        }
    }

    // MARK: - Actions

    private func perform(_ action: ConnectionStateMachine.Action, _ group: inout DiscardingTaskGroup) {
        switch action {
        case let .begin(request): begin(request, &group)
        case let .cancel(request): running.removeValue(forKey: request)?.cancel()
        case .cancelAll:
            for task in running.values { task.cancel() }
            running = [:]
        case .applyEvents: for frame in buffer.release() { apply(frame) }
        case .markConnected: connection.markConnected()
        case let .publishConnected(by: mode):
            if mode == .stream {
                if hasFollowed { connection.metrics.reconnected() }
                hasFollowed = true
            }
            connection.publish(.connected(connection.id, by: mode))
            connection.logger.notice(
                "bridge connected",
                metadata: [
                    "address": "\(connection.client.call.address)", "lights": "\(connection.home.lights.count)",
                    "updates": "\(mode.words)",
                ])
        case let .markLost(failure):
            connection.markLost(failure)
            // A dead one must not carry the next attempt.
            connection.client.dropConnections()
        case let .publishLost(failure, isSameTrouble: isSame):
            connection.publish(.lost(connection.id, because: failure))
            connection.logger.log(
                level: isSame ? .debug : .notice, "bridge lost", metadata: ["reason": "\(failure.reason)"])
        case let .move(to: address):
            connection.logger.notice("bridge found at another address", metadata: ["address": "\(address)"])
            connection.client.move(to: address)
        }
    }

    private func begin(_ request: Request, _ group: inout DiscardingTaskGroup) {
        if request == .stream { buffer = EventBuffer() }
        let queue = resultQueue
        running[request] = group.addCancellableTask { [self] task in
            await carryOut(request) { queue.yield(QueuedResult(result: $0, source: (request, task))) }
        }
    }
}

extension Bridge.UpdateMode {
    fileprivate var words: String {
        switch self {
        case .stream: "its event stream"
        case let .polling(every: interval): "asking every \(interval.components.seconds) s"
        }
    }
}

/// A child task of a group that can be cancelled without the others.
final class CancellableTask: Sendable {
    private let end: AsyncStream<Never>.Continuation

    fileprivate init(_ end: AsyncStream<Never>.Continuation) { self.end = end }

    func cancel() { end.finish() }
}

extension DiscardingTaskGroup {
    mutating func addCancellableTask(_ work: @escaping @Sendable (CancellableTask) async -> Void) -> CancellableTask {
        let (cancelled, end) = AsyncStream<Never>.makeStream()
        let task = CancellableTask(end)
        addTask {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await work(task)
                    task.cancel()
                }
                for await _ in cancelled {}
                group.cancelAll()
            }
        }
        return task
    }
}
