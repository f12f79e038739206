import ControlProtocol

/// One command's answer.
struct CompletedCommand: Codable, Equatable, Sendable {
    /// As it was typed.
    var target: String
    var ticket: UInt64
    var lights: [LightBody]
}

/// What several commands came to, in the order in which they were typed.
struct CommandResults: Sendable {
    var each: [(target: String, result: Result<CompletedCommand, ErrorReply>)]

    var done: [CompletedCommand] { each.compactMap { try? $0.result.get() } }  // the errors are ``error``'s

    /// `nil` where all was done; the error itself where it is the only one, or all came to the same; else the code that all share,
    /// or `partly`.
    var error: ErrorReply? {
        let failed: [(target: String, error: ErrorReply)] = each.compactMap {
            if case let .failure(error) = $0.result { ($0.target, error) } else { nil }
        }
        guard let first = failed.first else { return nil }
        let same = failed.allSatisfy { $0.error == first.error }
        if failed.count == each.count, same { return first.error }
        let alike = failed.count == each.count && failed.allSatisfy { $0.error.error.code == first.error.error.code }
        return ErrorReply(
            alike ? first.error.error.code : .partly,
            failed.count == each.count
                ? "none of \(each.count) targets was done" : "\(failed.count) of \(each.count) targets failed",
            hint: failed.allSatisfy { $0.error.error.hint == first.error.error.hint } ? first.error.error.hint : nil,
            // A room that was partly done names its lights.
            parts: failed.flatMap { target, error in
                error.error.parts ?? [.init(target: target, code: error.error.code, message: error.sentence)]
            }
        )
    }
}

extension ErrorReply {
    /// The message with its candidates, where it does not name them itself.
    var sentence: String {
        let unnamed = (error.candidates ?? []).filter {
            !error.message.contains($0) && error.hint?.contains($0) != true
        }
        guard !unnamed.isEmpty else { return error.message }
        return error.message + (error.code == .noSuchTarget ? "; did you mean " : "; it could be ") + either(unnamed)
            + "?"
    }

    /// What failed alike, once: fifty lights of a bridge that is away are one line.
    private var folded: [(targets: String, message: String)] {
        let parts = error.parts ?? []
        var messages: [String] = []
        for part in parts where !messages.contains(part.message) { messages.append(part.message) }
        return messages.map { message in
            let targets = parts.filter { $0.message == message }.map(\.target)
            guard targets.count > 8 else { return (targets.joined(separator: ", "), message) }
            return ("\(targets.prefix(6).joined(separator: ", ")) and \(targets.count - 6) more", message)
        }
    }

    /// As people read it: "lightctl: …", what failed in detail, and the way out.
    var printed: String {
        let parts = folded.map { "  \(printable($0.targets)): \(printable($0.message))" }
        let hint = error.hint.map { ["hint: \(printable($0))"] } ?? []
        return (["lightctl: \(printable(sentence))"] + parts + hint).joined(separator: "\n")
    }
}
