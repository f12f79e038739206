import HueWire
import Testing

@Suite struct ColourTests {
    @Test func `hue and saturation survive a round trip through the diagram`() {
        for step in 0..<240 {
            for depth in 1...50 {
                let colour = HueSaturation(hue: Double(step) / 240, saturation: Double(depth) / 50)
                let back = HueSaturation(colour.xy)
                let turn = abs(back.hue - colour.hue)
                // Hue is a circle: 0 and 1 are the same red.
                if min(turn, 1 - turn) > 1e-6 || abs(back.saturation - colour.saturation) > 1e-6 {
                    Issue.record("\(colour) became \(back)")
                    return
                }
            }
        }
    }

    @Test func `a colour has its point in the diagram and its values in RGB`() {
        for step in 0..<360 {
            for depth in 0...20 {
                let colour = HueSaturation(hue: Double(step) / 360, saturation: Double(depth) / 20)
                let (point, rgb) = (colour.xy, colour.rgb)
                #expect(point.x > 0 && point.y > 0 && point.x + point.y < 1)
                #expect(abs(max(rgb.red, rgb.green, rgb.blue) - 1) < 1e-12, "full value")
                #expect(min(rgb.red, rgb.green, rgb.blue) >= 0)
                let back = HueSaturation(red: rgb.red, green: rgb.green, blue: rgb.blue)
                #expect(abs(back.saturation - colour.saturation) < 1e-12)
                if depth > 0 { #expect(abs(back.hue - colour.hue) < 1e-12) }
            }
        }
    }

    /// With the matrix of the Hue ecosystem, as diyHue and Q42.HueApi have it; the third column is limited to gamut C.
    @Test(arguments: [
        ([255, 0, 0], [0.7006, 0.2993], [0.6915, 0.3083]), ([0, 255, 0], [0.1724, 0.7468], [0.1700, 0.7000]),
        ([0, 0, 255], [0.1355, 0.0399], [0.1532, 0.0475]), ([255, 255, 255], [0.3227, 0.3290], [0.3227, 0.3290]),
        ([255, 165, 0], [0.5622, 0.4166], [0.5569, 0.4094]), ([128, 0, 128], [0.3855, 0.1546], [0.3834, 0.1590]),
    ])
    func `web colours have the points that other clients give them`(rgb: [Double], wide: [Double], held: [Double]) {
        let point = HueSaturation(red: rgb[0] / 255, green: rgb[1] / 255, blue: rgb[2] / 255).xy
        #expect(point.rounded == XY(x: wide[0], y: wide[1]))
        #expect(Gamut.c.held(point) == XY(x: held[0], y: held[1]))
    }

    @Test func `red is limited to the border of the first lamps' gamut`() {
        let red = HueSaturation(hue: 0, saturation: 1).xy
        #expect(Gamut.a.held(red) == XY(x: 0.7004, y: 0.2991))
        for (third, corner) in [Gamut.b.red, Gamut.b.green, Gamut.b.blue].enumerated() {
            let held = Gamut.b.held(HueSaturation(hue: Double(third) / 3, saturation: 1).xy)
            #expect(held.distance(to: corner) < 1e-12)
        }
    }

    @Test func `hue is cyclic`() {
        for hue in [0.0, 0.2, 0.55, 0.9] {
            let here = HueSaturation(hue: hue, saturation: 0.8).xy
            for turns in [-2.0, -1, 1, 3] {
                #expect(HueSaturation(hue: hue + turns, saturation: 0.8).xy.distance(to: here) < 1e-9)
            }
        }
    }

    @Test func `grey has no hue`() {
        for level in [0.0, 0.3, 1] {
            #expect(HueSaturation(red: level, green: level, blue: level) == HueSaturation(hue: 0, saturation: 0))
        }
    }

    @Test func `any point has a colour, even the corners of the diagram`() {
        for x in stride(from: 0.0, through: 1, by: 0.05) {
            for y in stride(from: 0.0, through: 1, by: 0.05) {
                let colour = HueSaturation(XY(x: x, y: y))
                #expect((0...1).contains(colour.hue) && (0...1).contains(colour.saturation), "\(x) \(y) \(colour)")
            }
        }
    }

    @Test func `points are rounded to four decimals`() {
        #expect(XY(x: 0.312_349, y: 0.329_051).rounded == XY(x: 0.3123, y: 0.3291))
        #expect(XY(x: 0.3123, y: 0.3291).rounded == XY(x: 0.3123, y: 0.3291))
    }
}
