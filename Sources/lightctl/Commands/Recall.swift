import ArgumentParser
import ControlProtocol

struct Recall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Recall a scene.",
        discussion: """
            Where rooms have scenes of the same name, write ROOM/SCENE. 'lightctl list scenes' names them all.

            Examples:
              lightctl recall relax
              lightctl recall living/relax --over 1s
            """
    )

    @Argument(help: "A scene's name, ROOM/SCENE, or an id.") var scene: String

    @Option(
        help: ArgumentHelp("Take so long to get there, such as 400ms or 2s.", valueName: "time"),
        transform: Span.transition(argument:))
    var over: Span?

    @OptionGroup var options: Options

    func run() async throws {
        try await Session(options).order([scene], over: over) { .recall(scene: $0, over: $1) }
    }
}
