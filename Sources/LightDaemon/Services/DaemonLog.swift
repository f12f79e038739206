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

    /// Says why the program ends: in the journal under systemd, otherwise on standard error as any command does.
    public static func report(_ failure: String, environment: [String: String]) {
        if SystemdJournal.isStandardError(environment) {
            DaemonLog(level: .error, environment: environment).logger.error("\(failure)")
        } else {
            ConsoleLog.write("lightd: \(failure)\n")
        }
    }
}
