import ArgumentParser
import CommandGrammar
import ControlProtocol

struct CurveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "curve",
        abstract: "Show and draw the curves that lights follow.",
        subcommands: [ShowCurveCommand.self, TargetCommand<SetCurveVerb>.self, TargetCommand<RemoveCurveVerb>.self],
        defaultSubcommand: ShowCurveCommand.self
    )
}

private struct ShowCurveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the points of a curve, or of all curves.",
        discussion: """
            One line for each point. In a pipe: the curve's name, built-in|own, the point, separated by tabs. What it \
            prints of one curve can be given to 'lightctl curve set'.

            Example:
              lightctl curve show daylight
            """)

    @Argument(help: ArgumentHelp("The curve's name.", valueName: "curve")) var name: String?
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        let curves: [CurveBody] = try session.get(Routes.curves)
        let shown = curves.filter { name.map($0.name.equals) ?? true }
        if let name, shown.isEmpty {
            throw ErrorReply(
                .noSuchTarget, "there is no curve '\(name)'", hint: "'lightctl curve' lists all",
                candidates: closest(to: name, in: curves.map(\.name)).map { [$0] })
        }
        try session.show(shown, CurveText.lines(shown, on: session.terminal))
    }
}

extension String {
    fileprivate func equals(_ other: String) -> Bool { lowercased() == other.lowercased() }
}
