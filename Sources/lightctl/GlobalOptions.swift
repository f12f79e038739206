import ArgumentParser
import CommandGrammar

/// The options that every command takes, before or after its name.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: "The socket of lightd (default: $LIGHTCTL_SOCKET, your own lightd's socket, /run/lightd/lightd.sock).")
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "lightd on another machine: ssh://[USER@]HOST[:PORT][/SOCKET] by ssh, or http://HOST[:PORT] on TCP (default: "
                + "$LIGHTCTL_URL).", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "A file with the token for http://, which only its owner can read (default: $LIGHTCTL_TOKEN, else the file "
                + "$LIGHTCTL_TOKEN_FILE).",
            valueName: "file"),
        completion: .file())
    var tokenFile: String?

    @Flag(
        help:
            "Send the token or password in clear text over the network, to http://HOST or mqtt://HOST (also: $LIGHTCTL_INSECURE=1)."
    )
    var insecure = false

    @Option(
        help: ArgumentHelp(
            "Another site, asked over a broker: its name, or a pattern that means several, such as 'hotel-*' or tag=WORD "
                + "(see 'lightctl help sites').", valueName: "site"))
    var site: String?

    @Option(
        help: ArgumentHelp(
            "The broker of --site: mqtts://[USER@]HOST[:PORT] (default: $LIGHTCTL_BROKER).", valueName: "url"))
    var broker: String?

    @Flag(help: "Print results (stdout) and errors (stderr) as JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    @Option(
        help: ArgumentHelp("How long to wait for lightd, in seconds (default: 15; pair: 60).", valueName: "s"),
        transform: TimeSpan.timeout(argument:))
    var timeout: TimeSpan?

    func validate() throws {
        let texts = [
            ("--socket", socket), ("--url", url), ("--token-file", tokenFile), ("--site", site), ("--broker", broker),
        ]
        for (name, value) in texts where value == "" {
            throw ValidationError("\(name) must not be empty")
        }
        guard [socket, url, site].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("--socket, --url and --site exclude each other: lightd is asked at one place")
        }
    }
}
