/// A number as people type it: a sign, digits and a unit. "-10%" is (minus, 10, "%").
public struct Quantity: Equatable, Sendable {
    public enum Sign: Sendable { case none, plus, minus }
    public let sign: Sign
    public let number: Double
    /// In lowercase; empty if none was typed.
    public let unit: String
    /// Whether the number was typed with a decimal point.
    public let fraction: Bool

    /// `nil` unless the text begins with a plain decimal number; "0x10", "1e3", "inf" and "" do not count.
    public init?(_ text: String) {
        var rest = text.filter { $0 != " " }[...]
        switch rest.first {
        case "+": (sign, rest) = (.plus, rest.dropFirst())
        // U+2212, the minus sign in text copied from web pages and documents.
        case "-", "\u{2212}": (sign, rest) = (.minus, rest.dropFirst())
        default: sign = .none
        }
        let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), digits.first != ".", digits.last != "." else { return nil }
        self.number = number
        fraction = digits.contains(".")
        unit = rest.dropFirst(digits.count).lowercased()
    }
}
