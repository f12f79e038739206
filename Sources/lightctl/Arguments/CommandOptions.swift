import ArgumentParser

/// The options of every command that changes lights: the fade, and whether to wait for the bridge.
struct CommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Fade duration, for example 2s.", valueName: "time"),
        transform: TimeSpan.transition(argument:))
    var over: TimeSpan?

    @Flag(
        help: """
            Wait for the bridge to confirm. Exit code 5 if it does not, 7 if it confirms only some of the lights.
            """)
    var wait = false
}
