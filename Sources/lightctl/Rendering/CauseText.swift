import ControlProtocol

/// Why lights are as they are: a sentence each for people, a row each for scripts.
enum CauseText {
    static func lines(_ lights: [LightBody], on terminal: Terminal, _ clock: WallClock) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                lights.map {
                    [
                        $0.name, $0.power.rawValue, $0.cause.kind.rawValue, $0.cause.by, $0.cause.what, $0.cause.at,
                        $0.freshness.rawValue, $0.id,
                    ]
                })
        }
        return lights.map { sentence($0, clock) }.joined(separator: "\n")
    }

    /// "Desk is on at 40%, 2703K since 10:42:03: lightctl (uid 1000) said 'set Desk to 40 %'"
    static func sentence(_ light: LightBody, _ clock: WallClock) -> String {
        let (name, state) = (printable(light.name), light.shown)
        let time = clock.exactly(light.cause.at)
        let because =
            light.cause.kind == .unseen
            ? ": it was so at \(time), when lightd began to listen" : " since \(time): \(light.cause.words)"
        return switch light.freshness {
        case .confirmed: "\(name) is \(state)\(because)"
        case .expected: "\(name) is to be \(state), which is not yet confirmed: at \(time) \(light.cause.words)"
        case .stale:
            "\(name) is out of sight since \(clock.when(light.since)), for its bridge is; before, it was \(state)\(because)"
        case .unreachable:
            "\(name) is out of reach since \(clock.when(light.since)); before, it was \(state)\(because)"
        }
    }
}

extension LightBody {
    /// "on at 40%, 2703K", "off"
    fileprivate var shown: String {
        guard power == .on else { return "off" }
        return "on" + (brightness.map { " at \(percent($0))" } ?? "") + (tone.map { ", \($0)" } ?? "")
    }
}

extension CauseBody {
    /// "lightctl (uid 1000) said 'set Desk to 40 %'"
    var words: String {
        let who = by.map(printable)
        let what = what.map { "'\(printable($0))'" }
        return switch kind {
        case .command: what.map { "\(who ?? "somebody") said \($0)" } ?? "a command of \(who ?? "somebody")"
        case .scene: "\(who ?? "another app") recalled scene \(what ?? "of which nothing is known any more")"
        case .wall: "somebody at the wall\(who.map { ": \($0)" } ?? "")"
        case .power: "power came back"
        case .elsewhere: "another app through the bridge, or a switch of which it tells nothing"
        case .unseen: "it was so when lightd began to listen"
        }
    }
}
