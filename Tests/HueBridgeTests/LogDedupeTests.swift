import Logging
import TestSupport
import Testing

@testable import HueBridge

struct LogDedupeTests {
    private let clock = HandBridgeClock()
    private let recorder = LogRecorder()
    private let log: DedupedLog

    init() { log = DedupedLog(recorder.logger, now: clock.clock.now, onDedupe: {}) }

    @Test func `a bridge that comes and goes fills no log: five lines, and after a minute one that counts the rest`() {
        for _ in 1...30 {
            log.logger.notice("bridge lost", metadata: ["reason": "it ended the event stream"])
            log.logger.notice("bridge connected", metadata: ["lights": "50"])
            clock.wind(by: .milliseconds(500))
            log.writeWhatIsDue()
        }
        #expect(recorder.lines.count == 5)
        #expect(recorder.lines.last == "notice bridge lost reason=it ended the event stream")
        clock.wind(by: .seconds(45))
        log.writeWhatIsDue()
        #expect(recorder.lines.count == 5)
        clock.wind(by: .seconds(3))
        log.writeWhatIsDue()
        #expect(
            recorder.lines.dropFirst(5) == [
                "notice bridge connected last.minute=28 x bridge connected, 27 x bridge lost lights=50"
            ])
        #expect(log.due == nil)
    }

    @Test func `no minute has more than five lines, and no line is lost uncounted`() {
        var random = SplitMix(seed: 5)
        var times: [Duration] = []
        var (written, counted) = (0, 0)
        for _ in 0..<2000 {
            clock.wind(by: .milliseconds(Int.random(in: 0...5000, using: &random)))
            for _ in 0..<2 {
                log.writeWhatIsDue()
                log.logger.warning("trouble")
                written += 1
            }
            times += Array(repeating: clock.clock.now(), count: recorder.lines.count - times.count)
        }
        clock.wind(by: .seconds(60))
        log.writeWhatIsDue()
        #expect(
            times.indices.allSatisfy { start in
                times[start...].prefix { $0 < times[start] + .seconds(60) }.count <= 5
            })
        for line in recorder.lines {
            counted += line.firstMatch(of: /last.minute=(\d+) x/).flatMap { Int($0.1) } ?? 1
        }
        #expect(counted == written)
    }

    @Test func `lines for debugging are never deduped`() {
        for _ in 1...100 { log.logger.debug("bridge is busy") }
        #expect(recorder.lines.count == 100 && log.due == nil)
    }

    @Test func `the first line that is held back tells when the counts are due`() async throws {
        let (signals, signal) = AsyncStream<Void>.makeStream()
        let log = DedupedLog(recorder.logger, now: clock.clock.now, onDedupe: { signal.yield() })
        for _ in 0...LogDedupe.most { log.logger.notice("bridge lost") }
        for await _ in signals { break }
        #expect(log.due == .seconds(60))
    }
}
