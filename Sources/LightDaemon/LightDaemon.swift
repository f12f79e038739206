import ControlProtocol
import ControlServer
import ControlSurface
import HashTreeCollections
import HueBridge
import Khipu
public import Lighting
public import Logging
import MQTTSurface
import Persistence
public import ServiceLifecycle
import UnixSignals

/// The composition root: creates the gateways and the domain, connects them, and runs everything as one service group.
public struct LightDaemon: Service {
    private let configuration: Configuration
    private let environment: [String: String]
    private let civilTime: Clock?
    private let logger: Logger
    private let ready: @Sendable (Addresses) -> Void
    /// Where the configuration comes from, if it can be reloaded.
    var source: Source?

    struct Source: Sendable {
        let read: @Sendable () throws(ConfigurationError) -> Configuration
        /// Of the log.
        let level: Live<Logger.Level>
    }

    /// The addresses of a running control API.
    public struct Addresses: Equatable, Sendable {
        public let socket: String
        /// The TCP port, if it listens on TCP.
        public let port: Int?
    }

    /// - Parameters:
    ///   - environment: read for the service manager's `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `LISTEN_FDS`.
    ///   - civilTime: in the place of the system's, for tests that wind it by hand: what the clock shows and its alarms.
    ///     What lightd waits for, such as a confirmation, takes as long as ever.
    ///   - ready: called once, when the service manager has been told that the control API listens, and TCP was tried. Not
    ///     again when lightd begins anew within this process.
    public init(
        _ configuration: Configuration,
        environment: [String: String] = [:],
        civilTime: Clock? = nil,
        logger: Logger,
        ready: @escaping @Sendable (Addresses) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.environment = environment
        self.civilTime = civilTime
        self.logger = logger
        self.ready = ready
    }

    /// Runs until graceful shutdown or until one of its services fails. Never waits for a bridge.
    ///
    /// When a backup is to be restored, everything is stopped, and made anew in the same process: the state is replaced
    /// while nobody uses it, and the service manager sees no end. Clients that connect meanwhile wait.
    ///
    /// - Throws: if the state directory or the socket cannot be used, with an explanation for the user.
    public func run() async throws {
        // Kept, because releasing a database starts libdispatch's shared pool (Persistence.ClosedConnections).
        var ended: [StateDatabase] = []
        defer { withExtendedLifetime(ended) {} }
        var ready = ready
        // Before the socket is there and before "READY=1", after which a reload may come.
        let reloads = ReloadRequests()
        let signals = source == nil ? nil : await UnixSignalsSequence(trapping: .sighup)
        async let _: Void = reloads.ask(at: signals)
        // First, because this can fail, and nothing has been created yet.
        let descriptors = Descriptors.raised()
        let state = Live(try Reloader.State(configuration, descriptors))
        let socket = try configuration.controlSocket(environment, logger: logger)
        defer { socket.close() }
        repeat {
            let restart = Restart()
            ended.append(try await run(state, descriptors, socket, reloads, restart, ready))
            guard restart.isRequested else { return }
            ready = { _ in }
        } while !Task.isShuttingDownGracefully
    }

    /// Runs until graceful shutdown, a failure, or a restart.
    ///
    /// - Parameter state: which a reload replaces.
    /// - Returns: the database, which is closed.
    private func run(
        _ state: Live<Reloader.State>, _ descriptors: Descriptors, _ socket: ControlSocket, _ reloads: ReloadRequests,
        _ restart: Restart, _ ready: @escaping @Sendable (Addresses) -> Void
    ) async throws -> StateDatabase {
        let configuration = state.value.configuration
        let time = Live(state.value.homeTime)
        let system = SystemClock(configuration.timeLapse, civilTime: civilTime)
        let database = try StateDatabase.open(
            directory: configuration.stateDirectory,
            journal: configuration.journal.policy,
            clock: system.clock,
            logger: logger
        )
        let memory = database.contents.memory
        let mailbox = Mailbox<Message>()
        let metrics = MetricsRegistry()
        let gateway = HueGateway(
            configuration.gatewaySettings, remembering: Array(memory.lights.values) + Array(memory.unreadLights.values),
            clock: system.clock, metrics: metrics, logger: logger, untilTakenIn: mailbox.untilDelivered)
        let store = await createAppStore(AppState(remembering: database.contents))
        let requests = await PendingRequests<Message>(firstNumber: database.nextTicketNumber, post: mailbox.post)
        let broker = BrokerStatus()
        // The gateway has the registry, too.
        metrics.observe { [weak gateway] in gateway?.loads.flatMap(\.observations) ?? [] }
        metrics.observe { broker.observations + state.value.observations + (ProcessUsage.now()?.observations ?? []) }
        let diagnosis = Diagnosis(
            state: state, read: source?.read, descriptors: descriptors, clock: system.clock,
            bridges: { await gateway.checks(of: $0) }, storage: { await database.checks() }, broker: { broker.check })
        let surface = await ControlSurface(
            store: store, requests: requests, rehearsal: gateway.rehearsal, clock: system.clock, time: time,
            version: Release.version, started: system.clock.now(), journalIsOn: configuration.journal.enabled,
            settings: { state.value.configuration.settings }, warnings: { database.warnings },
            restored: database.restoration?.body, broker: { broker.body }, checks: { await diagnosis.checks(of: $0) },
            registry: metrics)
        let server = ControlServer(
            surface, settings: state.value.serverSettings(descriptors, socket: socket),
            savedTokens: database.contents.tokens, archive: database.tokens, accessLog: database.accessLog,
            backups: database.backups.andThen(restart), logger: logger)
        let mqtt = MQTTSurface(
            surface, api: { await server.answer($0, allowing: $1, as: $2, submitted: $3) },
            settings: state.value.mqtt, status: broker, metrics: metrics, logger: logger)
        await ClockReporter(system.clock, logger: logger).report()
        let domain = await createAppDomain(
            store: store,
            lights: gateway.lights,
            bridges: gateway.bridges,
            rooms: gateway.rooms,
            scenes: gateway.scenes,
            sensors: gateway.sensors,
            archive: database.archive,
            journal: database.journal,
            clock: system.clock,
            time: time,
            resolve: surface.resolver,
            tickets: { requests.issue(to: $0, at: $1, gesture: $2) },
            receivers: [surface.receiver, requests.receiver],
            output: mailbox.post
        )
        for pairing in database.contents.pairings {
            mailbox.post(
                .bridges(.joined(pairing.bridge), ticket: .unasked(from: "lightd", at: system.clock.now())))
            gateway.bridges.connect(pairing)
        }
        let (statusChanges, statusChange) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        _ = await store.observe(\.summary) { _ in statusChange.yield() }
        let notifier = ServiceManagerNotifier(
            ready: {
                let socket = try await server.socket
                await server.waitForTCP(atMost: .seconds(1))
                return socket
            },
            isReady: { try await ready(Addresses(socket: server.socket, port: server.port)) },
            status: { await store.current(\.summary) },
            statusChanges: statusChanges,
            loops: [
                .init(name: "the thread of requests to bridges", ping: gateway.ping),
                .init(name: "the thread of the control API", ping: server.ping),
            ],
            isRestarting: { restart.isRequested },
            environment: environment,
            logger: logger
        )
        // Stopped in reverse order: no new requests, then the bridges are disconnected, then posted messages are
        // delivered, and last the journal is written.
        var services: [any Service] = [
            database, system, DomainLoop(mailbox: mailbox, requests: requests, domain: domain), gateway, mqtt, server,
            notifier,
        ]
        if let source {
            services.append(
                Reloader(
                    state: state, descriptors: descriptors,
                    onRequest: { reload in
                        // systemd is told of a reload after "READY=1". If the server fails, everything ends.
                        _ = try? await server.socket
                        await reloads.each(reload)
                    }, read: source.read,
                    apply: { new in
                        source.level.value = new.configuration.logLevel
                        gateway.apply(new.configuration.gatewaySettings)
                        server.apply(new.tcp)
                        mqtt.apply(new.mqtt)
                        database.apply(new.configuration.journal.policy)
                        if new.homeTime != time.value {
                            await system.move(time, to: new.homeTime)
                            await surface.takeTime()
                        }
                    }, notifier: notifier, logger: logger))
        }
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0, serviceName: "\(type(of: $0))") }
                    + [.init(service: restart, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: logger.forServiceGroups)
        ).run()
        return database
    }
}

extension SystemClock {
    /// Replaces the home's time. What was due until now is done by the old one.
    @DomainActor
    fileprivate func move(_ time: Live<HomeTime>, to new: HomeTime) {
        ring()
        time.value = new
        ring()
    }
}

extension AppState {
    /// The state before any bridge has connected.
    init(remembering contents: Archive.Contents) {
        self = AppState().alter(
            by: contents.pairings.map { .adding(.bridge($0.bridge)) }
                + contents.scenes.map { .adding(.scene($0)) }
                + contents.sceneOrders.map { .adding(.sceneOrder($0)) }
                + contents.bindings.map { .adding(.binding($0)) }
                + [
                    .replacing(.dashboard(by: contents.dashboard)),
                    .replacing(.followings(by: Followings(contents.followings, curves: contents.curves))),
                    .replacing(.memory(by: contents.memory)),
                    .replacing(.automations(by: contents.automations)),
                    .replacing(.presence(by: contents.presence)),
                ]
        )
    }

    /// One line for `systemctl status`.
    var summary: String {
        guard !bridges.isEmpty else { return "no bridge is paired" }
        let connected = bridges.values.count { if case .connected = $0.connection { true } else { false } }
        return "\(connected) of \(counted(bridges.count, "bridge")) connected, \(counted(lights.count, "light"))"
    }
}
