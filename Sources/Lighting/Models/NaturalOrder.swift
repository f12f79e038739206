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
