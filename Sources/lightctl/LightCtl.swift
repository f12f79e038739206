import ArgumentParser
import CommandGrammar
import ControlProtocol
import FoundationEssentials
import Glibc

@main
struct LightCtl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lightctl",
        abstract: "Turn, dim, colour and watch the lights that lightd controls.",
        discussion: """
            A TARGET is a light's name, @room, all, or an id; case is ignored:
              lightctl turn on kitchen          lightctl dim @living -10%
              lightctl set desk --color orange  lightctl turn off all --over 3s
            If several lights share a name, use ROOM/LIGHT, or with several bridges BRIDGE/LIGHT, BRIDGE/ROOM/LIGHT \
            and @BRIDGE/ROOM.

            On a terminal, lists are tables and every command prints a line of confirmation. In a pipe, lists are \
            lines with columns separated by tabs (see 'lightctl help list'), and a successful command prints nothing. \
            NO_COLOR turns colours off.

            From another machine: --url ssh://[USER@]HOST asks lightd at its socket there, by ssh. --url http://HOST asks \
            it over TCP ('tcp' in lightd.yaml), with a token of 'lightctl token create NAME' in LIGHTCTL_TOKEN, but \
            without tokens and backups, and without encryption, which needs --insecure.

            Exit codes: 0 done · 1 the bridge refused · 2 not paired or not allowed · 3 lightd or the bridge cannot be \
            reached · 4 no such target · 5 sent but not confirmed in time · 6 wrong configuration or file · 7 partly \
            done · 64 usage · 130 interrupted
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Lights",
                subcommands: [
                    ListCommand.self, ShowCommand.self, LightsCommand<TurnVerb>.self, LightsCommand<OnVerb>.self,
                    LightsCommand<OffVerb>.self, LightsCommand<ToggleVerb>.self, LightsCommand<SetVerb>.self,
                    LightsCommand<EffectVerb>.self, LightsCommand<GradientVerb>.self,
                    LightsCommand<IncreaseVerb>.self, LightsCommand<DecreaseVerb>.self, LightsCommand<DimVerb>.self,
                    TargetCommand<RenameVerb>.self, LightsCommand<RecallVerb>.self, HistoryCommand<UndoVerb>.self,
                    HistoryCommand<RedoVerb>.self, ConfigurationCommand<PowerupVerb>.self,
                    TargetCommand<IdentifyVerb>.self,
                    TargetCommand<SignalVerb>.self,
                ]
            ),
            CommandGroup(
                name: "Light over the day",
                subcommands: [
                    TargetCommand<FollowVerb>.self, TargetCommand<UnfollowVerb>.self, TargetCommand<ResumeVerb>.self,
                    TargetCommand<WakeVerb>.self, TargetCommand<SleepVerb>.self,
                    CurveCommand.self,
                ]),
            CommandGroup(
                name: "Rooms and scenes", subcommands: [RoomCommand.self, ZoneCommand.self, SceneCommand.self]),
            CommandGroup(
                name: "Sensors and switches",
                subcommands: [SensorCommand.self, BindCommand.self, UnbindCommand.self]),
            CommandGroup(
                name: "Scripts and assistants",
                subcommands: [SnapshotCommand.self, ApplyCommand.self, SendCommand.self, MCPCommand.self]),
            CommandGroup(
                name: "Automation",
                subcommands: [AutomationCommand.self, AtCommand.self, InCommand.self, TimersCommand.self]),
            CommandGroup(name: "Bridges", subcommands: [DiscoverCommand.self, PairCommand.self, ForgetCommand.self]),
            CommandGroup(name: "Backup", subcommands: [BackupCommand.self, RestoreCommand.self]),
            CommandGroup(name: "Many sites", subcommands: [SitesCommand.self]),
            CommandGroup(name: "Access", subcommands: [OpenCommand.self, TokenCommand.self]),
            CommandGroup(
                name: "State and history",
                subcommands: [
                    DashboardCommand.self, AwayCommand.self, WhyCommand.self, LogCommand.self, WatchCommand.self,
                    StatusCommand.self, SunCommand.self,
                    DoctorCommand.self,
                ]),
        ]
    )

    private static let version = "lightctl \(Release.version)"

    @OptionGroup var options: GlobalOptions

    static func main() {
        StandardStreams.replaceClosed()
        // A closed pipe then shows as an error of write(), which Console tells apart from others.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGINT) { _ in _exit(130) }
        // Ignored, as a parent may have left it, it would take the exit status of children away.
        signal(SIGCHLD, SIG_DFL)
        // A parent's worker thread (libdispatch's, for one) starts its children with signals blocked.
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.elementsEqual(["--version"]) { end(printing: version + "\n") }
        if arguments.first == "complete" { return Completion.run(Array(arguments.dropFirst())) }
        do {
            if arguments.first == DialStdio.verb {
                return try dialStdio(Array(arguments.dropFirst()))
            }
            if let script = try CompletionScript(arguments: Array(arguments), shell: CompletionScript.usersShell) {
                end(printing: script.text)
            }
            var command = try parsed(Array(arguments))
            if !(command is any BrokerCommand), let run = try SiteRun(Array(arguments), command) {
                return try run.run()
            }
            try command.run()
        } catch {
            fail(with: error, json: CommandLine.arguments.contains("--json"))
        }
    }

    /// Its errors are read by the lightctl at the other end.
    private static func dialStdio(_ arguments: [String]) throws {
        do {
            Glibc.exit(try DialStdio.run(arguments, environment: ProcessInfo.processInfo.environment))
        } catch let error as ErrorReply {
            fail(with: error, json: true)
        }
    }

    /// The command that the arguments ask for.
    ///
    /// A verb in the first place is read alone: looking through all verbs and their options takes as long as the rest of
    /// a command. Whatever is not right that way, or asks for help, is read by the whole.
    static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        if let name = arguments.first,
            let verb = frequentCommand(name) ?? commands.first(where: { $0._commandName == name }),
            verb.configuration.subcommands.isEmpty,
            let command = try? verb.parseAsRoot(Array(arguments.dropFirst())), type(of: command) == verb
        {
            return command
        }
        return try parseAsRoot(arguments)
    }

    /// A verb that scripts call often, without --for, which the whole reads. To make the table of all verbs takes as long as
    /// to start the program, because many are generic types that the runtime has to make; so do the types of each option.
    static func frequentCommand(_ name: String) -> (any ParsableCommand.Type)? {
        switch name {
        case "turn": TargetCommand<TurnVerb>.self
        case "on": TargetCommand<OnVerb>.self
        case "off": TargetCommand<OffVerb>.self
        case "toggle": TargetCommand<ToggleVerb>.self
        case "set": TargetCommand<SetVerb>.self
        case "dim": TargetCommand<DimVerb>.self
        case "recall": TargetCommand<RecallVerb>.self
        case "list": ListCommand.self
        case "status": StatusCommand.self
        default: nil
        }
    }

    /// Prints the error and exits with its code.
    private static func fail(with error: any Error, json: Bool) -> Never {
        switch error {
        case is Console.ReaderGone: Glibc.exit(0)
        case let reply as ErrorReply: fail(with: reply, json: json)
        // Everything to say was printed.
        case let code as ExitCode: Glibc.exit(code.rawValue)
        default: break
        }
        switch exitCode(for: error) {
        case .success:  // help, the version, a completion script
            if let unknown = UnknownCommand(in: CommandLine.arguments.dropFirst()) {
                fail(with: unknown.reply, json: json)
            }
            end(printing: fullMessage(for: error) + "\n")
        case .validationFailure:
            if let unknown = UnknownCommand(in: CommandLine.arguments.dropFirst()) {
                fail(with: unknown.reply, json: json)
            }
            fail(with: UsageError.reply(message(for: error), for: CommandLine.arguments.dropFirst()), json: json)
        default: fail(with: ErrorReply(.internalError, message(for: error)), json: json)
        }
    }

    /// Prints what was asked for instead of a command: an error if it cannot be written, as for any other output.
    private static func end(printing text: String) -> Never {
        do {
            try Console.write(text, to: STDOUT_FILENO)
        } catch {
            fail(with: error, json: false)
        }
        Glibc.exit(0)
    }

    /// The options that may stand before the command and take a value.
    static let optionsWithValue: Set = [
        "--socket", "--url", "--token-file", "--timeout", "--site", "--broker", "--generate-completion-script",
    ]

    static var commands: [any ParsableCommand.Type] { configuration.groupedSubcommands.flatMap(\.subcommands) }

    private static func fail(with reply: ErrorReply, json: Bool) -> Never {
        if json {
            Console.printError(Console.json(reply))
        } else {
            Console.printError(reply.printed)
        }
        Glibc.exit(reply.error.code.exitCode.rawValue)
    }
}
