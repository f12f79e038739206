import ControlProtocol
import Testing

@testable import lightctl

@Suite struct CountdownTests {
    private func countdown(_ wait: Duration) -> Countdown {
        Countdown(console: Console(terminal: .pipe, quiet: true, json: false), wait: wait, bridge: "Home")
    }

    @Test func `the result ends the countdown at once`() async throws {
        let start = ContinuousClock.now
        #expect(try await countdown(.seconds(60)).run { 7 } == 7)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test func `a failure ends the countdown and is thrown`() async {
        let failed = await code {
            try await countdown(.seconds(60)).run { throw ErrorReply(.buttonNotPressed, "nobody pressed") }
        }
        #expect(failed == .buttonNotPressed)
    }

    @Test func `a result that comes after the countdown is still awaited`() async throws {
        #expect(
            try await countdown(.zero).run {
                try await Task.sleep(for: .milliseconds(50))
                return 7
            } == 7)
    }

    @Test func `the only unpaired bridge is chosen`() throws {
        let choice = try PairingText.choose(from: [.make("a", paired: true), .make("b"), .make(nil)])
        #expect(choice.name == "b")
        #expect(try PairingText.choose(from: [.make("a", paired: true)]).name == "a")
    }

    @Test func `several unpaired bridges are listed, not guessed among`() {
        let several = #expect(throws: ErrorReply.self) { try PairingText.choose(from: [.make("a"), .make("b")]) }
        #expect(several?.error.code == .whichBridge && several?.error.candidates == ["a", "b"])
        let none = #expect(throws: ErrorReply.self) { try PairingText.choose(from: [.make(nil)]) }
        #expect(none?.error.code == .noBridgeFound)
    }
}
