import ArgumentParser
import CommandGrammar

/// The options that every command takes, before or after its name.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: "The socket of lightd (default: $LIGHTCTL_SOCKET, your own lightd's socket, /run/lightd/lightd.sock).")
    var socket: String?

    @Flag(help: "Print results (stdout) and errors (stderr) as JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    @Option(
        help: ArgumentHelp("How long to wait for lightd, in seconds (default: 15; pair: 60).", valueName: "s"),
        transform: TimeSpan.timeout(argument:))
    var timeout: TimeSpan?

    func validate() throws {
        guard socket?.isEmpty != true else { throw ValidationError("--socket must not be empty") }
    }
}
