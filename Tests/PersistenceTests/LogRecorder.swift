import Logging
import Synchronization

/// Collects what is logged, metadata included.
final class LogRecorder: Sendable {
    private let written = Mutex<[String]>([])

    var lines: [String] { written.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in Scribe { line in self.written.withLock { $0.append(line) } } }
    }

    private struct Scribe: LogHandler {
        let write: @Sendable (String) -> Void
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        init(write: @escaping @Sendable (String) -> Void) { self.write = write }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            write("\(event.level): \(event.message) \(event.metadata ?? [:])")
        }
    }
}
