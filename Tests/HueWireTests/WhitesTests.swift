import HueWire
import Testing

@Suite struct WhitesTests {
    @Test(arguments: [
        (153, 0.3129, 0.3231), (200, 0.3450, 0.3516), (250, 0.3805, 0.3767), (300, 0.4149, 0.3955),
        (367, 0.4573, 0.4102), (400, 0.4765, 0.4137), (447, 0.5016, 0.4153), (500, 0.5269, 0.4133),
    ])
    func `whites lie on the locus`(mirek: Int, x: Double, y: Double) {
        #expect(Whites.xy(mirek: mirek).rounded == XY(x: x, y: y))
    }

    @Test func `a real lamp reports the same point`() {
        // Reported by a lamp of gamut A at 367 mirek (home-assistant-libs/aiohue).
        #expect(Whites.xy(mirek: 367).distance(to: XY(x: 0.4578, y: 0.41)) < 0.001)
    }

    @Test func `a white survives a round trip`() {
        for mirek in 40...600 {
            let back = Whites.mirek(Whites.xy(mirek: mirek))
            #expect(back == mirek, "\(mirek) became \(back)")
        }
    }

    @Test func `warmer whites are redder, up to the limits of the approximation`() {
        for mirek in 40..<599 { #expect(Whites.xy(mirek: mirek + 1).x > Whites.xy(mirek: mirek).x) }
        #expect(Whites.xy(mirek: -5) == Whites.xy(mirek: 40))
        #expect(Whites.xy(mirek: 0) == Whites.xy(mirek: 40))
        #expect(Whites.xy(mirek: 1000) == Whites.xy(mirek: 600))
        #expect(Whites.xy(mirek: .max) == Whites.xy(mirek: 600))
    }

    @Test func `any point has a white, even outside the approximation`() {
        for x in stride(from: 0, through: 10_000, by: 125) {
            // At 0.1858, a blue that lamps do report, McCamy's usual formula divides by zero.
            for y in [1858] + Array(stride(from: 0, through: 10_000, by: 125)) {
                let mirek = Whites.mirek(XY(x: Double(x) / 10_000, y: Double(y) / 10_000))
                #expect((40...600).contains(mirek), "\(x) \(y)")
            }
        }
        #expect((40...600).contains(Whites.mirek(XY(x: 0.332, y: 0.1858))))
    }

    @Test(arguments: [(0.3127, 0.3290, 154), (0.4578, 0.4100, 367), (0.4476, 0.4074, 350), (0.3457, 0.3585, 200)])
    func `whites beside the locus have their published temperatures`(x: Double, y: Double, mirek: Int) {
        // D65, the real lamp above, illuminant A (2856 K), D50 (5003 K).
        #expect(abs(Whites.mirek(XY(x: x, y: y)) - mirek) <= 2)
    }
}
