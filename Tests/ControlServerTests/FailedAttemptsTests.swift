import Testing

@testable import ControlServer

@Suite struct FailedAttemptsTests {
    private static let start = ContinuousClock.now

    private func address(_ text: String) throws -> ClientAddress { try #require(ClientAddress(text)) }

    @Test func `each further wrong token makes the wait longer, up to a minute`() throws {
        var attempts = FailedAttempts()
        let guesser = try address("203.0.113.7")
        var now = Self.start
        var waits: [Duration] = []
        for _ in 0..<(FailedAttempts.free + 8) {
            _ = attempts.failed(guesser, at: now)
            let wait = attempts.wait(of: guesser, at: now) ?? .zero
            waits.append(wait)
            now = now.advanced(by: wait)
            #expect(attempts.wait(of: guesser, at: now) == nil)
        }
        #expect(waits.map { $0.components.seconds } == [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60])
    }

    @Test func `ten minutes without a wrong token, and all is forgotten`() throws {
        var attempts = FailedAttempts()
        let guesser = try address("203.0.113.7")
        for _ in 0...FailedAttempts.free { _ = attempts.failed(guesser, at: Self.start) }
        let later = Self.start.advanced(by: FailedAttempts.memory + .seconds(1))
        let isNewlySlowed = attempts.failed(guesser, at: later)
        #expect(!isNewlySlowed)
        #expect(attempts.wait(of: guesser, at: later) == nil)
    }

    @Test func `addresses of one IPv6 network wait together, and others do not wait`() throws {
        var attempts = FailedAttempts()
        for host in 0...FailedAttempts.free { _ = attempts.failed(try address("2001:db8::\(host)"), at: Self.start) }
        #expect(attempts.wait(of: try address("2001:db8::ffff"), at: Self.start) != nil)
        #expect(attempts.wait(of: try address("2001:db8:0:1::1"), at: Self.start) == nil)
    }

    @Test func `a flood of addresses needs bounded memory, and frees nobody who waits`() throws {
        var attempts = FailedAttempts()
        let guesser = try address("203.0.113.7")
        for _ in 0...FailedAttempts.free { _ = attempts.failed(guesser, at: Self.start) }
        for number in 0..<(3 * FailedAttempts.maximum) {
            _ = attempts.failed(try address("10.0.\(number >> 8).\(number & 255)"), at: Self.start)
            #expect(attempts.count <= FailedAttempts.maximum)
        }
        #expect(attempts.wait(of: guesser, at: Self.start) != nil)
    }
}
