/// Sends requests through libcurl: one multi handle on a thread of its own, which keeps connections warm and shares one HTTP/2
/// connection among requests. All functions may be called from anywhere; nothing blocks the caller.
///
/// Redirects are not followed (a write would become a read), no proxy of the environment is used (bridges are at home), and no
/// signal is touched.
public final class HTTPClient: Sendable {
    private let engine: Engine

    public init() {
        engine = Engine()
        engine.start()
    }

    /// Sends and waits for the whole answer. Cancelling the task ends the transfer.
    public func send(_ request: HTTPRequest) async throws(CurlError) -> HTTPResponse {
        let flight = Flight()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                engine.begin(request, flight, .whole { continuation.resume(returning: $0) })
            }
        } onCancel: {
            engine.cancel(flight)
        }
        return try result.get()
    }

    /// Sends and returns once the answer has begun; its pieces follow. A reader that falls thousands of pieces behind loses the
    /// stream with ``CurlError/tooMuch``: what it would read is old by then.
    public func stream(_ request: HTTPRequest) async throws(CurlError) -> HTTPStream {
        let flight = Flight()
        let (pieces, slot) = AsyncThrowingStream<[UInt8], any Error>.makeStream(bufferingPolicy: .bufferingOldest(4096))
        slot.onTermination = { [engine] _ in engine.cancel(flight) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                engine.begin(request, flight, .pieces(head: { continuation.resume(returning: $0) }, slot))
            }
        } onCancel: {
            engine.cancel(flight)
        }
        return HTTPStream(head: try result.get(), pieces: pieces)
    }

    /// Ends every transfer with ``CurlError/closed`` and lets the connections go. Idempotent.
    public func shutdown() {
        engine.stop()
    }

    deinit {
        engine.stop()
    }
}
