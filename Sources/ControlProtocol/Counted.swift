/// A number of things in words: "1 light", "3 lights".
///
/// - Parameter plural: by default the singular with an s.
public func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
}

/// "Desk", "Desk and Sofa", "Desk, Sofa and Fan"; empty without words.
///
/// - Parameter conjunction: "and", "or".
public func enumeration(_ words: [String], _ conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
}

/// "the only line", "both lines", "all 3 lines"
public func whole(_ count: Int, _ singular: String) -> String {
    switch count {
    case 1: "the only \(singular)"
    case 2: "both \(singular)s"
    default: "all \(counted(count, singular))"
    }
}

/// "40", "12.5": at most one decimal, none if it is 0.
public func number(_ value: Double) -> String {
    let tenths = (value * 10).rounded()
    // NaN and numbers beyond the range of Int are printed as they are.
    guard abs(tenths) < 1e15 else { return "\(value)" }
    let whole = Int(tenths)
    return whole % 10 == 0
        ? "\(whole / 10)" : "\(whole < 0 ? "-" : "")\(abs(whole) / 10).\(abs(whole) % 10)"
}

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
