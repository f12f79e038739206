import TestSupport
import Testing

@testable import HueBridge

struct PollRhythmTests {
    /// The times of the polls in ten minutes with commands at these times.
    private func polls(every interval: Duration, commands: [Duration], until end: Duration = .seconds(600))
        -> [Duration]
    {
        var rhythm = PollRhythm(interval: interval)
        var asked: [Duration] = []
        var commands = commands.sorted()[...]
        var now = Duration.zero
        while true {
            // The next command or the next poll, whichever comes first.
            let due = max(now, rhythm.due)
            if let command = commands.first, command <= due {
                now = command
                commands.removeFirst()
                rhythm.commanded(at: now)
            } else {
                guard due < end else { return asked }
                now = due
                asked.append(now)
                rhythm.asked(at: now)
            }
        }
    }

    private func gaps(_ times: [Duration]) -> [Duration] { zip(times, times.dropFirst()).map { $1 - $0 } }

    private func commands(_ seed: UInt64) -> [Duration] {
        var random = SplitMix(seed: seed)
        return (0..<Int(random.next() % 30)).map { _ in .milliseconds(Int(random.next() % 600_000)) }
    }

    @Test func `a quiet home is polled at once, and then once per interval`() {
        let asked = polls(every: .seconds(5), commands: [])
        #expect(asked.first == .zero)
        #expect(gaps(asked).allSatisfy { $0 == .seconds(5) })
    }

    @Test func `after a command the home is polled every second for ten seconds, and then as before`() {
        let asked = polls(every: .seconds(5), commands: [.milliseconds(12_300)], until: .seconds(40))
        #expect(
            asked
                == [
                    0, 5000, 10_000, 12_300, 13_300, 14_300, 15_300, 16_300, 17_300, 18_300, 19_300, 20_300, 21_300,
                    22_300,
                    27_300, 32_300, 37_300,
                ].map { .milliseconds($0) })
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>, [500, 1000, 5000, 60_000])
    func `the pause between polls is never shorter than the quick interval or longer than the slow one`(
        seed: UInt64, milliseconds: Int
    ) {
        let interval = Duration.milliseconds(milliseconds)
        let gaps = gaps(polls(every: interval, commands: commands(seed)))
        #expect(gaps.allSatisfy { $0 >= min(interval, PollRhythm.alertInterval) && $0 <= interval })
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func
        `every command is followed by a poll within a second, and ten seconds after the last the slow interval returns`(
            seed: UInt64
        )
    {
        let commands = commands(seed)
        let asked = polls(every: .seconds(5), commands: commands)
        for command in commands where command < .seconds(595) {
            #expect(asked.contains { $0 >= command && $0 <= command + .seconds(1) })
        }
        let slow = zip(asked, asked.dropFirst()).filter { one, next in
            !commands.contains { $0 <= next && one < $0 + PollRhythm.alert }
        }
        #expect(slow.allSatisfy { $1 - $0 == .seconds(5) })
    }
}
