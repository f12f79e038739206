public import ArgumentParser
public import ControlProtocol

/// A verb that changes a room, a zone or a scene as such, by one command.
public protocol ArrangingVerb: Verb {
    var command: Command { get }
    var rehearsal: DryRunOption { get }
}

extension ArrangingVerb {
    public var delivery: Delivery { rehearsal.delivery }
    public func commands() -> [Command] { [command] }
}

/// Whether a verb is one of `lightctl room` or of `lightctl zone`.
public protocol KindOfRoom: Sendable {
    static var kind: RoomKind { get }
}

public enum OfRooms: KindOfRoom { public static let kind = RoomKind.room }
public enum OfZones: KindOfRoom { public static let kind = RoomKind.zone }

extension KindOfRoom {
    fileprivate static var word: String { kind.rawValue }
}

/// The room or zone that a verb changes.
public struct RoomArgument<Of: KindOfRoom>: ParsableArguments {
    @Argument(help: ArgumentHelp("Its name, with @ or without, @BRIDGE/NAME, or an id.", valueName: Of.word))
    public var room: String

    public init() {}
}

public struct LightsArgument: ParsableArguments {
    @Argument(help: "Lights: names, @rooms, or ids.") public var targets: [String]

    public init() {}
}

public struct CreateRoomVerb<Of: KindOfRoom>: ArrangingVerb {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "create", abstract: "Create a \(Of.word).",
            discussion: """
                Without a TARGET the \(Of.word) is empty. A room or zone as TARGET stands for all of its lights.

                Examples:
                  lightctl \(Of.word) create Office desk "floor lamp"
                  lightctl \(Of.word) create Attic --bridge upstairs
                """)
    }

    @Argument(help: "Its name; bridges allow 32 characters.") public var name: String
    @Argument(help: "Its lights: names, @rooms, or ids.") public var targets: [String] = []
    @Option(help: "The bridge that stores it, by name or id; needed only for an empty one.") public var bridge: String?
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var command: Command { .createRoom(name: name, targets: targets, kind: Of.kind, bridge: bridge) }
}

public struct AddToRoomVerb<Of: KindOfRoom>: ArrangingVerb {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "add", abstract: "Put lights into a \(Of.word).",
            discussion: """
                \(Of.kind == .room ? "They leave the room they were in." : "They stay in the zones they are in.")

                Example:
                  lightctl \(Of.word) add office ceiling
                """)
    }

    @OptionGroup public var which: RoomArgument<Of>
    @OptionGroup public var lights: LightsArgument
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var command: Command { .addToRoom(room: which.room, targets: lights.targets, kind: Of.kind) }
}

public struct RemoveFromRoomVerb<Of: KindOfRoom>: ArrangingVerb {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "remove", abstract: "Take lights out of a \(Of.word).",
            discussion: """
                \(Of.kind == .room ? "They are then in no room." : "They stay in their rooms.")

                Example:
                  lightctl \(Of.word) remove office ceiling
                """)
    }

    @OptionGroup public var which: RoomArgument<Of>
    @OptionGroup public var lights: LightsArgument
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var command: Command { .removeFromRoom(room: which.room, targets: lights.targets, kind: Of.kind) }
}

public struct RenameRoomVerb<Of: KindOfRoom>: ArrangingVerb {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "rename", abstract: "Rename a \(Of.word).",
            discussion: "Example:\n  lightctl \(Of.word) rename office Study")
    }

    @OptionGroup public var which: RoomArgument<Of>
    @Argument(help: "The new name.") public var name: String
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var command: Command { .renameRoom(room: which.room, name: name, kind: Of.kind) }
}

public struct DeleteRoomVerb<Of: KindOfRoom>: ArrangingVerb {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "delete", abstract: "Delete a \(Of.word) and its scenes.",
            discussion: """
                Its lights stay. This cannot be undone.

                Example:
                  lightctl \(Of.word) delete office
                """)
    }

    @OptionGroup public var which: RoomArgument<Of>
    @OptionGroup public var rehearsal: DryRunOption

    public init() {}

    public var command: Command { .deleteRoom(room: which.room, kind: Of.kind) }
}
