import Logging
import Synchronization

/// The log about one bridge, deduped by a ``LogDedupe`` whoever writes to it.
final class DedupedLog: Sendable {
    private let base: Logger
    private let dedupe = Mutex(LogDedupe())
    private let now: @Sendable () -> Duration
    private let onDedupe: @Sendable () -> Void

    /// - Parameter onDedupe: called if something is to be written later, at ``due``.
    init(_ base: Logger, now: @escaping @Sendable () -> Duration, onDedupe: @escaping @Sendable () -> Void) {
        self.base = base
        self.now = now
        self.onDedupe = onDedupe
    }

    var logger: Logger {
        var logger = base
        logger.handler = Handler(base: base.handler, log: self)
        return logger
    }

    var due: Duration? { dedupe.withLock(\.due) }

    func writeWhatIsDue() {
        if let event = dedupe.withLock({ $0.summary(at: now()) }) { base.handler.log(event: event) }
    }

    private func take(_ event: LogEvent) -> Bool {
        let isWritten = dedupe.withLock { $0.take(event, at: now()) }
        if !isWritten { onDedupe() }
        return isWritten
    }

    private struct Handler: LogHandler {
        var base: any LogHandler
        let log: DedupedLog

        var logLevel: Logger.Level {
            get { base.logLevel }
            set { base.logLevel = newValue }
        }

        var metadata: Logger.Metadata {
            get { base.metadata }
            set { base.metadata = newValue }
        }

        var metadataProvider: Logger.MetadataProvider? {
            get { base.metadataProvider }
            set { base.metadataProvider = newValue }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { base[metadataKey: key] }
            set { base[metadataKey: key] = newValue }
        }

        func log(event: LogEvent) { if log.take(event) { base.log(event: event) } }
    }
}

/// Keeps the log about one bridge calm: a few lines a minute are written as they come. What comes beyond that is
/// counted, and a minute later the newest of it is written with the counts. A value without a clock: `now` comes in.
///
/// Only lines for people are deduped, from level info on: a debug log has everything.
struct LogDedupe: Sendable {
    /// How many lines are written in any minute, the one with the counts included.
    static let most = 5
    static let minute = Duration.seconds(60)

    private var window = RateWindow(span: Self.minute)
    private var counts: [String: Int] = [:]
    private var newest: LogEvent?
    /// When the counts are to be written; `nil` if nothing is held back.
    private(set) var due: Duration?

    /// - Returns: whether to write the line now.
    mutating func take(_ event: LogEvent, at now: Duration) -> Bool {
        guard event.level >= .info else { return true }
        guard due != nil || window.opening(rate: Self.most, at: now) > now else {
            window.note(at: now)
            return true
        }
        due = due ?? now + Self.minute
        counts["\(event.message)", default: 0] += 1
        newest = event
        return false
    }

    /// - Returns: the line with the counts, once it is due.
    mutating func summary(at now: Duration) -> LogEvent? {
        guard let time = due, now >= time, var event = newest else { return nil }
        let words = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($1) x \($0)" }
        event.metadata = event.metadata ?? [:]
        event.metadata?["last.minute"] = "\(words.joined(separator: ", "))"
        (due, counts, newest) = (nil, [:], nil)
        window.note(at: now)
        return event
    }
}
