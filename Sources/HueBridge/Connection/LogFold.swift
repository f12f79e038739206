import Logging

/// Keeps the log about one bridge calm: a few lines a minute are written as they come. What comes beyond that is
/// counted, and a minute later the newest of it is written with the counts. A value without a clock: `now` comes in.
///
/// Only lines for people are folded, from level info on: a debug log has everything.
struct LogFold: Sendable {
    /// How many lines are written in any minute, the one with the counts included.
    static let most = 5
    static let minute = Duration.seconds(60)

    private var window = RateWindow(span: Self.minute)
    private var counts: [String: Int] = [:]
    private var newest: LogEvent?
    /// When the counts are to be written; `nil` if nothing is folded.
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
