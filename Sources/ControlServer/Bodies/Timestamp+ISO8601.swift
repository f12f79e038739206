import FoundationEssentials
import Khipu

extension Timestamp {
    /// "2026-11-21T10:00:00.250Z", in UTC and always to the millisecond: texts of one length sort as the moments do.
    var iso8601: String {
        // Whole seconds go through the date and milliseconds do not: as a fraction of a Double they would be cut off.
        let (seconds, rest) = milliseconds.flooredQuotientAndRemainder(dividingBy: 1000)
        let date = Date(timeIntervalSince1970: Double(seconds)).formatted(Date.ISO8601FormatStyle())
        let digits = String(rest)
        return date.dropLast() + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }

    /// Reads a moment in ISO 8601 that names its zone, with or without a fraction; `nil` where it is none.
    init?(iso8601 text: String) {
        for fractional in [false, true] {
            // The error says only that it is not of this form; the caller's sentence says what was expected.
            if let date = try? Date.ISO8601FormatStyle(includingFractionalSeconds: fractional).parse(text) {
                self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
                return
            }
        }
        return nil
    }
}

extension Int64 {
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
