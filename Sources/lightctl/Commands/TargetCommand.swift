import ArgumentParser
import CommandGrammar

/// A verb with targets: sends a command for each and confirms it.
struct TargetCommand<Which: TargetVerb>: ParsableCommand {
    static var configuration: CommandConfiguration { Which.configuration }

    @OptionGroup var verb: Which
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).send(verb) }
}
