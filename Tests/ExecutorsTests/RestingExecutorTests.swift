import Executors
import Testing

struct RestingExecutorTests {
    @Test func `tasks run one at a time, in the order in which they were ready`() async {
        let (numbers, next) = AsyncStream<Int>.makeStream()
        await withTaskExecutorPreference(RestingExecutor()) {
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
        let executor = RestingExecutor()
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

    @Test func `a wait of centuries does not overflow`() async {
        let waiting = Task { try await QueueTimer.sleep(for: .seconds(1 << 40)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
