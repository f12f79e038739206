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

/// The triangle of colours that a lamp can mix.
public struct Gamut: Hashable, Codable, Sendable {
    public let red, green, blue: XY

    public init(red: XY, green: XY, blue: XY) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Early LivingColors, Bloom, Iris, the first LightStrip.
    public static let a = Self(
        red: XY(x: 0.704, y: 0.296), green: XY(x: 0.2151, y: 0.7106), blue: XY(x: 0.138, y: 0.08))
    /// The first Hue bulbs.
    public static let b = Self(red: XY(x: 0.675, y: 0.322), green: XY(x: 0.409, y: 0.518), blue: XY(x: 0.167, y: 0.04))
    /// Later colour bulbs, LightStrip Plus, Go.
    public static let c = Self(
        red: XY(x: 0.6915, y: 0.3083), green: XY(x: 0.17, y: 0.7), blue: XY(x: 0.1532, y: 0.0475))

    /// Not a triangle: third-party lamps report zeros (home-assistant/core#20447).
    public var isDegenerate: Bool { abs(Self.side(red, green, blue)) < 1e-6 }

    public func contains(_ point: XY) -> Bool {
        let sides = edges.map { Self.side($0.0, $0.1, point) }
        return sides.allSatisfy { $0 >= -1e-12 } || sides.allSatisfy { $0 <= 1e-12 }
    }

    /// What a lamp makes of a point, in the decimals in which points are written.
    public func held(_ point: XY) -> XY { nearest(to: point).rounded }

    /// The point itself if it is inside, else the nearest point on the border, as the bridge does it too.
    func nearest(to point: XY) -> XY {
        guard !isDegenerate, !contains(point) else { return point }
        let feet = edges.map { Self.foot(of: point, on: $0) }
        return feet.min { $0.distance(to: point) < $1.distance(to: point) } ?? point
    }

    private var edges: [(XY, XY)] { [(red, green), (green, blue), (blue, red)] }

    /// Twice the area of the triangle; positive if `point` lies left of the line from `a` to `b`.
    private static func side(_ a: XY, _ b: XY, _ point: XY) -> Double {
        (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
    }

    private static func foot(of point: XY, on edge: (XY, XY)) -> XY {
        let (a, b) = edge
        let (dx, dy) = (b.x - a.x, b.y - a.y)
        let t = ((point.x - a.x) * dx + (point.y - a.y) * dy) / (dx * dx + dy * dy)
        let held = min(max(t, 0), 1)
        return XY(x: a.x + held * dx, y: a.y + held * dy)
    }
}
