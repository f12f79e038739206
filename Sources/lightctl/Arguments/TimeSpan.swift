/// A stretch of time that was typed: "400ms", "2s", "1.5s", "1m", "2h", "1d".
struct TimeSpan: Equatable, Sendable {
    let milliseconds: Int

    private static let units: [String: Double] = [
        "ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000,
    ]

    /// - Parameter bare: the unit of a number without one; `nil` refuses it.
    init(argument: String, bare: String? = nil) throws(ArgumentError) {
        guard let quantity = Quantity(argument), quantity.sign == .none,
            let unit = Self.units[quantity.unit.isEmpty ? bare ?? "" : quantity.unit], quantity.number <= 1_000_000
        else {
            throw ArgumentError("write a time such as 400ms, 2s, 1.5s or 1m\(bare == nil ? ", with the unit" : "")")
        }
        milliseconds = Int((quantity.number * unit).rounded())
    }

    var duration: Duration { .milliseconds(milliseconds) }

    /// `--over`: from 0 to 100 minutes, the longest that a bridge takes (hue-protocol: dynamics.duration ≤ 6,000,000 ms).
    static func transition(argument: String) throws(ArgumentError) -> TimeSpan {
        let span = try TimeSpan(argument: argument)
        guard span.milliseconds <= 6_000_000 else { throw ArgumentError("a transition goes from 0 to 100m") }
        return span
    }

    /// `--timeout`: from 0.1 s to an hour; a bare number is seconds.
    static func timeout(argument: String) throws(ArgumentError) -> TimeSpan {
        let span = try TimeSpan(argument: argument, bare: "s")
        guard (100...3_600_000).contains(span.milliseconds) else {
            throw ArgumentError("a timeout goes from 0.1s to 1h")
        }
        return span
    }
}
