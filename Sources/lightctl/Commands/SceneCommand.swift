import ArgumentParser
import CommandGrammar
import ControlProtocol

struct SceneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scene",
        abstract: "Save, show, change and delete scenes.",
        discussion: """
            A scene belongs to one room or zone and is stored by its bridge, so every app shows it. 'lightctl recall' \
            recalls it, 'lightctl list scenes' shows all scenes. If several rooms have a scene of that name, use \
            ROOM/SCENE. 'lightctl undo' does not take back what is done to scenes. Their order is lightd's own.

            A smart scene sets no lights itself: while it is active, its bridge recalls other scenes of the room at their \
            times. The maker's app makes them; bridges with API v1 have none.

            Examples:
              lightctl scene save Reading @living
              lightctl scene show reading
              lightctl scene update reading
              lightctl scene edit reading desk --brightness 40%
              lightctl scene rename reading Study
              lightctl scene delete living/study
              lightctl scene activate living/day
              lightctl scene reorder living Bright Relax
            """,
        subcommands: [
            ArrangeCommand<SaveSceneVerb>.self, ShowSceneCommand.self, ArrangeCommand<UpdateSceneVerb>.self,
            ArrangeCommand<EditSceneVerb>.self, ArrangeCommand<RenameSceneVerb>.self,
            ArrangeCommand<DeleteSceneVerb>.self,
            TargetCommand<ActivateSceneVerb>.self, ArrangeCommand<DeactivateSceneVerb>.self,
            ArrangeCommand<ReorderScenesVerb>.self,
        ])

    private struct ShowSceneCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what a scene sets on each light, or a smart scene's week.",
            discussion: """
                Reads it from the bridge. In a pipe: name, on|off, brightness, colour or white tone, id, separated by \
                tabs; "-" for what the scene leaves as it is. Of a smart scene: days, when it begins, scene, \
                current|-, the scene's id.

                Examples:
                  lightctl scene show living/reading
                  lightctl scene show living/day
                """)

        @OptionGroup var which: SceneArgument
        @OptionGroup var options: GlobalOptions

        func run() throws {
            let session = try Session(options)
            try session.show(Routes.scene, [(.scene, which.scene)]) { Lists.scene($0, on: session.terminal) }
        }
    }
}
