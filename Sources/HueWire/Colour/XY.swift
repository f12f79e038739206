/// A colour as a point of the CIE 1931 chromaticity diagram, each 0…1.
public struct XY: Hashable, Codable, Sendable {
    public let x, y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// As bridges report it: four decimals.
    public var rounded: Self {
        Self(x: (x * 10_000).rounded() / 10_000, y: (y * 10_000).rounded() / 10_000)
    }

    public func distance(to other: Self) -> Double {
        ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
    }
}
