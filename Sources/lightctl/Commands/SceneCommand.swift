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

        func run() throws {
            try Session(options).arrange(rehearsal, .saveScene(name: name, targets: targets)) {
                ArrangingText.line("saved", $0)
            }
        }
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

        @OptionGroup var which: SceneArgument
        @OptionGroup var options: GlobalOptions

        func run() throws {
            let session = Session(options)
            try session.show(Routes.scene, [(.scene, which.scene)]) { Lists.scene($0, on: session.terminal) }
        }
    }

    private struct UpdateCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Save in a scene what its lights show now.",
            discussion: """
                A light that has joined the room since the scene was saved is not added to it, unless all lights of \
                the scene have left: then it gets those of the room.

                Example:
                  lightctl scene update reading
                """)

        @OptionGroup var which: SceneArgument
        @OptionGroup var rehearsal: DryRunOption
        @OptionGroup var options: GlobalOptions

        func run() throws {
            try Session(options).arrange(rehearsal, .updateScene(scene: which.scene)) {
                ArrangingText.line("updated", $0)
            }
        }
    }

    private struct RenameSceneCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Rename a scene.",
            discussion: "Example:\n  lightctl scene rename living/reading Study")

        @OptionGroup var which: SceneArgument
        @Argument(help: "The new name.") var name: String
        @OptionGroup var rehearsal: DryRunOption
        @OptionGroup var options: GlobalOptions

        func run() throws {
            try Session(options).arrange(rehearsal, .renameScene(scene: which.scene, name: name)) { _ in
                ArrangingText.renamed("scene", which.scene, to: name)
            }
        }
    }

    private struct DeleteSceneCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a scene.",
            discussion: """
                This cannot be undone.

                Example:
                  lightctl scene delete living/reading
                """)

        @OptionGroup var which: SceneArgument
        @OptionGroup var rehearsal: DryRunOption
        @OptionGroup var options: GlobalOptions

        func run() throws {
            try Session(options).arrange(rehearsal, .deleteScene(scene: which.scene)) { _ in
                ArrangingText.deleted("scene", which.scene)
            }
        }
    }
}

/// The scene that a command recalls, shows or changes.
struct SceneArgument: ParsableArguments {
    @Argument(help: "A scene's name, ROOM/SCENE, BRIDGE/ROOM/SCENE, or an id.") var scene: String
}

extension Session {
    /// How long a bridge may take to do it and to report it, with some to spare for what it was asked before.
    private static let arrangingTimeout = Duration.seconds(30)

    /// Changes rooms or scenes, and prints the room or scene as it is then.
    ///
    /// - Parameter confirmation: what was done, for a person.
    func arrange(
        _ rehearsal: DryRunOption, _ command: Command,
        _ confirmation: (CommandReply) -> String = { ArrangingText.line("", $0) }
    ) throws {
        let request = CommandRequest(command, dryRun: rehearsal.dryRun)
        let reply = try client.send([request], within: timeout ?? Self.arrangingTimeout)[0].get()
        if console.json {
            if let room = reply.room {
                try console.printJSON(ArrangedRoom(room: room, moved: reply.moved))
            } else if let scene = reply.scene {
                try console.printJSON(scene)
            } else {
                try console.printJSON(reply)
            }
        } else if let requests = reply.requests {
            try show(dryRun: requests)
            for line in ArrangingText.moved(reply.moved ?? [], "would leave") { try console.confirm(line) }
        } else {
            try console.confirm(confirmation(reply))
            for line in ArrangingText.moved(reply.moved ?? []) { try console.confirm(line) }
        }
    }
}

/// A room as JSON, with the lights that left other rooms for it.
private struct ArrangedRoom: Encodable {
    let room: RoomBody
    let moved: [CommandReply.Moved]?

    private enum CodingKeys: String, CodingKey { case moved }

    func encode(to encoder: any Encoder) throws {
        try room.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(moved, forKey: .moved)
    }
}
