import ControlProtocol
import ControlServer
import HashTreeCollections
import HueBridge
import Khipu
import Lighting
public import Logging
import Persistence
public import ServiceLifecycle
import UnixSignals

/// The composition root: makes every gateway real, puts the domain between them, and runs all of it as one service group.
public struct LightDaemon: Service {
    private let configuration: Configuration
    private let environment: [String: String]
    private let logger: Logger
    private let ready: @Sendable (Listening) -> Void

    /// Where a running daemon can be asked.
    public struct Listening: Equatable, Sendable {
        public let socket: String
        /// The TCP port, where TCP is on.
        public let port: Int?
    }

    /// - Parameters:
    ///   - environment: for the service manager's `NOTIFY_SOCKET` and `WATCHDOG_USEC`.
    ///   - ready: called once, when the control API listens.
    public init(
        _ configuration: Configuration,
        environment: [String: String] = [:],
        logger: Logger,
        ready: @escaping @Sendable (Listening) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.environment = environment
        self.logger = logger
        self.ready = ready
    }

    /// Runs until it is shut down gracefully or one of its services fails. Never waits for a bridge.
    ///
    /// - Throws: where the state directory or the socket cannot be had, in words for the person who started it.
    public func run() async throws {
        // First what may be refused without having touched anything.
        let serverSettings = try configuration.serverSettings()
        let alarm = Alarm()
        let database = try StateDatabase.open(
            directory: configuration.stateDirectory,
            journal: configuration.journal.policy,
            clock: alarm.clock,
            logger: logger
        )
        let gateway = HueGateway(configuration.gatewaySettings, clock: alarm.clock, logger: logger)
        let mailbox = Mailbox<Message>()
        let store = await createAppStore(AppState(remembering: database.contents))
        let counter = await Counter<Message>(firstNumber: database.nextTicketNumber, post: mailbox.post)
        let server = ControlServer(
            ControlledHome(
                store: store, counter: counter, clock: alarm.clock, version: Release.version,
                started: alarm.clock.now(),
                journalIsOn: configuration.journal.enabled
            ),
            settings: serverSettings,
            logger: logger
        )
        let domain = await createAppDomain(
            store: store,
            lights: gateway.lights,
            bridges: gateway.bridges,
            archive: database.archive,
            journal: database.journal,
            clock: alarm.clock,
            receivers: [counter.receiver, server.receiver],
            output: mailbox.post
        )
        for pairing in database.contents.pairings {
            mailbox.post(
                .bridges(.joined(pairing.bridge), ticket: .unasked(from: "the archive", at: alarm.clock.now())))
            gateway.bridges.connect(pairing)
        }
        let manager = ServiceManager(
            ready: { [ready] in
                let (socket, port) = try await server.listening
                ready(Listening(socket: socket, port: port))
                return socket
            },
            status: { await store.current(\.summary) },
            environment: environment,
            logger: logger
        )
        // Ended in the reverse order: first nobody new comes in, then the bridges are let go, then what was said is delivered,
        // and the journal is written last.
        let services: [any Service] = [
            database, alarm, DomainLoop(mailbox: mailbox, counter: counter, domain: domain), gateway, server, manager,
        ]
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) }, logger: logger.aboutServices)
        ).run()
    }
}

extension AppState {
    /// What is known before any bridge has spoken.
    init(remembering contents: Archive.Contents) {
        self = AppState().alter(
            by: contents.pairings.map { .adding(.bridge($0.bridge)) }
                + contents.scenes.map { .adding(.scene($0)) }
                + [.replacing(.dashboard(by: contents.dashboard))]
        )
    }

    /// One line for `systemctl status`.
    var summary: String {
        let connected = bridges.values.count { if case .connected = $0.connection { true } else { false } }
        return "\(connected) of \(bridges.count) bridges connected, \(lights.count) lights"
    }
}
