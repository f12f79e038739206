public import FoundationEssentials
public import Khipu
import Lighting

/// JSON as surfaces write it: keys sorted, so that equal bodies are equal texts, and slashes unescaped, because ids
/// contain them.
public enum JSON {
    public static func data(_ body: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(body)
    }

    /// One line.
    public static func text(_ body: some Encodable) throws -> String {
        String(decoding: try data(body), as: UTF8.self)
    }
}

extension Timestamp {
    /// "2026-11-21T10:00:00.250Z", in UTC and always to the millisecond: texts of equal length sort like the moments.
    public var iso8601: String {
        // Only whole seconds go through the date: a Double would cut the milliseconds off.
        let (seconds, rest) = milliseconds.flooredQuotientAndRemainder(dividingBy: 1000)
        let date = Date(timeIntervalSince1970: Double(seconds)).formatted(Date.ISO8601FormatStyle())
        let digits = String(rest)
        return date.dropLast() + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }

    /// The same moment as the home's clocks show it: "2026-12-24T17:30:00.000+01:00".
    func iso8601(in time: HomeTime) -> String {
        let offset = time.zone.offset(at: self)
        // Zones of long ago had seconds, which ISO 8601 cannot write.
        guard offset.isMultiple(of: 60) else { return iso8601 }
        func digits(_ number: Int) -> String { String(String(number + 100).dropFirst()) }
        let minutes = abs(offset) / 60
        return advanced(by: .seconds(offset)).iso8601.dropLast()
            + "\(offset < 0 ? "-" : "+")\(digits(minutes / 60)):\(digits(minutes % 60))"
    }

    /// Reads ISO 8601 with a time zone, with or without a fraction. `nil` for a day or a time that does not exist.
    public init?(iso8601 text: String) {
        // The parser also takes years of five digits, and anything after the time zone.
        let form = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:?[0-9]{2})/
        guard text.wholeMatch(of: form) != nil, Self.exists(text.prefix(19)) else { return nil }
        for fractional in [false, true] {
            // The error says only that the text has another form.
            if let date = try? Date.ISO8601FormatStyle(includingFractionalSeconds: fractional).parse(text) {
                self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
                // The time zone may lead out of the years that are written with four digits.
                guard iso8601.wholeMatch(of: form) != nil else { return nil }
                return
            }
        }
        return nil
    }

    /// Whether there is such a day and time. The parser takes 30 February for 2 March.
    private static func exists(_ dayAndTime: Substring) -> Bool {
        // The error says only that the text has another form.
        guard let date = try? Date.ISO8601FormatStyle().parse(dayAndTime + "Z") else { return false }
        return date.formatted(Date.ISO8601FormatStyle()).prefix(19) == dayAndTime
    }
}

extension Int64 {
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
