/// The order in which people read names: case ignored, and numbers by their value, so that "Spot 2" comes before "Spot
/// 10".
enum NaturalOrder {
    static func precedes(_ one: String, _ other: String) -> Bool {
        let (one, other) = (pieces(of: one), pieces(of: other))
        for (piece, another) in zip(one, other) where piece != another { return piece < another }
        return one.count < other.count
    }

    private enum Piece: Equatable, Comparable {
        case number(Int)
        case text(String)
    }

    private static func pieces(of name: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = name.lowercased()[...]
        while let first = rest.first {
            let isDigit = first.isASCII && first.isNumber
            let run = rest.prefix { ($0.isASCII && $0.isNumber) == isDigit }
            // Digits beyond the largest number are ordered as text.
            pieces.append(isDigit ? Int(run).map(Piece.number) ?? .text(String(run)) : .text(String(run)))
            rest = rest.dropFirst(run.count)
        }
        return pieces
    }
}
