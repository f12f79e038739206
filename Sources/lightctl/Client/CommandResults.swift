import ControlProtocol

/// The result of one command that succeeded, as `--json` prints it.
struct CompletedCommand: Codable, Equatable, Sendable {
    /// As typed.
    var target: String
    var ticket: UInt64
    var lights: [LightBody]
    /// After `rename`.
    var warning: String?
    /// The lights that are not able to take all that was asked of them.
    var leftOut: [CommandReply.LeftOut]?
    /// After `follow`, `wake` and `sleep`.
    var following: FollowingBody?
    /// After a dry run.
    var requests: [PlannedRequestBody]?
    /// After a dry run.
    var failing: [ErrorReply.Part]?

    private enum CodingKeys: String, CodingKey {
        case target, ticket, lights, warning
        case leftOut = "left_out"
        case following, requests, failing
    }

    init(target: String, ticket: UInt64, lights: [LightBody]) {
        self.target = target
        self.ticket = ticket
        self.lights = lights
    }

    init(target: String, _ reply: CommandReply) {
        self.init(target: target, ticket: reply.ticket, lights: reply.lights ?? [])
        warning = reply.warning
        leftOut = reply.leftOut
        following = reply.following
        requests = reply.requests
        failing = reply.failing
    }
}

/// The results of one command per target, in the order of the targets.
struct CommandResults: Sendable {
    var each: [(target: String, result: Result<CompletedCommand, ErrorReply>)]

    var done: [CompletedCommand] { each.compactMap { try? $0.result.get() } }  // ``error`` reports the failures

    /// `nil` if every command succeeded. If all failed with the same error, that error. Otherwise an error with one
    /// part per failure, whose code is the shared one if all failed with it, else `partly`.
    var error: ErrorReply? {
        let failed: [(target: String, error: ErrorReply)] = each.compactMap {
            if case let .failure(error) = $0.result { ($0.target, error) } else { nil }
        }
        guard let first = failed.first else { return nil }
        let same = failed.allSatisfy { $0.error == first.error }
        if failed.count == each.count, same { return first.error }
        let alike = failed.count == each.count && failed.allSatisfy { $0.error.error.code == first.error.error.code }
        let sharesHint = failed.allSatisfy { $0.error.error.hint == first.error.error.hint }
        return ErrorReply(
            alike ? first.error.error.code : .partly,
            failed.count == each.count
                ? "\(whole(each.count, "target")) failed" : "\(failed.count) of \(each.count) targets failed",
            hint: sharesHint ? first.error.error.hint : nil,
            // A room that failed partly names its lights.
            parts: failed.flatMap { target, error in
                error.error.parts ?? [
                    .init(
                        target: target, code: error.error.code,
                        message: sharesHint ? error.sentence : error.sentenceAndHint)
                ]
            }
        )
    }
}

extension ErrorReply {
    /// The message, followed by the candidates if it does not list them itself.
    var sentence: String {
        guard let candidates = error.candidates, !candidates.isEmpty else { return error.message }
        // What it says of an unknown name is that name, which may contain the right one: 'Deskk'.
        if error.code == .noSuchTarget { return "\(error.message); did you mean \(alternatives(candidates))?" }
        let isListed = candidates.allSatisfy { error.message.contains($0) }
        return isListed ? error.message : "\(error.message); use \(alternatives(candidates))"
    }

    /// The parts grouped by message: fifty lights of an unreachable bridge make one line.
    private var groupedParts: [(targets: String, message: String)] {
        var messages: [String] = []
        var targets: [String: [String]] = [:]
        for part in error.parts ?? [] {
            if targets[part.message] == nil { messages.append(part.message) }
            targets[part.message, default: []].append(part.target)
        }
        return messages.map { message in
            let targets = targets[message] ?? []
            guard targets.count > 8 else { return (targets.joined(separator: ", "), message) }
            return ("\(targets.prefix(6).joined(separator: ", ")) and \(targets.count - 6) more", message)
        }
    }

    fileprivate var sentenceAndHint: String { error.hint.map { "\(sentence); \($0)" } ?? sentence }

    /// The text for people: "lightctl: …", the failed parts, and the hint.
    var printed: String { "lightctl: " + text }

    /// The same without a name before it.
    var text: String {
        let parts = groupedParts.map { "  \(printable($0.targets)): \(printable($0.message))" }
        let hint = error.hint.map { ["hint: \(printable($0))"] } ?? []
        return ([printable(sentence)] + parts + hint).joined(separator: "\n")
    }
}
