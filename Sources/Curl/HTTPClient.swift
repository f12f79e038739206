import Synchronization

/// Sends requests through libcurl. One multi handle on a thread of its own keeps connections warm and multiplexes
/// requests over HTTP/2. Thread-safe; never blocks the caller.
///
/// Does not follow redirects (a write would become a read), ignores the environment's proxies (bridges are on the local
/// network) and installs no signal handlers.
public final class HTTPClient: Sendable {
    private let currentEngine: Mutex<Engine>

    public init() {
        let engine = Engine()
        engine.start()
        currentEngine = Mutex(engine)
    }

    private var engine: Engine { currentEngine.withLock { $0 } }

    /// Gives up every connection: transfers under way end with ``CurlError/broken(_:)``, or with
    /// ``CurlError/noConnection(_:)`` if nothing was sent, and later requests open new connections. For a server whose
    /// connections may be dead although it is not: bytes written to one of those vanish without an error.
    public func dropConnections() {
        let fresh = Engine()
        let old = currentEngine.withLock { engine -> Engine? in
            guard fresh.start(unless: engine) else { return nil }
            defer { engine = fresh }
            return engine
        }
        old?.stop(dropping: true)
    }

    /// Sends the request and returns the whole response. Cancelling the task ends the transfer.
    public func send(_ request: HTTPRequest) async throws(CurlError) -> HTTPResponse {
        let (engine, token) = (engine, CancellationToken())
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                engine.start(request, token, .buffered { continuation.resume(returning: $0) })
            }
        } onCancel: {
            engine.cancel(token)
        }
        return try result.get()
    }

    /// Sends the request and returns when the response has begun; its body follows as a stream. A reader that falls
    /// 4096 pieces behind loses the stream with ``CurlError/tooMuch``, because what it would read is outdated by then.
    public func stream(_ request: HTTPRequest) async throws(CurlError) -> HTTPStream {
        let (engine, token) = (engine, CancellationToken())
        let (pieces, body) = AsyncThrowingStream<[UInt8], any Error>.makeStream(bufferingPolicy: .bufferingOldest(4096))
        body.onTermination = { _ in engine.cancel(token) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                engine.start(request, token, .streamed(head: { continuation.resume(returning: $0) }, body))
            }
        } onCancel: {
            engine.cancel(token)
        }
        return HTTPStream(head: try result.get(), pieces: pieces)
    }

    /// Returns once the thread that sends requests has come to this call, or when the task is cancelled: for a watchdog.
    /// A thread that hangs never does.
    public func ping() async { await engine.ping() }

    /// Ends every transfer with ``CurlError/closed`` and closes the connections. Idempotent.
    public func shutdown() {
        engine.stop()
    }

    deinit {
        engine.stop()
    }
}

/// Identifies one transfer and tells whether its caller has cancelled it.
final class CancellationToken: Sendable {
    private let state = Mutex(false)

    var isCancelled: Bool { state.withLock { $0 } }

    /// - Returns: whether this was the first call.
    func cancel() -> Bool {
        state.withLock { isCancelled in
            defer { isCancelled = true }
            return !isCancelled
        }
    }
}
