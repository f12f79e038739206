import ArgumentParser
import CommandGrammar
import ControlProtocol

struct AtCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "at",
        abstract: "Do something once, at a time of day or by the sun.",
        usage: "lightctl at <time> <command> ... [--for <time>] [<options>]",
        discussion: """
            The time is the next 22:30, sunset, or 'sunset - 20m'; or a moment such as 2026-12-24T17:30, all in the home's time. \
            The command is typed as after lightctl. lightd keeps the timer over a restart; what was due while it was \
            not running is done within 10 minutes if it may as well come late, such as 'turn off', and is left out \
            otherwise. 'lightctl timers' lists timers and cancels them.

            Examples:
              lightctl at 22:30 turn off all
              lightctl at sunset - 20m recall living/evening --over 5m
            """)

    // All unrecognized: the options of the command that is meant are its own.
    @Argument(
        parsing: .allUnrecognized, help: ArgumentHelp("When, then what.", valueName: "time> <command> ..."))
    var words: [String]
    @OptionGroup var duration: DurationOption
    @OptionGroup var options: GlobalOptions

    func validate() throws { _ = try parsed() }

    private func parsed() throws -> (time: String, command: [String]) {
        let (verbs, words) = (Typed.firstWords, Typed.unquoted(words))
        guard let verb = words.firstIndex(where: { verbs.contains($0) }), verb > 0 else {
            throw ValidationError("at needs a time and a command: lightctl at 22:30 turn off all")
        }
        return (words[..<verb].joined(separator: " "), Array(words[verb...]))
    }

    func run() throws {
        let (time, command) = try parsed()
        let session = try Session(options)
        try session.schedule(duration.steps(doing: command, session), at: time)
    }
}

struct InCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "in",
        abstract: "Do something once, after a while.",
        usage: "lightctl in <duration> <command> ... [--for <time>] [<options>]",
        discussion: """
            As 'lightctl at'.

            Examples:
              lightctl in 20m turn off all
              lightctl in 1h dim @living 30% --over 10m
            """)

    @Argument(
        help: ArgumentHelp("How long from now, for example 20m.", valueName: "duration"),
        transform: { (text) throws(ArgumentError) in try TimeSpan.wait(argument: text, from: 0) })
    var delay: TimeSpan
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("A command, as typed after lightctl.", valueName: "command> ..."))
    var words: [String]
    @OptionGroup var duration: DurationOption
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        try session.schedule(
            duration.steps(doing: Typed.unquoted(words), session), after: Double(delay.milliseconds) / 1000)
    }
}

/// `--for`
struct DurationOption: ParsableArguments {
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Only for so long, for example 10m: then the lights are as they were before.", valueName: "time"),
        transform: { (text) throws(ArgumentError) in try TimeSpan.wait(argument: text, from: 1) })
    var span: TimeSpan?

    /// The steps that do what these words mean, and take it back again.
    ///
    /// - Throws: `invalid` if the words mean no command, or none that can be taken back.
    fileprivate func steps(doing words: [String], _ session: Session) throws -> [String] {
        let line = ShellQuote.line(words)
        let commands: [Command]
        do throws(TextError) {
            commands = try Typed.commands(from: line)
        } catch {
            throw ErrorReply(.invalid, error.message, hint: "the command is typed as after lightctl")
        }
        // A signal ends by itself.
        if let span, let signals = commands.signals(for: span) { return try lines(of: signals) }
        return try [line] + back(after: commands, session)
    }

    /// The same for commands.
    fileprivate func steps(doing commands: [Command], _ session: Session) throws -> [String] {
        try lines(of: commands) + back(after: commands, session)
    }

    private func lines(of commands: [Command]) throws -> [String] {
        try commands.map { command in
            guard let line = Typed.line(for: command) else {
                throw ErrorReply(.invalid, "this command cannot wait, because it cannot be typed: \(command)")
            }
            return line
        }
    }

    private func back(after commands: [Command], _ session: Session) throws -> [String] {
        guard let span else { return [] }
        var ended: [String] = []
        let targets = try commands.compactMap { command in
            if case let .recall(scene: name, over: _, dynamic: _, speed: _) = command {
                let scene: SceneValuesBody = try session.get(Routes.scene, [(.scene, name)])
                if scene.smart != nil { ended.append(ShellQuote.line(["scene", "deactivate", name])) }
                return try session.room(of: scene)
            }
            return command.lights
        }
        guard targets.count == commands.count else {
            throw ErrorReply(
                .invalid, "--for is for commands that turn or set lights, or recall a scene",
                hint: "the command is typed as after lightctl")
        }
        return ["wait \(span.parts)"] + ended + targets.map { ShellQuote.line(["restore", $0]) }
    }
}

struct TimersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timers",
        abstract: "List timers, and cancel them.",
        discussion: """
            Timers are made by 'at', 'in' and --for. In a pipe, 'list' prints: name, when it is due, the step under \
            way, what it does, who asked for it, separated by tabs.

            Examples:
              lightctl timers
              lightctl timers cancel 3
            """,
        subcommands: [ListTimersCommand.self, CancelTimerCommand.self], defaultSubcommand: ListTimersCommand.self)

    @OptionGroup var options: GlobalOptions

    struct ListTimersCommand: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the timers.")

        @OptionGroup var options: GlobalOptions

        func run() throws {
            let session = try Session(options)
            try session.show(Routes.timers) { (timers: [AutomationBody]) in
                AutomationText.timers(timers, on: session.terminal, WallClock.local())
            }
        }
    }

    struct CancelTimerCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel", abstract: "Cancel timers, also those that have begun.",
            discussion: """
                With --json, one timer prints lightd's reply, several an array of them.

                Examples:
                  lightctl timers cancel 3
                  lightctl timers cancel 1 2
                  lightctl timers cancel all
                """)

        @Argument(help: ArgumentHelp("Their numbers or names, or all.", valueName: "timer")) var timers: [String]
        @OptionGroup var options: GlobalOptions

        func run() throws {
            let session = try Session(options)
            let time = session.timeout ?? Session.defaultTimeout
            let timers =
                timers.map { $0.lowercased() } == ["all"]
                ? (try session.get(Routes.timers) as [AutomationBody]).map(\.name)
                : timers.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            let replies = try session.client.send(
                timers.map { CommandRequest(.cancelTimer(timer: $0)) }, within: time)
            let results = CommandResults(
                each: zip(timers, replies).map { timer, reply in
                    (timer, reply.map { CompletedCommand(target: timer, $0) })
                })
            let done = replies.compactMap { try? $0.get() }  // the results report the failures
            try session.afterwards({
                guard !session.console.json else {
                    if let only = done.first, replies.count == 1 { return try session.console.printJSON(only) }
                    return replies.count == 1 ? () : try session.console.printJSON(done)
                }
                for timer in results.done.map(\.target) {
                    try session.console.confirm("cancelled \(Int(timer) == nil ? printable(timer) : "timer \(timer)")")
                }
                if timers.isEmpty { try session.console.confirm("there are no timers") }
            }) { if let error = results.error { throw error } }
        }
    }
}

/// A verb that changes what lights show, and may do so for a while.
struct LightsCommand<Which: TargetVerb>: ParsableCommand {
    static var configuration: CommandConfiguration { Which.configuration }

    @OptionGroup var verb: Which
    @OptionGroup var duration: DurationOption
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard duration.span == nil || !verb.delivery.wait else {
            throw ValidationError("--for and --wait do not go together")
        }
    }

    func run() throws {
        let session = try Session(options)
        guard duration.span != nil, !verb.delivery.dryRun else { return try session.send(verb) }
        try session.schedule(duration.steps(doing: try verb.commands(), session))
    }
}

extension [Command] {
    /// The same signals for another time; `nil` if they are not all signals.
    fileprivate func signals(for span: TimeSpan) -> [Command]? {
        let signals = compactMap { command -> Command? in
            guard case let .signal(target: target, colors: colors, duration: _) = command else { return nil }
            return .signal(target: target, colors: colors, duration: span.milliseconds)
        }
        return signals.count == count ? signals : nil
    }
}

extension Command {
    /// The lights whose state it changes to a known one, as typed.
    fileprivate var lights: String? {
        switch self {
        case let .turn(_, target, _), let .toggle(target, _), let .set(_, target, _, _),
            let .increase(_, _, target, _, _),
            let .decrease(_, _, target, _, _):
            target
        default: nil
        }
    }
}

extension Session {
    /// The room or zone whose lights a scene sets, as it is typed.
    fileprivate func room(of scene: SceneValuesBody) throws -> String {
        let rooms: [RoomBody] = try get(Routes.rooms)
        let called = rooms.filter { $0.name == scene.room }
        guard let room = called.first(where: { $0.bridge == scene.bridge }) else {
            throw ErrorReply(
                .cannot, "'\(scene.name)' belongs to no room, so that --for cannot restore one",
                hint: "take a snapshot before, and apply it afterwards")
        }
        return "@" + (called.count == 1 ? room.name : room.id)
    }

    /// Makes a timer, and says when it is due.
    fileprivate func schedule(_ steps: [String], at moment: String? = nil, after seconds: Double? = nil) throws {
        let command = Command.schedule(steps: steps, at: moment, after: seconds)
        let reply = try client.send(command, within: timeout ?? Self.defaultTimeout)
        if console.json {
            if let timer = reply.automation { try console.printJSON(timer) } else { try console.printJSON(reply) }
        } else if let timer = reply.automation {
            try console.confirm(AutomationText.timer(timer, WallClock.local()))
        } else {
            try console.confirm("done")
        }
    }
}
