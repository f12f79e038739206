import ControlProtocol
import FoundationEssentials
import HTTPTypes
import HashTreeCollections
import Hummingbird
import Khipu
import Lighting

/// Commands: handed in at the counter, answered with what came of them.
extension Desk {
    func message(_ asking: Asking) async throws -> Response {
        let command = try Self.command(from: try await asking.body())
        guard let pass = commands.enter() else {
            throw Refusal.busy("\(settings.maximumInFlight) commands wait for their outcome")
        }
        defer { withExtendedLifetime(pass) {} }
        let now = home.clock.now()
        let resolved = try command.resolved(in: await directory, at: now)
        let answer = try await ask(asking.holder, at: now, resolved.message)
        if case let .bridges(.pairing(bridge?, .succeeded), _) = answer { await waitUntilConnected(bridge) }
        let directory = await directory
        if let failure = answer.outcome?.failure { throw failure.reply(in: directory) }
        return try .json(Self.reply(to: resolved, answer, in: directory))
    }

    /// Asks the domain, and waits for the outcome as long as the daemon runs.
    func ask(_ holder: String, at now: Timestamp, _ message: @escaping @Sendable (Ticket) -> Message) async throws
        -> Message
    {
        let answer = await withTaskGroup(of: Message?.self) { [home, patience] group in
            let listener = patience.listen()
            group.addTask { await home.counter.ask(holder: holder, at: now, message) }
            group.addTask {
                for await _ in listener.rings {}
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        guard let answer else {
            throw Refusal(
                ErrorReply(
                    .daemonStopping,
                    "lightd stopped before the outcome was known; the command may have been carried out"),
                headers: [.connection: "close"]
            )
        }
        return answer
    }

    /// Until the bridge's lights are known, so that a list right after pairing shows them; at most 5 s, for the pairing itself
    /// has succeeded.
    private func waitUntilConnected(_ bridge: Bridge.ID) async {
        let (steps, slot) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let subscription = await home.store.observe({ $0.bridges[bridge]?.isConnected ?? false }) { isConnected in
            if isConnected { slot.finish() }
        }
        home.clock.wake(.seconds(5)) { slot.finish() }
        let listener = patience.listen()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in steps {} }
            group.addTask { for await _ in listener.rings {} }
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
        default:
            break
        }
        return reply
    }

    private static func command(from data: Data) throws(ErrorReply) -> Command {
        do {
            return try JSONDecoder().decode(Command.self, from: data)
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
        case is Double.Type: "number"
        case is any Collection.Type: "object"
        default: "object"
        }
    }
}
