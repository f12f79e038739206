/// A language that people read lightd in.
///
/// A text stands in English where it is made, as the argument of a `Language`: `words("\(lit) of \(all) on")`. That is
/// its key in the catalogues of the other languages, with `{1}`, `{2}`… in place of what differs.
public enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"

    /// The first of those that a reader prefers, or English.
    ///
    /// - Parameter header: `Accept-Language` (RFC 9110, section 12.5.4), "de-AT,de;q=0.9,en;q=0.8".
    public init(accepted header: String?) {
        var best: (language: Self, weight: Double)?
        for range in (header ?? "").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            // Regions of one language are told apart by nobody here.
            guard let name = parts.first?.split(separator: "-").first?.lowercased(),
                let language = Self(rawValue: name)
            else { continue }
            let weight = parts.dropFirst().lazy.filter { $0.hasPrefix("q=") }.first.map { Double($0.dropFirst(2)) ?? 0 }
            if (weight ?? 1) > best?.weight ?? 0 { best = (language, weight ?? 1) }
        }
        self = best?.language ?? .english
    }

    /// The phrase in this language, or in English if its catalogue has none.
    public func callAsFunction(_ phrase: Phrase) -> String {
        phrase.text(catalogue?[phrase.template] ?? phrase.template)
    }

    /// One of two phrases, by a count: English and German both have one form for 1, and one for all else. Each is a key
    /// of its own.
    public func callAsFunction(_ count: Int, _ one: Phrase, _ other: Phrase) -> String {
        self(count == 1 ? one : other)
    }

    /// By their keys; `nil` for English, which is what the keys say.
    public var catalogue: [String: String]? {
        switch self {
        case .english: nil
        case .german: Self.germanWords
        }
    }
}
