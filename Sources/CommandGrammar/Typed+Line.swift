public import ControlProtocol

extension Typed {
    /// A line that means this command alone, for verbs that take several targets; `nil` for any other.
    public static func line(for command: Command) -> String? {
        switch command {
        case let .turn(to: power, target: target, over: over): line(["turn", power.rawValue, target], over)
        case let .toggle(target: target, over: over): line(["toggle", target], over)
        case let .set(values, target: target, over: over): line(words(values, target), over)
        case let .increase(value, by: points, target: target, over: over, stepping):
            line(["increase", value.rawValue, target, "--by", percent(points)] + words(stepping), over)
        case let .decrease(value, by: points, target: target, over: over, stepping):
            line(["decrease", value.rawValue, target, "--by", percent(points)] + words(stepping), over)
        case let .recall(scene: scene, over: over): line(["recall", scene], over)
        case let .identify(target: target): line(["identify", target], nil)
        case let .unfollow(target: target): line(["unfollow", target], nil)
        case let .resume(target: target): line(["resume", target], nil)
        case let .wake(target: target, over: over): line(["wake", target], over)
        case let .sleep(target: target, over: over): line(["sleep", target], over)
        default: nil
        }
    }

    private static func line(_ words: [String], _ over: Int?) -> String {
        ShellQuote.line(words + (over.map { ["--over", TimeSpan(milliseconds: $0).text] } ?? []))
    }

    private static func words(_ values: Command.Values, _ target: String) -> [String] {
        if values.keepRatios, let brightness = values.brightness {
            return ["dim", target, percent(brightness), "--ratio"]
        }
        let options: [(String, String?)] = [
            ("--brightness", values.brightness.map(percent)), ("--color", values.color),
            ("--temperature", values.temperature.map { "\($0)mirek" }), ("--hue", values.hue.map { shortest($0) }),
            ("--saturation", values.saturation.map(percent)),
        ]
        return ["set", target] + options.flatMap { name, value in value.map { [name, $0] } ?? [] }
    }

    private static func words(_ stepping: Command.Stepping) -> [String] {
        (stepping.keepRatios ? ["--ratio"] : []) + (stepping.perceptual ? ["--perceptual"] : [])
    }

    private static func percent(_ value: Double) -> String { shortest(value) + "%" }
}
