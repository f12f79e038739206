import AutomationFiles
public import ControlProtocol
public import FoundationEssentials
import Khipu
public import Lighting

extension ControlSurface {
    /// Reads the commands that automations keep, and looks up the names in them as for a client.
    public var resolver: CommandResolver {
        CommandResolver(
            message: { [latest] command, _, now throws(Failure) in
                try command.message(in: latest.snapshot.home, at: now)
            },
            renamed: { $0.replacingNames(by: $1) })
    }

    /// The same for a home that does not change.
    static func resolver(in home: Directory) -> CommandResolver {
        CommandResolver(
            message: { command, _, now throws(Failure) in try command.message(in: home, at: now) },
            renamed: { $0.replacingNames(by: $1) })
    }
}

extension StoredCommand {
    fileprivate func message(
        in home: Directory, at now: Timestamp
    ) throws(Failure) -> @Sendable (Ticket) -> Message {
        do throws(ErrorReply) {
            let request = try CommandRequest(json: Data(json.utf8))
            try request.validate()
            return try request.command.resolved(in: home, at: now).message
        } catch {
            // A name that is unknown now may be one of that bridge.
            if error.error.code == .bridgeUnreachable, let missing = home.missingBridge { throw missing }
            let words = "\(text): \(error.error.message)"
            throw [.noSuchTarget, .ambiguousTarget].contains(error.error.code) ? .noSuchName(words) : .invalid(words)
        }
    }
}

extension CommandRequest {
    /// Reads a command as a surface receives it.
    ///
    /// - Throws: `invalid`, which says what is wrong with the text.
    public init(json: Data) throws(ErrorReply) {
        do {
            self = try JSONDecoder().decode(CommandRequest.self, from: json)
        } catch {
            throw ErrorReply(
                .invalid,
                (error as? DecodingError)?.words(in: json, called: "the body") ?? "the body cannot be read: \(error)",
                hint: #"a command is JSON, such as {"command":"turn","to":"on","target":"@kitchen"}; see /openapi.json"#
            )
        }
        try refuseRepeatedName(in: json)
    }
}

extension Command {
    /// What a token must allow for this command, and for the steps of a timer.
    public var neededRole: TokenAccess {
        guard case let .schedule(steps: texts, at: _, after: _) = self else { return role }
        // A step that cannot be read is refused in any case.
        let steps = Set(texts).flatMap { (try? Automation.Step.steps(from: $0)) ?? [] }
        return steps.map(\.neededRole).reduce(role, max)
    }
}

extension Automation.Step {
    fileprivate var neededRole: TokenAccess {
        guard case let .command(command) = self else { return .control }
        return (try? JSONDecoder().decode(Command.self, from: Data(command.json.utf8)))?.role ?? .full
    }
}
