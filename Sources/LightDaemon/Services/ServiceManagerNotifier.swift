import Executors
import Glibc
import Khipu
import Logging
import ServiceLifecycle

/// Notifies the service manager as `sd_notify(3)` describes, by datagrams to `$NOTIFY_SOCKET`: ready once the daemon
/// listens, stopping, and the watchdog in between. The watchdog's status comes from the domain's executor, so that a
/// domain that hangs does not feed it.
struct ServiceManagerNotifier: Service {
    /// Returns the listening socket's path; "READY=1" is sent then.
    let ready: @Sendable () async throws -> String
    let status: @Sendable () async -> String
    let environment: [String: String]
    let logger: Logger
    /// Tests hand in the time.
    var sleep: @Sendable (Duration) async throws -> Void = { try await QueueTimer.sleep(for: $0) }

    func run() async throws {
        let listening = try await ready()
        logger.info("ready", metadata: ["socket": "\(listening)"])
        guard let path = environment["NOTIFY_SOCKET"] else { return try await gracefulShutdown() }
        notify("READY=1\nSTATUS=\(await status())", at: path)
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await sleep(watchdogPeriod ?? .seconds(30))
                } catch {
                    return  // shutting down
                }
                let status = await status()
                notify((watchdogPeriod == nil ? "" : "WATCHDOG=1\n") + "STATUS=\(status)", at: path)
            }
        }
        notify("STOPPING=1", at: path)
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
