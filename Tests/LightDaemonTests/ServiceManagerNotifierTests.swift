import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import LightDaemon

/// What systemd receives, over a real datagram socket. The test ends each sleep.
struct ServiceManagerNotifierTests {
    private let log = LogRecorder()
    private let time = SleepFixture()

    /// Runs the service until `body` ends, then shuts it down gracefully.
    private func run(
        _ environment: [String: String], ready: @escaping @Sendable () async throws -> String = { "/s" },
        status: @escaping @Sendable () async -> String = { "2 of 3 bridges connected" },
        statusChanges: AsyncStream<Void> = AsyncStream { $0.finish() }, loops: [ServiceManagerNotifier.Loop] = [],
        patience: @escaping @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .seconds(3600))
        },
        _ body: () async throws -> Void
    ) async throws {
        let notifier = ServiceManagerNotifier(
            ready: ready, status: status, statusChanges: statusChanges, loops: loops, environment: environment,
            logger: log.logger,
            sleep: time.sleep, patience: patience)
        let group = ServiceGroup(services: [notifier], logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
        async let running: Void = group.run()
        let result: Result<Void, any Error>
        do {
            try await body()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await running
        try result.get()
    }

    @Test(arguments: [false, true])
    func `the notifier reports that lightd is ready, its status, and that it stops`(isAbstract: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let socket = try NotifySocket(isAbstract ? "@\(directory.path)" : directory.path + "/notify")
            try await run(["NOTIFY_SOCKET": socket.name]) { try await socket.receives("READY=1") }
            try await socket.receives("STOPPING=1")
            #expect(socket.datagrams == ["READY=1\nSTATUS=2 of 3 bridges connected", "STOPPING=1"])
        }
    }

    @Test func `a reload is reported with its time, and lightd as ready when it is over`() async throws {
        try await withTemporaryDirectory { directory in
            let socket = try NotifySocket(directory.path + "/notify")
            let notifier = ServiceManagerNotifier(
                ready: { "/s" }, status: { "all is well" }, environment: ["NOTIFY_SOCKET": socket.name],
                logger: log.logger)
            await notifier.reload {
                // sd_notify(3): the time lets systemd tell this reload from one before.
                try? await until("the reload is reported") { !socket.datagrams.isEmpty }
            }
            try await until("both are there") { socket.datagrams.count == 2 }
            let lines = socket.datagrams[0].split(separator: "\n")
            #expect(lines.count == 2 && lines[0] == "RELOADING=1")
            #expect(lines[1].hasPrefix("MONOTONIC_USEC=") && Int64(lines[1].dropFirst(15)) != nil)
            #expect(socket.datagrams[1] == "READY=1\nSTATUS=all is well")
        }
    }

    @Test func `lightd is not reported ready before the API listens`() async throws {
        try await withTemporaryDirectory { directory in
            let socket = try NotifySocket(directory.path + "/notify")
            let (listening, listens) = AsyncStream<Void>.makeStream()
            let isWaiting = Mutex(false)
            try await run(
                ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "1000"],
                ready: {
                    isWaiting.withLock { $0 = true }
                    for await _ in listening {}
                    return "/s"
                }
            ) {
                try await until("the notifier waits for the API") { isWaiting.withLock(\.self) }
                // Datagrams keep their order, so this one would come after any that was sent too early.
                let probe = try UnixSocket(SOCK_DGRAM, connectedTo: socket.name)
                try probe.send("probe")
                try await socket.receives("probe")
                #expect(socket.lines == ["probe"])
                listens.finish()
                try await socket.receives("READY=1")
                #expect(socket.lines.prefix(2) == ["probe", "READY=1"])
            }
        }
    }

    @Test func `the watchdog is notified twice in its interval, each time with the status`() async throws {
        try await withTemporaryDirectory { directory in
            let socket = try NotifySocket(directory.path + "/notify")
            let count = Mutex(0)
            let environment = ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "400000", "WATCHDOG_PID": "\(getpid())"]
            try await run(
                environment,
                status: {
                    count.withLock {
                        $0 += 1
                        return "\($0)"
                    }
                }
            ) {
                for round in 1...3 { try await time.wake(round) }
                try await socket.receives("STATUS=4")
            }
            try await socket.receives("STOPPING=1")
            #expect(time.durations.allSatisfy { $0 == .milliseconds(200) })
            #expect(
                socket.datagrams == [
                    "READY=1\nSTATUS=1", "WATCHDOG=1\nSTATUS=2", "WATCHDOG=1\nSTATUS=3", "WATCHDOG=1\nSTATUS=4",
                    "STOPPING=1",
                ])
        }
    }

    @Test func `a status that changes is reported at once`() async throws {
        try await withTemporaryDirectory { directory in
            let socket = try NotifySocket(directory.path + "/notify")
            let (changes, change) = AsyncStream<Void>.makeStream()
            let bridges = Mutex(0)
            try await run(
                ["NOTIFY_SOCKET": socket.name], status: { "\(bridges.withLock(\.self)) bridges" },
                statusChanges: changes
            ) {
                try await socket.receives("READY=1")
                bridges.withLock { $0 = 1 }
                change.yield()
                try await socket.receives("STATUS=1 bridges")
            }
            #expect(time.durations.count == 1, "no time has passed")
        }
    }

    @Test func `while the domain hangs the watchdog is not notified`() async throws {
        try await withTemporaryDirectory { directory in
            let socket = try NotifySocket(directory.path + "/notify")
            let calls = Mutex(0)
            let (domain, answers) = AsyncStream<Void>.makeStream()
            try await run(
                ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "2000"],
                status: {
                    let call = calls.withLock {
                        $0 += 1
                        return $0
                    }
                    if call == 2 { for await _ in domain {} }
                    return "fine"
                }
            ) {
                try await time.wake(1)
                try await until("the domain hangs") { calls.withLock(\.self) == 2 }
                #expect(!socket.lines.contains("WATCHDOG=1"))
                answers.finish()
                try await socket.receives("WATCHDOG=1")
            }
        }
    }

    @Test func `while a loop hangs the watchdog is not notified, and the log says which`() async throws {
        try await withTemporaryDirectory { directory in
            let socket = try NotifySocket(directory.path + "/notify")
            let (hanging, answers) = AsyncStream<Never>.makeStream()
            let (waiting, timeOut) = AsyncStream<Never>.makeStream()
            let rounds = Mutex<[Duration]>([])
            let isAnswered = Mutex(false)
            try await run(
                ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "400000"],
                loops: [
                    .init(name: "one thread", ping: { isAnswered.withLock { $0 = true } }),
                    .init(name: "another thread", ping: { for await _ in hanging {} }),
                ],
                patience: { duration in
                    let isFirst = rounds.withLock {
                        $0.append(duration)
                        return $0.count == 1
                    }
                    // Later the loop answers before.
                    if isFirst { for await _ in waiting {} } else { try await Task.sleep(for: .seconds(3600)) }
                }
            ) {
                try await time.wake(1)
                try await until("one thread has answered") { isAnswered.withLock(\.self) }
                timeOut.finish()
                try await until("the line is logged") {
                    log.lines.contains { $0.hasPrefix("critical another thread hangs: systemd is not notified") }
                }
                #expect(!log.lines.contains { $0.hasPrefix("critical one thread") })
                answers.finish()
                try await time.wake(2)
                try await socket.receives("WATCHDOG=1")
            }
            #expect(socket.lines.filter { $0 == "WATCHDOG=1" }.count == 1)
            #expect(rounds.withLock { $0.first } == .milliseconds(100))
        }
    }

    /// The watchdog of another process, no watchdog, and invalid values.
    @Test(arguments: [
        ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"], [:], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "-5"],
        ["WATCHDOG_USEC": "soon"], ["WATCHDOG_USEC": ""],
    ])
    func `without a watchdog only the status is reported, every 30 seconds`(
        watchdog: [String: String]
    ) async throws {
        try await withTemporaryDirectory { directory in
            let socket = try NotifySocket(directory.path + "/notify")
            try await run(watchdog.merging(["NOTIFY_SOCKET": socket.name]) { $1 }, status: { "fine" }) {
                try await time.wake(1)
                try await until("the status arrives again") { socket.datagrams.count == 2 }
            }
            try await socket.receives("STOPPING=1")
            #expect(socket.datagrams == ["READY=1\nSTATUS=fine", "STATUS=fine", "STOPPING=1"])
            #expect(time.durations.allSatisfy { $0 == .seconds(30) })
        }
    }

    @Test func `without a service manager the notifier only logs that lightd is ready`() async throws {
        try await run([:]) {
            try await until("the line is logged") { log.lines.contains("info ready socket=/s") }
        }
        #expect(time.durations.isEmpty)
    }

    @Test(arguments: ["/nowhere/notify", "", "@", "/" + String(repeating: "n", count: 107)])
    func `a service manager that cannot be reached is logged as a warning`(name: String) async throws {
        try await run(["NOTIFY_SOCKET": name]) {
            try await until("the line is logged") {
                log.lines.contains { $0.hasPrefix("warning cannot notify the service manager") }
            }
        }
    }

    @Test func `the notifier ends with the error of an API that cannot listen`() async throws {
        await #expect(throws: TestError.self) {
            try await run([:], ready: { throw TestError("no socket") }) {}
        }
    }
}
