import ControlProtocol

/// The line printed after a command: "Desk: on, 40%".
enum ConfirmationText {
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
        if let tone = shared(on.map(\.tone)) { words.append(tone) }
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
