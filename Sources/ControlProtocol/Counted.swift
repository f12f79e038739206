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
