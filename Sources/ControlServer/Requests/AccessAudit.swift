import ControlProtocol
import ControlSurface
import Khipu
import Lighting
import Logging
import Synchronization

/// Notes what concerns who may use lightd, in the log and in the access log: each event once, with who caused it.
final class AccessAudit: Sendable {
    private let log: AccessLog
    private let clock: Clock
    private let logger: Logger
    private let tally = Mutex(AccessTally())

    init(_ log: AccessLog, clock: Clock, logger: Logger) {
        (self.log, self.clock, self.logger) = (log, clock, logger)
    }

    /// - Parameters:
    ///   - subject: what it is about, such as a token's name.
    ///   - reason: why it happened, or what it was.
    ///   - error: why it was not done.
    func record(
        _ kind: AccessEvent.Kind, _ subject: String? = nil, by sender: SenderName, because reason: String? = nil,
        error: (any Error)? = nil
    ) {
        add(
            AccessEvent(
                kind, at: clock.now(), by: sender.text, about: subject, because: error.map(Self.text) ?? reason,
                hasFailed: error != nil),
            from: sender.known)
    }

    /// Notes that a request is not allowed. Its sender is named in lightd's own words: otherwise each request could
    /// name another.
    func refused(_ sender: SenderName, because error: APIError) {
        add(
            AccessEvent(
                .refused, at: clock.now(), by: sender.known, because: error.reply.error.message, hasFailed: true),
            from: sender.known)
    }

    /// Does the work, and notes how it ended.
    func recording<Value>(
        _ kind: AccessEvent.Kind, _ subject: String? = nil, by sender: SenderName, because reason: String? = nil,
        _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await work()
            record(kind, subject, by: sender, because: reason)
            return value
        } catch {
            record(kind, subject, by: sender, error: error)
            throw error
        }
    }

    /// Writes what is counted only: lightd stops.
    func finish() { write(tally.withLock { $0.finish() }) }

    /// The events that the filter lets through, oldest first.
    func list(_ filter: AccessLog.Filter) async throws(ErrorReply) -> [AccessLogBody] {
        let result = await withCheckedContinuation { waiting in
            log.list(filter) { waiting.resume(returning: $0) }
        }
        switch result {
        case let .success(events):
            let open = tally.withLock(\.open).filter(filter.allows)
            return (events + open).suffix(filter.limit).map(AccessLogBody.init)
        case let .failure(failure):
            throw ErrorReply(.notSaved, "the access log cannot be read: \(failure)", hint: "see lightd's log")
        }
    }

    private func add(_ event: AccessEvent, from sender: String) {
        let (due, isFirst) = tally.withLock { tally in
            let wasEmpty = tally.isEmpty
            return (tally.add(event, from: sender), wasEmpty)
        }
        write(due)
        guard isFirst else { return }
        clock.wake(AccessTally.interval) { [weak self] in self?.endHour() }
    }

    private func endHour() { write(tally.withLock { $0.end(at: clock.now()) }) }

    private func write(_ events: [AccessEvent]) {
        for event in events {
            log.append(event)
            var facts: Logger.Metadata = ["by": "\(event.sender)"]
            if let subject = event.subject { facts["about"] = "\(subject)" }
            if let reason = event.reason { facts["because"] = "\(reason)" }
            if event.count > 1 { facts["count"] = "\(event.count)" }
            logger.notice("\(event.kind.sentence(hasFailed: event.hasFailed))", metadata: facts)
        }
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case let error as ErrorReply: error.error.message
        case let error as APIError: error.reply.error.message
        case let error as BackupError: "\(error)"
        case is CancellationError: "the outcome was not waited for"
        default: "\(error)"
        }
    }
}

extension AccessEvent.Kind {
    /// For the log, which says the rest.
    fileprivate func sentence(hasFailed: Bool) -> String {
        let name = rawValue.replacing("_", with: " ")
        return switch self {
        case .refused: "access refused"
        default: "access: \(name)" + (hasFailed ? " failed" : "")
        }
    }
}

extension AccessLogBody {
    fileprivate init(_ event: AccessEvent) {
        self.init(
            time: event.time.iso8601, event: event.kind.rawValue, by: event.sender, subject: event.subject,
            reason: event.reason, outcome: event.hasFailed ? .failed : .done, count: event.count)
    }
}
