/// The word nearest to what was typed, if one is near: at most one edit in three letters.
public func closest(to typed: String, in words: some Sequence<String>) -> String? {
    let typed = typed.lowercased()
    let most = max(typed.count, 3) / 3
    // A word that is longer or shorter by more than that is not near.
    return words.filter { abs($0.count - typed.count) <= most }
        .compactMap { word in editDistance(typed, word.lowercased()).map { (word: word, distance: $0) } }
        .filter { $0.distance <= most }
        .min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
}

/// The longest text that is compared, in bytes: the time grows with the product of both lengths.
public let longestComparedText = 128

/// How many letters must be inserted, removed, replaced or exchanged with their neighbour to turn one text into the
/// other (Levenshtein, with Damerau's exchange); `nil` if one of
/// them is longer than 128 bytes, because anybody may send a text of any length, and a bridge may give a light one.
public func editDistance(_ one: String, _ other: String) -> Int? {
    guard max(one.utf8.count, other.utf8.count) <= longestComparedText else { return nil }
    let (one, other) = (Array(one), Array(other))
    var row = Array(0...other.count)
    var (above, twoAbove) = (row, row)
    for (i, a) in one.enumerated() {
        (twoAbove, above) = (above, row)
        row[0] = i + 1
        for (j, b) in other.enumerated() {
            row[j + 1] = min(row[j] + 1, above[j + 1] + 1, above[j] + (a == b ? 0 : 1))
            guard i > 0, j > 0, a == other[j - 1], b == one[i - 1] else { continue }
            row[j + 1] = min(row[j + 1], twoAbove[j - 1] + 1)
        }
    }
    return row[other.count]
}
