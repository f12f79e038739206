extension String {
    /// Why this cannot be the name of something on a bridge; `nil` if it can. Bridges accept 1 to 32 characters
    /// (openhue/openhue-api).
    var objectionAsName: Failure? {
        guard !unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            return .invalid("a name must consist of printable characters")
        }
        guard (1...32).contains(unicodeScalars.count), contains(where: { !$0.isWhitespace }) else {
            return .invalid("'\(self)' cannot be used as a name: bridges accept 1 to 32 characters")
        }
        guard lowercased() != "all", !hasPrefix("@") else {
            return .invalid("'\(self)' cannot be used as a name: 'all' and '@' have a meaning of their own here")
        }
        return nil
    }
}
