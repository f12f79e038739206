extension String {
    /// Why this cannot be the name of something on a bridge; `nil` if it can. Bridges accept 1 to 32 characters
    /// (openhue/openhue-api).
    var objectionAsName: Failure? {
        guard !unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            return .invalid("a name must consist of printable characters")
        }
        guard unicodeScalars.contains(where: \.isVisible) else {
            return .invalid("a name must have at least one visible character")
        }
        guard unicodeScalars.count <= 32 else {
            return .invalid("'\(self)' cannot be used as a name: bridges accept 1 to 32 characters")
        }
        guard lowercased() != "all", !hasPrefix("@") else {
            return .invalid("'\(self)' cannot be used as a name: 'all' and '@' have a meaning of their own here")
        }
        return nil
    }
}

extension Unicode.Scalar {
    /// Whether it leaves something to see: no space, nor what only controls how its neighbours look.
    fileprivate var isVisible: Bool {
        let blankBraille: Unicode.Scalar = "\u{2800}"
        return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
            && properties.generalCategory != .format && self != blankBraille
    }
}
