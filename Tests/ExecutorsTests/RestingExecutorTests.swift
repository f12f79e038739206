import Executors
import Testing

struct RestingExecutorTests {
    @Test func `tasks run one at a time, in the order in which they were ready`() async {
        let (numbers, next) = AsyncStream<Int>.makeStream()
        await withTaskExecutorPreference(RestingExecutor(thread: "test")) {
            await withDiscardingTaskGroup { group in
                for number in 0..<100 { group.addTask { next.yield(number) } }
            }
        }
        next.finish()
        var order: [Int] = []
        for await number in numbers { order.append(number) }
        #expect(order == Array(0..<100))
    }

    @Test func `a task that waits goes on where it began`() async throws {
        let executor = RestingExecutor(thread: "test")
        let isSame = try await withTaskExecutorPreference(executor) {
            try await QueueTimer.sleep(for: .milliseconds(1))
            return withUnsafeCurrentTask { $0?.unownedTaskExecutor == executor.asUnownedTaskExecutor() }
        }
        #expect(isSame)
    }
}

struct QueueTimerTests {
    @Test(arguments: [Duration.zero, .seconds(-1), .milliseconds(2)])
    func `a wait is never shorter than asked`(duration: Duration) async throws {
        let start = ContinuousClock.now
        try await QueueTimer.sleep(for: duration)
        #expect(ContinuousClock.now - start >= duration)
    }

    @Test func `cancelling ends a wait of a year at once`() async {
        let waiting = Task { try await QueueTimer.sleep(for: .seconds(365 * 86_400)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `among many waits, most of them cancelled, every other one ends, and none too early`() async {
        let early = await withTaskGroup { group in
            for number in 0..<500 {
                group.addTask {
                    let (start, duration) = (ContinuousClock.now, Duration.milliseconds(Int.random(in: 1...40)))
                    let waiting = Task { try await QueueTimer.sleep(for: number % 5 == 0 ? duration : .seconds(3600)) }
                    if number % 5 != 0 { waiting.cancel() }
                    let isCancelled = (try? await waiting.value) == nil
                    return isCancelled != (number % 5 != 0) || (!isCancelled && ContinuousClock.now - start < duration)
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(early == 0)
    }

    @Test func `a wait of centuries does not overflow`() async {
        let waiting = Task { try await QueueTimer.sleep(for: .seconds(1 << 40)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
