import Foundation

/// How long lightd needed, after each fault had ended, until everything it shows was true again.
struct RecoveryTimes: CustomStringConvertible {
    private var times: [String: [Duration]] = [:]
    /// The longest, with what was still wrong just before it ended.
    private(set) var worst: (name: String, time: Duration, wrong: String) = ("", .zero, "")

    mutating func record(_ name: String, _ time: Duration, wrong: String) {
        times[name, default: []].append(time)
        if time > worst.time { worst = (name, time, wrong) }
    }

    var description: String {
        times.sorted { $0.key < $1.key }.map { name, times in
            let sorted = times.sorted()
            let median = (sorted[(times.count - 1) / 2] + sorted[times.count / 2]) / 2
            let figures =
                "\(times.count) times, median \(seconds(median)), worst \(seconds(sorted.last ?? .zero))"
            return "  \(name.padding(toLength: 26, withPad: " ", startingAt: 0))\(figures)"
        }.joined(separator: "\n")
    }
}

/// As people read it: "8.1 s".
func seconds(_ duration: Duration) -> String { String(format: "%.1f s", duration / .seconds(1)) }
