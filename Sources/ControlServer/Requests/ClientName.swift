import ControlProtocol

/// What a client calls itself, in the log and in causes. lightd says the rest, such as "with token 'panel' over TCP":
/// no name may look as if lightd had said it.
struct ClientName: Equatable {
    /// One short line without terminal escapes, in which all is seen that is there.
    let text: String

    private static let wordsOfLightd = [" with token", " over tcp"]

    /// - Parameter given: by the client. `nil` if nothing of it is left.
    init?(_ given: String) {
        var words = given.unicodeScalars.filter { !$0.isUnseen }.split { $0.properties.isWhitespace }
            .map { String(String.UnicodeScalarView($0)) }
        for place in words.indices {
            let end = (" " + words[...place].joined(separator: " ")).lowercased()
            guard Self.wordsOfLightd.contains(where: end.hasSuffix) else { continue }
            words = Array(words[..<max(place - 1, 0)])
            break
        }
        let text = words.joined(separator: " ").prefix(Routes.longestClientName)
        guard !text.isEmpty else { return nil }
        self.text = String(text)
    }
}

extension Unicode.Scalar {
    /// Whether it leaves nothing to see, and is not a space either: it controls something, or how its neighbours look.
    fileprivate var isUnseen: Bool {
        if properties.isWhitespace { return false }
        let blankBraille: Unicode.Scalar = "\u{2800}"
        return [.control, .format, .surrogate, .unassigned, .privateUse].contains(properties.generalCategory)
            || properties.isDefaultIgnorableCodePoint || self == blankBraille
    }
}
