import AnyJSON
import ControlProtocol
import FoundationEssentials

extension MCPTool {
    /// Commands of the API, each by its verb and with its own schema. What they change, `undo` takes back.
    static let commands = ["turn", "set", "increase", "decrease", "recall", "undo"].compactMap(command)

    private static func command(_ verb: String) -> MCPTool? {
        Command.usage(of: verb).map { usage in
            MCPTool(
                name: verb, summary: usage.summary, role: usage.role, input: usage.schema,
                effect: .lights(mayBeRepeated: usage.mayBeRepeated)
            ) { session, arguments in
                let json = try JSONEncoder().encode(arguments.merging(["command": .string(verb)]) { $1 })
                let request = try request(json)
                let reply = try session.client.post([json], within: session.timeout(forLine: json))[0].get()
                return try session.outcome(of: request, reply)
            }
        }
    }

    /// lightd would say the same, in the words of those who write JSON.
    private static func request(_ json: Data) throws -> CommandRequest {
        do {
            let request = try JSONDecoder().decode(CommandRequest.self, from: json)
            try request.validate()
            return request
        } catch let error as DecodingError {
            throw ErrorReply(.invalid, error.words(in: json, called: "the call"))
        }
    }
}

extension Session {
    /// What the verb of the same name would print on a terminal, and whether it would fail.
    fileprivate func outcome(of request: CommandRequest, _ reply: CommandReply) throws -> MCPTool.Outcome {
        let clock = WallClock.local()
        var lines: [String] = []
        var error: ErrorReply?
        switch request.command {
        case _ where request.dryRun:
            lines.append("nothing was changed")
            if let commands = reply.commands {
                lines.append("it would take back " + commands.map { "'\(printable($0))'" }.joined(separator: ", "))
            }
            if let target = request.command.lights {
                let lights: [LightBody] = try get(Routes.lights, [(.target, target)])
                lines.append("these lights show now:")
                lines += lights.map { "  \(printable($0.name)): \($0.summary(clock))" }
            }
            let requests = reply.requests ?? []
            lines.append(requests.isEmpty ? "nothing would be sent" : "this would be sent to bridges:")
            if !requests.isEmpty { lines.append(DryRunText.lines(requests, on: terminal)) }
            error = UndoText.skipped(reply, clock) ?? DryRunText.error(reply.failing ?? [])
        case .undo:
            lines.append(UndoText.line(.undo, reply) + " (ticket \(reply.ticket))")
            error = UndoText.skipped(reply, clock)
        default:
            lines.append(
                ConfirmationText.line(request.command.named, reply.lights ?? [], clock) + " (ticket \(reply.ticket))")
        }
        if case let .undo(steps, _, _) = request.command {
            lines += UndoText.fewer(.undo, reply, than: steps).map { [$0] } ?? []
        }
        lines += LeftOutText.notes(reply.leftOut) + LeftOutText.confirmations(reply.leftOut)
        if let error { lines.append(error.text) }
        var rest = reply
        // A room's lights in full are a long read; the text names what they show, and 'show' has them.
        rest.lights = nil
        return MCPTool.Outcome(text: lines.joined(separator: "\n"), structured: rest, isError: error != nil)
    }
}

extension Command {
    /// The lights that it is aimed at, as they were named; `nil` if it names none.
    fileprivate var lights: String? {
        switch self {
        case let .turn(_, target, _), let .toggle(target, _), let .set(_, target, _, _),
            let .increase(_, _, target, _, _), let .decrease(_, _, target, _, _):
            target
        default: nil
        }
    }

    /// What it names.
    fileprivate var named: String { if case let .recall(scene, _, _, _) = self { scene } else { lights ?? "" } }
}
