import ControlProtocol

/// The line printed after a command: "Desk: on, 40%".
enum ConfirmationText {
    /// After a command whose effect the returned lights do not show; `nil` after any other.
    static func line(after command: Command, _ done: CompletedCommand) -> String? {
        switch command {
        case let .rename(target, name): "renamed \(printable(target)) to \(printable(name))"
        case let .identify(target): "\(printable(target)): blinks"
        case let .signal(target, _, duration):
            "\(printable(target)): " + (duration == 0 ? "the signal is ended" : "blinks for \(length(duration))")
        case let .configure(target, change): "\(printable(target)): \(change.value) \(change.property.occasion)"
        case let .follow(target, curve, _, _, _): "\(printable(target)): follows \(printable(curve))"
        case let .unfollow(target, _): "\(printable(target)): follows nothing"
        case let .resume(target): "\(printable(target)): follows again"
        case let .wake(target, over):
            "\(printable(target)): "
                + (done.following?.lights == 0
                    ? "nothing brightens, because no light that can be dimmed is off"
                    : "brightens over \(length(over))")
        case let .sleep(target, over):
            "\(printable(target)): "
                + (done.following?.lights == 0
                    ? "nothing goes out, because no light is on" : "goes out over \(length(over))")
        case let .setCurve(name, _): "curve \(printable(name)): set"
        case let .removeCurve(name): "curve \(printable(name)): removed"
        default: nil
        }
    }

    /// "30 minutes", "90 s"
    private static func length(_ milliseconds: Int) -> String {
        milliseconds % 60_000 == 0
            ? counted(milliseconds / 60_000, "minute") : "\(number(Double(milliseconds) / 1000)) s"
    }

    /// - Parameter target: as typed; a single light is shown by its own name.
    static func line(_ target: String, _ lights: [LightBody], _ clock: WallClock) -> String {
        if let only = lights.first, lights.count == 1 { return "\(printable(only.name)): \(only.summary(clock))" }
        guard !lights.isEmpty else { return "\(printable(target)): done" }
        let on = lights.filter { $0.power == .on && $0.freshness != .unreachable }
        var words: [String] = []
        switch on.count {
        case lights.count: words.append("\(lights.count) lights on")
        case 0: words.append("\(lights.count) lights off")
        default: words.append("\(on.count) of \(lights.count) lights on")
        }
        if let level = shared(on.map { $0.brightness.map(percent) }) { words.append(level) }
        if let tone = shared(on.map(\.values.tone)) { words.append(tone) }
        let away = lights.filter { $0.freshness == .unreachable }
        let rest = away.isEmpty ? "" : "; unreachable: " + away.map { printable($0.name) }.joined(separator: ", ")
        return "\(printable(target)): \(words.joined(separator: ", "))\(rest)"
    }

    /// The value that all share, if they do.
    private static func shared(_ values: [String?]) -> String? {
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}

/// Says which lights took only a part of what was asked of them, or nothing, and why.
enum LeftOutText {
    /// "'Stove' cannot change its white tone; it takes the brightness only": one for each light that took a part.
    static func notes(_ lights: [CommandReply.LeftOut]?) -> [String] {
        (lights ?? []).filter { !$0.given.isEmpty }.map {
            printable("\($0.reason); it takes the \($0.given.joined(separator: " and the ")) only")
        }
    }

    /// "left out: 'Fan' cannot be dimmed": one for each light that took nothing. A room with a plug is nothing unusual.
    static func confirmations(_ lights: [CommandReply.LeftOut]?) -> [String] {
        (lights ?? []).filter(\.given.isEmpty).map { printable("left out: \($0.reason)") }
    }
}

extension Console {
    /// Prints which lights took only a part of what was asked of them, or nothing.
    func show(leftOut lights: [CommandReply.LeftOut]?) throws {
        for line in LeftOutText.notes(lights) { note(line) }
        for line in LeftOutText.confirmations(lights) { try confirm(line) }
    }
}
