import ArgumentParser
import ControlProtocol
import FoundationEssentials
import Glibc
import ServerSentEvents

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch every change as it happens; press Ctrl-C to stop.",
        discussion: """
            Shows all changes, whether made by a wall switch, another app or lightctl. On a terminal: a table of all \
            lights that is kept up to date. With --lines or in a pipe: one line for each change, also for what \
            sensors tell and buttons that are pressed, but not for what is only measured. If lightd restarts, \
            watch waits for it and then shows what changed in between. With --json one object per line: \
            {"event","time","data"}; data is the same as in 'lightctl list --json', or for "removed" the kind and the \
            id.

            Examples:
              lightctl watch
              lightctl watch --lines
              lightctl watch --json | jq -r 'select(.event=="light").data.name'
            """
    )

    @Flag(help: "Print one line for each change, on a terminal too.") var lines = false
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        if session.terminal.isTerminal, !lines, !options.json, !options.quiet {
            try LiveTableScreen(session).run()
        } else {
            try ChangePrinter(session).run()
        }
    }
}

extension Session {
    /// Everything that a stream of events tells the changes of.
    fileprivate func home() throws -> (
        lights: [LightBody], rooms: [RoomBody], scenes: [SceneBody], sensors: [SensorBody], bridges: [BridgeBody]
    ) {
        (
            try get(Routes.lights), try get(Routes.rooms), try get(Routes.scenes), try get(Routes.sensors),
            try get(Routes.bridges)
        )
    }
}

/// One line for each change.
private final class ChangePrinter {
    private let session: Session
    private var view = LiveView()
    private var ready = false

    init(_ session: Session) {
        self.session = session
    }

    func run() throws {
        // lightd starts every stream with a resync event, which fetches the whole state.
        try EventFollower(session: session) { _ in Routes.events }.run { event in
            if let event { try take(event) }
        }
    }

    private func take(_ event: ServerSentEvent) throws {
        switch EventName(rawValue: event.name) {
        case .resync:
            let home = try session.home()
            let changes = view.replace(
                lights: home.lights, rooms: home.rooms, scenes: home.scenes, sensors: home.sensors,
                bridges: home.bridges)
            if ready {
                try print(changes)
            } else {
                session.console.note(
                    "watching \(counted(home.lights.count, "light")) of \(counted(home.bridges.count, "bridge"))")
            }
            ready = true
        case .light: try print(view.take(light: EventFollower.body(event)))
        case .room: try print(view.take(room: EventFollower.body(event)))
        case .scene: try print(view.take(scene: EventFollower.body(event)))
        case .sensor: try print(view.take(sensor: EventFollower.body(event)))
        case .press: try print([.press(EventFollower.body(event))])
        case .bridge: try print(view.take(bridge: EventFollower.body(event)))
        case .removed: try print(view.remove(EventFollower.body(event)))
        case .dashboard: try print([.dashboard(EventFollower.body(event))])
        case .log, nil: break  // sent on another stream, or by a newer lightd
        }
    }

    private func print(_ changes: [LiveView.Change]) throws {
        let clock = WallClock.local()
        for change in changes {
            if session.console.json {
                try change.write(to: session.console, time: clock.now.iso)
            } else if let words = change.text(clock) {
                let time = StyledText(clock.time(clock.now), .faint)
                try session.console.print(
                    wrapped(
                        [time, StyledText("  " + words)], for: session.terminal, indent: columns(time.text) + 2))
            }
        }
    }
}

/// The table of all lights, drawn again after each change and each new size of the terminal.
private final class LiveTableScreen {
    private let session: Session
    private let environment = ProcessInfo.processInfo.environment
    private var table = LiveTable()
    /// Opened with the first frame, so that an error at the start is an ordinary line.
    private var screen: Screen?
    private var drawn: Moment?
    private var isDue = true

    /// Twenty frames a second are enough for the eye; a burst of events is drawn once.
    private static let pause = Duration.milliseconds(50)

    init(_ session: Session) {
        self.session = session
    }

    func run() throws {
        var follower = EventFollower(session: session) { _ in Routes.events }
        follower.trouble = { [self] in
            table.trouble = $0
            try draw()
        }
        try follower.run(atMost: { [self] in wait }) { event in
            if let event { try take(event) }
            // Without an event: a highlight has ended, or the terminal has a new size.
            isDue = true
            let now = WallClock.local().now
            if let drawn, event != nil, .milliseconds(now.milliseconds - drawn.milliseconds) < Self.pause { return }
            try draw()
        }
    }

    private var wait: Duration {
        let now = WallClock.local().now
        return min(isDue ? Self.pause : .seconds(3600), table.nextChange(after: now) ?? .seconds(3600))
    }

    private func take(_ event: ServerSentEvent) throws {
        let now = WallClock.local().now
        switch EventName(rawValue: event.name) {
        case .resync:
            let home = try session.home()
            table.replace(
                lights: home.lights, rooms: home.rooms, scenes: home.scenes, bridges: home.bridges, now: now)
        case .light: table.take(light: try EventFollower.body(event), now: now)
        case .bridge: table.take(bridge: try EventFollower.body(event))
        case .removed: table.remove(try EventFollower.body(event))
        case .room, .scene, .sensor, .press, .dashboard, .log, nil: break  // not in the table
        }
    }

    private func draw() throws {
        let clock = WallClock.local()
        let terminal = Terminal.behind(STDOUT_FILENO, environment: environment)
        let screen = screen ?? Screen()
        self.screen = screen
        try screen.draw(table.frame(on: terminal, rows: terminal.rows, clock))
        (drawn, isDue) = (clock.now, false)
    }
}

/// The table that `lightctl watch` keeps up to date on a terminal: all lights, what just changed, and the bridges that
/// are lost.
struct LiveTable {
    private var view = LiveView()
    /// The ids of the lights, as lightd lists them; new ones follow.
    private var order: [String] = []
    /// When a light was last seen to change.
    private var changed: [String: Moment] = [:]
    /// What is wrong with the connection to lightd; `nil` while events come.
    var trouble: String?
    private var isFilled = false

    /// How long a change is highlighted.
    static let flash: Int64 = 1000

    /// Takes everything anew. What differs from before has changed.
    mutating func replace(
        lights: [LightBody], rooms: [RoomBody], scenes: [SceneBody], bridges: [BridgeBody], now: Moment
    ) {
        let changes = view.replace(lights: lights, rooms: rooms, scenes: scenes, bridges: bridges)
        order = lights.map(\.id)
        if isFilled { note(changes, now) }
        isFilled = true
    }

    mutating func take(light: LightBody, now: Moment) {
        if view.light(light.id) == nil { order.append(light.id) }
        note(view.take(light: light), now)
    }

    mutating func take(bridge: BridgeBody) { _ = view.take(bridge: bridge) }

    mutating func remove(_ body: RemovedBody) {
        _ = view.remove(body)
        order.removeAll { $0 == body.id }
        changed[body.id] = nil
    }

    private mutating func note(_ changes: [LiveView.Change], _ now: Moment) {
        for case let .light(light, _) in changes { changed[light.id] = now }
    }

    /// When the frame looks different though nothing has happened: the end of a highlight.
    func nextChange(after now: Moment) -> Duration? {
        changed.values.map { $0.milliseconds + Self.flash - now.milliseconds }.filter { $0 > 0 }.min()
            .map { .milliseconds($0) }
    }

    /// The lines of a frame, never more than the terminal has rows. If not all lights fit, those that changed last come
    /// first.
    func frame(on terminal: Terminal, rows: Int, _ clock: WallClock) -> [String] {
        let lights = order.compactMap { view.light($0) }
        let bridges = view.allBridges
        let head = heading(lights, clock)
        let lost = bridges.filter { !$0.connected }.map {
            StyledText("\(printable($0.name)): \(Lists.connection($0, clock).text)", .alarm)
        }
        let foot = (trouble.map { [StyledText(printable($0), .alarm)] } ?? []) + lost
        // The heading, the headings of the columns, and the lines below.
        let room = max(0, rows - 2 - foot.count)
        var shown = lights[...]
        var more: [StyledText] = []
        if lights.count > room {
            shown = recentFirst(lights).prefix(max(0, room - 1))
            let rest = lights.count - shown.count
            more = [StyledText("and \(counted(rest, "more light")); those that changed last come first", .faint)]
        }
        let names = Dictionary(bridges.map { ($0.id, $0.name) }) { $1 }
        var table = Lists.lightTable(Array(shown), on: terminal, clock, bridges: names.count > 1 ? names : [:])
        table.headings.append("CHANGED")
        table.optional = [9] + table.optional
        for (row, light) in zip(table.rows.indices, shown) {
            let moment = changed[light.id]
            table.rows[row].append(StyledText(moment.map { "\(clock.time($0)) \(light.cause.brief)" } ?? "", .faint))
            if let moment, clock.now.milliseconds - moment.milliseconds < Self.flash {
                table.rows[row][1].style = .reversed
            }
        }
        table.elastic.append(9)
        let body = shown.isEmpty ? [] : table.rendered(for: terminal).split(separator: "\n").map(String.init)
        let below = (more + foot).map { cut($0, terminal) }
        return Array(([cut(head, terminal)] + body + below).prefix(max(1, rows)))
    }

    private func heading(_ lights: [LightBody], _ clock: WallClock) -> StyledText {
        guard isFilled else { return StyledText("connecting to lightd") }
        let on = lights.count { $0.power == .on && $0.freshness != .unreachable }
        return StyledText("\(counted(lights.count, "light")), \(on) on; Ctrl-C ends", .faint)
    }

    private func recentFirst(_ lights: [LightBody]) -> [LightBody] {
        let recent = lights.enumerated().filter { changed[$0.element.id] != nil }
            .sorted { one, other in
                guard let first = changed[one.element.id], let second = changed[other.element.id], first != second
                else { return one.offset < other.offset }
                return first > second
            }
        return recent.map(\.element) + lights.filter { changed[$0.id] == nil }
    }

    private func cut(_ text: StyledText, _ terminal: Terminal) -> String {
        var text = text
        text.text = lightctl.cut(text.text, to: terminal.columns)
        return text.painted(terminal.colours)
    }
}

extension CauseBody {
    /// "anna", "scene 'Relax'", "Kitchen switch"
    fileprivate var brief: String {
        switch kind {
        case .command: by.map { printable(String(SenderText.brief($0))) } ?? "a command"
        case .scene: what.map { "scene '\(printable($0))'" } ?? "a scene"
        case .accessory: by.map(printable) ?? "wall switch"
        case .power: "power came back"
        case .otherApp: "another app or a switch"
        case .unseen: ""
        }
    }
}

/// The state that `lightctl watch` has seen, so that it prints only changes.
struct LiveView: Sendable {
    enum Change: Equatable, Sendable {
        case light(LightBody, before: LightBody?)
        case room(RoomBody, before: RoomBody?)
        case scene(SceneBody, before: SceneBody?)
        case sensor(SensorBody, before: SensorBody?)
        case press(PressBody)
        case bridge(BridgeBody, before: BridgeBody?)
        case dashboard([PinBody])
        case removed(RemovedBody, name: String)
    }

    private var lights: [String: LightBody] = [:]
    private var rooms: [String: RoomBody] = [:]
    private var scenes: [String: SceneBody] = [:]
    private var sensors: [String: SensorBody] = [:]
    private var bridges: [String: BridgeBody] = [:]

    func light(_ id: String) -> LightBody? { lights[id] }
    /// By name.
    var allBridges: [BridgeBody] { bridges.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) } }

    /// Replaces everything after a resync and returns the differences.
    mutating func replace(
        lights newLights: [LightBody], rooms newRooms: [RoomBody], scenes newScenes: [SceneBody],
        sensors newSensors: [SensorBody] = [], bridges newBridges: [BridgeBody]
    ) -> [Change] {
        func missing(_ kind: String, _ old: [String], _ new: [String]) -> [RemovedBody] {
            let new = Swift.Set(new)
            return old.filter { !new.contains($0) }.sorted().map { RemovedBody(kind: kind, id: $0) }
        }
        let removed =
            missing("light", Array(lights.keys), newLights.map(\.id))
            + missing("room", Array(rooms.keys), newRooms.map(\.id))
            + missing("scene", Array(scenes.keys), newScenes.map(\.id))
            + missing("sensor", Array(sensors.keys), newSensors.map(\.id))
            + missing("bridge", Array(bridges.keys), newBridges.map(\.id))
        var changes: [Change] = []
        for bridge in newBridges { changes += take(bridge: bridge) }
        for light in newLights { changes += take(light: light) }
        for room in newRooms { changes += take(room: room) }
        for scene in newScenes { changes += take(scene: scene) }
        for sensor in newSensors { changes += take(sensor: sensor) }
        for body in removed { changes += remove(body) }
        return changes
    }

    mutating func take(light: LightBody) -> [Change] {
        let before = lights.updateValue(light, forKey: light.id)
        // A repeated confirmation changes only the time and the cause.
        if var same = before, same.freshness == light.freshness {
            (same.since, same.cause) = (light.since, light.cause)
            if same == light { return [] }
        }
        return [.light(light, before: before)]
    }

    mutating func take(room: RoomBody) -> [Change] {
        let before = rooms.updateValue(room, forKey: room.id)
        return before == room ? [] : [.room(room, before: before)]
    }

    mutating func take(scene: SceneBody) -> [Change] {
        let before = scenes.updateValue(scene, forKey: scene.id)
        return before == scene ? [] : [.scene(scene, before: before)]
    }

    mutating func take(sensor: SensorBody) -> [Change] {
        let before = sensors.updateValue(sensor, forKey: sensor.id)
        return before == sensor ? [] : [.sensor(sensor, before: before)]
    }

    mutating func take(bridge: BridgeBody) -> [Change] {
        let before = bridges.updateValue(bridge, forKey: bridge.id)
        return before == bridge ? [] : [.bridge(bridge, before: before)]
    }

    mutating func remove(_ body: RemovedBody) -> [Change] {
        let name: String? =
            switch body.kind {
            case "light": lights.removeValue(forKey: body.id)?.name
            case "room": rooms.removeValue(forKey: body.id)?.name
            case "scene": scenes.removeValue(forKey: body.id)?.name
            case "sensor": sensors.removeValue(forKey: body.id)?.name
            case "bridge": bridges.removeValue(forKey: body.id)?.name
            default: nil
            }
        return name.map { [.removed(body, name: $0)] } ?? []
    }
}

extension LiveView.Change {
    /// One line for people; `nil` for changes that only programs need (a room's counts follow from its lights), and for
    /// what is only measured.
    func text(_ clock: WallClock) -> String? {
        switch self {
        case let .light(light, before): Self.text(light, before, clock)
        case let .room(room, before):
            if let before {
                before.name == room.name ? nil : "room \(printable(before.name)): renamed to \(printable(room.name))"
            } else {
                "room \(printable(room.name)): new"
            }
        case let .scene(scene, before):
            if let before {
                Self.text(scene, before)
            } else {
                "scene \(printable(scene.name)): new"
            }
        case let .sensor(sensor, before): Self.text(sensor, before, clock)
        case let .press(press): "\(printable(press.name)): \(press.words)"
        case let .bridge(bridge, before):
            before?.connected == bridge.connected && before?.reason == bridge.reason
                ? nil : "bridge \(printable(bridge.name)): \(Lists.connection(bridge, clock).text)"
        case .dashboard: nil
        case let .removed(body, name): "\(body.kind) \(printable(name)): removed"
        }
    }

    private static func text(_ scene: SceneBody, _ before: SceneBody) -> String? {
        var words: [String] = []
        if before.name != scene.name { words.append("renamed to \(printable(scene.name))") }
        if let smart = scene.smart, smart.state != before.smart?.state { words.append(smart.state.text) }
        if before.place != scene.place { words.append(scene.place.map { "now at place \($0)" } ?? "now by name") }
        return words.isEmpty ? nil : "scene \(printable(before.name)): \(words.joined(separator: ", "))"
    }

    private static func text(_ sensor: SensorBody, _ before: SensorBody?, _ clock: WallClock) -> String? {
        guard let before else { return "\(printable(sensor.name)): new, \(sensor.summary(clock))" }
        var words: [String] = []
        if before.name != sensor.name { words.append("renamed to \(printable(sensor.name))") }
        if before.room != sensor.room { words.append("moved to \(sensor.room.map(printable) ?? "no room")") }
        switch (before.freshness, sensor.freshness) {
        case (_, .unreachable) where before.freshness != .unreachable: words.append("unreachable")
        case (_, .stale) where before.freshness != .stale: words.append("stale: its bridge cannot be reached")
        case (.unreachable, _) where sensor.freshness != .unreachable: words.append("reachable again")
        case (.stale, _) where sensor.freshness != .stale: words.append("up to date again")
        default: break
        }
        if before.enabled != sensor.enabled { words.append(sensor.enabled ? "enabled" : "disabled") }
        if let now = sensor.motion?.value, now != before.motion?.value { words.append(now ? "motion" : "no motion") }
        if let now = sensor.contact?.value, now != before.contact?.value { words.append(now.rawValue) }
        if let now = sensor.tampering?.value, now != before.tampering?.value {
            words.append(now ? "tampered with" : "no longer tampered with")
        }
        return words.isEmpty ? nil : "\(printable(before.name)): \(words.joined(separator: ", "))"
    }

    private static func text(_ light: LightBody, _ before: LightBody?, _ clock: WallClock) -> String? {
        guard let before else { return "\(printable(light.name)): new, \(light.summary(clock))" }
        var words: [String] = []
        if before.name != light.name { words.append("renamed to \(printable(light.name))") }
        if before.room != light.room { words.append("moved to \(light.room.map(printable) ?? "no room")") }
        switch (before.freshness, light.freshness) {
        case (_, .unreachable) where before.freshness != .unreachable: words.append("unreachable")
        case (_, .stale) where before.freshness != .stale: words.append("stale: its bridge cannot be reached")
        case (.unreachable, _) where light.freshness != .unreachable: words.append("reachable again")
        case (.stale, _) where light.freshness != .stale: words.append("up to date again")
        default: break
        }
        if before.power != light.power || words.contains("reachable again") { words.append(light.power.rawValue) }
        if let now = light.brightness, before.brightness.map(percent) != percent(now) { words.append(percent(now)) }
        if let now = light.values.tone, before.values.tone != now {
            words.append(now)
        } else if let now = light.values.effectText, before.values.effectText != now {
            words.append(now)
        } else if let now = light.gradientMode, before.gradientMode != now {
            words.append(now.rawValue)
        }
        if light.signal != before.signal { words.append(light.signal?.words ?? "no longer blinks") }
        if words.isEmpty, before.freshness == .expected, light.freshness == .confirmed { words.append("confirmed") }
        guard !words.isEmpty else { return nil }
        if light.freshness == .expected { words.append("not yet confirmed") }
        return "\(printable(before.name)): \(words.joined(separator: ", "))"
    }

    /// Prints one line of JSON.
    func write(to console: Console, time: String) throws {
        func line(_ event: EventName, _ data: some Encodable) throws {
            try console.printJSON(JSONEvent(event: event, time: time, data: data), oneLine: true)
        }
        switch self {
        case let .light(body, _): try line(.light, body)
        case let .room(body, _): try line(.room, body)
        case let .scene(body, _): try line(.scene, body)
        case let .sensor(body, _): try line(.sensor, body)
        case let .press(body): try line(.press, body)
        case let .bridge(body, _): try line(.bridge, body)
        case let .dashboard(body): try line(.dashboard, body)
        case let .removed(body, _): try line(.removed, body)
        }
    }

    private struct JSONEvent<Body: Encodable>: Encodable {
        let event: EventName
        let time: String
        let data: Body
    }
}
