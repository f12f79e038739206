import ArgumentParser
import ControlProtocol

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List lights, rooms, scenes, sensors, bridges, bindings, or what lights follow.",
        discussion: """
            On a terminal: a table. In a pipe: no headings, one line each, columns separated by tabs, "-" for empty \
            columns. The columns keep their order:
              lights      name, room, on|off|unreachable, brightness, colour or white tone, freshness, id, bridge's id
              rooms       name, room|zone, lights on, lights in all, brightness, id, bridge's id, lights unreachable, \
            lights stale
              scenes      name, room, id, bridge's id
              sensors     name, room, dial|switch|contact|motion|sensor, what it last told, since, lux, °C, battery, \
            freshness, id, bridge's id
              bridges     name, model, address, connected|lost, since, lights, id, reason, stream|polling, seconds \
            between polls
              bindings    switch's name, target's name, scenes, problem, switch's id, target
              followings  target, curve, curve|wake|sleep, values, since, until, lights that follow it, those of them \
            that a hand has changed, seconds until they follow again
            A light's freshness is confirmed, expected (sent, not yet confirmed), stale (its bridge cannot be \
            reached) or unreachable (the bridge cannot reach the lamp).

            lightd learns the lights, rooms and sensors of a bridge from it. If lightd has not reached it since it started, \
            the list lacks them, and the exit code is 7; if it has reached none, it is that of the reason, such as 3.

            Examples:
              lightctl list
              lightctl list rooms
              lightctl list sensors
              lightctl list | awk -F '\\t' '$3 == "on" { print $1 }'
            """
    )

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case lights, rooms, scenes, sensors, bridges, bindings, followings
    }

    @Argument(help: "What to list.") var kind = Kind.lights
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let (terminal, clock) = (session.terminal, WallClock.local())
        switch kind {
        case .lights:
            try session.show(Routes.lights) { (lights: [LightBody]) in
                Lists.lights(lights, on: terminal, clock, bridges: try Self.bridges(lights.map(\.bridge), session))
            }
        case .rooms:
            try session.show(Routes.rooms) { (rooms: [RoomBody]) in
                Lists.rooms(rooms, on: terminal, bridges: try Self.bridges(rooms.map(\.bridge), session))
            }
        case .scenes:
            try session.show(Routes.scenes) { (scenes: [SceneBody]) in
                Lists.scenes(scenes, on: terminal, bridges: try Self.bridges(scenes.map(\.bridge), session))
            }
        case .sensors:
            try session.show(Routes.sensors) { (sensors: [SensorBody]) in
                Lists.sensors(sensors, on: terminal, clock, bridges: try Self.bridges(sensors.map(\.bridge), session))
            }
        case .bindings: try session.show(Routes.bindings) { Lists.bindings($0, on: terminal) }
        case .followings: try session.show(Routes.followings) { FollowingText.list($0, on: terminal, clock) }
        case .bridges: try session.show(Routes.bridges) { Lists.bridges($0, on: terminal, clock) }
        }
    }

    /// Bridge names by id, for tables that list several bridges; empty otherwise.
    private static func bridges(_ ids: [String], _ session: Session) throws -> [String: String] {
        guard session.terminal.isTerminal, Swift.Set(ids).count > 1 else { return [:] }
        let bridges: [BridgeBody] = try session.get(Routes.bridges)
        return Dictionary(bridges.map { ($0.id, $0.name) }) { $1 }
    }
}
