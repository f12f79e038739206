import Executors
import Glibc
import HTTPServing
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

struct ListeningServerTests {
    /// Says "ok" and closes.
    private struct Greeting: ServerChildChannel {
        let executor: RestingExecutor

        struct Value: ServerChildChannelValue {
            let connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>
            var channel: any Channel { connection.channel }
        }

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
            channel.eventLoop.makeCompletedFuture {
                Value(connection: try .init(wrappingChannelSynchronously: channel))
            }
        }

        func handle(value: Value, logger: Logger) async {
            // In a pool that all share, one listener's clients would delay another's.
            #expect(withUnsafeCurrentTask { $0?.unownedTaskExecutor } == executor.asUnownedTaskExecutor())
            try? await value.connection.executeThenClose { _, output in try await output.write(ByteBuffer(string: "ok"))
            }
        }
    }

    private struct Unlimited: AvailableConnectionsDelegate {
        func connectionOpened() {}
        func connectionClosed() {}
        func isAcceptingNewConnections() -> Bool { true }
    }

    private final class Storm: Sendable {
        let answered = Mutex(0)
        let isOver = Mutex(false)
    }

    /// As over a restore: one server after the other on the same socket, while clients keep coming.
    @Test func `servers that stop in a storm of connections leave nobody without an answer`() async throws {
        let rounds = 40
        let path = "/tmp/lightd-storm-\(getpid())"
        let descriptor = try BlockingSocket.listening(at: .unix(path), backlog: SOMAXCONN)
        defer {
            close(descriptor)
            unlink(path)
        }
        let storm = Storm()
        let unanswered = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await onOwnThread {
                        var unanswered = 0
                        while !storm.isOver.withLock(\.self) {
                            let client = try BlockingSocket.connected(to: .unix(path))
                            var bytes = [UInt8](repeating: 0, count: 8)
                            if read(client, &bytes, 8) == 2 {
                                storm.answered.withLock { $0 += 1 }
                            } else {
                                unanswered += 1
                            }
                            close(client)
                        }
                        return unanswered
                    }
                }
            }
            var unanswered = 0
            var random = SplitMix(seed: 1)
            let executor = RestingExecutor(thread: "storm")
            for round in 0..<rounds {
                // The last one answers those who wait.
                let count = round < rounds - 1 ? Int.random(in: 0...30, using: &random) : 0
                let (running, isRunning) = AsyncStream<Void>.makeStream()
                let server = ListeningServer(
                    Greeting(executor: executor), on: .listening(dup(descriptor)), limit: Unlimited(),
                    executor: executor,
                    logger: Logger(label: "storm"), onRunning: { _ in isRunning.finish() })
                let services = ServiceGroup(services: [server], logger: Logger(label: "storm"))
                async let ending: Void = services.run()
                for await _ in running {}
                let before = storm.answered.withLock(\.self)
                try await until("some were answered") { storm.answered.withLock(\.self) >= before + count }
                if round == rounds - 1 {
                    storm.isOver.withLock { $0 = true }
                    for try await count in group { unanswered += count }
                }
                await services.triggerGracefulShutdown()
                try await ending
            }
            return unanswered
        }
        #expect(unanswered == 0)
        #expect(storm.answered.withLock(\.self) > rounds)
    }
}
