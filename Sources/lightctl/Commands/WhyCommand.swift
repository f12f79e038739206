import ArgumentParser
import ControlProtocol

struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show who or what last changed a light, and when.",
        discussion: """
            Prints one line per light. In a pipe: name, on|off, command|scene|wall|power|elsewhere|unseen, who, what, \
            since, freshness, id, separated by tabs, with "-" for empty columns; then what \
            it follows, and which of its values a hand has changed. "Who" is the sender of the command \
            or the switch that was pressed; "what" is the command or the scene. The cause is 'elsewhere' if another \
            app changed the light, or a switch that the bridge does not report, and 'unseen' if the light has not \
            changed since lightd started listening.

            Examples:
              lightctl why desk
              lightctl why @kitchen
            """
    )

    @Argument(help: "A light's name, @room, all, or an id.") var target: String
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        try session.show(Routes.lights, [(.target, target)]) {
            CauseText.lines($0, on: session.terminal, WallClock.local())
        }
    }
}

/// The output of `lightctl why`: a sentence per light on a terminal, a row in a pipe.
enum CauseText {
    static func lines(_ lights: [LightBody], on terminal: Terminal, _ clock: WallClock) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                lights.map {
                    [
                        $0.name, $0.power.rawValue, $0.cause.kind.rawValue, $0.cause.by, $0.cause.what, $0.cause.at,
                        $0.freshness.rawValue, $0.id,
                        $0.follows.map { $0.map { "\($0.course) on \($0.target)" }.unique.joined(separator: ",") },
                        $0.follows?.filter { $0.paused != nil }.map(\.value.rawValue).joined(separator: ","),
                    ]
                })
        }
        return lights.map { wrapped([StyledText(sentence($0, clock))], for: terminal) }.joined(separator: "\n")
    }

    /// "Desk is on at 40%, 2703K since 10:42:03: anna (uid 1000) with lightctl sent 'set Desk to 40%'"
    static func sentence(_ light: LightBody, _ clock: WallClock) -> String {
        let name = printable(light.name)
        // What it follows has set its values since.
        let isLed =
            light.power == .on && [.confirmed, .expected].contains(light.freshness)
            && light.follows.map { $0.allSatisfy { $0.paused == nil } } == true && light.followsWholly
        let state = isLed ? "on" : light.stateText
        let time = clock.exactly(light.cause.at)
        let because =
            light.cause.kind == .unseen
            ? " since before \(time), when lightd started listening" : " since \(time): \(light.cause.text)"
        let follows = FollowingText.clause(light, clock, isLed ? light.valuesText : nil)
        return switch light.freshness {
        case .confirmed: "\(name) is \(state)\(because)\(follows)"
        case .expected: "\(name) should be \(state), not yet confirmed: at \(time) \(light.cause.text)\(follows)"
        case .stale:
            "\(name) is stale since \(clock.when(light.since)) because its bridge cannot be reached; "
                + "last known: \(state)\(because)\(follows)"
        case .unreachable:
            "\(name) is unreachable since \(clock.when(light.since)); last known: \(state)\(because)\(follows)"
        }
    }
}

extension LightBody {
    /// "40%, 2703K"; `nil` if it has neither.
    fileprivate var valuesText: String? {
        let words = [values.brightness.map(percent), values.tone].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// "on at 40%, 2703K", "off"
    fileprivate var stateText: String {
        guard power == .on else { return "off" }
        return "on" + (values.brightness.map { " at \(percent($0))" } ?? "") + (values.tone.map { ", \($0)" } ?? "")
    }
}

extension CauseBody {
    /// "anna (uid 1000) with lightctl sent 'set Desk to 40%'"
    var text: String {
        let who = by.map(printable)
        let what = what.map { "'\(printable($0))'" }
        return switch kind {
        case .command: what.map { "\(who ?? "somebody") sent \($0)" } ?? "a command from \(who ?? "somebody")"
        case .scene: "\(who ?? "another app") recalled scene \(what ?? "that no longer exists")"
        case .accessory: "wall switch\(who.map { " \($0)" } ?? "")"
        case .power: "power came back"
        case .otherApp: "another app, or a switch that the bridge does not report"
        case .unseen: "unchanged since lightd started listening"
        }
    }
}
