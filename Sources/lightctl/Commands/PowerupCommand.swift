import ArgumentParser
import CommandGrammar
import ControlProtocol

struct PowerupCommand: ParsableCommand {
    static var configuration: CommandConfiguration { PowerupVerb.configuration }

    @OptionGroup var verb: PowerupVerb
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        guard verb.preset == nil else { return try session.send(verb) }
        try session.show(Routes.lights, [(.target, verb.target)]) { Lists.powerups($0, on: session.terminal) }
    }
}
