extension String {
    /// The text in one line without control characters: names, certificates and files come from outside, and could
    /// change the terminal.
    var printable: String {
        guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return self }
        return unicodeScalars.map { scalar in
            guard scalar.properties.generalCategory == .control else { return String(scalar) }
            return scalar.properties.isWhitespace ? " " : "\\u{\(String(scalar.value, radix: 16))}"
        }.joined()
    }
}
