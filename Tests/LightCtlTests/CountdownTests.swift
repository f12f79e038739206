import ControlProtocol
import Testing

@testable import lightctl

@Suite struct CountdownTests {
    private func countdown(_ wait: Duration) -> Countdown {
        Countdown(console: Console(terminal: .pipe, quiet: true, json: false), wait: wait) { "\($0)" }
    }

    @Test func `the result is passed on`() throws {
        #expect(try countdown(.seconds(60)).run { _ in 7 } == 7)
    }

    @Test func `a failure is thrown`() {
        let failed = code {
            try countdown(.seconds(60)).run { _ in throw ErrorReply(.buttonNotPressed, "nobody pressed") }
        }
        #expect(failed == .buttonNotPressed)
    }

    @Test func `the next line is due within a second, and a wait that is over is waited on`() throws {
        for wait in [Duration.seconds(60), .zero] {
            let pause = try countdown(wait).run { $0() }
            #expect(pause > .zero && pause <= .seconds(1))
        }
    }

    @Test func `the only unpaired bridge is chosen`() throws {
        let choice = try PairingText.choose(from: [.make("a", paired: true), .make("b"), .make(nil)])
        #expect(choice.name == "b" && choice.remark == nil)
        let again = try PairingText.choose(from: [.make("a", paired: true), .make(nil)])
        #expect(again.name == "a" && again.remark?.contains("is paired already, and no other bridge was found") == true)
        #expect(try PairingText.choose("hall", from: [.make("a", name: "Hall", paired: true)]).remark == nil)
    }

    @Test func `a bridge that is called by a name is found by it, or nobody is sent to its button`() throws {
        let found: [DiscoveryBody] = [.make("a", name: "Hall"), .make("b", name: "Attic")]
        #expect(try PairingText.choose("ATTIC", from: found).name == "b")
        let none = #expect(throws: ErrorReply.self) { try PairingText.choose("nope", from: found) }
        #expect(none?.error.code == .noSuchTarget && none?.error.message == "no bridge is called 'nope'")
        #expect(none?.error.hint == "found: Hall (a), Attic (b)")
        let both = #expect(throws: ErrorReply.self) {
            try PairingText.choose("hall", from: found + [.make("c", name: "hall")])
        }
        #expect(both?.error.code == .whichBridge && both?.error.candidates == ["a", "c"])
        #expect(PairingText.isID("001788fffe123456") && !PairingText.isID("nope"))
    }

    @Test func `several unpaired bridges are listed, not guessed among`() {
        let several = #expect(throws: ErrorReply.self) { try PairingText.choose(from: [.make("a"), .make("b")]) }
        #expect(several?.error.code == .whichBridge && several?.error.candidates == ["a", "b"])
        #expect(
            several?.printed.contains("2 bridges can be paired: Home (a, 192.0.2.10:443), Home (b, 192.0.2.10:443)\n")
                == true)
        let none = #expect(throws: ErrorReply.self) { try PairingText.choose(from: [.make(nil)]) }
        #expect(none?.error.code == .noBridgeFound)
    }
}
