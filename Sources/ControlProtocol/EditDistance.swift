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

/// How many letters must be inserted, removed or replaced to turn one text into the other (Levenshtein); `nil` if one of
/// them is longer than 128 bytes, because anybody may send a text of any length, and a bridge may give a light one.
public func editDistance(_ one: String, _ other: String) -> Int? {
    guard max(one.utf8.count, other.utf8.count) <= longestComparedText else { return nil }
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
