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
