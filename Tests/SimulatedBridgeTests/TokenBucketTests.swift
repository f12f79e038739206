import TestSupport
import Testing

@testable import SimulatedBridge

@Suite struct TokenBucketTests {
    @Test(arguments: [(10, 10), (1, 1), (25, 5), (3, 12)])
    func `no period of time lets through more than the burst and the refill`(rate: Int, burst: Int) {
        for seed in 0..<20 as Range<UInt64> {
            var random = SplitMix(seed: seed)
            var throttle = TokenBucket(perSecond: rate, burst: burst)
            var now = Duration.zero
            var passed: [Duration] = []
            for _ in 0..<400 {
                now += .milliseconds(Int.random(in: 0...(Bool.random(using: &random) ? 5 : 400), using: &random))
                if throttle.take(at: now) { passed.append(now) }
            }
            #expect(passed.count > burst)
            for first in passed.indices {
                for last in first..<passed.count {
                    let window = (passed[last] - passed[first]) / .seconds(1)
                    guard Double(last - first + 1) > Double(burst) + Double(rate) * window + 1e-6 else { continue }
                    Issue.record("\(last - first + 1) passed in \(window) s with seed \(seed)")
                    return
                }
            }
        }
    }

    @Test func `after a pause a whole burst passes, and not one more`() {
        var throttle = TokenBucket(perSecond: 10)
        func passed(_ count: Int, at time: Duration) -> Int { (0..<count).count { _ in throttle.take(at: time) } }
        let taken = [
            passed(11, at: .zero), passed(1, at: .milliseconds(99)), passed(2, at: .milliseconds(101)),
            passed(20, at: .seconds(60)),
        ]
        #expect(taken == [10, 0, 1, 10])
    }
}
