/// A name by the order in which people read names: case ignored, and numbers by their value, so that "Spot 2" comes
/// before "Spot 10". Taken apart once, because sorting compares each name many times.
public struct NaturalOrder: Comparable, Sendable {
    private let pieces: [Piece]

    private enum Piece: Comparable, Sendable {
        case number(Int)
        case text(String)
    }

    public init(_ name: String) {
        var pieces: [Piece] = []
        var rest = Array(name.lowercased().utf8)[...]
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        while let first = rest.first {
            let run = rest.prefix { isDigit($0) == isDigit(first) }
            let text = String(decoding: run, as: UTF8.self)
            // Digits beyond the largest number are ordered as text.
            pieces.append(isDigit(first) ? Int(text).map(Piece.number) ?? .text(text) : .text(text))
            rest = rest.dropFirst(run.count)
        }
        self.pieces = pieces
    }

    public static func < (one: Self, other: Self) -> Bool {
        for (piece, another) in zip(one.pieces, other.pieces) where piece != another { return piece < another }
        return one.pieces.count < other.pieces.count
    }
}

/// What a list is ordered by: the name, and the id where names are equal.
public struct NameOrder<ID: Comparable>: Comparable {
    private let name: NaturalOrder
    private let text: String
    private let id: ID

    public init(_ name: String, _ id: ID) {
        (self.name, text, self.id) = (NaturalOrder(name), name, id)
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.name == other.name ? (one.text, one.id) < (other.text, other.id) : one.name < other.name
    }
}

extension Sequence {
    /// Sorted by what is made once of each element.
    public func sorted(by key: (Element) -> some Comparable) -> [Element] {
        map { (key: key($0), element: $0) }.sorted { $0.key < $1.key }.map(\.element)
    }
}

extension String {
    /// Why this cannot be the name of something on a bridge; `nil` if it can. Bridges accept 1 to 32 characters
    /// (openhue/openhue-api).
    var nameError: Failure? {
        guard !unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            return .invalid("a name must consist of printable characters")
        }
        guard unicodeScalars.contains(where: \.isVisible) else {
            return .invalid("a name must have at least one visible character")
        }
        guard unicodeScalars.count <= 32 else {
            return .invalid("'\(self)' cannot be used as a name: bridges accept 1 to 32 characters")
        }
        guard lowercased() != "all", !hasPrefix("@") else {
            return .invalid("'\(self)' cannot be used as a name: 'all' and '@' have a meaning of their own here")
        }
        return nil
    }
}

extension Unicode.Scalar {
    /// Whether it leaves something to see: no space, nor what only controls how its neighbours look.
    fileprivate var isVisible: Bool {
        let blankBraille: Unicode.Scalar = "\u{2800}"
        return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
            && properties.generalCategory != .format && self != blankBraille
    }
}
