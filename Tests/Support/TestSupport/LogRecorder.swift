public import Logging
import Synchronization

/// Records log lines as "level message key=value".
public final class LogRecorder: Sendable {
    private let recorded = Mutex<[String]>([])
    private let level: Logger.Level

    public init(level: Logger.Level = .trace) { self.level = level }

    public var lines: [String] { recorded.withLock(\.self) }

    public var logger: Logger {
        Logger(label: "test") { _ in Handler(recorder: self, logLevel: self.level) }
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            recorder.recorded.withLock { $0.append("\(event.level) \(event.message)\(facts)") }
        }
    }
}
