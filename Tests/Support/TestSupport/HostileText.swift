/// Pieces of which names are made to attack those who show, split, quote or compare them: what joins its neighbour into one
/// `Character`, what a terminal or a shell obeys, what hides or turns round what stands beside it, and honest letters.
public enum HostileText {
    /// Combining marks; letters that take what follows them into their `Character`; joiners.
    public static let joining = [
        "\u{301}", "\u{20DD}", "\u{338}", "\u{D4E}", "\u{600}", "\u{6DD}", "\u{110BD}", "\u{200D}", "\u{FE0F}",
        "\u{E0020}",
        "\u{1160}",
    ]
    /// C0, DEL and C1 controls, line and paragraph separators, direction marks, and what is not seen.
    public static let hidden = [
        "\n", "\r", "\t", "\u{1B}[2J", "\u{7}", "\u{0}", "\u{7F}", "\u{85}", "\u{9B}31m", "\u{9D}", "\u{2028}",
        "\u{2029}",
        "\u{202E}", "\u{2066}", "\u{200E}", "\u{61C}", "\u{200B}", "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{3164}",
        "\u{FFFE}",
        "\u{E0041}", "\u{FFF9}", "\u{180E}",
    ]
    /// What shells, and other readers of lists, take as signs.
    public static let signs =
        "'\"\\`$!;|&<>(){}[]*?~#=%^@:,/-+. ".map(String.init) + [
            "$(id)", "`id`", "; id > x; ", "' id '", "--wait", "!!",
        ]
    public static let honest = ["Küche", "Lampe", "キッチン", "مطبخ", "👩‍👩‍👧", "❤️", "1️⃣", "a", "Z", "7"]

    /// A name of up to eight pieces.
    public static func name<Generator: RandomNumberGenerator>(using generator: inout Generator) -> String {
        let kinds = [joining, joining, signs, signs, signs, honest, hidden]
        // Half of the names have nothing that is hidden.
        let count = Bool.random(using: &generator) ? kinds.count : kinds.count - 1
        return (0..<Int.random(in: 1...8, using: &generator)).map { _ in
            kinds[Int.random(in: 0..<count, using: &generator)].randomElement(using: &generator) ?? ""
        }.joined()
    }
}
