import ControlProtocol

/// A length of time: "400ms", "2s", "1.5s", "1m", "2h", "1d".
struct TimeSpan: Equatable, Sendable {
    let milliseconds: Int

    private static let units: [String: Double] = [
        "ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000,
    ]

    /// - Parameter defaultUnit: the unit of a bare number; `nil` refuses bare numbers.
    init(argument: String, defaultUnit: String? = nil) throws(ArgumentError) {
        guard let quantity = Quantity(argument), quantity.sign == .none,
            let unit = Self.units[quantity.unit.isEmpty ? defaultUnit ?? "" : quantity.unit],
            quantity.number <= 1_000_000
        else {
            throw ArgumentError(
                "not a duration: use a time such as 400ms, 2s, 1.5s or 1m\(defaultUnit == nil ? ", with a unit" : "")")
        }
        milliseconds = Int((quantity.number * unit).rounded())
    }

    var duration: Duration { .milliseconds(milliseconds) }

    /// `--over`: at most 100 minutes, the longest fade a bridge accepts (CLIP v2: dynamics.duration ≤ 6,000,000 ms).
    static func transition(argument: String) throws(ArgumentError) -> TimeSpan {
        let span = try TimeSpan(argument: argument)
        guard span.milliseconds <= 6_000_000 else { throw ArgumentError("out of range: use 0s to 100m") }
        return span
    }

    /// `--timeout`: 0.1 s to 1 h; a bare number means seconds.
    static func timeout(argument: String) throws(ArgumentError) -> TimeSpan {
        let span = try TimeSpan(argument: argument, defaultUnit: "s")
        guard (100...3_600_000).contains(span.milliseconds) else {
            throw ArgumentError("out of range: use 0.1s to 1h")
        }
        return span
    }
}
