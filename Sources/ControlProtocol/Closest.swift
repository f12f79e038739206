/// The word that is nearest to what was typed, if any is near: at most one slip in three letters.
public func closest(to typed: String, in words: some Sequence<String>) -> String? {
    let typed = Array(typed.lowercased())
    return words.map { (word: $0, slips: slips(typed, Array($0.lowercased()))) }
        .filter { $0.slips * 3 <= max(typed.count, 3) }
        .min { ($0.slips, $0.word) < ($1.slips, $1.word) }?.word
}

/// Levenshtein's distance: how many letters must be put in, taken out or replaced.
private func slips(_ one: [Character], _ other: [Character]) -> Int {
    var row = Array(0...other.count)
    for (i, a) in one.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, b) in other.enumerated() {
            (diagonal, row[j + 1]) = (row[j + 1], min(row[j] + 1, row[j + 1] + 1, diagonal + (a == b ? 0 : 1)))
        }
    }
    return row[other.count]
}
