public import FoundationEssentials

/// The first name that an object of a JSON text has twice; `nil` if none has. Decoders disagree about which of the two
/// counts, and none says so (RFC 8259, section 4).
///
/// - Parameter json: text that was decoded. Other text gives some name or none, and never traps.
public func repeatedName(in json: Data) -> String? {
    let text = Array(json)
    // The names of the open objects, the innermost last; a list has none.
    var open: [Set<String>?] = []
    var isNameNext = false
    var place = 0
    while place < text.count {
        switch text[place] {
        case UInt8(ascii: "\""):
            let end = endOfString(in: text, from: place)
            if isNameNext, let names = open.last, let name = string(text[place..<end]) {
                if names?.contains(name) == true { return name }
                open[open.count - 1]?.insert(name)
            }
            isNameNext = false
            place = end
            continue
        case UInt8(ascii: "{"):
            open.append([])
            isNameNext = true
        case UInt8(ascii: "["):
            open.append(nil)
            isNameNext = false
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
        case UInt8(ascii: ","): isNameNext = open.last.map { $0 != nil } ?? false
        default: break
        }
        place += 1
    }
    return nil
}

/// - Throws: `invalid` if an object of a JSON text has a name twice.
public func refuseRepeatedName(in json: Data) throws(ErrorReply) {
    guard let name = repeatedName(in: json) else { return }
    throw ErrorReply(
        .invalid, "the body has the field '\(name.prefix(100))' twice", hint: "leave one of the two out")
}

/// The place behind the closing quotation mark.
private func endOfString(in text: [UInt8], from start: Int) -> Int {
    var place = start + 1
    while place < text.count {
        switch text[place] {
        case UInt8(ascii: "\\"): place += 2
        case UInt8(ascii: "\""): return place + 1
        default: place += 1
        }
    }
    return text.count
}

/// - Parameter quoted: with its quotation marks.
private func string(_ quoted: ArraySlice<UInt8>) -> String? {
    guard quoted.contains(UInt8(ascii: "\\")) else {
        return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
    }
    return try? JSONDecoder().decode(String.self, from: Data(quoted))
}

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
