import ControlServer
import FoundationEssentials
import Glibc
import Khipu
import Lighting
import Logging
import MQTTSurface
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Reads the configuration again at SIGHUP, and applies what has changed. A wrong one is refused, and everything stays as
/// it is.
struct Reloader: Service {
    /// What lightd runs with, until the next reload or start, whatever becomes of its files meanwhile.
    struct State: Sendable {
        let configuration: Configuration
        /// With the token and the certificate of their files; `nil` if TCP is off.
        let tcp: ControlServerSettings.TCP?
        /// With the password of its file; `nil` if no broker is named.
        let mqtt: MQTTSurfaceSettings?
        let homeTime: HomeTime
        /// When the file was read, in seconds since 1970.
        let read: Double
        /// What was changed in the file and takes effect at the next start.
        var pending: [Configuration.Change] = []

        /// - Throws: if a file that the configuration names cannot be used.
        init(
            _ configuration: Configuration, _ descriptors: Descriptors, read: Double = Date().timeIntervalSince1970
        ) throws(ConfigurationError) {
            tcp = try configuration.tcpSettings(descriptors)
            mqtt = try configuration.mqttSettings()
            homeTime = try configuration.homeTime()
            (self.configuration, self.read) = (configuration, read)
        }
    }

    let state: Live<State>
    let descriptors: Descriptors
    /// Calls its argument for each request to reload, until a graceful shutdown.
    let onRequest: @Sendable (@Sendable () async -> Void) async -> Void
    let read: @Sendable () throws(ConfigurationError) -> Configuration
    let apply: @Sendable (State) async -> Void
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
            let before = state.value
            let changes = before.configuration.changes(to: new)
            var state = try State(before.configuration.reloaded(as: new), descriptors, read: start)
            state.pending = changes.filter(\.needsRestart)
            // Also without a change: the files may have another token, or a renewed certificate.
            await apply(state)
            self.state.value = state
            log(changes, and: state.otherContents(than: before))
        } catch {
            logger.error("the configuration is not reloaded, and stays as it is: \(error)")
        }
    }

    /// - Parameter contents: of files, which are others now.
    private func log(_ changes: [Configuration.Change], and contents: [String]) {
        let live = changes.filter { !$0.needsRestart }.map(\.description) + contents
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

extension Reloader.State {
    func serverSettings(_ descriptors: Descriptors, socket: ControlSocket) -> ControlServerSettings {
        ControlServerSettings(
            socket: socket, tcp: tcp, maximumConnections: descriptors.forSocket,
            maximumStreams: descriptors.forStreams)
    }

    /// What TCP, if it is on as before, has read anew from its files, or has no more, or has at last.
    fileprivate func otherContents(than before: Self) -> [String] {
        var others: [(Bool, String)] = []
        if let tcp, let old = before.tcp {
            others += [
                (tcp.token != old.token, "the token of the configuration"),
                (tcp.certificate != old.certificate, "the certificate of TLS"),
            ]
        }
        if let mqtt, let old = before.mqtt {
            others.append((mqtt.broker.password != old.broker.password, "the password of the broker"))
        }
        return others.filter(\.0).map(\.1)
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
