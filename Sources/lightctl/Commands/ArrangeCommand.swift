import ArgumentParser
import CommandGrammar
import ControlProtocol

/// A verb that changes a room, a zone or a scene as such.
struct ArrangeCommand<Which: ArrangingVerb>: ParsableCommand {
    static var configuration: CommandConfiguration { Which.configuration }

    @OptionGroup var verb: Which
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).arrange(verb) }
}

extension Session {
    /// How long a bridge may take to do it and to report it, with some to spare for what it was asked before.
    private static let arrangingTimeout = Duration.seconds(30)

    /// Changes rooms or scenes, and prints the room or scene as it is then.
    fileprivate func arrange(_ verb: some ArrangingVerb) throws {
        let request = CommandRequest(verb.command, dryRun: verb.delivery.dryRun)
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
            try console.confirm(ArrangingText.line(after: verb.command, reply))
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
