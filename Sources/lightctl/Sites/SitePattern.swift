import CommandGrammar
import ControlProtocol
import FoundationEssentials

/// Which sites `--site` means: "hotel-3", "hotel-*", "tag=lobby", or several of these with commas between them.
struct SitePattern: Equatable, Sendable {
    let text: String
    private let parts: [Part]

    private enum Part: Equatable {
        /// A name, in which "*" stands for any text.
        case name([Substring])
        case tag(String)
    }

    /// - Throws: what is no site and no pattern.
    init(_ text: String) throws(ErrorReply) {
        self.text = text
        var parts: [Part] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            if word.hasPrefix("tag=") {
                let tag = word.dropFirst(4)
                guard SiteTopics.isSite(tag) else { throw Self.malformed(word) }
                parts.append(.tag(String(tag)))
            } else {
                let pieces = word.split(separator: "*", omittingEmptySubsequences: false)
                guard !word.isEmpty, pieces.allSatisfy({ $0.isEmpty || SiteTopics.isSite($0) }) else {
                    throw Self.malformed(word)
                }
                parts.append(.name(pieces))
            }
        }
        self.parts = parts
    }

    private static func malformed(_ word: Substring) -> ErrorReply {
        ErrorReply(
            .invalid, "'\(printable(String(word)))' is neither a site nor a pattern",
            hint: "sites have small letters, digits and '-'; write 'hotel-3', 'hotel-*', tag=WORD, or several with ','")
    }

    /// The one site that it names; `nil` if it may mean several.
    var only: String? {
        guard parts.count == 1, case let .name(pieces) = parts[0], pieces.count == 1 else { return nil }
        return String(pieces[0])
    }

    func matches(_ site: SiteBody) -> Bool {
        parts.contains { part in
            switch part {
            case let .tag(tag): site.info?.tags.contains(tag) ?? false
            case let .name(pieces): Self.matches(pieces[...], site.site[...])
            }
        }
    }

    private static func matches(_ pieces: ArraySlice<Substring>, _ text: Substring) -> Bool {
        guard let first = pieces.first, text.hasPrefix(first) else { return false }
        let rest = text.dropFirst(first.count)
        let left = pieces.dropFirst()
        guard let next = left.first else { return rest.isEmpty }
        // A "*" stands between the two. The last piece must end the text; any other is best found as early as possible.
        if left.count == 1 { return rest.hasSuffix(next) }
        return rest.firstRange(of: next).map { matches(left, rest[$0.lowerBound...]) } ?? false
    }
}
