import ArgumentParser
import ControlProtocol

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List lights, rooms, scenes, sensors, bridges, bindings, or what lights follow.",
        usage: "lightctl list [<kind>] [<target>] [--on] [--unreachable] [--battery-low] [<options>]",
        discussion: """
            Without a kind it lists lights. With a TARGET only its lights, or with 'sensors' only its sensors. --on, \
            --unreachable and --battery-low leave out all others; what has a battery is a sensor.

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
              lightctl list @kitchen --on
              lightctl list --battery-low
              lightctl list | awk -F '\\t' '$3 == "on" { print $1 }'
            """
    )

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case lights, rooms, scenes, sensors, bridges, bindings, followings
    }

    @Argument(
        help: ArgumentHelp(
            "What to list: lights, rooms, scenes, sensors, bridges, bindings or followings; then, or instead, a target.",
            valueName: "kind-or-target"))
    var words: [String] = []
    @Flag(help: "Only lights that are on, or rooms with such lights.") var on = false
    @Flag(help: "Only lights or sensors that their bridge does not reach.") var unreachable = false
    @Flag(help: "Only sensors whose battery is below 15%.") var batteryLow = false
    @OptionGroup var options: GlobalOptions

    private var kind: Kind { words.first.flatMap(Kind.init(rawValue:)) ?? (batteryLow ? .sensors : .lights) }
    private var target: String? { words.dropFirst(words.first.flatMap(Kind.init(rawValue:)) == nil ? 0 : 1).first }

    func validate() throws {
        let isKind = words.first.flatMap(Kind.init(rawValue:)) != nil
        guard words.count <= (isKind ? 2 : 1) else {
            throw ValidationError("'\(words[isKind ? 2 : 1])' is too much: name one kind and one target")
        }
        guard target == nil || [.lights, .sensors].contains(kind) else {
            throw ValidationError("'list \(kind.rawValue)' lists all of them: leave out '\(target ?? "")'")
        }
        for (flag, isGiven, kinds) in [
            ("--on", on, [Kind.lights, .rooms]), ("--unreachable", unreachable, [.lights, .sensors]),
            ("--battery-low", batteryLow, [.sensors]),
        ] where isGiven && !kinds.contains(kind) {
            let names = kinds.map(\.rawValue).joined(separator: " and ")
            throw ValidationError("\(flag) is for \(names), not for \(kind.rawValue)")
        }
    }

    func run() throws {
        let session = try Session(options)
        do {
            try list(session)
        } catch let unknown as ErrorReply where unknown.error.code == .noSuchTarget && words.count == 1 {
            guard let kind = closest(to: words[0], in: Kind.allCases.map(\.rawValue)) else { throw unknown }
            throw ErrorReply(
                .invalid, "'\(words[0])' is neither a kind of list nor a light or room; did you mean '\(kind)'?",
                hint: "see 'lightctl help list'")
        }
    }

    private func list(_ session: Session) throws {
        let (terminal, clock) = (session.terminal, WallClock.local())
        let query = target.map { [(Routes.Query.target, $0)] } ?? []
        let (on, unreachable, batteryLow) = (on, unreachable, batteryLow)
        switch kind {
        case .lights:
            let isShown = { (light: LightBody) in
                (!on || light.power == .on && light.freshness != .unreachable)
                    && (!unreachable || light.freshness == .unreachable)
            }
            try session.show(Routes.lights, query, on || unreachable ? isShown : nil) { (lights: [LightBody]) in
                Lists.lights(lights, on: terminal, clock, bridges: try Self.bridges(lights.map(\.bridge), session))
            }
        case .rooms:
            try session.show(Routes.rooms, [], on ? { $0.on > 0 } : nil) { (rooms: [RoomBody]) in
                Lists.rooms(rooms, on: terminal, bridges: try Self.bridges(rooms.map(\.bridge), session))
            }
        case .scenes:
            try session.show(Routes.scenes) { (scenes: [SceneBody]) in
                Lists.scenes(scenes, on: terminal, bridges: try Self.bridges(scenes.map(\.bridge), session))
            }
        case .sensors:
            let isShown = { (sensor: SensorBody) in
                (!batteryLow || sensor.isBatteryLow) && (!unreachable || sensor.freshness == .unreachable)
            }
            try session.show(
                Routes.sensors, query, batteryLow || unreachable ? isShown : nil
            ) { (sensors: [SensorBody]) in
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
