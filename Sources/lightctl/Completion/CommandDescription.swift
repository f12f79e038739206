import ArgumentParser
import FoundationEssentials

/// One command as swift-argument-parser describes it: the part of its tool information (serialization version 0) that
/// completions need.
struct CommandDescription: Decodable {
    let arguments: [Argument]?

    struct Argument: Decodable {
        enum Kind: String, Decodable { case positional, option, flag }

        let kind: Kind
        let shouldDisplay: Bool
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        let allValues: [String]?
        let completionKind: CompletionKind?
        let abstract: String?

        struct Name: Decodable {
            let kind: String
            let name: String

            var typed: String { kind == "long" ? "--\(name)" : "-\(name)" }
        }

        /// The property "file" stands for a list of extensions.
        struct CompletionKind: Decodable {
            let file: Extensions?
            let list: List?
            struct Extensions: Decodable {}
            struct List: Decodable { let values: [String] }
        }
    }

    private struct Tool: Decodable { let command: CommandDescription }

    /// Of a command without those below it: lightctl itself has only the global options.
    static func of(_ command: any ParsableCommand.Type) throws -> CommandDescription {
        let type: any ParsableArguments.Type = command == LightCtl.self ? GlobalOptions.self : command
        return try JSONDecoder().decode(Tool.self, from: Data(type._dumpHelp().utf8)).command
    }
}

/// The commands below a command, and what it does if none is named.
extension ParsableCommand {
    static var shownSubcommands: [any ParsableCommand.Type] {
        (configuration.groupedSubcommands.flatMap(\.subcommands) + configuration.ungroupedSubcommands)
            .filter { $0.configuration.shouldDisplay }
    }
}
