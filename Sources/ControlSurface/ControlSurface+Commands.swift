public import ControlProtocol
import HashTreeCollections
import Khipu
public import Lighting

extension ControlSurface {
    /// Carries out a command and waits for its outcome, or with `wait` for its confirmation.
    ///
    /// - Parameter client: who asks, for the journal and for a light's cause.
    /// - Throws: ``ErrorReply`` if the command is wrong, fails or is not confirmed; `CancellationError` if the caller's
    ///   task is cancelled first. A command that was submitted runs its course all the same.
    public func perform(_ request: CommandRequest, from client: String) async throws -> CommandReply {
        try request.validate()
        let now = clock.now()
        let command = try request.command.resolved(in: await directory, at: now)
        let response =
            request.wait
            ? try await confirmed(command.message, from: client, at: now)
            : try await ask(command.message, from: client, at: now)
        if case let .bridges(.pairing(bridge?, .succeeded), _) = response { await waitUntilConnected(bridge) }
        let directory = await directory
        if let failure = response.outcome?.failure { throw failure.reply(in: directory) }
        return command.reply(to: response, in: directory)
    }

    /// The entries of the journal that the filter lets through, oldest first.
    public func log(_ filter: Journal.Filter, from client: String) async throws -> [LogBody] {
        let response = try await ask({ .logging(.list(filter), ticket: $0) }, from: client, at: clock.now())
        let directory = await directory
        switch response {
        case let .logging(.listing(entries, .succeeded), _): return entries.map { $0.body(in: directory) }
        default:
            throw response.outcome?.failure?.reply(in: directory)
                ?? ErrorReply(.internalError, "the journal answered with something other than its entries")
        }
    }

    private func ask(
        _ message: @escaping @Sendable (Ticket) -> Message, from client: String, at now: Timestamp
    ) async throws -> Message {
        guard let response = await requests.send(holder: client, at: now, message) else { throw CancellationError() }
        return response
    }

    /// Waits until everything that the command asked for is confirmed.
    ///
    /// - Returns: the response.
    /// - Throws: the failure if it was not confirmed.
    private func confirmed(
        _ message: @escaping @Sendable (Ticket) -> Message, from client: String, at now: Timestamp
    ) async throws -> Message {
        guard let messages = await requests.follow(holder: client, at: now, until: { $0.isSettled }, message) else {
            throw CancellationError()
        }
        if let failure = messages.last?.settlement?.failure { throw failure.reply(in: await directory) }
        guard let response = messages.last(where: { $0.isResponse }) else {
            throw ErrorReply(.internalError, "the command was settled but never answered")
        }
        return response
    }

    /// Waits until the bridge's lights are known, so that a list right after pairing shows them. Gives up after 5 s,
    /// because the pairing itself has succeeded.
    private func waitUntilConnected(_ bridge: Bridge.ID) async {
        let (connected, connection) = AsyncStream<Void>.makeStream()
        let subscription = await store.observe({ $0.bridges[bridge]?.isConnected ?? false }) { isConnected in
            if isConnected { connection.finish() }
        }
        clock.wake(.seconds(5)) { connection.finish() }
        for await _ in connected {}
        await subscription.cancel()
    }
}

extension ResolvedCommand {
    fileprivate func reply(to response: Message, in home: Directory) -> CommandReply {
        var reply = CommandReply(ticket: response.ticket.number)
        if let target { reply.lights = home.bodies(of: home.lights(of: target)) }
        if let scene = scene.flatMap({ home.scene($0) }) {
            reply.lights = home.bodies(of: scene.lights.compactMap { home.light($0) })
        }
        switch response {
        case let .bridges(.discovering(found, _), _):
            reply.discovered = found.map { discovery in
                discovery.body(paired: discovery.id.map { home.bridge($0) != nil } ?? false)
            }
        case let .bridges(.pairing(bridge?, _), _):
            reply.bridge = home.bridge(bridge).map { home.body(of: $0) }
        case .dashboard:
            reply.dashboard = home.pinBodies
        case let .lighting(.undoing(reversal, _), ticket), let .lighting(.redoing(reversal, _), ticket):
            reply.lights = home.bodies(of: reversal.lights.compactMap { home.light($0) })
            reply.steps = reversal.steps
            reply.commands = home.commands(reversedBy: ticket).map { $0.words(in: home) }
            reply.skipped = reversal.skipped.map { skipped in
                .init(
                    target: skipped.light.description, name: home.text(naming: .light(skipped.light)),
                    cause: skipped.cause.body(in: home))
            }
        default:
            break
        }
        return reply
    }
}

extension Message {
    /// The outcome of the command that this message answers, if it is an answer.
    fileprivate var settlement: Outcome? {
        if case let .lighting(message, _) = self { message.settlement } else { nil }
    }

    /// Whether nothing more comes of its command: it failed, or everything it asked for has been confirmed or given up.
    fileprivate var isSettled: Bool { outcome?.failure != nil || settlement != nil }
}
