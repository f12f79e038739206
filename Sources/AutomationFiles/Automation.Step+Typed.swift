public import CommandGrammar
public import ControlProtocol
import FoundationEssentials
public import Lighting

extension Automation.Step {
    /// The steps of one line: "wait 5m", "restore @Hall", or a command as one types it after "lightctl", which is a
    /// step for each of its targets.
    public static func steps(from text: String) throws(TextError) -> [Self] {
        guard text.utf8.count <= longestText else {
            throw TextError("a step has at most \(longestText) bytes", at: 0)
        }
        do throws(TimeTextError) {
            if let step = try Self(text) { return [step] }
        } catch {
            throw TextError("expected \(error.expected)", at: error.offset)
        }
        let commands = try Typed.commands(from: text, and: firstWords)
        guard commands.count > 1 else { return commands.map { .command(StoredCommand($0, typed: text)) } }
        return commands.map { .command(StoredCommand($0, typed: Typed.line(for: $0) ?? text)) }
    }

    /// In bytes of UTF-8.
    private static let longestText = 1000
}

extension StoredCommand {
    /// - Parameter text: as it was typed.
    public init(_ command: Command, typed text: String) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only NaN and infinity cannot be encoded, and none can be typed.
        let json = (try? encoder.encode(command)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        self.init(text: text, json: json, mayComeLate: command.mayComeLate)
    }
}
