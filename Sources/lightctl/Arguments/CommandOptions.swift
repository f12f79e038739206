import ArgumentParser

/// How lights get to what a verb asks of them, and how long it is waited for.
struct CommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Take so long to get there, such as 400ms or 2s.", valueName: "time"),
        transform: TimeSpan.transition(argument:))
    var over: TimeSpan?

    @Flag(
        help:
            "Wait until the bridge has confirmed it; exits with 5 where it does not, with 7 where it does for some lights only."
    )
    var wait = false
}
