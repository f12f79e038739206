import Khipu
import Lighting
import LightingTestKit
import Testing

@testable import ControlServer

/// What bounds the access log, without a clock.
struct AccessTallyLawTests {
    private static func refusal(_ sender: String, after seconds: Int) -> AccessEvent {
        AccessEvent(
            .refused, at: .sample.advanced(by: .seconds(seconds)), by: sender, because: "no token", hasFailed: true)
    }

    @Test func `the first refusal of a sender is told at once, and the others as a number when the hour is over`() {
        var tally = AccessTally()
        #expect(tally.add(Self.refusal("a", after: 0), from: "a") == [Self.refusal("a", after: 0)])
        for second in 1...500 { #expect(tally.add(Self.refusal("a", after: second), from: "a") == []) }
        #expect(tally.add(Self.refusal("b", after: 600), from: "b").map(\.sender) == ["b"])
        #expect(tally.open.map(\.count) == [500])
        #expect(tally.end(at: .sample.advanced(by: .seconds(3599))) == [])
        let due = tally.end(at: .sample.advanced(by: .seconds(3600)))
        #expect(due.map(\.count) == [500] && due.map(\.sender) == ["a"])
        #expect(due.map(\.time) == [.sample.advanced(by: .seconds(500))])
        #expect(tally.isEmpty && tally.finish() == [])
    }

    @Test func `the hour's last numbers come before what begins the next one`() {
        var tally = AccessTally()
        for second in 0...9 { _ = tally.add(Self.refusal("a", after: second), from: "a") }
        let later = tally.add(Self.refusal("a", after: 5000), from: "a")
        #expect(later.map(\.count) == [9, 1])
        // The clock was set back.
        #expect(tally.add(Self.refusal("a", after: 1), from: "a").map(\.count) == [1])
    }

    @Test func `what anybody can cause in an hour is bounded in rows and bytes, and nothing is left uncounted`() {
        var (tally, rows, sum) = (AccessTally(), [AccessEvent](), 0)
        let long = String(repeating: "🏠", count: 500)
        for number in 0..<20_000 {
            let kind = AccessEvent.Kind.allCases[number % AccessEvent.Kind.allCases.count]
            let event = AccessEvent(
                kind, at: .sample.advanced(by: .milliseconds(number)), by: "\(number) \(long)", about: long,
                because: long, hasFailed: number % 3 == 0)
            rows += tally.add(event, from: "sender \(number % 50)")
            sum += 1
        }
        rows += tally.finish()
        #expect(rows.count <= AccessTally.mostRows && AccessTally.mostRows == 100)
        #expect(rows.map(\.count).reduce(0, +) == sum)
        for row in rows {
            let size = row.sender.utf8.count + (row.subject?.utf8.count ?? 0) + (row.reason?.utf8.count ?? 0)
            #expect(size <= AccessTally.longestRow && row.sender.utf8.count <= AccessTally.longestSender)
        }
        // All of 90 days fits.
        let bytes = AccessTally.mostRows * 24 * 90 * AccessTally.longestRow
        #expect(bytes <= 80_000_000)
    }

    @Test func `whoever floods the log hides neither that others did something nor who`() {
        var (tally, rows) = (AccessTally(), [AccessEvent]())
        for second in 0..<1000 {
            rows += tally.add(
                AccessEvent(.linkMade, at: .sample.advanced(by: .seconds(second)), by: "eve"), from: "eve")
        }
        let backup = AccessEvent(.backupWithKeys, at: .sample.advanced(by: .seconds(1000)), by: "anna")
        rows += tally.add(backup, from: "anna")
        #expect(rows.last == backup)
        #expect(tally.open.map(\.count) == [1000 - AccessTally.most - 1])
    }
}
