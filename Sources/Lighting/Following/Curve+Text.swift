/// Written "06:30 40% 2700K", "sunset - 20m 60%", "sun -6 2200K".
extension Curve.Keyframe: TextCodable {
    public init(_ text: String) throws(TimeTextError) {
        var (place, point): (Substring, Curve.Point) = (text[...], Curve.Point())
        // From the end, because a moment may have several words.
        while let (rest, word) = place.droppingLastWord, let value = try Self.value(word, at: rest.count) {
            guard point.only(value.values).isEmpty else {
                throw TimeTextError(expected: "one brightness and one white tone", offset: rest.count)
            }
            (place, point) = (rest, point.merging(value))
        }
        guard !point.isEmpty else {
            throw TimeTextError(expected: "a brightness such as 40% or a white tone such as 2700K", offset: text.count)
        }
        self.init(try Self.place(place), point)
    }

    private static func value(_ word: Substring, at offset: Int) throws(TimeTextError) -> Curve.Point? {
        let lower = word.lowercased()
        let units = ["%", "k", "mirek"]
        guard let unit = units.first(where: lower.hasSuffix), let number = Double(lower.dropLast(unit.count)) else {
            return nil
        }
        switch unit {
        case "%":
            guard (0...100).contains(number) else { throw TimeTextError(expected: "0% to 100%", offset: offset) }
            return Curve.Point(brightness: number / 100)
        case "k":
            guard (1000...20_000).contains(number), let mirek = Mirek(kelvin: number) else {
                throw TimeTextError(expected: "1000K to 20000K", offset: offset)
            }
            return Curve.Point(temperature: mirek)
        default:
            guard (50...1000).contains(number) else {
                throw TimeTextError(expected: "50 to 1000 mirek", offset: offset)
            }
            return Curve.Point(temperature: Mirek(Int(number.rounded())))
        }
    }

    private static func place(_ text: Substring) throws(TimeTextError) -> Place {
        let words = text.lowercased().split(whereSeparator: \.isWhitespace)
        if words.first == "sun" {
            let digits = words.dropFirst().joined().filter { $0 != "°" && $0 != "+" }
            guard let degrees = Double(digits), (-90...90).contains(degrees) else {
                throw TimeTextError(expected: "the sun's height in degrees, such as sun -6", offset: 3)
            }
            return .elevation(degrees)
        }
        guard !words.isEmpty else {
            throw TimeTextError(expected: "a time such as 06:30, a moment such as sunset - 20m, or sun -6", offset: 0)
        }
        return .moment(try Moment(String(text)))
    }

    public var description: String {
        let place =
            switch place {
            case let .moment(moment): moment.description
            case let .elevation(degrees): "sun \(degrees.plain)°"
            }
        return
            ([place]
            + [point.brightness.map { "\(($0 * 100).plain)%" }, point.temperature.map { "\($0.kelvin)K" }]
            .compactMap(\.self)).joined(separator: " ")
    }
}

/// The texts of its keyframes.
extension Curve: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(try container.decode([Keyframe].self))
        } catch let failure as Failure {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: failure.description)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(keyframes)
    }
}

extension Curve.Point {
    var isEmpty: Bool { self == Self() }

    fileprivate var values: Set<Curve.Value> { Set(Curve.Value.allCases.filter { self[$0] != nil }) }
}

extension Substring {
    /// The text before its last word, and that word; `nil` if it has none.
    fileprivate var droppingLastWord: (rest: Substring, word: Substring)? {
        guard let end = lastIndex(where: { !$0.isWhitespace }) else { return nil }
        let start = self[...end].lastIndex(where: \.isWhitespace).map { index(after: $0) } ?? startIndex
        return (self[..<start], self[start...end])
    }
}

extension Double {
    /// To a hundredth, without zeros at its end.
    fileprivate var plain: String {
        let rounded = (self * 100).rounded() / 100
        return Int(exactly: rounded).map(String.init) ?? String(rounded)
    }
}
