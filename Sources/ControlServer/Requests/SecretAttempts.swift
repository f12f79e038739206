import Logging
import Synchronization

/// Looks tokens up for those who send them over TCP, and slows down who sends wrong ones. All listeners and paths share
/// it, because it counts.
///
/// A token of the configuration may be one that somebody can guess. The secrets of sessions and links are not: they have
/// 256 random bits, and wrong ones are not counted. If they were, any web page could use up the tries of its visitor, by
/// opening lightd's page with a wrong link.
final class SecretAttempts: Sendable {
    /// How often the log may say that wrong ones come.
    static let logInterval = Duration.seconds(600)

    private let now: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger
    private let attempts = Mutex(FailedAttempts())
    private let logged = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameter now: of a clock that nobody sets.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant, logger: Logger) {
        self.now = now
        self.logger = logger
    }

    /// - Parameters:
    ///   - address: the sender's; `nil` if it is not known, or if it has come over the unix socket: nothing is counted.
    ///   - look: returns what the token is for; `nil` if it is wrong.
    /// - Throws: 401 for a wrong token, 429 for one that comes too early.
    func attempt<Value>(from address: ClientAddress?, _ look: () -> Value?) throws(APIError) -> Value {
        let now = now()
        if let address, let wait = attempts.withLock({ $0.wait(of: address, at: now) }) {
            throw .tooManyAttempts(wait)
        }
        if let value = look() { return value }
        if let address, attempts.withLock({ $0.failed(address, at: now) }) { log(address, at: now) }
        throw .wrongToken
    }

    private func log(_ address: ClientAddress, at now: ContinuousClock.Instant) {
        let isFirst = logged.withLock { logged in
            if let last = logged, now < last.advanced(by: Self.logInterval) { return false }
            logged = now
            return true
        }
        guard isFirst else { return }
        logger.notice("wrong tokens come over TCP: their sender has to wait", metadata: ["from": "\(address)"])
    }
}
