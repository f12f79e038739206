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
