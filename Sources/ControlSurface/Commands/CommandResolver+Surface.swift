import AutomationFiles
import ControlProtocol
import FoundationEssentials
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
            let words = "\(text): \(error.error.message)"
            throw error.error.code == .noSuchTarget ? .noSuchName(words) : .invalid(words)
        }
    }
}
