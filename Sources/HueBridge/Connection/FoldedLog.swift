import Logging
import Synchronization

/// The log about one bridge, folded by a ``LogFold`` whoever writes to it.
final class FoldedLog: Sendable {
    private let base: Logger
    private let fold = Mutex(LogFold())
    private let now: @Sendable () -> Duration
    private let onFold: @Sendable () -> Void

    /// - Parameter onFold: called if something is to be written later, at ``due``.
    init(_ base: Logger, now: @escaping @Sendable () -> Duration, onFold: @escaping @Sendable () -> Void) {
        self.base = base
        self.now = now
        self.onFold = onFold
    }

    var logger: Logger {
        var logger = base
        logger.handler = Handler(base: base.handler, log: self)
        return logger
    }

    var due: Duration? { fold.withLock(\.due) }

    func writeWhatIsDue() {
        if let event = fold.withLock({ $0.summary(at: now()) }) { base.handler.log(event: event) }
    }

    private func take(_ event: LogEvent) -> Bool {
        let isWritten = fold.withLock { $0.take(event, at: now()) }
        if !isWritten { onFold() }
        return isWritten
    }

    private struct Handler: LogHandler {
        var base: any LogHandler
        let log: FoldedLog

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
