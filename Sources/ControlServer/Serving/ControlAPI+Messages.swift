import ControlProtocol
import FoundationEssentials
import HTTPTypes
import HashTreeCollections
import Hummingbird
import Khipu
import Lighting
import NIOCore

/// Commands: handed to the domain, answered with what came of them.
extension ControlAPI {
    func message(_ request: APIRequest) async throws -> Response {
        let commandRequest = try Self.commandRequest(from: try await request.body())
        guard let permit = commands.enter() else {
            throw APIError.busy("\(settings.maximumInFlight) commands wait for their outcome")
        }
        defer { withExtendedLifetime(permit) {} }
        let now = home.clock.now()
        let resolved = try commandRequest.command.resolved(in: await directory, at: now)
        let answer: Message
        if commandRequest.wait {
            answer = try await confirmed(request, at: now, resolved.message)
        } else {
            answer = try await ask(request.holder, at: now, resolved.message)
        }
        if case let .bridges(.pairing(bridge?, .succeeded), _) = answer { await waitUntilConnected(bridge) }
        let directory = await directory
        if let failure = answer.outcome?.failure { throw failure.reply(in: directory) }
        var response = try Response.json(Self.reply(to: resolved, answer, in: directory))
        // To hear that the client goes away is to read on: nothing else can come over this connection.
        if commandRequest.wait { response.headers[.connection] = "close" }
        return response
    }

    /// Asks the domain, and waits for the outcome as long as the daemon runs.
    func ask(_ holder: String, at now: Timestamp, _ message: @escaping @Sendable (Ticket) -> Message) async throws
        -> Message
    {
        try await patiently { [home] in await home.requests.send(holder: holder, at: now, message) }
    }

    /// Asks the domain, and waits until all that the command wished for is confirmed: as long as the daemon runs and the client
    /// stays. The command itself goes on where it does not.
    ///
    /// - Returns: the response.
    /// - Throws: the failure where it was not confirmed.
    private func confirmed(_ request: APIRequest, at now: Timestamp, _ message: @escaping @Sendable (Ticket) -> Message)
        async throws -> Message
    {
        let (gone, slot) = AsyncStream<Void>.makeStream()
        // Read to its end by now. A body in memory takes its place, behind which the connection itself is read on.
        var http = request.http
        http.body = RequestBody(buffer: ByteBuffer())
        let words = try await http.body.consumeWithInboundCloseHandler { _ in
            try await patiently(unless: gone) { [home] in
                await home.requests.follow(holder: request.holder, at: now, until: \.settles, message)
            }
        } onInboundClosed: {
            slot.finish()
        }
        if let failure = words.last?.settlement?.failure { throw failure.reply(in: await directory) }
        guard let response = words.last(where: \.isResponse) else {
            throw ErrorReply(.internalError, "the command was settled and never answered")
        }
        return response
    }

    /// Listens until something is heard or those who wait are let go: because the daemon stops, or their client has gone, who reads
    /// no answer any more.
    private func patiently<Heard: Sendable>(
        unless gone: AsyncStream<Void>? = nil, _ listen: @escaping @Sendable () async -> Heard?
    ) async throws -> Heard {
        let heard = await withTaskGroup(of: Heard?.self) { [waits] group in
            let subscriber = waits.subscribe()
            group.addTask { await listen() }
            group.addTask {
                for await _ in subscriber.signals {}
                return nil
            }
            if let gone {
                group.addTask {
                    for await _ in gone {}
                    return nil
                }
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        guard let heard else {
            throw APIError(
                ErrorReply(
                    .unconfirmed,
                    "lightd stopped before the outcome was known; the command may have been carried out"),
                headers: [.connection: "close"]
            )
        }
        return heard
    }

    /// Until the bridge's lights are known, so that a list right after pairing shows them; at most 5 s, for the pairing itself
    /// has succeeded.
    private func waitUntilConnected(_ bridge: Bridge.ID) async {
        let (steps, slot) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let subscription = await home.store.observe({ $0.bridges[bridge]?.isConnected ?? false }) { isConnected in
            if isConnected { slot.finish() }
        }
        home.clock.wake(.seconds(5)) { slot.finish() }
        let subscriber = waits.subscribe()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in steps {} }
            group.addTask { for await _ in subscriber.signals {} }
            await group.next()
            group.cancelAll()
        }
        await subscription.cancel()
    }

    private static func reply(to command: Command.Resolved, _ answer: Message, in directory: Directory) -> CommandReply
    {
        var reply = CommandReply(ticket: answer.ticket.number)
        if let target = command.target { reply.lights = directory.bodies(of: directory.lights(of: target)) }
        if let scene = command.scene.flatMap({ directory.scene($0) }) {
            reply.lights = directory.bodies(of: scene.lights.compactMap { directory.light($0) })
        }
        switch answer {
        case let .bridges(.discovering(found, _), _):
            reply.discovered = found.map { discovery in
                discovery.body(paired: discovery.id.map { directory.bridge($0) != nil } ?? false)
            }
        case let .bridges(.pairing(bridge?, _), _):
            reply.bridge = directory.bridge(bridge).map { directory.body(of: $0) }
        case .dashboard:
            reply.dashboard = directory.pinBodies
        case let .lighting(.undoing(reversal, _), ticket), let .lighting(.redoing(reversal, _), ticket):
            reply.lights = directory.bodies(of: reversal.lights.compactMap { directory.light($0) })
            reply.commands = directory.commands(reversedBy: ticket).map { $0.words(in: directory) }
            reply.skipped = reversal.skipped.map { skipped in
                .init(
                    target: skipped.light.description, name: directory.text(naming: .light(skipped.light)),
                    cause: skipped.cause.body(in: directory))
            }
        default:
            break
        }
        return reply
    }

    private static func commandRequest(from data: Data) throws(ErrorReply) -> CommandRequest {
        do {
            return try JSONDecoder().decode(CommandRequest.self, from: data)
        } catch {
            throw ErrorReply(
                .invalid, words(error),
                hint: #"a command is JSON, such as {"command":"turn","to":"on","target":"@kitchen"}; see /openapi.json"#
            )
        }
    }

    /// What a decoder did not find, in the API's words.
    private static func words(_ error: any Error) -> String {
        func name(_ context: DecodingError.Context) -> String {
            context.codingPath.isEmpty
                ? "the body" : "'\(context.codingPath.map(\.stringValue).joined(separator: "."))'"
        }
        switch error {
        case let DecodingError.keyNotFound(key, _): return "'\(key.stringValue)' is missing"
        case let DecodingError.valueNotFound(_, context): return "\(name(context)) has no value"
        case let DecodingError.typeMismatch(type, context): return "\(name(context)) is no \(word(for: type))"
        case let DecodingError.dataCorrupted(context):
            return context.codingPath.isEmpty ? "the body is no JSON" : "\(name(context)): \(context.debugDescription)"
        default: return "the body cannot be read: \(error)"
        }
    }

    private static func word(for type: any Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Int.Type: "whole number"
        case is Bool.Type: "true or false"
        case is Double.Type: "number"
        case is any Collection.Type: "object"
        default: "object"
        }
    }
}

extension Message {
    /// What became of what its command wished for, where this tells it.
    fileprivate var settlement: Outcome? {
        if case let .lighting(message, _) = self { message.settlement } else { nil }
    }

    /// Whether nothing more comes of its command: it failed, or its wishes have come to their end.
    fileprivate var settles: Bool { outcome?.failure != nil || settlement != nil }
}
