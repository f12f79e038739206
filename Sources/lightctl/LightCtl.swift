import ArgumentParser
import ControlProtocol
import Glibc

@main
struct LightCtl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lightctl",
        abstract: "Turn, dim, colour and watch the lights that lightd looks after.",
        discussion: """
            A TARGET is a light's name, @room, all, or an id; case is ignored:
              lightctl turn on kitchen          lightctl dim @living -10%
              lightctl set desk --color orange  lightctl turn off all --over 3s
            Where several share a name, ROOM/LIGHT names one, with several bridges also BRIDGE/LIGHT, BRIDGE/ROOM/LIGHT \
            and @BRIDGE/ROOM.

            On a terminal lists are tables and every command is confirmed in one line. In a pipe lists are \
            lines with tabs between their columns (see 'lightctl help list'), and what succeeded says nothing. \
            NO_COLOR takes the colours away.

            Exit codes: 0 done · 1 the bridge refused · 2 not paired or not allowed · 3 lightd or the bridge is out of \
            reach · 4 no such target · 5 sent but not confirmed in time · 6 bad configuration · 7 partly done · \
            64 usage · 130 interrupted
            """,
        version: "lightctl \(Release.version)",
        groupedSubcommands: [
            CommandGroup(
                name: "Lights",
                subcommands: [
                    ListCommand.self, ShowCommand.self, TurnCommand.self, OnCommand.self, OffCommand.self,
                    ToggleCommand.self, SetCommand.self, IncreaseCommand.self,
                    DecreaseCommand.self, DimCommand.self, RenameCommand.self, RecallCommand.self, UndoCommand.self,
                    RedoCommand.self, PowerupCommand.self,
                ]
            ),
            CommandGroup(name: "Bridges", subcommands: [DiscoverCommand.self, PairCommand.self, ForgetCommand.self]),
            CommandGroup(
                name: "What goes on",
                subcommands: [
                    DashboardCommand.self, WhyCommand.self, LogCommand.self, WatchCommand.self, StatusCommand.self,
                ]),
        ]
    )

    @OptionGroup var options: GlobalOptions

    static func main() async {
        // A reader that leaves shows in write(), where it can be told from other ends.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGINT) { _ in _exit(130) }
        do {
            var command = try await asyncParseAsRoot()
            if var verb = command as? any AsyncParsableCommand {
                try await verb.run()
            } else {
                try command.run()
            }
        } catch {
            leave(with: error, json: CommandLine.arguments.contains("--json"))
        }
    }

    /// Says what went wrong, and ends with the code that stands for it.
    private static func leave(with error: any Error, json: Bool) -> Never {
        switch error {
        case is Console.ReaderGone: Glibc.exit(0)
        case let reply as ErrorReply: leave(with: reply, json: json)
        default: break
        }
        switch exitCode(for: error) {
        case .success: exit(withError: error)  // help, the version, a completion script
        case .validationFailure:
            if let word = unknownVerb(in: CommandLine.arguments.dropFirst()) {
                leave(with: noSuchVerb(word), json: json)
            }
            if json { leave(with: ErrorReply(.invalid, message(for: error)), json: true) }
            var text = fullMessage(for: error)[...]
            if text.hasPrefix("Error: ") { text = text.dropFirst(7) }
            Console.printError("lightctl: \(text)")
            Glibc.exit(ExitStatus.usage.rawValue)
        default: leave(with: ErrorReply(.internalError, message(for: error)), json: json)
        }
    }

    /// The first word that stands where a verb should, if it is none.
    static func unknownVerb(in arguments: some Sequence<String>) -> String? {
        var words = arguments.makeIterator()
        while let word = words.next() {
            if ["--socket", "--timeout"].contains(word) {
                _ = words.next()
            } else if !word.hasPrefix("-") {
                return verbs.contains(word) ? nil : word
            }
        }
        return nil
    }

    static func noSuchVerb(_ word: String) -> ErrorReply {
        let near = closest(to: word, in: verbs)
        return ErrorReply(
            .invalid, "there is no verb '\(word)'" + (near.map { "; did you mean '\($0)'?" } ?? ""),
            hint: "'lightctl --help' names them all")
    }

    private static var verbs: [String] {
        configuration.groupedSubcommands.flatMap(\.subcommands).map { $0._commandName } + ["help"]
    }

    private static func leave(with reply: ErrorReply, json: Bool) -> Never {
        if json {
            Console.printError(Console.json(reply))
        } else {
            Console.printError(reply.printed)
        }
        Glibc.exit(reply.error.code.exitCode.rawValue)
    }
}
