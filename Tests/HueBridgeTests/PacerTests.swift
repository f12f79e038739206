import TestSupport
import Testing

@testable import HueBridge

struct PacerTests {
    @Test(arguments: [1, 3, 10]) func `no second ever holds more commands than twice the rate, and none is refused`(
        rate: Int
    ) {
        var pacer = Pacer(lightsPerSecond: rate, groupsPerSecond: 1)
        var random = SplitMix(seed: 7)
        var now = Duration.zero
        var sent: [Duration] = []
        for _ in 0..<400 {
            now += .milliseconds(Int(random.next() % 120))
            sent.append(now + pacer.book(.light, at: now))
        }
        for (place, time) in sent.enumerated() {
            let window = sent[place...].prefix { $0 < time + .seconds(1) }
            #expect(window.count <= 2 * rate)
        }
        // Over a long time the rate itself.
        let span = (sent.last ?? .zero) / .seconds(1)
        #expect(Double(sent.count) <= Double(rate) * (span + 1) + 1)
    }

    @Test func `commands keep their order`() {
        var pacer = Pacer(lightsPerSecond: 10, groupsPerSecond: 1)
        let sent = (0..<50).map { _ in pacer.book(.light, at: .zero) }
        #expect(sent == sent.sorted())
        #expect(sent[9] == .zero)
        #expect(sent[10] == .milliseconds(100))
    }

    @Test func `a group command costs no light's place, and the other way round`() {
        var pacer = Pacer(lightsPerSecond: 1, groupsPerSecond: 1)
        #expect(pacer.book(.light, at: .zero) == .zero)
        #expect(pacer.book(.group, at: .zero) == .zero)
        #expect(pacer.book(.group, at: .zero) == .seconds(1))
        #expect(pacer.book(.other, at: .zero) == .zero)
    }

    @Test func `attempts grow further apart up to half a minute`() {
        var backoff = Backoff()
        for attempt in 0..<20 {
            let pause = backoff.next()
            let ceiling = Swift.min(0.25 * Double(1 << Swift.min(attempt, 7)), 30)
            #expect(pause >= .seconds(ceiling / 2 - 0.001) && pause <= .seconds(ceiling))
        }
        backoff.reset()
        #expect(backoff.next() <= .milliseconds(250))
    }
}
