import TestSupport
import Testing

@testable import Persistence

@Suite struct NumberSequenceTests {
    @Test(arguments: 1...50) func `over any kills and stops no number is given twice`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let block: Int64 = 100
        var saved: Int64 = 0
        var last: Int64 = 0
        for _ in 0..<40 {
            var sequence = NumberSequence(.entry, raisedFrom: saved, block: block)
            saved = sequence.ceiling
            #expect(sequence.floor >= last)
            last = sequence.floor
            for _ in 0..<random.pick(6) {
                // What is given between two saves.
                last += Int64(random.pick(50))
                sequence = sequence.covering(last)
                #expect(last <= saved)
                saved = sequence.ceiling
            }
            if random.pick(2) == 0 {
                // A stop leaves no gap.
                saved = sequence.ended(at: last).ceiling
                #expect(NumberSequence(.entry, raisedFrom: saved).floor == last)
            } else {
                // Killed after some more.
                last += Int64(random.pick(50))
            }
        }
    }

    @Test func `a sequence near its end stays within it`() {
        let sequence = NumberSequence(.entry, raisedFrom: .max - 1)
        #expect(sequence.ceiling == .max && sequence.covering(.max).ceiling == .max)
    }
}
