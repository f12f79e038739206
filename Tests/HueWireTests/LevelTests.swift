import HueWire
import Testing

@Suite struct LevelTests {
    @Test func `every step survives a round trip`() {
        for bri in 1...254 { #expect(Level.bri(percent: Level.percent(bri: bri)) == bri) }
    }

    @Test func `levels keep their order`() {
        for bri in 1..<254 { #expect(Level.percent(bri: bri) < Level.percent(bri: bri + 1)) }
        for step in 0..<10_000 {
            #expect(Level.bri(percent: Double(step) / 100) <= Level.bri(percent: Double(step + 1) / 100))
        }
    }

    @Test func `a percentage survives a round trip within half a step`() {
        for step in 0...10_000 {
            let percent = Double(step) / 100
            #expect(abs(Level.percent(bri: Level.bri(percent: percent)) - percent) <= 50 / 253.0 + 0.005)
        }
    }

    /// Pairs that were measured on bridges (openhab/openhab-addons#21742).
    @Test(arguments: [(50.0, 49.8), (20, 20.16), (0, 0), (100, 100), (0.4, 0.4)])
    func `a bridge reports the lamp's nearest step`(written: Double, reported: Double) {
        #expect(Level.percent(bri: Level.bri(percent: written)) == reported)
    }

    /// Levels seen in recordings are all whole steps.
    @Test(arguments: [20.16, 49.8, 59.68, 62.06, 62.45, 66.8, 74.7, 81.03])
    func `a recorded level is a step`(percent: Double) {
        #expect(Level.percent(bri: Level.bri(percent: percent)) == percent)
    }

    @Test(arguments: [(-5.0, 1), (0, 1), (100, 254), (250, 254), (.infinity, 254), (-.infinity, 1), (.nan, 1)])
    func `percentages are limited to the range of a lamp`(percent: Double, bri: Int) {
        #expect(Level.bri(percent: percent) == bri)
    }

    @Test(arguments: [(0, 0.0), (-3, 0), (1, 0), (254, 100), (255, 100), (900, 100)])
    func `steps are limited to the range of a lamp`(bri: Int, percent: Double) {
        #expect(Level.percent(bri: bri) == percent)
    }
}
