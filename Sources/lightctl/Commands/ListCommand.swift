import ArgumentParser
import CommandGrammar
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
            lights stale, the scene last recalled, shown|changed
              scenes      name, room, id, bridge's id, active|inactive of a smart scene, the scene that it shows
              sensors     name, room, dial|switch|contact|motion|sensor, what it last told, since, lux, °C, battery, \
            freshness, id, bridge's id
              bridges     name, model, address, connected|lost, since, lights, id, reason, stream|polling, seconds \
            between polls, firmware, none|pending|ready|installing
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
    static func bridges(_ ids: [String], _ session: Session) throws -> [String: String] {
        guard session.terminal.isTerminal, Swift.Set(ids).count > 1 else { return [:] }
        let bridges: [BridgeBody] = try session.get(Routes.bridges)
        return Dictionary(bridges.map { ($0.id, $0.name) }) { $1 }
    }
}

/// The tables of `lightctl list`, each in one form for people and one for scripts; `lightctl help list` documents the
/// latter.
enum Lists {
    /// - Parameter bridges: bridge names by id; empty to leave out the bridge column.
    static func lights(
        _ lights: [LightBody], on terminal: Terminal, _ clock: WallClock, bridges: [String: String] = [:]
    ) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                lights.map {
                    [
                        $0.name, $0.room, $0.freshness == .unreachable ? "unreachable" : $0.power.rawValue,
                        $0.brightness.map(percent), $0.values.tone, $0.freshness.rawValue, $0.id, $0.bridge,
                    ]
                }
            )
        }
        guard !lights.isEmpty else { return remark("no lights; 'lightctl status' shows why", terminal) }
        return lightTable(lights, on: terminal, clock, bridges: bridges).rendered(for: terminal)
    }

    static func lightTable(
        _ lights: [LightBody], on terminal: Terminal, _ clock: WallClock, bridges: [String: String] = [:]
    ) -> Table {
        let swatches = terminal.colours == .full || terminal.colours == .palette
        let (block, blank) = terminal.unicode ? ("██", "··") : ("##", "..")
        let rows = lights.map { light in
            let lit = light.power == .on && light.freshness != .unreachable
            return [
                swatches
                    ? StyledText(lit ? block : blank, lit ? .plain : .faint, colour: lit ? light.swatch : nil)
                    : StyledText(""),
                StyledText(printable(light.name), .strong),
                StyledText(printable(light.room ?? "")),
                StyledText(printable(bridges[light.bridge] ?? "")),
                light.state,
            ] + level(light.brightness, isLit: lit, terminal) + [
                StyledText(
                    [lit ? light.values.tone : nil, light.signal?.words].compactMap(\.self).joined(separator: ", ")),
                light.doubt(clock),
            ]
        }
        return Table(
            headings: ["", "LIGHT", "ROOM", "BRIDGE", "STATE", "BRIGHTNESS", "", "SHOWS", ""], rows: rows,
            elastic: [1, 2, 3, 8], optional: [5, 3, 7, 2, 0]
        )
    }

    static func rooms(_ rooms: [RoomBody], on terminal: Terminal, bridges: [String: String] = [:]) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                rooms.map {
                    [
                        $0.name, $0.kind.rawValue, "\($0.on)", "\($0.lights.count)", $0.brightness.map(percent), $0.id,
                        $0.bridge, "\($0.unreachable ?? 0)", "\($0.stale ?? 0)", $0.scene?.name,
                        $0.scene.map { $0.changed ? "changed" : "shown" },
                    ]
                }
            )
        }
        guard !rooms.isEmpty else { return "no rooms" }
        let rows = rooms.map { room in
            [
                StyledText("@" + printable(room.name), .strong), StyledText(room.kind == .zone ? "zone" : "room"),
                StyledText(printable(bridges[room.bridge] ?? "")),
                room.state,
            ] + level(room.brightness, terminal) + [
                StyledText(room.scene.map { printable($0.name) + ($0.changed ? ", changed" : "") } ?? "")
            ]
        }
        return Table(
            headings: ["ROOM", "KIND", "BRIDGE", "LIGHTS", "BRIGHTNESS", "", "SCENE"], rows: rows, elastic: [0, 2, 6],
            optional: [4, 2, 1, 6]
        ).rendered(for: terminal)
    }

    static func scenes(_ scenes: [SceneBody], on terminal: Terminal, bridges: [String: String] = [:]) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                scenes.map {
                    [
                        $0.name, $0.room, $0.id, $0.bridge, $0.smart.map { $0.active ? "active" : "inactive" },
                        $0.smart?.current?.scene,
                    ]
                })
        }
        guard !scenes.isEmpty else { return "no scenes" }
        let rows = scenes.map {
            [
                StyledText(printable($0.name), .strong), StyledText(printable($0.room ?? "")),
                StyledText(printable(bridges[$0.bridge] ?? "")), $0.smart?.state ?? StyledText(""),
            ]
        }
        return Table(headings: ["SCENE", "ROOM", "BRIDGE", "SMART"], rows: rows, elastic: [0, 1, 2, 3], optional: [2])
            .rendered(for: terminal)
    }

    /// The scenes that a smart scene recalls, and when.
    private static func week(_ smart: SmartSceneBody, on terminal: Terminal) -> String {
        let slots = smart.week.flatMap { day in day.slots.map { (days: day.days, slot: $0) } }
        guard terminal.isTerminal else {
            return Table.plain(
                slots.map {
                    [$0.days, $0.slot.start, $0.slot.scene, $0.slot == smart.current ? "current" : nil, $0.slot.id]
                })
        }
        let rows = slots.map { days, slot in
            [
                StyledText(days), StyledText(slot.start), StyledText(printable(slot.scene), .strong),
                StyledText(slot == smart.current ? "shown now" : ""),
            ]
        }
        return Table(headings: ["DAYS", "FROM", "SCENE", ""], rows: rows, elastic: [2]).rendered(for: terminal)
    }

    /// What a scene sets on each of its lights.
    static func scene(_ scene: SceneValuesBody, on terminal: Terminal) -> String {
        if let smart = scene.smart { return week(smart, on: terminal) }
        guard terminal.isTerminal else {
            return Table.plain(
                scene.values.map {
                    [$0.name, $0.power?.rawValue, $0.brightness.map(percent), $0.values.tone, $0.target]
                })
        }
        guard !scene.values.isEmpty else { return remark("\(printable(scene.name)) sets no lights", terminal) }
        let rows = scene.values.map { value in
            [
                StyledText(printable(value.name), .strong),
                StyledText(value.power?.rawValue ?? "", value.power == .on ? .strong : .plain),
            ] + level(value.brightness, terminal) + [
                StyledText(value.values.tone ?? "", colour: value.color.flatMap { StyledText.RGB(hex: $0) })
            ]
        }
        return Table(headings: ["LIGHT", "STATE", "BRIGHTNESS", "", "SHOWS"], rows: rows, elastic: [0], optional: [2])
            .rendered(for: terminal)
    }

    static func sensors(
        _ sensors: [SensorBody], on terminal: Terminal, _ clock: WallClock, bridges: [String: String] = [:]
    ) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                sensors.map {
                    [
                        $0.name, $0.room, $0.kind, $0.latest?.text, $0.latest?.since,
                        $0.lightLevel.map { number($0.value) }, $0.temperature.map { number($0.value) },
                        $0.battery.map { percent($0.value) }, $0.freshness.rawValue, $0.id, $0.bridge,
                    ]
                })
        }
        guard !sensors.isEmpty else { return "no sensors or switches" }
        let rows = sensors.map { sensor in
            [
                StyledText(printable(sensor.name), .strong),
                StyledText(printable(sensor.room ?? "")),
                StyledText(printable(bridges[sensor.bridge] ?? "")),
                StyledText(sensor.kind),
                StyledText(sensor.latest?.text ?? "", sensor.isActive ? .strong : .plain),
                StyledText(sensor.latest.map { clock.when($0.since) } ?? ""),
                StyledText(sensor.lightLevel.map { lux($0.value) } ?? ""),
                StyledText(sensor.temperature.map { celsius($0.value) } ?? ""),
                StyledText(
                    sensor.battery.map { percent($0.value) } ?? "",
                    sensor.isBatteryLow ? .warning : .plain),
                sensor.doubt(clock),
            ]
        }
        return Table(
            headings: ["SENSOR", "ROOM", "BRIDGE", "KIND", "TELLS", "SINCE", "LIGHT", "TEMP", "BATTERY", ""],
            rows: rows, elastic: [4, 0, 1, 2, 9], optional: [3, 7, 6, 2, 8, 5, 1]
        ).rendered(for: terminal)
    }

    static func bridges(_ bridges: [BridgeBody], on terminal: Terminal, _ clock: WallClock) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                bridges.map {
                    [
                        $0.name, $0.model, $0.address, $0.connected ? "connected" : "lost", $0.since, "\($0.lights)",
                        $0.id, $0.reason, $0.updates?.rawValue, $0.intervalSeconds.map(number), $0.firmware,
                        $0.firmwareUpdate?.rawValue,
                    ]
                }
            )
        }
        guard !bridges.isEmpty else {
            return remark("no bridges; 'lightctl discover' finds them, 'lightctl pair' adds one", terminal)
        }
        let rows = bridges.map { bridge in
            [
                StyledText(printable(bridge.name), .strong), StyledText(printable(bridge.model)),
                StyledText(printable(bridge.address)),
                connection(bridge, clock), StyledText("\(bridge.lights)"), StyledText(printable(bridge.id)),
            ]
        }
        return Table(
            headings: ["BRIDGE", "MODEL", "ADDRESS", "CONNECTION", "LIGHTS", "ID"], rows: rows, elastic: [3, 0],
            optional: [1, 5, 2]
        ).rendered(for: terminal)
    }

    static func dashboard(_ pins: [PinBody], on terminal: Terminal) -> String {
        guard terminal.isTerminal else {
            return Table.plain(pins.enumerated().map { ["\($0 + 1)", $1.name, $1.display.rawValue, $1.target] })
        }
        guard !pins.isEmpty else {
            return remark("nothing is pinned; 'lightctl dashboard pin TARGET' pins a light or room", terminal)
        }
        let rows = pins.enumerated().map { place, pin in
            [
                StyledText("\(place + 1)"), StyledText(printable(pin.name ?? pin.target), .strong),
                StyledText(pin.display.rawValue),
                StyledText(printable(pin.target), .faint),
            ]
        }
        return Table(headings: ["PLACE", "PINNED", "SHOWN AS", "TARGET"], rows: rows, elastic: [3, 1], optional: [3])
            .rendered(for: terminal)
    }

    static func tokens(_ tokens: [TokenBody], on terminal: Terminal, _ clock: WallClock) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                tokens.map {
                    [$0.name, $0.access.rawValue, $0.created, $0.lastUsed, $0.origin?.rawValue, $0.maker, $0.ends]
                })
        }
        guard !tokens.isEmpty else { return remark("no tokens; 'lightctl token create NAME' makes one", terminal) }
        // Without pages, or without an end, these columns would say nothing.
        let haveEnds = tokens.contains { $0.ends != nil }
        let hasPages = tokens.contains { [.link, .signIn].contains($0.origin) }
        let rows = tokens.map { token in
            let row = [
                StyledText(printable(token.name), .strong),
                StyledText(token.access.word),
                StyledText(clock.when(token.created)),
                StyledText(token.lastUsed.map(clock.when) ?? "never", token.lastUsed == nil ? .faint : .plain),
            ]
            let end = haveEnds ? [StyledText(token.ends.map(clock.when) ?? "")] : []
            return row + end + (hasPages ? [StyledText(madeBy(token))] : [])
        }
        let headings =
            ["TOKEN", "ACCESS", "CREATED", "LAST USED"] + (haveEnds ? ["ENDS"] : [])
            + (hasPages ? ["MADE BY"] : [])
        return Table(headings: headings, rows: rows, elastic: [0], optional: [2]).rendered(for: terminal)
    }

    /// Oldest first, as the journal.
    static func accessLog(_ entries: [AccessLogBody], on terminal: Terminal, _ clock: WallClock) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                entries.map { [$0.time, $0.event, $0.outcome.rawValue, "\($0.count)", $0.by, $0.subject, $0.reason] })
        }
        guard !entries.isEmpty else { return remark("no entries", terminal) }
        let rows = entries.map { entry in
            let tone: StyledText.Style = entry.outcome == .failed ? .alarm : .plain
            let event = printable(entry.event.replacing("_", with: " ")) + (entry.count > 1 ? " × \(entry.count)" : "")
            let about = [entry.subject, entry.reason].compactMap(\.self).map(printable).joined(separator: ": ")
            return [
                StyledText(clock.full(entry.time), .faint), StyledText(event, tone), StyledText(printable(entry.by)),
                StyledText(about, tone),
            ]
        }
        return Table(headings: ["TIME", "EVENT", "WHO", "ABOUT"], rows: rows, elastic: [3, 2]).rendered(for: terminal)
    }

    private static func madeBy(_ token: TokenBody) -> String {
        switch token.origin {
        case .link: token.maker.map { "a link of \(printable($0))" } ?? "a link"
        case .signIn: token.maker.map { "token \(printable($0))" } ?? "the configured token"
        case .command, nil: ""
        }
    }

    static func connection(_ bridge: BridgeBody, _ clock: WallClock) -> StyledText {
        bridge.connected
            ? StyledText("connected since \(clock.when(bridge.since))\(bridge.pollingText)\(bridge.firmwareText)")
            : StyledText(
                "lost since \(clock.when(bridge.since))\(bridge.reason.map { ": " + printable($0) } ?? "")", .alarm)
    }

    static func configuration(
        _ lights: [LightBody], _ property: LightConfiguration.Property, on terminal: Terminal
    ) -> String {
        guard terminal.isTerminal else {
            return Table.plain(lights.map { [$0.name, $0.configuration.value(of: property), $0.id] })
        }
        let rows = lights.map {
            [
                StyledText(printable($0.name), .strong), StyledText(printable($0.room ?? "")),
                $0.configuration.value(of: property).map { StyledText($0) }
                    ?? StyledText("not reported by its bridge", .faint),
            ]
        }
        return Table(
            headings: ["LIGHT", "ROOM", property.occasion.uppercased()], rows: rows, elastic: [0, 1], optional: [1]
        )
        .rendered(for: terminal)
    }

    /// A sentence in place of a table without rows.
    private static func remark(_ text: String, _ terminal: Terminal) -> String {
        wrapped([StyledText(text)], for: terminal, indent: 0)
    }

    /// Two columns: a bar and what it stands for, or that alone where no bars are drawn.
    private static func level(_ brightness: Double?, isLit: Bool = true, _ terminal: Terminal) -> [StyledText] {
        let text = StyledText(isLit ? brightness.map(percent) ?? "" : "")
        guard terminal.bars else { return [text, StyledText("")] }
        return [StyledText(brightness.map { bar(isLit ? $0 : 0, terminal) } ?? "", isLit ? .plain : .faint), text]
    }

    /// A bar of ten steps; any brightness above 0 shows at least one.
    static func bar(_ percent: Double, _ terminal: Terminal) -> String {
        let filled = percent > 0 ? min(10, max(1, Int((percent / 10).rounded()))) : 0
        let (full, empty) = terminal.unicode ? ("▮", "▯") : ("#", ".")
        return String(repeating: full, count: filled) + String(repeating: empty, count: 10 - filled)
    }
}

extension RoomBody {
    /// "2 of 3 on, 1 unreachable".
    fileprivate var state: StyledText {
        let counts = [
            "\(on) of \(lights.count) on", unreachable.map { "\($0) unreachable" }, stale.map { "\($0) stale" },
        ]
        let style: StyledText.Style =
            unreachable != nil ? .alarm : stale != nil ? .warning : on > 0 ? .strong : .plain
        return StyledText(counts.compactMap { $0 }.joined(separator: ", "), style)
    }
}

extension BridgeBody {
    /// ", polled every 5 s" for a bridge without an event stream.
    fileprivate var pollingText: String {
        updates == .polling ? ", polled every \(intervalSeconds.map { number($0) + " s" } ?? "few seconds")" : ""
    }
}

extension BridgeBody {
    /// ", a firmware update is ready" as long as somebody could install it, or waits for its end.
    fileprivate var firmwareText: String {
        switch firmwareUpdate {
        case .ready: ", a firmware update is ready"
        case .installing: ", a firmware update is being installed"
        case .upToDate, .pending, nil: ""
        }
    }
}

extension SmartSceneBody {
    /// "shows Bright", "active", "inactive"
    var state: StyledText {
        active
            ? StyledText(current.map { "shows \(printable($0.scene))" } ?? "active", .strong) : StyledText("inactive")
    }
}
