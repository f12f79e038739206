import ControlProtocol

/// A length of time: "400ms", "2s", "1.5s", "1m", "1h30m", "1d".
public struct TimeSpan: Equatable, Sendable {
    public let milliseconds: Int

    private static let units: [String: Double] = [
        "ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000,
    ]

    /// - Parameter defaultUnit: the unit of a bare number; `nil` refuses bare numbers.
    public init(argument: String, defaultUnit: String? = nil) throws(ArgumentError) {
        var sum = 0.0
        for part in Self.parts(of: argument) {
            guard let quantity = Quantity(String(part)), quantity.sign == .none,
                let unit = Self.units[quantity.unit.isEmpty ? defaultUnit ?? "" : quantity.unit],
                quantity.number <= 1_000_000
            else {
                throw ArgumentError(
                    "not a duration: use a time such as 400ms, 1.5s, 10m, 1h30m or 2d"
                        + (defaultUnit == nil ? ", with a unit" : ""))
            }
            sum += quantity.number * unit
        }
        milliseconds = Int(sum.rounded())
    }

    /// "1h30m" is "1h" and "30m".
    private static func parts(of text: String) -> [Substring] {
        var (parts, start, previous) = ([Substring](), text.startIndex, Character(" "))
        for index in text.indices {
            if text[index].isNumber, previous.isLetter {
                parts.append(text[start..<index])
                start = index
            }
            previous = text[index]
        }
        return parts + [text[start...]]
    }

    public init(milliseconds: Int) { self.milliseconds = milliseconds }

    public var duration: Duration { .milliseconds(milliseconds) }

    private static let largestFirst = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)]

    /// In the largest unit of which it is a whole number: "10m", "1500ms", "2000.001s". Parsing it gives the same again.
    public var text: String {
        let unit = milliseconds == 0 ? nil : Self.largestFirst.first { milliseconds.isMultiple(of: $0.1) }
        if let unit { return "\(milliseconds / unit.1)\(unit.0)" }
        guard milliseconds > 1_000_000 else { return "\(milliseconds)ms" }
        return "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())s"
    }

    /// As it is written in automations: "1h30m", "1s500ms".
    public var parts: String {
        var rest = milliseconds
        var text = ""
        for (name, size) in Self.largestFirst + [("ms", 1)] where rest >= size {
            text += "\(rest / size)\(name)"
            rest %= size
        }
        return text.isEmpty ? "0ms" : text
    }

    /// `--over`: at most 100 minutes, the longest fade a bridge accepts (CLIP v2: dynamics.duration ≤ 6,000,000 ms).
    public static func transition(argument: String) throws(ArgumentError) -> TimeSpan {
        let span = try TimeSpan(argument: argument)
        guard span.milliseconds <= 6_000_000 else { throw ArgumentError("out of range: use 0s to 100m") }
        return span
    }

    /// A wait of an automation or a timer: at most 366 days.
    public static func wait(argument: String, from least: Int) throws(ArgumentError) -> TimeSpan {
        let span = try TimeSpan(argument: argument)
        guard (least...366 * 86_400_000).contains(span.milliseconds) else {
            throw ArgumentError("out of range: use \(least == 0 ? "0s" : "1ms") to 366d")
        }
        return span
    }

    /// `--timeout`: 0.1 s to 1 h; a bare number means seconds.
    public static func timeout(argument: String) throws(ArgumentError) -> TimeSpan {
        let span = try TimeSpan(argument: argument, defaultUnit: "s")
        guard (100...3_600_000).contains(span.milliseconds) else {
            throw ArgumentError("out of range: use 0.1s to 1h")
        }
        return span
    }
}
