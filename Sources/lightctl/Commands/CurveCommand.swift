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

/// What lights follow: lists of followings, and the end of a sentence of `lightctl why`.
enum FollowingText {
    static func list(_ followings: [FollowingBody], on terminal: Terminal, _ clock: WallClock) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                followings.map {
                    [
                        $0.target, $0.course, $0.kind.rawValue, $0.values.map(\.rawValue).joined(separator: ","),
                        $0.since,
                        $0.until, "\($0.lights)", "\($0.paused)", $0.resumeAfter.map { "\($0)" },
                    ]
                })
        }
        guard !followings.isEmpty else { return "no light follows anything" }
        let rows = followings.map { following in
            [
                StyledText(printable(following.target), .strong), StyledText(printable(following.course)),
                StyledText(following.values.count == 1 ? following.values.map(\.words).joined() + " only" : ""),
                StyledText(counted(following.lights, "light")),
                StyledText(following.paused > 0 ? "\(following.paused) changed by hand" : "", .warning),
                StyledText(following.until.map { "until \(clock.when($0))" } ?? ""),
            ]
        }
        return Table(headings: ["TARGET", "FOLLOWS", "", "", "", ""], rows: rows, elastic: [0, 1], optional: [5, 3])
            .rendered(for: terminal)
    }

    /// "; follows daylight on @Living, but its brightness is left alone since 18:02:11: wall switch Hall"; empty if it
    /// follows nothing.
    ///
    /// - Parameter shown: what it shows, if all of it follows.
    static func clause(_ light: LightBody, _ clock: WallClock, _ shown: String? = nil) -> String {
        let follows = light.follows ?? []
        let led = follows.filter { $0.paused == nil }
        let courses = led.map(\.words).unique
        let values = led.count == 1 && (follows.count > 1 || !light.followsWholly) || Set(led.map(\.words)).count > 1
        let following =
            courses.isEmpty
            ? nil
            : "follows "
                + (values
                ? led.map { "\($0.words) in its \($0.value.words)" } : courses).joined(separator: " and ")
        let paused = follows.compactMap { follow in
            follow.paused.map { (value: follow.value.words, course: follow.words, cause: $0) }
        }
        guard let first = paused.first else {
            return following.map { "; " + (shown.map { "at \($0) it " } ?? "") + $0 } ?? ""
        }
        let isOne = paused.allSatisfy { $0.cause == first.cause }
        let left =
            isOne
            ? "its \(paused.map(\.value).joined(separator: " and its ")) "
                + (paused.count == 1 ? "is" : "are") + " left alone since \(first.cause.words(clock))"
            : paused.map { "its \($0.value) is left alone since \($0.cause.words(clock))" }.joined(separator: ", ")
        return "; "
            + (following.map { "\($0), but \(left)" }
                ?? "would follow \(paused.map(\.course).unique.joined(separator: " and ")), but \(left)")
    }
}

extension LightBody {
    /// Whether nothing that could follow a curve is left alone from the start, as by 'follow --temperature-only'.
    var followsWholly: Bool {
        (follows ?? []).count >= [values.brightness != nil, limits.warmest != nil].count { $0 }
    }
}

extension FollowedValueBody {
    /// "daylight on @Living"
    fileprivate var words: String { "\(printable(course)) on \(printable(target))" }
}

extension CauseBody {
    fileprivate func words(_ clock: WallClock) -> String { "\(clock.exactly(at)): \(text)" }
}

extension FollowedValue {
    fileprivate var words: String {
        switch self {
        case .brightness: "brightness"
        case .temperature: "white tone"
        }
    }
}

/// The points of curves.
enum CurveText {
    static func lines(_ curves: [CurveBody], on terminal: Terminal) -> String {
        guard terminal.isTerminal else {
            return Table.plain(
                curves.flatMap { curve in
                    curve.points.map { [curve.name, curve.isUserDefined ? "own" : "built-in", $0] }
                })
        }
        return curves.map { curve in
            let head = printable(curve.name) + (curve.isUserDefined ? "" : " (built in)") + ":"
            return ([head] + curve.points.map { "  " + printable($0) }).joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
