import HueWire
import Testing

@Suite struct LevelTests {
    @Test func `every step comes back`() {
        for bri in 1...254 { #expect(Level.bri(percent: Level.percent(bri: bri)) == bri) }
    }

    @Test func `more is never less`() {
        for bri in 1..<254 { #expect(Level.percent(bri: bri) < Level.percent(bri: bri + 1)) }
        for step in 0..<10_000 {
            #expect(Level.bri(percent: Double(step) / 100) <= Level.bri(percent: Double(step + 1) / 100))
        }
    }

    @Test func `what is written comes back within half a step`() {
        for step in 0...10_000 {
            let percent = Double(step) / 100
            #expect(abs(Level.percent(bri: Level.bri(percent: percent)) - percent) <= 50 / 253.0 + 0.005)
        }
    }

    /// Pairs that were measured on bridges (openhab/openhab-addons#21742).
    @Test(arguments: [(50.0, 49.8), (20, 20.16), (0, 0), (100, 100), (0.4, 0.4)])
    func `a bridge reports what its lamp can`(written: Double, reported: Double) {
        #expect(Level.percent(bri: Level.bri(percent: written)) == reported)
    }

    /// Levels that were seen in recordings are all on the grid.
    @Test(arguments: [20.16, 49.8, 59.68, 62.06, 62.45, 66.8, 74.7, 81.03])
    func `a recorded level is a step`(percent: Double) {
        #expect(Level.percent(bri: Level.bri(percent: percent)) == percent)
    }

    @Test(arguments: [(-5.0, 1), (0, 1), (100, 254), (250, 254), (.infinity, 254), (-.infinity, 1), (.nan, 1)])
    func `levels are limited to the lamp's own`(percent: Double, bri: Int) {
        #expect(Level.bri(percent: percent) == bri)
    }

    @Test(arguments: [(0, 0.0), (-3, 0), (1, 0), (254, 100), (255, 100), (900, 100)])
    func `steps are limited too`(bri: Int, percent: Double) {
        #expect(Level.percent(bri: bri) == percent)
    }
}
