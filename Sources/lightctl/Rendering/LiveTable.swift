import ControlProtocol

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
        case .wall: by.map(printable) ?? "wall switch"
        case .power: "power came back"
        case .elsewhere: "another app or a switch"
        case .unseen: ""
        }
    }
}
