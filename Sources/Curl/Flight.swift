import Synchronization

/// One request on its way, as its caller holds it: all that can be done from outside is to call it off.
final class Flight: Sendable {
    private let calledOff = Mutex(false)

    var isCalledOff: Bool { calledOff.withLock { $0 } }

    /// - Returns: whether this was the first time.
    func callOff() -> Bool {
        calledOff.withLock { before in
            defer { before = true }
            return !before
        }
    }
}

/// Who hears of an answer. Called on the engine's thread; each ends exactly once.
enum Listener: Sendable {
    case whole(@Sendable (Result<HTTPResponse, CurlError>) -> Void)
    case pieces(
        head: @Sendable (Result<HTTPHead, CurlError>) -> Void, AsyncThrowingStream<[UInt8], any Error>.Continuation)
}
