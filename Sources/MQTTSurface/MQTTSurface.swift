public import ControlProtocol
public import ControlSurface
public import CoreMetrics
import FoundationEssentials
import Khipu
import Lighting
public import Logging
import MQTT
public import ServiceLifecycle

/// The home on an MQTT broker, if one is configured: what it shows, retained, and commands. A surface like the control API,
/// which asks the domain for nothing but what that does.
public final class MQTTSurface: Service {
    private let surface: ControlSurface
    private let logger: Logger
    private let settings: Live<MQTTSurfaceSettings?>
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    private let status: BrokerStatus
    private let api: API
    private let metrics: any MetricsFactory

    /// The control API: answers a request of somebody who may do so much at most, calls itself so, and may go on with its
    /// next request once the last function is called.
    public typealias API =
        @Sendable (RelayedRequest, TokenAccess, ClientName?, @escaping @Sendable () -> Void) async -> RelayedAnswer

    /// - Parameters:
    ///   - status: is told how it stands with the broker.
    ///   - metrics: counts what is published.
    public init(
        _ surface: ControlSurface, api: @escaping API, settings: MQTTSurfaceSettings?, status: BrokerStatus,
        metrics: any MetricsFactory,
        logger: Logger
    ) {
        self.surface = surface
        self.api = api
        self.status = status
        self.metrics = metrics
        self.logger = logger
        self.settings = Live(settings)
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes effect at once: the connection is made again if anything differs.
    public func apply(_ new: MQTTSurfaceSettings?) {
        guard new != settings.value else { return }
        settings.value = new
        change.yield()
    }

    public func run() async {
        var changes = changes.cancelOnGracefulShutdown().makeAsyncIterator()
        var isOver = false
        while !isOver {
            let current = settings.value
            status.set(.trying, of: current?.broker.address)
            await withTaskGroup(of: Void.self) { group in
                if let current { group.addTask { await self.run(current) } }
                repeat { isOver = await changes.next() == nil } while !isOver && settings.value == current
                group.cancelAll()
            }
        }
    }

    // MARK: - One broker

    /// A bridge's queue folds commands for the same lamps into one, so that of these most are answered together.
    private static let mostCommands = 1000
    /// What those have together that are under way.
    private static let mostBytes = 16 << 20

    private func run(_ settings: MQTTSurfaceSettings) async {
        let (inputs, heard) = AsyncStream<Link.Input>.makeStream()
        let broker: MQTTConnection
        do throws(MQTTConnection.Loss) {
            let published = Counter(label: "lightd_mqtt_published_total", factory: metrics)
            broker = try MQTTConnection(settings.broker, published: published) { heard.yield(.broker($0)) }
            try broker.start()
        } catch {
            status.set(.lost(error, since: surface.clock.now()), of: settings.broker.address)
            return logger.error("MQTT: \(error)")
        }
        status.set(broker)
        defer { status.set(nil) }
        let home = surface.latest.changes.subscribe()
        var removal: [MQTTMessage] = []
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await _ in home.signals { heard.yield(.home) }
            }
            let (commands, command) = AsyncStream<Link.Command>.makeStream()
            group.addTask {
                await self.carryOut(commands, settings) {
                    broker.taken($0.message)
                } finished: {
                    heard.yield(.finished($0, $1))
                }
            }
            var link = Link(surface, settings, broker, logger)
            for await event in inputs {
                for work in link.take(event) {
                    switch work {
                    case let .perform(address, message): command.yield(Link.Command(address, message))
                    case let .wait(duration, then: input):
                        group.addTask { [surface] in
                            await surface.clock.sleep(for: duration)
                            heard.yield(input)
                        }
                    }
                }
                status.set(link.state, of: settings.broker.address)
            }
            removal = link.removal
            home.cancel()
            group.cancelAll()
        }
        let isMoving = self.settings.value.map { $0.topics != settings.topics } ?? false
        // A site of another name is not offline: it is no more.
        let isRenamed = self.settings.value.map { $0.site != settings.site } ?? false
        await broker.stop(
            after: (isMoving ? removal : [])
                + [
                    MQTTMessage(
                        settings.topics.status, isRenamed ? "" : Publisher.availability(false), isRetained: true)
                ])
    }

    /// Carries commands out: the domain has them in the order in which they came, and no one waits for another's outcome.
    private func carryOut(
        _ commands: AsyncStream<Link.Command>, _ settings: MQTTSurfaceSettings,
        submitted: @escaping @Sendable (Link.Command) -> Void,
        finished: @escaping @Sendable (Link.Command, Link.Outcome) -> Void
    ) async {
        let underWay = Live((count: 0, bytes: 0))
        await withDiscardingTaskGroup { group in
            for await command in commands {
                defer { submitted(command) }
                guard
                    underWay.change({ sum in
                        sum = (sum.count + 1, sum.bytes + command.message.size)
                        return sum.count <= Self.mostCommands && (sum.bytes <= Self.mostBytes || sum.count == 1)
                    })
                else {
                    underWay.change { $0 = ($0.count - 1, $0.bytes - command.message.size) }
                    finished(
                        command,
                        .failed(ErrorReply(.tooManyAttempts, "too many commands wait for their outcome")))
                    continue
                }
                let (untilSubmitted, submission) = AsyncStream<Never>.makeStream()
                group.addTask {
                    let outcome = await self.perform(command, settings) { submission.finish() }
                    submission.finish()
                    underWay.change { $0 = ($0.count - 1, $0.bytes - command.message.size) }
                    finished(command, outcome)
                }
                for await _ in untilSubmitted {}
            }
        }
    }

    private func perform(
        _ command: Link.Command, _ settings: MQTTSurfaceSettings, submitted: @escaping @Sendable () -> Void
    ) async -> Link.Outcome {
        let message = command.message
        do {
            if case let .request(as: role) = command.address {
                let allowed = min(role ?? .full, settings.allows)
                return .answered(await api(message.request, allowed, message.client, submitted))
            }
            let request = try settings.topics.request(for: command.address, message, in: surface.directory)
            guard request.command.neededRole <= settings.allows else {
                throw ErrorReply.notAllowedOverMQTT(request.command.neededRole)
            }
            _ = try await surface.perform(
                request, from: ClientName.sender(overMQTT: message.client), submitted: submitted)
            return .done
        } catch {
            return .failed(error as? ErrorReply ?? ErrorReply(.internalError, "\(error)"))
        }
    }
}

extension MQTTMessage {
    /// What its sender calls itself.
    fileprivate var client: ClientName? { property(RelayedRequest.Property.client).flatMap { ClientName($0) } }

    /// As a request to the control API.
    fileprivate var request: RelayedRequest {
        RelayedRequest(
            properties: Dictionary(userProperties.map { ($0.name, $0.value) }) { first, _ in first }, payload: payload)
    }
}
