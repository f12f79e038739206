/// Colour temperature in mirek: a million divided by kelvin. Most Hue lamps range from 153 (cool) to 500 (warm), newer
/// ones from 50 to 1000.
public struct Mirek: Hashable, Comparable, Codable, Sendable {
    public let value: Int

    public init(_ value: Int) {
        self.value = value
    }

    /// The nearest whole mirek; `nil` if the temperature is not above zero.
    public init?(kelvin: Double) {
        guard kelvin > 0, kelvin.isFinite else { return nil }
        self.init(Int((1_000_000 / Swift.max(kelvin, 1)).rounded()))
    }

    public var kelvin: Int { Int((1_000_000 / Double(Swift.max(value, 1))).rounded()) }

    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    public static func < (one: Self, other: Self) -> Bool { one.value < other.value }
}

extension Int {
    public var mirek: Mirek { Mirek(self) }
}
