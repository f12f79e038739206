import ArgumentParser
import CommandGrammar

extension CommandDescription {
    /// Of a command without those below it: lightctl itself has only the global options.
    static func of(command: any ParsableCommand.Type) throws -> CommandDescription {
        try of(command == LightCtl.self ? GlobalOptions.self : command)
    }
}

/// The commands below a command, and what it does if none is named.
extension ParsableCommand {
    static var shownSubcommands: [any ParsableCommand.Type] {
        (configuration.groupedSubcommands.flatMap(\.subcommands) + configuration.ungroupedSubcommands)
            .filter { $0.configuration.shouldDisplay }
    }
}
