public import Khipu

/// How bright and how warm lights are over the day: keyframes over the clock or over the height of the sun, and what
/// lies between them. Brightness may go by the clock while the white tone goes by the sun.
public struct Curve: Equatable, Sendable {
    /// In the order in which they were written.
    public let keyframes: [Keyframe]

    /// What lights show: 0…1 of brightness, and a white tone; `nil` is left as it is.
    public struct Point: Hashable, Codable, Sendable {
        public let brightness: Double?
        public let temperature: Mirek?

        public init(brightness: Double? = nil, temperature: Mirek? = nil) {
            self.brightness = brightness
            self.temperature = temperature
        }
    }

    /// Written "06:30 40% 2700K", "sunset - 20m 60%", "sun -6 2200K".
    public struct Keyframe: Hashable, Sendable {
        public let place: Place
        public let point: Point

        public init(_ place: Place, _ point: Point) {
            self.place = place
            self.point = point
        }

        public enum Place: Hashable, Sendable {
            case moment(Moment)
            /// The height of the sun above the horizon, in degrees.
            case elevation(Double)
        }
    }

    /// - Throws: `invalid` if a value goes both by the clock and by the sun's height, or two keyframes contradict each
    ///   other.
    public init(_ keyframes: [Keyframe]) throws(Failure) {
        guard !keyframes.isEmpty else { throw .invalid("a curve needs at least one point") }
        for value in FollowedValue.allCases {
            let places = keyframes.filter { $0.point[value] != nil }.map(\.place)
            guard Set(places.map(\.isElevation)).count < 2 else {
                throw .invalid(
                    "the \(value.words) of a curve goes by the clock or by the height of the sun, not by both")
            }
            guard Set(places).count == places.count else {
                throw .invalid("a curve has one \(value.words) at each point")
            }
        }
        self.keyframes = keyframes
    }

    init(checked keyframes: [Keyframe]) { self.keyframes = keyframes }

    /// Which values it sets.
    public var values: Set<FollowedValue> {
        Set(FollowedValue.allCases.filter { value in keyframes.contains { $0.point[value] != nil } })
    }

    /// Whether one of these values needs the home's place.
    public func needsPlace(for values: Set<FollowedValue>) -> Bool {
        keyframes.contains { keyframe in
            guard values.contains(where: { keyframe.point[$0] != nil }) else { return false }
            return switch keyframe.place {
            case .elevation: true
            case let .moment(moment): moment.needsPlace
            }
        }
    }

    /// What lights that follow it show at a time; a value is `nil` if the curve has none, or if it cannot be known: the
    /// home's place is missing, or the sun does not rise.
    public func point(at time: Timestamp, in home: HomeTime) -> Point {
        Point(
            brightness: level(of: .brightness, at: time, home).map(Lightness.level(of:)),
            temperature: level(of: .temperature, at: time, home).map { Mirek(Int($0.rounded())) })
    }

    /// In the scale in which a value is interpolated: brightness as the eye sees it, white tones in mirek.
    private func level(of value: FollowedValue, at time: Timestamp, _ home: HomeTime) -> Double? {
        let track = keyframes.compactMap { keyframe in keyframe.point.level(of: value).map { (keyframe.place, $0) } }
        guard let first = track.first else { return nil }
        if first.0.isElevation {
            guard let elevation = home.elevation(at: time) else { return nil }
            return track.compactMap { place, level in place.elevation.map { ($0, level) } }.interpolated(at: elevation)
        }
        // Of the days around it too: before the first keyframe of a day, the last of the day before holds.
        let today = home.date(at: time)
        let days = [today.advanced(by: -1), today, today.advanced(by: 1)]
        let instants = track.flatMap { place, level in
            days.compactMap { day -> (Double, Double)? in
                guard let moment = place.moment, let instant = home.instant(of: moment, on: day) else { return nil }
                return (Double(instant.milliseconds), level)
            }
        }
        return instants.interpolated(at: Double(time.milliseconds))
    }
}

extension Curve.Point {
    public subscript(value: FollowedValue) -> Double? {
        switch value {
        case .brightness: brightness
        case .temperature: temperature.map { Double($0.value) }
        }
    }

    fileprivate func level(of value: FollowedValue) -> Double? {
        switch value {
        case .brightness: brightness.map(Lightness.of(level:))
        case .temperature: temperature.map { Double($0.value) }
        }
    }

    /// The point between two, this far on the way; as the eye sees it.
    static func between(_ one: Self, _ other: Self, _ fraction: Double) -> Self {
        func mixed(_ value: FollowedValue) -> Double? {
            guard let from = one.level(of: value), let to = other.level(of: value) else {
                return other.level(of: value) ?? one.level(of: value)
            }
            return from + (to - from) * fraction
        }
        return Self(
            brightness: mixed(.brightness).map(Lightness.level(of:)),
            temperature: mixed(.temperature).map { Mirek(Int($0.rounded())) })
    }

    func merging(_ other: Self) -> Self {
        Self(brightness: other.brightness ?? brightness, temperature: other.temperature ?? temperature)
    }

    func only(_ values: Set<FollowedValue>) -> Self {
        Self(
            brightness: values.contains(.brightness) ? brightness : nil,
            temperature: values.contains(.temperature) ? temperature : nil)
    }
}

extension [(Double, Double)] {
    /// The value at a place between the keyframes; before the first and after the last, theirs.
    fileprivate func interpolated(at place: Double) -> Double? {
        var (before, after): (Element?, Element?) = (nil, nil)
        for keyframe in self {
            if keyframe.0 <= place, before.map({ $0.0 < keyframe.0 }) ?? true { before = keyframe }
            if keyframe.0 > place, after.map({ keyframe.0 < $0.0 }) ?? true { after = keyframe }
        }
        guard let before, let after else { return before?.1 ?? after?.1 }
        return before.1 + (after.1 - before.1) * (place - before.0) / (after.0 - before.0)
    }
}

extension Curve.Keyframe.Place {
    fileprivate var isElevation: Bool { elevation != nil }

    fileprivate var elevation: Double? { if case let .elevation(degrees) = self { degrees } else { nil } }

    fileprivate var moment: Moment? { if case let .moment(moment) = self { moment } else { nil } }
}

// MARK: - The curves that lightd has

extension Curve {
    /// Bright and cool by day, dim and warm at night. The white tone goes by the sun; the brightness by the clock,
    /// because people stay up after sunset.
    public static let daylight = Self(checked: [
        Keyframe(.elevation(-6), Point(temperature: 454.mirek)),
        Keyframe(.elevation(0), Point(temperature: 370.mirek)),
        Keyframe(.elevation(10), Point(temperature: 250.mirek)),
        Keyframe(.elevation(30), Point(temperature: 182.mirek)),
        Keyframe(.moment(.time(TimeOfDay(hour: 5))), Point(brightness: 0.3)),
        Keyframe(.moment(.time(TimeOfDay(hour: 7))), Point(brightness: 1)),
        Keyframe(.moment(.time(TimeOfDay(hour: 20))), Point(brightness: 1)),
        Keyframe(.moment(.time(TimeOfDay(hour: 23))), Point(brightness: 0.3)),
    ])

    /// Dim and warm at any time, for those who sleep or wake at night.
    public static let night = Self(checked: [
        Keyframe(.moment(.time(.midnight)), Point(brightness: 0.05, temperature: 454.mirek))
    ])

    /// By their names.
    public static let builtIn = ["daylight": daylight, "night": night]

    /// The part of a sunrise that is over, 0…1: from a glow to full, cool light.
    static func sunrise(_ fraction: Double) -> Point {
        let (night, dawn, day) = (
            Point(brightness: 0.01, temperature: 500.mirek), Point(brightness: 0.25, temperature: 370.mirek),
            Point(brightness: 1, temperature: 230.mirek)
        )
        return fraction < 0.5
            ? .between(night, dawn, fraction * 2) : .between(dawn, day, fraction * 2 - 1)
    }

    /// The part of a sunset that is over, 0…1: from what a light showed to a glow.
    static func sunset(_ fraction: Double, from start: Point) -> Point {
        .between(start, Point(brightness: 0.01, temperature: 454.mirek), fraction)
    }
}

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

    fileprivate var values: Set<FollowedValue> { Set(FollowedValue.allCases.filter { self[$0] != nil }) }
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

extension FollowedValue {
    /// "brightness", "white tone"
    public var words: String { self == .brightness ? "brightness" : "white tone" }
}
