import ControlProtocol
public import ControlSurface
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

    /// - Parameter status: is told how it stands with the broker.
    public init(_ surface: ControlSurface, settings: MQTTSurfaceSettings?, status: BrokerStatus, logger: Logger) {
        self.surface = surface
        self.status = status
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

    private func run(_ settings: MQTTSurfaceSettings) async {
        let (inputs, heard) = AsyncStream<Link.Input>.makeStream()
        let broker: MQTTConnection
        do throws(MQTTConnection.Loss) {
            broker = try MQTTConnection(settings.broker) { heard.yield(.broker($0)) }
            try broker.start()
        } catch {
            status.set(.lost(error, since: surface.clock.now()), of: settings.broker.address)
            return logger.error("MQTT: \(error)")
        }
        let home = surface.latest.changes.subscribe()
        var removal: [MQTTMessage] = []
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await _ in home.signals { heard.yield(.home) }
            }
            let (commands, command) = AsyncStream<Link.Command>.makeStream()
            group.addTask {
                await self.carryOut(commands, settings, submitted: broker.taken) { heard.yield(.finished($0, $1)) }
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
        await broker.stop(
            after: (isMoving ? removal : [])
                + [MQTTMessage(settings.topics.status, Publisher.availability(false), isRetained: true)])
    }

    /// Carries commands out: the domain has them in the order in which they came, and no one waits for another's outcome.
    private func carryOut(
        _ commands: AsyncStream<Link.Command>, _ settings: MQTTSurfaceSettings,
        submitted: @escaping @Sendable () -> Void,
        finished: @escaping @Sendable (Link.Command, ErrorReply?) -> Void
    ) async {
        let underWay = Live(0)
        await withDiscardingTaskGroup { group in
            for await command in commands {
                defer { submitted() }
                guard
                    underWay.change({ count in
                        count += 1
                        return count
                    }) <= Self.mostCommands
                else {
                    underWay.change { $0 -= 1 }
                    finished(
                        command, ErrorReply(.tooManyAttempts, "\(Self.mostCommands) commands wait for their outcome"))
                    continue
                }
                let (untilSubmitted, submission) = AsyncStream<Never>.makeStream()
                group.addTask {
                    let error = await self.perform(command, settings) { submission.finish() }
                    submission.finish()
                    underWay.change { $0 -= 1 }
                    finished(command, error)
                }
                for await _ in untilSubmitted {}
            }
        }
    }

    /// - Returns: what went wrong.
    private func perform(
        _ command: Link.Command, _ settings: MQTTSurfaceSettings, submitted: @escaping @Sendable () -> Void
    ) async -> ErrorReply? {
        do {
            let request = try settings.topics.request(for: command.address, command.message, in: surface.directory)
            guard request.command.neededRole <= settings.allows else {
                throw ErrorReply(
                    .notAllowed,
                    "over MQTT this is not allowed: it needs the role '\(request.command.neededRole.rawValue)'",
                    hint: "'mqtt.allow' in the configuration says what is")
            }
            _ = try await surface.perform(request, from: Self.sender(of: command.message), submitted: submitted)
            return nil
        } catch {
            return error as? ErrorReply ?? ErrorReply(.internalError, "\(error)")
        }
    }

    /// "mqtt", or what the client calls itself by the user property "client": `mqtt as "node-red"`.
    private static func sender(of message: MQTTMessage) -> String {
        let name = message.property("client").flatMap { ClientName($0)?.text }
        return "mqtt" + (name.map { " as \"\($0)\"" } ?? "")
    }
}
