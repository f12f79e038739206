import CCurl
import Executors
import Glibc
import Synchronization

/// The thread that owns the multi handle and every easy handle. Other threads queue actions for it and call only
/// `curl_multi_wakeup`, the one libcurl function that its manual allows on another thread.
final class Engine: Sendable {
    private enum Action: Sendable {
        case start(HTTPRequest, CancellationToken, ResponseHandler)
        case cancel(CancellationToken)
        case ping(AsyncStream<Never>.Continuation)
    }

    private struct Queue: ~Copyable {
        var actions: [Action] = []
        var isClosed = false
        /// Whether transfers that the end interrupts may be repeated over another engine.
        var isDropped = false
        /// `nil` before the thread starts and after the multi handle is freed.
        var multi: MultiHandle?
    }

    /// `@unchecked` because a raw pointer is not Sendable. This one is used only under the queue's lock, for
    /// `curl_multi_wakeup`, and by the thread that owns it.
    private struct MultiHandle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    private let queue = Mutex(Queue())

    /// Starts the thread in the place of another engine, unless that one has been stopped.
    func start(unless other: Engine) -> Bool {
        guard !other.queue.withLock({ $0.isClosed }) else { return false }
        start()
        return true
    }

    /// Starts the thread, which runs until ``stop()``.
    func start() {
        // Thread-safe from libcurl 7.84 on. With an older one, create the first client on a single thread. Debian 12
        // has 7.88.
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard let pointer = curl_multi_init() else { return queue.withLock { $0.isClosed = true } }
        _ = ccurl_multi_set_long(pointer, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        queue.withLock { $0.multi = MultiHandle(pointer: pointer) }
        guard startThread("lightd-http", { self.run() }) == 0 else {
            curl_multi_cleanup(pointer)
            return queue.withLock { $0 = Queue(isClosed: true) }
        }
    }

    func start(_ request: HTTPRequest, _ token: CancellationToken, _ handler: ResponseHandler) {
        guard enqueue(.start(request, token, handler)) else {
            return handler.fail(
                queue.withLock { $0.isDropped } ? .noConnection("the connection was given up") : .closed)
        }
    }

    func cancel(_ token: CancellationToken) {
        // A transfer that has not started yet checks the token when it does.
        guard token.cancel() else { return }
        _ = enqueue(.cancel(token))
    }

    /// Returns once the thread has come to this; at once if it has ended.
    func ping() async {
        let (untilReached, reached) = AsyncStream<Never>.makeStream()
        guard enqueue(.ping(reached)) else { return }
        for await _ in untilReached {}
    }

    /// - Parameter dropping: whether the transfers under way end as broken, because only their connections are given
    ///   up, and not as closed.
    func stop(dropping: Bool = false) {
        queue.withLock { queue in
            guard !queue.isClosed else { return }
            (queue.isClosed, queue.isDropped) = (true, dropping)
            if let multi = queue.multi { curl_multi_wakeup(multi.pointer) }
        }
    }

    private func enqueue(_ action: Action) -> Bool {
        queue.withLock { queue in
            guard !queue.isClosed, let multi = queue.multi else { return false }
            queue.actions.append(action)
            curl_multi_wakeup(multi.pointer)
            return true
        }
    }

    // MARK: - On the thread

    private func run() {
        guard let multi = queue.withLock({ $0.multi?.pointer }) else { return }
        var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
        while true {
            let (actions, isClosed) = queue.withLock { queue in
                defer { queue.actions = [] }
                return (queue.actions, queue.isClosed)
            }
            for action in actions { perform(action, multi, &transfers) }
            if isClosed { break }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            finishCompleted(multi, &transfers)
            // Returns on socket activity, a timeout of libcurl's own, or `curl_multi_wakeup`; the bound is only a
            // fallback.
            curl_multi_poll(multi, nil, 0, 60_000, nil)
        }
        let isDropped = queue.withLock { $0.isDropped }
        for transfer in transfers.values {
            let error = isDropped ? transfer.dropped : .closed
            curl_multi_remove_handle(multi, transfer.easy)
            transfer.finish(error)
        }
        transfers = [:]
        queue.withLock { $0.multi = nil }
        curl_multi_cleanup(multi)
    }

    private func perform(
        _ action: Action, _ multi: UnsafeMutableRawPointer, _ transfers: inout [UnsafeMutableRawPointer: Transfer]
    ) {
        switch action {
        case let .start(request, token, handler):
            guard !token.isCancelled else { return handler.fail(.cancelled) }
            do {
                let transfer = try Transfer(request, token, handler)
                let code = curl_multi_add_handle(multi, transfer.easy)
                guard code == CURLM_OK else {
                    return handler.fail(.invalid("libcurl: \(String(cString: curl_multi_strerror(code)))"))
                }
                transfers[transfer.easy] = transfer
            } catch {
                handler.fail(error)
            }
        case let .cancel(token):
            guard let transfer = transfers.values.first(where: { $0.token === token }) else { return }
            transfers[transfer.easy] = nil
            curl_multi_remove_handle(multi, transfer.easy)
            transfer.finish(.cancelled)
        case let .ping(reached): reached.finish()
        }
    }

    private func finishCompleted(
        _ multi: UnsafeMutableRawPointer, _ transfers: inout [UnsafeMutableRawPointer: Transfer]
    ) {
        var easy: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while ccurl_multi_next_ended(multi, &easy, &code) != 0 {
            guard let completed = easy, let transfer = transfers.removeValue(forKey: completed) else { continue }
            transfer.finish(code)
            curl_multi_remove_handle(multi, completed)
        }
    }
}
