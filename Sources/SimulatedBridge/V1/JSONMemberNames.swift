import FoundationEssentials

/// The order in which a text writes the members of its outermost object. API v1 answers in the order of the request,
/// and a dictionary has none.
enum JSONMemberNames {
    /// The names in order; a name that is written twice comes twice. Empty if the text is not an object.
    ///
    /// - Parameter text: JSON. Other text gives some names or none, and never traps.
    static func inOrder(of text: [UInt8]) -> [String] {
        var names: [String] = []
        var depth = 0
        // Whether the next string at depth 1 is a name, not a value.
        var isNameNext = false
        var place = text.startIndex
        while place < text.endIndex {
            switch text[place] {
            case UInt8(ascii: "\""):
                let end = endOfString(in: text, from: place)
                if isNameNext, depth == 1,
                    let name = try? JSONDecoder().decode(String.self, from: Data(text[place..<end]))
                {
                    names.append(name)
                }
                if depth == 1 { isNameNext = false }
                place = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isNameNext = depth == 1 && text[place] == UInt8(ascii: "{")
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): isNameNext = depth == 1
            default: break
            }
            place += 1
        }
        return names
    }

    /// The place behind the closing quotation mark.
    private static func endOfString(in text: [UInt8], from start: Int) -> Int {
        var place = start + 1
        while place < text.endIndex {
            switch text[place] {
            case UInt8(ascii: "\\"): place += 2
            case UInt8(ascii: "\""): return place + 1
            default: place += 1
            }
        }
        return text.endIndex
    }
}
