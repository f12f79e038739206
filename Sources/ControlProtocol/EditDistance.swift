/// The longest text whose edit distance is computed: the time grows with the product of both lengths.
public let longestComparedText = 128

/// The word nearest to what was typed, if one is near: at most one edit in three letters.
public func closest(to typed: String, in words: some Sequence<String>) -> String? {
    guard typed.utf8.count <= longestComparedText else { return nil }
    let typed = typed.lowercased()
    return words.filter { $0.utf8.count <= longestComparedText }.map { (word: $0, distance: editDistance(typed, $0.lowercased())) }
        .filter { $0.distance * 3 <= max(typed.count, 3) }
        .min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
}

/// How many letters must be inserted, removed or replaced to turn one text into the other (Levenshtein).
public func editDistance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
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
