import ArgumentParser
import CommandGrammar
import ControlProtocol

/// A verb that changes a room, a zone, a scene or a sensor as such.
struct ArrangeCommand<Which: ArrangingVerb>: ParsableCommand {
    static var configuration: CommandConfiguration { Which.configuration }

    @OptionGroup var verb: Which
    @OptionGroup var options: GlobalOptions

    func run() throws { try Session(options).arrange(verb) }
}

extension Session {
    /// How long a bridge may take to do it and to report it, with some to spare for what it was asked before.
    private static let arrangingTimeout = Duration.seconds(30)

    /// Changes rooms, scenes or sensors, and prints what was changed as it is then.
    fileprivate func arrange(_ verb: some ArrangingVerb) throws {
        let request = CommandRequest(verb.command, dryRun: verb.delivery.dryRun)
        let reply = try client.send([request], within: timeout ?? Self.arrangingTimeout)[0].get()
        if console.json {
            if let room = reply.room {
                try console.printJSON(ArrangedRoom(room: room, moved: reply.moved))
            } else if let scene = reply.scene {
                try console.printJSON(ArrangedScene(scene: scene, leftOut: reply.leftOut))
            } else if let sensor = reply.sensor {
                try console.printJSON(sensor)
            } else {
                try console.printJSON(reply)
            }
        } else if let requests = reply.requests {
            try show(dryRun: requests)
            if case let .reorderScenes(room, _, _) = verb.command {
                try console.confirm(ArrangingText.reordered(room, reply.scenes ?? [], "would reorder"))
            }
            for line in ArrangingText.moved(reply.moved ?? [], "would leave") { try console.confirm(line) }
            try console.show(leftOut: reply.leftOut)
        } else {
            try console.confirm(ArrangingText.line(after: verb.command, reply))
            for line in ArrangingText.moved(reply.moved ?? []) { try console.confirm(line) }
            try console.show(leftOut: reply.leftOut)
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

/// A scene as JSON, with the lights that cannot show what it was to set on them.
private struct ArrangedScene: Encodable {
    let scene: SceneBody
    let leftOut: [CommandReply.LeftOut]?

    private enum CodingKeys: String, CodingKey { case leftOut = "left_out" }

    func encode(to encoder: any Encoder) throws {
        try scene.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(leftOut, forKey: .leftOut)
    }
}

/// What is printed after a command to rooms, scenes or sensors.
enum ArrangingText {
    /// What was done, for a person.
    static func line(after command: Command, _ reply: CommandReply) -> String {
        switch command {
        case let .createRoom(_, _, kind, _): line("created \(kind.rawValue)", reply)
        case let .renameRoom(room, name, kind): renamed(kind?.rawValue ?? "room", room, to: name)
        case let .deleteRoom(room, kind): deleted(kind?.rawValue ?? "room", room, with: reply.scenes ?? [])
        case .saveScene: line("saved", reply)
        case .updateScene: line("updated", reply)
        case .editScene: line("edited", reply)
        case let .renameScene(scene, name): renamed("scene", scene, to: name)
        case let .deleteScene(scene): deleted("scene", scene)
        case let .deactivateScene(scene): "deactivated scene \(plain(scene))"
        case let .enableSensor(sensor): "enabled sensor \(printable(reply.sensor?.name ?? sensor))"
        case let .disableSensor(sensor): "disabled sensor \(printable(reply.sensor?.name ?? sensor))"
        case let .reorderScenes(room, _, _): reordered(room, reply.scenes ?? [])
        default: line("", reply)
        }
    }

    /// "renamed zone Work to Office".
    ///
    /// - Parameter old: as it was typed.
    static func renamed(_ kind: String, _ old: String, to new: String) -> String {
        "renamed \(kind) \(plain(old)) to \(printable(new))"
    }

    /// "deleted room Office and its scenes Late, Work".
    ///
    /// - Parameter name: as it was typed.
    static func deleted(_ kind: String, _ name: String, with scenes: [String] = []) -> String {
        "deleted \(kind) \(plain(name))" + (scenes.isEmpty ? "" : " and its \(named(scenes))")
    }

    /// "reordered kitchen: Evening, Bright, Relax".
    ///
    /// - Parameters:
    ///   - room: as it was typed.
    ///   - verb: "reordered", or after a dry run "would reorder".
    static func reordered(_ room: String, _ scenes: [String], _ verb: String = "reordered") -> String {
        "\(verb) \(plain(room)): \(list(scenes))"
    }

    private static func plain(_ typed: String) -> String {
        printable(typed.hasPrefix("@") ? String(typed.dropFirst()) : typed)
    }

    /// "scene Late", "scenes Late, Work".
    private static func named(_ scenes: [String]) -> String {
        "\(scenes.count == 1 ? "scene" : "scenes") \(list(scenes))"
    }

    /// "Desk, Fan left Living and its scene Evening": a line for each room and the scenes that its lights were in.
    ///
    /// - Parameter verb: "left", or after a dry run "would leave".
    static func moved(_ moved: [CommandReply.Moved], _ verb: String = "left") -> [String] {
        var groups: [(room: String, scenes: [String], lights: [String])] = []
        for light in moved {
            if let place = groups.firstIndex(where: { $0.room == light.room && $0.scenes == light.scenes }) {
                groups[place].lights.append(light.name)
            } else {
                groups.append((light.room, light.scenes, [light.name]))
            }
        }
        return groups.map { group in
            let scenes = group.scenes.isEmpty ? "" : " and its \(named(group.scenes))"
            return "\(list(group.lights)) \(verb) \(printable(group.room))\(scenes)"
        }
    }

    private static func list(_ names: [String]) -> String { names.map(printable).joined(separator: ", ") }

    /// "created room Office: 2 lights".
    ///
    /// - Parameter done: what was done; empty if the line says it without.
    static func line(_ done: String, _ reply: CommandReply) -> String {
        reply.room.map { line(done, $0) } ?? reply.scene.map { line(done, $0) } ?? done
    }

    static func line(_ done: String, _ room: RoomBody) -> String {
        line(done, printable(room.name), room.lights.count)
    }

    static func line(_ done: String, _ scene: SceneBody) -> String {
        line(done, (scene.room.map { printable($0) + "/" } ?? "") + printable(scene.name), scene.lights.count)
    }

    private static func line(_ done: String, _ name: String, _ lights: Int) -> String {
        (done.isEmpty ? "" : done + " ") + "\(name): \(counted(lights, "light"))"
    }
}
