#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Whites between candlelight and daylight, as points and in mirek.
public enum Whites {
    /// The white of this many mirek. Kim et al.'s cubic approximation of the Planckian locus, 1667…25000 K; values
    /// outside are limited to its ends.
    public static func xy(mirek: Int) -> XY {
        let t = min(max(1_000_000 / Double(max(mirek, 1)), 1667), 25000)
        let x =
            t <= 4000
            ? -0.2661239e9 / pow(t, 3) - 0.2343589e6 / pow(t, 2) + 0.8776956e3 / t + 0.179910
            : -3.0258469e9 / pow(t, 3) + 2.1070379e6 / pow(t, 2) + 0.2226347e3 / t + 0.240390
        let y =
            switch t {
            case ...2222: -1.1063814 * pow(x, 3) - 1.34811020 * pow(x, 2) + 2.18555832 * x - 0.20219683
            case ...4000: -0.9549476 * pow(x, 3) - 1.37418593 * pow(x, 2) + 2.09137015 * x - 0.16748867
            default: 3.0817580 * pow(x, 3) - 5.87338670 * pow(x, 2) + 3.75112997 * x - 0.37001483
            }
        return XY(x: x, y: y)
    }

    /// The mirek whose white looks most like the point, 40…600: the nearest point of the same locus in the CIE 1960
    /// diagram, as correlated colour temperature is defined. The inverse of ``xy(mirek:)``, which McCamy's formula
    /// misses by up to 7 mirek. Useful near the locus only.
    public static func mirek(_ point: XY) -> Int {
        let (u, v) = uv(point)
        return locus.min { distance($0) < distance($1) }?.mirek ?? 40

        func distance(_ white: (mirek: Int, u: Double, v: Double)) -> Double {
            (white.u - u) * (white.u - u) + (white.v - v) * (white.v - v)
        }
    }

    private static let locus: [(mirek: Int, u: Double, v: Double)] = (40...600).map { mirek in
        let (u, v) = uv(xy(mirek: mirek))
        return (mirek, u, v)
    }

    private static func uv(_ point: XY) -> (u: Double, v: Double) {
        let sum = 12 * point.y - 2 * point.x + 3
        return (4 * point.x / sum, 6 * point.y / sum)
    }
}
