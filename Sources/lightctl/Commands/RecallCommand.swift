import ArgumentParser
import ControlProtocol

struct RecallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recall",
        abstract: "Recall a scene.",
        discussion: """
            If several rooms have a scene of that name, use ROOM/SCENE, or with several bridges BRIDGE/ROOM/SCENE. \
            'lightctl list scenes' shows all scenes.

            Examples:
              lightctl recall relax
              lightctl recall living/relax --over 1s
            """
    )

    @OptionGroup var which: SceneArgument

    @OptionGroup var commandOptions: CommandOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try Session(options).send([which.scene], commandOptions) { .recall(scene: $0, over: $1) }
    }
}
