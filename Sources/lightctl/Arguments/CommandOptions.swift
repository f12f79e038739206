import ArgumentParser

/// The options of every command that changes lights: the fade, whether to wait for the bridge, and whether to send
/// anything at all.
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

    @OptionGroup var rehearsal: DryRunOption

    var dryRun: Bool { rehearsal.dryRun }
}

/// The option of every command that writes to bridges.
struct DryRunOption: ParsableArguments {
    @Flag(help: "Send nothing; print the requests that would go to the bridges.")
    var dryRun = false
}
