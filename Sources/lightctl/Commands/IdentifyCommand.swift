import ArgumentParser
import ControlProtocol

struct IdentifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify",
        abstract: "Make lights blink, to see which they are.",
        discussion: """
            They are left as they were. A bridge without API v2 refuses a lamp that is off.

            Examples:
              lightctl identify "Hue color lamp 3"
              lightctl identify @kitchen
            """
    )

    @Argument(help: "Names of lights, @rooms, all, or ids.") var targets: [String]
    @OptionGroup var rehearsal: DryRunOption
    @OptionGroup var options: GlobalOptions

    func run() throws {
        try Session(options).send(targets, dryRun: rehearsal.dryRun, confirmation: { "\(printable($0)): blinks" }) {
            target, _ in
            .identify(target: target)
        }
    }
}
