import ControlProtocol

/// "40%": whole per cent, as people say it. A lamp has 254 steps, so that one set to 40 % reports 39.92. Above 0 it is at
/// least 1%.
func percent(_ value: Double) -> String { (value > 0 && value < 1 ? "1" : number(value.rounded())) + "%" }

/// "45 s", "12 min", "3 h 12 min", "2 d 4 h": the two largest units.
func uptime(seconds: Double) -> String {
    let seconds = Int(max(0, min(seconds, 1e12)))
    let parts = [(seconds / 86400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min")]
        .drop { $0.0 == 0 }.filter { $0.0 > 0 }.prefix(2)
    return parts.isEmpty ? "\(seconds) s" : parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
}

/// "'a'", "'a' or 'b'", "'a', 'b' or 'c'"
func alternatives(_ words: [String]) -> String { enumeration(words.map { "'\(printable($0))'" }, "or") }
