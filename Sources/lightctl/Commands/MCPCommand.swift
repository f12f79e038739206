import ArgumentParser
import CommandGrammar
import ControlProtocol
import FoundationEssentials
import Glibc

struct MCPCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Let an assistant use the lights, by the Model Context Protocol.",
        discussion: """
            The assistant starts it, and speaks to it on standard input and output. Put this into its configuration:
              {"mcpServers": {"lights": {"command": "lightctl", "args": ["mcp"]}}}

            Its tools look at the home (list, show, why, log, preview) and change what lights show (turn, set, increase, \
            decrease, recall, undo); with dry_run nothing changes, and the answer says what would. 'lightctl log --by mcp' \
            shows what assistants have done, under the name that each gives itself; 'lightctl undo' takes back what lights \
            showed. Like any command, theirs end a presence replay (away), and undo stops the run that it takes back.

            It may do what whoever starts it may do, and over TCP what its token allows: one of the role 'look' can switch \
            nothing. Paths are whole, because an assistant does not start it in your shell:
              "args": ["mcp", "--url", "http://127.0.0.1:8377",
                       "--token-file", "/home/anna/assistant.token"]

            Examples:
              lightctl mcp
              lightctl mcp --url ssh://me@192.168.1.3
            """
    )

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        // Nobody is there whom ssh could ask.
        let endpoint = try Endpoint(options, mayAsk: false, environment: environment)
        if isatty(STDIN_FILENO) == 1 {
            Console.printError("lightctl: waiting for an assistant's messages; see 'lightctl help mcp'")
        }
        let timeout = options.timeout?.duration
        try MCPServer(input: STDIN_FILENO, output: STDOUT_FILENO) { assistant, meanwhile in
            let transport = Transport.http(to: endpoint, calling: Self.client(assistant)).doing(meanwhile)
            return Session(
                client: DaemonClient(transport, to: endpoint),
                console: Console(terminal: .assistant, quiet: false, json: false), timeout: timeout)
        }.run()
    }

    /// What lightd is told: "mcp: claude-ai". lightd leaves out what is not seen, cuts it, and shows it in quotation marks;
    /// here only what would end the line is replaced.
    static func client(_ assistant: String?) -> String {
        let name = (assistant ?? "").unicodeScalars.prefix(Routes.longestClientName).map { scalar in
            scalar.isASCII && scalar.properties.generalCategory == .control ? " " : scalar
        }
        return name.isEmpty ? "mcp" : "mcp: " + String(String.UnicodeScalarView(name))
    }
}
