import ControlProtocol
import FoundationEssentials
import Glibc
import Khipu
public import Logging

/// The log of the program, whose level may change while it runs.
public struct DaemonLog: Sendable {
    public let logger: Logger
    let level: Live<Logger.Level>

    public init(level: Logger.Level, environment: [String: String]) {
        let (level, toJournal) = (Live(level), SystemdJournal.isStandardError(environment))
        self.level = level
        let journal = toJournal ? JournalSocket() : nil
        logger = Logger(label: "lightd") { _ in ConsoleLog(level: level, toJournal: toJournal, journal: journal) }
    }

    /// Says why the program ends: in the journal under systemd, otherwise on standard error as any command does. Always
    /// by standard error, of which the journal knows the unit. For an entry by its native protocol it looks into /proc,
    /// too late for a process that has ended: 'journalctl -u lightd' would lack the reason now and then
    /// (https://github.com/systemd/systemd/issues/2913).
    public static func report(_ failure: String, environment: [String: String]) {
        if SystemdJournal.isStandardError(environment) {
            ConsoleLog.write(ConsoleLog(level: Live(.error), toJournal: true).line(for: .error, "\(failure)", [:]))
        } else {
            ConsoleLog.write("lightd: \(failure)\n")
        }
    }
}

/// Writes log lines to standard error: time, level, message and metadata. Under systemd they go to the journal, which
/// keeps the time, with the metadata as fields, too; if the journal can only be reached by standard error, a line begins
/// with its priority (`sd-daemon(3)`).
public struct ConsoleLog: LogHandler {
    /// Of this logger alone, if set; otherwise that of all.
    public var logLevel: Logger.Level {
        get { ownLevel ?? level.value }
        set { ownLevel = newValue }
    }
    public var metadata: Logger.Metadata = [:]
    private let level: Live<Logger.Level>
    private var ownLevel: Logger.Level?
    private let toJournal: Bool
    private let journal: JournalSocket?

    /// - Parameters:
    ///   - level: of all loggers, which may change.
    ///   - journal: where lines go in the place of standard error; `nil` if that is not the journal's, or all that leads
    ///     there.
    init(level: Live<Logger.Level>, toJournal: Bool, journal: JournalSocket? = nil) {
        self.level = level
        self.toJournal = toJournal
        self.journal = journal
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        if let journal {
            let facts = metadata.sorted { $0.key < $1.key }.map {
                (name: $0.key, value: PrintableText.line("\($0.value)"))
            }
            let delivery = journal.write(
                text(event.message, metadata), priority: event.level.priority, facts: facts)
            if delivery != .impossible { return }
        }
        Self.write(line(for: event.level, event.message, metadata))
    }

    /// Writes to standard error at once, so that lines of several threads never mix. If it is closed, the error has
    /// nowhere to go.
    static func write(_ line: String) {
        _ = Array(line.utf8).withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    func line(for level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata) -> String {
        let head =
            toJournal
            ? "<\(level.priority)>"
            : "\(Date().formatted(Self.timeFormat)) \(level.word) "
        return head + text(message, metadata) + "\n"
    }

    private func text(_ message: Logger.Message, _ metadata: Logger.Metadata) -> String {
        let facts = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted("\($0.value)"))" }.joined()
        return PrintableText.line("\(message)\(facts)")
    }

    /// "2026-11-21T10:00:00.123Z": with the date and in UTC, because logs are read later and elsewhere.
    private static let timeFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Judged by scalars: for a `Character`, a quotation mark with a combining mark would be none.
    private static func quoted(_ value: String) -> String {
        let scalars = value.unicodeScalars
        let isPlain = scalars.allSatisfy { !$0.properties.isWhitespace && $0 != "\"" && $0 != "=" } && !value.isEmpty
        guard !isPlain else { return value }
        return "\"" + scalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }
}

extension Logger.Level {
    /// The syslog priority.
    fileprivate var priority: Int {
        switch self {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }

    /// Padded to seven letters, so that messages line up.
    fileprivate var word: String {
        rawValue.padding(to: 7)
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
