public import ArgumentParser
public import ControlProtocol

/// The arguments of `undo` and `redo`.
public struct HistoryArguments: ParsableArguments {
    @Argument(help: "How many commands.") public var count = 1
    @OptionGroup public var commandOptions: CommandOptions

    public init() {}

    public func validate() throws {
        guard count >= 1 else { throw ValidationError("the number of commands must be at least 1, not \(count)") }
    }
}

/// A verb that takes ``HistoryArguments``.
public protocol HistoryVerb: Verb {
    var arguments: HistoryArguments { get }
    var command: Command { get }
}

extension HistoryVerb {
    public var delivery: Delivery { arguments.commandOptions.delivery }
    public func commands() -> [Command] { [command] }
}

public struct UndoVerb: HistoryVerb {
    public static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Undo the latest commands.",
        discussion: """
            Restores the lights of the latest command, or of the latest COUNT commands, whoever sent them to lightd. \
            Dragging a slider counts as one command. A light that was changed in another way since then is left as it \
            is and named on standard error; the exit code is then 7. It is 1 if there is nothing to undo. lightd still \
            knows the latest commands after it was restarted.

            Examples:
              lightctl undo
              lightctl undo 3 --over 1s
            """
    )

    @OptionGroup public var arguments: HistoryArguments

    public init() {}

    public var command: Command { .undo(steps: arguments.count, over: delivery.over?.milliseconds) }
}

public struct RedoVerb: HistoryVerb {
    public static let configuration = CommandConfiguration(
        commandName: "redo",
        abstract: "Redo what was undone.",
        discussion: """
            Possible until the next command. As with 'undo', lights changed in another way since then are left as \
            they are.

            Examples:
              lightctl redo
              lightctl redo 3 --wait
            """
    )

    @OptionGroup public var arguments: HistoryArguments

    public init() {}

    public var command: Command { .redo(steps: arguments.count, over: delivery.over?.milliseconds) }
}
