public import ArgumentParser
public import ControlProtocol

public struct RenameVerb: TargetVerb {
    public static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Rename a light, a room or a zone.",
        discussion: """
            The bridge stores the name; it allows 32 characters, all of which must be visible. 'lightctl scene rename' renames a scene.

            Examples:
              lightctl rename "Hue color lamp 3" desk
              lightctl rename @living Salon
            """
    )

    @Argument(help: "A light's name, @room, or an id.") public var target: String
    @Argument(help: "The new name.") public var name: String
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public func validate() throws {
        guard name.contains(where: { !$0.isWhitespace }) else { throw ValidationError("the new name is empty") }
    }

    public var targets: [String] { [target] }
    public var delivery: Delivery { rehearsal.delivery }

    public func command(for target: String) -> Command { .rename(target: target, name: name) }
}
