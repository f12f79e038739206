import ArgumentParser
import ControlProtocol

/// What the four ways to switch take.
struct Switching: ParsableArguments {
    @Argument(help: "Light names, @rooms, all, or ids.") var targets: [String]

    @OptionGroup var manner: Manner
}

struct TurnTo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "turn",
        abstract: "Turn lights on, off, or the other way.",
        discussion: """
            Examples:
              lightctl turn on @living
              lightctl turn off all --over 3s
              lightctl turn off all --wait && echo dark
              lightctl turn toggle desk "floor lamp"
            """
    )

    enum Turn: String, ExpressibleByArgument, CaseIterable { case on, off, toggle }

    @Argument(help: "Whereto.") var turn: Turn
    @OptionGroup var switching: Switching
    @OptionGroup var options: Options

    func run() async throws { try await Self.turn(turn, switching, options) }

    static func turn(_ turn: Turn, _ switching: Switching, _ options: Options) async throws {
        try await Session(options).order(switching.targets, switching.manner) { target, over in
            switch turn {
            case .on: .turn(to: .on, target: target, over: over)
            case .off: .turn(to: .off, target: target, over: over)
            case .toggle: .toggle(target: target, over: over)
            }
        }
    }
}

struct On: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Turn lights on.", discussion: "Example:\n  lightctl on kitchen")
    @OptionGroup var switching: Switching
    @OptionGroup var options: Options
    func run() async throws { try await TurnTo.turn(.on, switching, options) }
}

struct Off: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Turn lights off.", discussion: "Example:\n  lightctl off all --over 3s")
    @OptionGroup var switching: Switching
    @OptionGroup var options: Options
    func run() async throws { try await TurnTo.turn(.off, switching, options) }
}

struct Toggle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Turn lights on that are off, and off that are on.", discussion: "Example:\n  lightctl toggle @living"
    )
    @OptionGroup var switching: Switching
    @OptionGroup var options: Options
    func run() async throws { try await TurnTo.turn(.toggle, switching, options) }
}
