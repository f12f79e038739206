import ArgumentParser

/// What every verb takes, before it or behind it.
struct GlobalOptions: ParsableArguments {
    @Option(help: "Where lightd listens (default: $LIGHTCTL_SOCKET, the user's own socket, /run/lightd/lightd.sock).")
    var socket: String?

    @Flag(help: "Print results on stdout and errors on stderr as JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    @Option(
        help: ArgumentHelp("How long to wait for lightd, in seconds (default: 15).", valueName: "s"),
        transform: TimeSpan.timeout(argument:))
    var timeout: TimeSpan?
}
