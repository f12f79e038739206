public import ControlProtocol

extension Typed {
    /// A line in which names are replaced, the rest as it was typed.
    ///
    /// - Parameters:
    ///   - names: the new ones by the old.
    ///   - command: what the new line must mean. A word may look like a name and be none: "turn on on".
    public static func line(_ line: String, replacing names: [String: String], toMean command: Command) -> String {
        guard let words = try? ShellWords.split(line) else { return self.line(for: command) ?? line }
        let places = words.indices.filter { names[words[$0].text] != nil }
        let all = self.line(line, words, replacing: names, at: Set(places))
        let single = places.reversed().lazy.map { self.line(line, words, replacing: names, at: [$0]) }
        if means(all, command) { return all }
        return single.first { means($0, command) } ?? self.line(for: command) ?? all
    }

    private static func means(_ line: String, _ command: Command) -> Bool { (try? commands(from: line)) == [command] }

    private static func line(
        _ line: String, _ words: [ShellWords.Word], replacing names: [String: String], at places: Set<Int>
    ) -> String {
        let scalars = Array(line.unicodeScalars)
        var result = String.UnicodeScalarView(scalars[..<(words.first?.offset ?? scalars.count)])
        for (place, word) in words.enumerated() {
            let end = words.indices.contains(place + 1) ? words[place + 1].offset : scalars.count
            let written = scalars[word.offset..<end]
            guard places.contains(place), let name = names[word.text] else {
                result.append(contentsOf: written)
                continue
            }
            result.append(contentsOf: ShellQuote.word(name).unicodeScalars)
            result.append(contentsOf: written.reversed().prefix { $0 == " " || $0 == "\t" })
        }
        return String(result)
    }
}
