public import ArgumentParser
import CommandGrammar
public import ControlProtocol

// Public imports, because the conforming types are public.

extension LevelControl: ExpressibleByArgument {}
extension Exclusion: ExpressibleByArgument {}
extension CauseBody.Kind: ExpressibleByArgument {}

/// A verb with targets: sends a command for each and confirms it.
struct TargetCommand<Which: TargetVerb>: ParsableCommand {
    static var configuration: CommandConfiguration { Which.configuration }

    @OptionGroup var verb: Which
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).send(verb) }
}

/// A verb that shows what it can set.
struct ConfigurationCommand<Which: ConfigurationVerb>: ParsableCommand {
    static var configuration: CommandConfiguration { Which.configuration }

    @OptionGroup var verb: Which
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        guard verb.change == nil else { return try session.send(verb) }
        try session.show(Routes.lights, [(.target, verb.target)]) {
            Lists.configuration($0, Which.property, on: session.terminal)
        }
    }
}
