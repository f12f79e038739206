import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import LightDaemon

/// What systemd hears, over a real datagram socket.
struct ServiceManagerNotifierTests {
    /// Runs the service with an environment until `body` ends, then shuts it down gracefully.
    private func run(
        _ environment: [String: String], ready: @escaping @Sendable () async throws -> String = { "/s" },
        status: @escaping @Sendable () async -> String = { "2 of 3 bridges connected" },
        log: LogRecorder = LogRecorder(),
        _ body: (LogRecorder) async throws -> Void
    ) async throws {
        let manager = ServiceManagerNotifier(ready: ready, status: status, environment: environment, logger: log.logger)
        let group = ServiceGroup(services: [manager], logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
        async let running: Void = group.run()
        let result: Result<Void, any Error>
        do {
            try await body(log)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await running
        try result.get()
    }

    @Test(arguments: [false, true])
    func `it tells that it is ready, how it is, and that it stops`(isAbstract: Bool) async throws {
        try await withTemporaryDirectory { scratch in
            let socket = try NotifySocket(isAbstract ? "@\(scratch.path)" : scratch.path + "/notify")
            try await run(["NOTIFY_SOCKET": socket.name]) { _ in try await socket.hears("READY=1") }
            try await socket.hears("STOPPING=1")
            #expect(socket.datagrams == ["READY=1\nSTATUS=2 of 3 bridges connected", "STOPPING=1"])
        }
    }

    @Test func `it is not ready before the API listens`() async throws {
        try await withTemporaryDirectory { scratch in
            let socket = try NotifySocket(scratch.path + "/notify")
            let (listens, slot) = AsyncStream<Void>.makeStream()
            let asked = Mutex(false)
            try await run(
                ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "1000"],
                ready: {
                    asked.withLock { $0 = true }
                    for await _ in listens {}
                    return "/s"
                }
            ) { _ in
                try await until("it waits") { asked.withLock(\.self) }
                // A datagram of ours behind what it could have sent: order is kept.
                let probe = try UnixSocket(SOCK_DGRAM, connectedTo: socket.name)
                try probe.send("probe")
                try await socket.hears("probe")
                #expect(socket.lines == ["probe"])
                slot.finish()
                try await socket.hears("READY=1")
                #expect(socket.lines.prefix(2) == ["probe", "READY=1"])
            }
        }
    }

    @Test func `it feeds the watchdog twice in the time allowed, and each time tells how it is`() async throws {
        try await withTemporaryDirectory { scratch in
            let socket = try NotifySocket(scratch.path + "/notify")
            let count = Mutex(0)
            let allowed = Duration.milliseconds(400)
            let clock = ContinuousClock()
            let environment = ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "400000", "WATCHDOG_PID": "\(getpid())"]
            try await run(
                environment,
                status: {
                    count.withLock {
                        $0 += 1
                        return "\($0)"
                    }
                }
            ) { _ in
                try await socket.hears("READY=1")
                let began = clock.now
                try await until("three meals") { socket.datagrams.count >= 4 }
                #expect(
                    socket.datagrams.dropFirst().prefix(3) == [
                        "WATCHDOG=1\nSTATUS=2", "WATCHDOG=1\nSTATUS=3", "WATCHDOG=1\nSTATUS=4",
                    ])
                // Not more often than it must.
                #expect(clock.now - began > allowed)
            }
            #expect(socket.lines.filter { $0 == "READY=1" }.count == 1)
        }
    }

    @Test func `a domain that hangs feeds no watchdog`() async throws {
        try await withTemporaryDirectory { scratch in
            let socket = try NotifySocket(scratch.path + "/notify")
            let asked = Mutex(0)
            let (free, slot) = AsyncStream<Void>.makeStream()
            try await run(
                ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "2000"],
                status: {
                    if asked.withLock({
                        $0 += 1; return $0
                    }) == 2 {
                        for await _ in free {}
                    }
                    return "fine"
                }
            ) { _ in
                try await until("it hangs") { asked.withLock(\.self) == 2 }
                #expect(!socket.lines.contains("WATCHDOG=1"))
                slot.finish()
                try await socket.hears("WATCHDOG=1")
            }
        }
    }

    /// The watchdog of another process, none at all, nonsense.
    @Test(arguments: [
        ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"], [:], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "-5"],
        ["WATCHDOG_USEC": "soon"], ["WATCHDOG_USEC": ""],
    ])
    func `where no watchdog waits for it, it feeds none`(watchdog: [String: String]) async throws {
        try await withTemporaryDirectory { scratch in
            let socket = try NotifySocket(scratch.path + "/notify")
            let count = Mutex(0)
            try await run(
                watchdog.merging(["NOTIFY_SOCKET": socket.name]) { $1 },
                status: {
                    count.withLock { $0 += 1 }; return ""
                }
            ) { _ in
                try await socket.hears("READY=1")
                // At 500 µs a hundred meals would be in by now; only a defect makes this fail, never a slow machine.
                try await Task.sleep(for: .milliseconds(50))
                #expect(count.withLock(\.self) == 1)
            }
            try await socket.hears("STOPPING=1")
            #expect(!socket.lines.contains("WATCHDOG=1"))
        }
    }

    @Test func `without a service manager it says so to nobody, and logs that it is ready`() async throws {
        try await run([:]) { log in
            try await until("it is logged") { log.lines.contains("info ready socket=/s") }
        }
    }

    @Test(arguments: ["/nowhere/notify", "", "@", "/" + String(repeating: "n", count: 107)])
    func `a service manager that cannot be reached is a warning, no end`(name: String) async throws {
        try await run(["NOTIFY_SOCKET": name]) { log in
            try await until("it is logged") {
                log.lines.contains { $0.hasPrefix("warning cannot notify the service manager") }
            }
        }
    }

    @Test func `what keeps the API from listening ends it`() async throws {
        await #expect(throws: TestError.self) {
            try await run([:], ready: { throw TestError("no socket") }) { _ in }
        }
    }
}
