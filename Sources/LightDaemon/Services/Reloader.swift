import FoundationEssentials
import Glibc
import Khipu
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Reads the configuration again at SIGHUP, and applies what has changed. A wrong one is refused, and everything stays as
/// it is.
struct Reloader: Service {
    /// What lightd runs with.
    struct State: Sendable {
        var configuration: Configuration
        /// When the file was read, in seconds since 1970.
        var read: Double
        /// What was changed in the file and takes effect at the next start.
        var pending: [Configuration.Change] = []

        init(_ configuration: Configuration, read: Double = Date().timeIntervalSince1970) {
            (self.configuration, self.read) = (configuration, read)
        }
    }

    let state: Live<State>
    /// Calls its argument for each request to reload, until a graceful shutdown.
    let onRequest: @Sendable (@Sendable () async -> Void) async -> Void
    let read: @Sendable () throws(ConfigurationError) -> Configuration
    /// Takes over a configuration, which was checked, and returns what else was read with it and is another now.
    let apply: @Sendable (Configuration) async throws(ConfigurationError) -> [String]
    let notifier: ServiceManagerNotifier
    let logger: Logger

    func run() async throws {
        await onRequest { await notifier.reload { await reload() } }
    }

    func reload() async {
        let start = Date().timeIntervalSince1970
        do throws(ConfigurationError) {
            let new = try read()
            try new.checkFiles()
            let current = state.value.configuration
            let changes = current.changes(to: new)
            // Also without a change: the token's file may have another token.
            let others = try await apply(current.reloaded(as: new))
            var state = State(current.reloaded(as: new), read: start)
            state.pending = changes.filter(\.needsRestart)
            self.state.value = state
            log(changes, others)
        } catch {
            logger.error("the configuration is not reloaded, and stays as it is: \(error)")
        }
    }

    private func log(_ changes: [Configuration.Change], _ others: [String]) {
        let live = changes.filter { !$0.needsRestart }.map(\.description) + others
        let later = changes.filter(\.needsRestart).map(\.description)
        if live.isEmpty, later.isEmpty { logger.notice("configuration unchanged") }
        if !live.isEmpty { logger.notice("configuration reloaded: \(live.joined(separator: ", "))") }
        if !later.isEmpty {
            logger.warning("this takes effect when lightd is restarted: \(later.joined(separator: ", "))")
        }
    }

    /// Whether SIGHUP means that a terminal is closed.
    static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }
}

/// What asks for a reload, also while lightd begins anew within its process. Several that nobody has begun are one.
final class ReloadRequests: Sendable {
    private let state = Mutex<(isAsked: Bool, wake: AsyncStream<Void>.Continuation?)>((false, nil))

    func ask() {
        state.withLock { state in
            state.isAsked = true
            return state.wake
        }?.yield()
    }

    /// Asks at each of these signals, until the task is cancelled.
    func ask(at signals: UnixSignalsSequence?) async {
        guard let signals else { return }
        for await _ in signals { ask() }
    }

    /// Calls its argument for each request, until a graceful shutdown. For one caller at a time.
    func each(_ reload: @Sendable () async -> Void) async {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.wake = wake }
        // For one that came before.
        wake.yield()
        for await _ in wakes.cancelOnGracefulShutdown() where state.withLock({ $0.isAsked.take() }) { await reload() }
    }
}

extension Bool {
    /// Returns the value, and leaves `false`.
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}
