import Executors
import Glibc
import Khipu
import Logging
import ServiceLifecycle

/// Notifies the service manager as `sd_notify(3)` describes, by datagrams to `$NOTIFY_SOCKET`: ready once the daemon
/// listens, stopping, and the watchdog in between. The watchdog is notified only after every loop that lightd cannot work
/// without has answered: a process of which a part hangs is restarted, not one that merely still has a timer.
struct ServiceManagerNotifier: Service {
    /// A loop with a thread of its own.
    struct Loop: Sendable {
        /// In the words of the log.
        let name: String
        /// Returns once the loop has come to it, or when the task is cancelled.
        let ping: @Sendable () async -> Void
    }

    /// Returns the listening socket's path; "READY=1" is sent then.
    let ready: @Sendable () async throws -> String
    /// Called after that; it may take its time, and is cancelled at the end.
    var isReady: @Sendable () async throws -> Void = {}
    /// Comes from the domain, so a domain that hangs gives none.
    let status: @Sendable () async -> String
    /// Has an element when the status may have changed.
    var statusChanges = AsyncStream<Void> { $0.finish() }
    var loops: [Loop] = []
    /// Whether it ends because lightd begins anew within this process, which is no end to the service manager.
    var isRestarting: @Sendable () -> Bool = { false }
    let environment: [String: String]
    let logger: Logger
    /// Tests hand in the time: between two notifications, and for which a loop may not answer.
    var sleep: @Sendable (Duration) async throws -> Void = { try await QueueTimer.sleep(for: $0) }
    var patience: @Sendable (Duration) async throws -> Void = { try await QueueTimer.sleep(for: $0) }

    func run() async throws {
        let listening = try await ready()
        logger.info("ready", metadata: ["socket": "\(listening)"])
        guard let path = environment["NOTIFY_SOCKET"] else {
            async let _ = isReady()
            return try await gracefulShutdown()
        }
        let status = await self.status()
        notify("READY=1\nSTATUS=\(status)", at: path)
        async let _ = isReady()
        async let _ = reportChanges(of: status, at: path)
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await sleep(watchdogPeriod ?? .seconds(30))
                } catch {
                    return  // shutting down
                }
                let silent = await silentLoops()
                for loop in silent.sorted() {
                    logger.critical(
                        "\(loop) hangs: systemd is not notified, and restarts lightd if that lasts",
                        metadata: ["watchdog": "\(environment["WATCHDOG_USEC"] ?? "") µs"])
                }
                guard silent.isEmpty else { continue }
                let status = await self.status()
                notify((watchdogPeriod == nil ? "" : "WATCHDOG=1\n") + "STATUS=\(status)", at: path)
            }
        }
        notify(isRestarting() ? "STATUS=restoring a backup" : "STOPPING=1", at: path)
    }

    /// Runs until it is cancelled.
    private func reportChanges(of reported: String, at path: String) async {
        var last = reported
        for await _ in statusChanges {
            let status = await self.status()
            if status != last { notify("STATUS=\(status)", at: path) }
            last = status
        }
    }

    /// The loops that do not answer within half of the time until the next notification; none if nobody watches.
    private func silentLoops() async -> Set<String> {
        guard let period = watchdogPeriod else { return [] }
        return await withTaskGroup(of: String?.self) { group in
            var silent = Set(loops.map(\.name))
            for loop in loops {
                group.addTask {
                    await loop.ping()
                    return loop.name
                }
            }
            group.addTask {
                try? await patience(period / 2)  // cancelled: all have answered
                return nil
            }
            while !silent.isEmpty, let name = await group.next() ?? nil { silent.remove(name) }
            group.cancelAll()
            return silent
        }
    }

    /// Tells the service manager that the configuration is read again, and when it is in use.
    func reload(_ work: () async -> Void) async {
        guard let path = environment["NOTIFY_SOCKET"] else { return await work() }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        notify("RELOADING=1\nMONOTONIC_USEC=\(Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)", at: path)
        await work()
        notify("READY=1\nSTATUS=\(await status())", at: path)
    }

    /// Half of the allowed time, as sd_watchdog_enabled(3) recommends; `nil` if systemd expects no watchdog from this
    /// process.
    private var watchdogPeriod: Duration? {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        if let pid = environment["WATCHDOG_PID"], pid != "\(getpid())" { return nil }
        return .microseconds(microseconds / 2)
    }

    private func notify(_ text: String, at path: String) {
        guard let failure = send(text, to: path) else { return }
        logger.warning("cannot notify the service manager", metadata: ["socket": "\(path)", "cause": "\(failure)"])
    }

    /// Returns why the datagram could not be sent, or `nil` if it was.
    private func send(_ text: String, to path: String) -> String? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        // "@name" is in the abstract namespace, where names begin with a zero byte.
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        guard !name.isEmpty, name.count < MemoryLayout.size(ofValue: address.sun_path) else { return "invalid path" }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let sent = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Array(text.utf8).withUnsafeBytes {
                    sendto(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL), address, length)
                }
            }
        }
        return sent < 0 ? String(cString: strerror(errno)) : nil
    }
}
