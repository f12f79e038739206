import ArgumentParser
import ControlProtocol

struct SceneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scene",
        abstract: "Save, show, change and delete scenes.",
        discussion: """
            A scene belongs to one room or zone and is stored by its bridge, so every app shows it. 'lightctl recall' \
            recalls it, 'lightctl list scenes' shows all scenes. If several rooms have a scene of that name, use \
            ROOM/SCENE. 'lightctl undo' does not take back what is done to scenes.

            Examples:
              lightctl scene save Reading @living
              lightctl scene show reading
              lightctl scene update reading
              lightctl scene rename reading Study
              lightctl scene delete living/study
            """,
        subcommands: [
            SaveCommand.self, ShowSceneCommand.self, UpdateCommand.self, RenameSceneCommand.self,
            DeleteSceneCommand.self,
        ])

    private struct SaveCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "save", abstract: "Save what lights show as a new scene.",
            discussion: """
                The scene belongs to the room or zone that is named, or that the lights share. A bridge without API v2 \
                stores all lights of a room or zone, not some of them.

                Examples:
                  lightctl scene save Reading @living
                  lightctl scene save Work desk "floor lamp"
                """)

        @Argument(help: "Its name; bridges allow 32 characters.") var name: String
        @Argument(
            help: "A @room, a zone, or lights of one; may be left out if the home has only one room or zone.")
        var targets: [String] = []
        @OptionGroup var rehearsal: DryRunOption
        @OptionGroup var options: GlobalOptions

        func run() throws { try Session(options).arrange(rehearsal, .saveScene(name: name, targets: targets), "saved") }
    }

    private struct ShowSceneCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what a scene sets on each light.",
            discussion: """
                Reads it from the bridge. In a pipe: name, on|off, brightness, colour or white tone, id, separated by \
                tabs; "-" for what the scene leaves as it is.

                Example:
                  lightctl scene show living/reading
                """)

        @Argument(help: "A scene's name, ROOM/SCENE, BRIDGE/ROOM/SCENE, or an id.") var scene: String
        @OptionGroup var options: GlobalOptions

        func run() throws {
            let session = Session(options)
            try session.show(Routes.scene, [(.scene, scene)]) { Lists.scene($0, on: session.terminal) }
        }
    }

    private struct UpdateCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Save in a scene what its lights show now.",
            discussion: """
                A light that has joined the room since the scene was saved is not added to it.

                Example:
                  lightctl scene update reading
                """)

        @Argument(help: "A scene's name, ROOM/SCENE, BRIDGE/ROOM/SCENE, or an id.") var scene: String
        @OptionGroup var rehearsal: DryRunOption
        @OptionGroup var options: GlobalOptions

        func run() throws { try Session(options).arrange(rehearsal, .updateScene(scene: scene), "updated") }
    }

    private struct RenameSceneCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Rename a scene.",
            discussion: "Example:\n  lightctl scene rename living/reading Study")

        @Argument(help: "A scene's name, ROOM/SCENE, BRIDGE/ROOM/SCENE, or an id.") var scene: String
        @Argument(help: "The new name.") var name: String
        @OptionGroup var rehearsal: DryRunOption
        @OptionGroup var options: GlobalOptions

        func run() throws { try Session(options).arrange(rehearsal, .renameScene(scene: scene, name: name), "renamed") }
    }

    private struct DeleteSceneCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a scene.",
            discussion: """
                This cannot be undone.

                Example:
                  lightctl scene delete living/reading
                """)

        @Argument(help: "A scene's name, ROOM/SCENE, BRIDGE/ROOM/SCENE, or an id.") var scene: String
        @OptionGroup var rehearsal: DryRunOption
        @OptionGroup var options: GlobalOptions

        func run() throws {
            try Session(options).arrange(rehearsal, .deleteScene(scene: scene), "deleted \(printable(scene))")
        }
    }
}

extension Session {
    /// How long a bridge may take to do it and to report it, with some to spare.
    private static let arrangingTimeout = Duration.seconds(30)

    /// Changes rooms or scenes, and prints the room or scene as it is then.
    ///
    /// - Parameter done: what was done, for the confirmation: "created room".
    func arrange(_ rehearsal: DryRunOption, _ command: Command, _ done: String = "") throws {
        let request = CommandRequest(command, dryRun: rehearsal.dryRun)
        let reply = try client.send([request], within: timeout ?? Self.arrangingTimeout)[0].get()
        if let requests = reply.requests, !console.json {
            try show(dryRun: requests)
        } else if let room = reply.room {
            if console.json { try console.printJSON(room) } else { try console.confirm(ArrangingText.line(done, room)) }
        } else if let scene = reply.scene {
            if console.json {
                try console.printJSON(scene)
            } else {
                try console.confirm(ArrangingText.line(done, scene))
            }
        } else if console.json {
            try console.printJSON(reply)
        } else {
            try console.confirm(done)
        }
    }
}
