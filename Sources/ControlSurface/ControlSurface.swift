public import ControlProtocol
public import Khipu
public import Lighting

/// The home as every surface sees it, before any protocol: reads it, follows it and changes it in the terms of
/// `ControlProtocol`.
///
/// The control API over HTTP is one surface, MQTT another, each with a service of its own around this object.
public final class ControlSurface: Sendable {
    /// The newest state, and a signal for each change of it.
    public let latest: LatestState
    /// Sent for every new entry of the journal.
    public let journalChanges = ChangeSignal()
    public let clock: Clock
    let store: AppStore
    let requests: PendingRequests<Message>
    let rehearsal: @Sendable () -> LightRehearsal
    public let version: String
    private let started: Timestamp
    let journalIsOn: Bool
    private let settings: @Sendable () -> [String: String]
    private let warnings: @Sendable () -> [String]
    private let restored: StatusBody.Restored?
    private let broker: @Sendable () -> StatusBody.Broker?
    private let checks: @Sendable ([Bridge]) async -> [Check]
    let registry: MetricsRegistry
    private let commandMetrics: CommandMetrics

    /// - Parameters:
    ///   - requests: its receiver must stand in the domain's list, or no command is ever answered.
    ///   - rehearsal: makes lights that are sent nothing, for dry runs.
    ///   - clock: for tickets, and for waits in the home's time.
    ///   - time: the home's zone and place.
    ///   - started: when the process began.
    ///   - settings: the configuration in use, without secrets.
    ///   - warnings: what a person should know of the state that lightd keeps, each as one sentence.
    ///   - restored: what came of a backup with which lightd began.
    ///   - broker: how it stands with the MQTT broker; `nil` if none is configured.
    ///   - checks: looks at everything that the daemon depends on, and at these bridges.
    ///   - registry: holds what ``metrics(as:)`` tells besides the state.
    @DomainActor
    public init(
        store: AppStore, requests: PendingRequests<Message>, rehearsal: @escaping @Sendable () -> LightRehearsal,
        clock: Clock, time: Live<HomeTime> = Live(.utc), version: String, started: Timestamp, journalIsOn: Bool,
        settings: @escaping @Sendable () -> [String: String] = { [:] },
        warnings: @escaping @Sendable () -> [String] = { [] },
        restored: StatusBody.Restored? = nil, broker: @escaping @Sendable () -> StatusBody.Broker? = { nil },
        checks: @escaping @Sendable ([Bridge]) async -> [Check] = { _ in [] },
        registry: MetricsRegistry = MetricsRegistry()
    ) {
        self.store = store
        self.requests = requests
        self.rehearsal = rehearsal
        self.clock = clock
        self.version = version
        self.started = started
        self.journalIsOn = journalIsOn
        self.settings = settings
        self.warnings = warnings
        self.restored = restored
        self.broker = broker
        self.checks = checks
        self.registry = registry
        commandMetrics = CommandMetrics(registry, store.state().automations, now: clock.now)
        latest = LatestState(store.state(), in: time, started: started)
        // Never unsubscribed: this and the store are both made once, by the composition root.
        _ = store.subscribe { [latest] in latest.update(to: $0) }
    }

    /// To be put at the end of the domain's list, before that of the requests: signals new entries of the journal, and
    /// counts commands. Who is answered finds them counted.
    public var receiver: Input<Message> {
        { [journalChanges, commandMetrics, latest] message in
            commandMetrics.take(message, latest.snapshot.state.automations)
            // What only reads must not wake those who read.
            if message.isJournaled { journalChanges.send(.changed) }
        }
    }

    /// The home's zone and place.
    public var time: HomeTime { directory.time }

    /// To be called when these are others: whoever follows the home learns what that changes.
    @DomainActor
    public func takeTime() { latest.update(to: store.state()) }

    /// The home as it is now.
    public var directory: Directory { latest.snapshot.home }

    /// Returns when the domain has had its turn: a domain that hangs never has.
    public func waitForDomain() async { _ = await store.state() }

    public var status: StatusBody {
        let (lights, warnings) = (directory.lights, warnings())
        return StatusBody(
            version: version,
            started: started.iso8601,
            uptimeSeconds: Double(clock.now().milliseconds - started.milliseconds) / 1000,
            bridges: directory.bridgeBodies,
            lights: lights.count,
            lightsOn: lights.count { $0.power == .on && !$0.freshness.isInDoubt },
            lightsInDoubt: lights.count { $0.freshness.isInDoubt },
            sensors: directory.state.sensors.count,
            journal: journalIsOn,
            away: directory.awayStatus,
            warnings: warnings.isEmpty ? nil : warnings,
            restored: restored,
            mqtt: broker()
        )
    }

    /// Looks at everything that lightd depends on; takes some seconds if a bridge is silent.
    public var diagnosis: DiagnosisBody {
        get async {
            let found = await checks(directory.bridges)
            let all = found + [directory.checkOfAutomations].compactMap(\.self)
            return DiagnosisBody(version: version, checks: all.map(\.body), configuration: settings())
        }
    }
}

extension Clock {
    /// Waits this long, or until the task is cancelled.
    public func sleep(for duration: Duration) async {
        let (time, timer) = AsyncStream<Void>.makeStream()
        wake(duration) { timer.finish() }
        for await _ in time {}
    }
}
