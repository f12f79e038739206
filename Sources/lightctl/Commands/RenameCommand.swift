import ArgumentParser
import ControlProtocol

struct RenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Rename a light, a room or a zone.",
        discussion: """
            The bridge stores the name; it allows 32 characters. 'lightctl scene rename' renames a scene.

            Examples:
              lightctl rename "Hue color lamp 3" desk
              lightctl rename @living Salon
            """
    )

    @Argument(help: "A light's name, @room, or an id.") var target: String
    @Argument(help: "The new name.") var name: String
    @OptionGroup var rehearsal: DryRunOption
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard name.contains(where: { !$0.isWhitespace }) else { throw ValidationError("the new name is empty") }
    }

    func run() throws {
        try Session(options).send(
            [target], dryRun: rehearsal.dryRun,
            confirmation: { [name] in "renamed \(printable($0)) to \(printable(name))" }
        ) { [name] target, _ in
            .rename(target: target, name: name)
        }
    }
}
