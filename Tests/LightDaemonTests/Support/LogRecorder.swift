import Logging
import Synchronization

/// Keeps what is logged: "level message key=value".
final class LogRecorder: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock(\.self) }
    var logger: Logger { Logger(label: "test") { _ in Handler(record: self) } }

    private struct Handler: LogHandler {
        let record: LogRecorder
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            record.kept.withLock { $0.append("\(event.level) \(event.message)\(facts)") }
        }
    }
}
