import ArgumentParser
import ControlProtocol

struct RoomCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "room",
        abstract: "Create, change and delete rooms.",
        discussion: """
            Rooms are stored by their bridge, so every app shows them. A light is in one room at most: put into a room, \
            it leaves the one it was in, and that room's scenes. Each command answers when the bridge has reported the \
            change; exit code 5 if it does not in time. 'lightctl undo' does not take back what is done to rooms. \
            'lightctl list rooms' shows all rooms.

            Examples:
              lightctl room create Office desk "floor lamp"
              lightctl room add office ceiling
              lightctl room remove office desk
              lightctl room rename office Study
              lightctl room delete study
            """,
        subcommands: [
            CreateCommand<OfRooms>.self, AddCommand<OfRooms>.self, RemoveCommand<OfRooms>.self,
            RenameRoomCommand<OfRooms>.self, DeleteCommand<OfRooms>.self,
        ])
}

struct ZoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zone",
        abstract: "Create, change and delete zones.",
        discussion: """
            A zone groups lights of any rooms of one bridge; a light may be in several zones. As with rooms, the bridge \
            stores them, and 'lightctl undo' does not take back what is done to them. 'lightctl list rooms' shows \
            zones, too.

            Examples:
              lightctl zone create Downstairs @kitchen @living
              lightctl zone add downstairs hall
              lightctl zone delete downstairs
            """,
        subcommands: [
            CreateCommand<OfZones>.self, AddCommand<OfZones>.self, RemoveCommand<OfZones>.self,
            RenameRoomCommand<OfZones>.self, DeleteCommand<OfZones>.self,
        ])
}

/// Whether a command is one of `lightctl room` or of `lightctl zone`.
protocol KindOfRoom {
    static var kind: RoomBody.Kind { get }
}

enum OfRooms: KindOfRoom { static let kind = RoomBody.Kind.room }
enum OfZones: KindOfRoom { static let kind = RoomBody.Kind.zone }

extension KindOfRoom {
    fileprivate static var word: String { kind.rawValue }
}

/// The room or zone that a command of `lightctl room` or `lightctl zone` changes.
struct RoomArgument<Of: KindOfRoom>: ParsableArguments {
    @Argument(help: ArgumentHelp("Its name, with @ or without, @BRIDGE/NAME, or an id.", valueName: Of.kind.rawValue))
    var room: String
}

private struct LightsArgument: ParsableArguments {
    @Argument(help: "Lights: names, @rooms, or ids.") var targets: [String]
}

private struct CreateCommand<Of: KindOfRoom>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "create", abstract: "Create a \(Of.word).",
            discussion: """
                Without a TARGET the \(Of.word) is empty. A room or zone as TARGET stands for all of its lights.

                Examples:
                  lightctl \(Of.word) create Office desk "floor lamp"
                  lightctl \(Of.word) create Attic --bridge upstairs
                """)
    }

    @Argument(help: "Its name; bridges allow 32 characters.") var name: String
    @Argument(help: "Its lights: names, @rooms, or ids.") var targets: [String] = []
    @Option(help: "The bridge that stores it, by name or id; needed only for an empty one.") var bridge: String?
    @OptionGroup var rehearsal: DryRunOption
    @OptionGroup var options: GlobalOptions

    func run() throws {
        try Session(options).arrange(
            rehearsal, .createRoom(name: name, targets: targets, kind: Of.kind, bridge: bridge)
        ) { ArrangingText.line("created \(Of.word)", $0) }
    }
}

private struct AddCommand<Of: KindOfRoom>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "add", abstract: "Put lights into a \(Of.word).",
            discussion: """
                \(Of.kind == .room ? "They leave the room they were in." : "They stay in the zones they are in.")

                Example:
                  lightctl \(Of.word) add office ceiling
                """)
    }

    @OptionGroup var which: RoomArgument<Of>
    @OptionGroup var lights: LightsArgument
    @OptionGroup var rehearsal: DryRunOption
    @OptionGroup var options: GlobalOptions

    func run() throws {
        try Session(options).arrange(rehearsal, .addToRoom(room: which.room, targets: lights.targets, kind: Of.kind))
    }
}

private struct RemoveCommand<Of: KindOfRoom>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "remove", abstract: "Take lights out of a \(Of.word).",
            discussion: """
                \(Of.kind == .room ? "They are then in no room." : "They stay in their rooms.")

                Example:
                  lightctl \(Of.word) remove office ceiling
                """)
    }

    @OptionGroup var which: RoomArgument<Of>
    @OptionGroup var lights: LightsArgument
    @OptionGroup var rehearsal: DryRunOption
    @OptionGroup var options: GlobalOptions

    func run() throws {
        try Session(options).arrange(
            rehearsal, .removeFromRoom(room: which.room, targets: lights.targets, kind: Of.kind))
    }
}

private struct RenameRoomCommand<Of: KindOfRoom>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "rename", abstract: "Rename a \(Of.word).",
            discussion: "Example:\n  lightctl \(Of.word) rename office Study")
    }

    @OptionGroup var which: RoomArgument<Of>
    @Argument(help: "The new name.") var name: String
    @OptionGroup var rehearsal: DryRunOption
    @OptionGroup var options: GlobalOptions

    func run() throws {
        try Session(options).arrange(rehearsal, .renameRoom(room: which.room, name: name, kind: Of.kind)) { _ in
            ArrangingText.renamed(Of.word, which.room, to: name)
        }
    }
}

private struct DeleteCommand<Of: KindOfRoom>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "delete", abstract: "Delete a \(Of.word) and its scenes.",
            discussion: """
                Its lights stay. This cannot be undone.

                Example:
                  lightctl \(Of.word) delete office
                """)
    }

    @OptionGroup var which: RoomArgument<Of>
    @OptionGroup var rehearsal: DryRunOption
    @OptionGroup var options: GlobalOptions

    func run() throws {
        try Session(options).arrange(rehearsal, .deleteRoom(room: which.room, kind: Of.kind)) { _ in
            "deleted \(printable(which.room))"
        }
    }
}
