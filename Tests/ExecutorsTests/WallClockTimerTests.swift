import Executors
import Foundation
import Synchronization
import Testing

struct WallClockTimerTests {
    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// The times at which it fired.
    private func timer() -> (timer: WallClockTimer, times: AsyncStream<Int64>) {
        let (times, continuation) = AsyncStream.makeStream(of: Int64.self)
        return (WallClockTimer { continuation.yield(Self.now) }, times)
    }

    @Test func `it fires at its time, and not for one that was replaced`() async throws {
        let (timer, times) = timer()
        let due = Self.now + 300
        timer.set(due - 250)
        timer.set(nil)
        timer.set(due + 3_600_000)
        timer.set(due)
        let first = await times.first { _ in true }
        #expect(try #require(first) >= due)
        withExtendedLifetime(timer) {}
    }

    @Test(arguments: [-1, 0, 1, now - 1000] as [Int64]) func `it fires at once for a time that is over`(time: Int64)
        async
    {
        let (timer, times) = timer()
        timer.set(time)
        #expect(await times.first { _ in true } != nil)
        // And again when it is set anew.
        timer.set(time)
        #expect(await times.first { _ in true } != nil)
        withExtendedLifetime(timer) {}
    }
}
