import ArgumentParser
import CommandGrammar

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
            ArrangeCommand<CreateRoomVerb<OfRooms>>.self, ArrangeCommand<AddToRoomVerb<OfRooms>>.self,
            ArrangeCommand<RemoveFromRoomVerb<OfRooms>>.self, ArrangeCommand<RenameRoomVerb<OfRooms>>.self,
            ArrangeCommand<DeleteRoomVerb<OfRooms>>.self,
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
            ArrangeCommand<CreateRoomVerb<OfZones>>.self, ArrangeCommand<AddToRoomVerb<OfZones>>.self,
            ArrangeCommand<RemoveFromRoomVerb<OfZones>>.self, ArrangeCommand<RenameRoomVerb<OfZones>>.self,
            ArrangeCommand<DeleteRoomVerb<OfZones>>.self,
        ])
}
