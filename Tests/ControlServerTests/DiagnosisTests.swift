import ControlProtocol
import LightingTestKit
import Synchronization
import TestSupport
import Testing

@testable import ControlServer

@Suite struct DiagnosisTests {
    private struct Failure: Error {}

    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }

        func next() -> Int {
            value.withLock { value in
                value += 1
                return value
            }
        }
    }

    @Test(arguments: [true, false])
    func `a hundred who ask at the same time share one piece of work, and its failure`(succeeds: Bool) async throws {
        let (work, counter) = (SharedWork<Bool, Int>(), Counter())
        let (gate, open) = AsyncStream<Void>.makeStream()
        let succeeded = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 1...100 {
                group.addTask {
                    do {
                        let value = try await work.value(for: true) {
                            let number = counter.next()
                            for await _ in gate {}
                            guard succeeds else { throw Failure() }
                            return number
                        }
                        #expect(value == 1)
                        return true
                    } catch is Failure { return false }
                }
            }
            try await until("all but the one who works wait") { work.waiting == 99 }
            open.finish()
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(succeeded == (succeeds ? 100 : 0) && counter.count == 1)
        #expect(try await work.value(for: true) { 2 } == 2)
    }

    @Test func `every diagnosis that is asked for after another looks again`() async throws {
        let counter = Counter()
        try await ServerFixture.run(
            in: HomeFixture.state,
            checks: { _ in
                _ = counter.next()
                return []
            }
        ) { server in
            for number in 1...3 {
                let body: DiagnosisBody = try await server.get(Routes.diagnosis)
                #expect(body.checks.isEmpty && counter.count == number)
            }
        }
    }
}
