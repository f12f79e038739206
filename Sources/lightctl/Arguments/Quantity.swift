/// A number with what stands around it, as people type it: a sign, digits, a unit. "-10%" is (−, 10, "%").
struct Quantity: Equatable {
    enum Sign { case none, plus, minus }
    let sign: Sign
    let number: Double
    /// Lowercase, "" where none was given.
    let unit: String
    /// Whether digits stood behind a point.
    let fraction: Bool

    /// `nil` where there is no plain decimal number at the front ("0x10", "1e3", "inf" and "" are none).
    init?(_ text: String) {
        var rest = text.filter { $0 != " " }[...]
        switch rest.first {
        case "+": (sign, rest) = (.plus, rest.dropFirst())
        // U+2212, the minus that typesetting programs put into copied text.
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
