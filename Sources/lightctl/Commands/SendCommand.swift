import ArgumentParser
import ControlProtocol
import FoundationEssentials

struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send commands as JSON, one a line.",
        discussion: """
            Each line is a command as the API's /v1/messages takes it; lightd serves a description at /openapi.json. \
            The commands are sent one after the other, each when the one before is answered. For each line a line of \
            JSON is printed: lightd's reply, or its error, with the number of the line under "line". Empty lines are \
            skipped; without any line there is nothing to do, and that is no error. 'lightctl -' is short for \
            'lightctl send -'.

            Exit code: that of the failures if all lines failed alike, 7 if only some failed or each in its own way, 64 \
            if the input cannot be read. If the output cannot be written any more, the lines that are left are not sent: 7.

            Examples:
              echo '{"command":"turn","to":"on","target":"@kitchen"}' | lightctl -
              lightctl send scene.jsonl --quiet
            """,
        aliases: ["-"]
    )

    @Argument(help: "A file, or - for standard input.") var file = InputFile.standardInput
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try Session(options)
        var lines = try file.lines()
        var (number, total) = (0, 0)
        var failures: [ErrorCode] = []
        var unwritten: (any Error)?
        while let line = try lines.next() {
            number += 1
            guard line.firstVisible != nil else { continue }
            if let unwritten {
                let reason = (unwritten as? ErrorReply)?.error.message ?? "nothing reads the output any more"
                throw ErrorReply(.partly, "\(reason): line \(number) and those after it were not sent")
            }
            total += 1
            let reply = session.client.post([line], within: session.timeout(forLine: line))[0]
            do {
                switch reply {
                case let .success(reply):
                    if !session.console.quiet { try Self.print(LineResult(line: number, reply: reply)) }
                case let .failure(error):
                    failures.append(error.error.code)
                    try Self.print(LineResult(line: number, error: error.error))
                }
            } catch {
                // What follows would be done unseen.
                unwritten = error
            }
            // Nothing listens: the lines after it would fail alike.
            if case let .failure(error) = reply, error.error.code == .daemonUnreachable { throw error }
        }
        // A reader that has gone wanted no more than it got.
        if let unwritten = unwritten as? ErrorReply { throw unwritten }
        guard let first = failures.first else { return }
        let alike = failures.count == total && failures.allSatisfy { $0 == first }
        throw ErrorReply(
            alike ? first : .partly,
            failures.count == total
                ? "\(whole(total, "line")) failed" : "\(failures.count) of \(counted(total, "line")) failed")
    }

    private static func print(_ result: LineResult) throws { try Console.write(Console.json(result) + "\n", to: 1) }
}

/// What became of one line.
struct LineResult: Encodable {
    let line: Int
    var reply: CommandReply?
    var error: ErrorReply.Body?

    enum CodingKeys: String, CodingKey { case line, error }

    func encode(to encoder: any Encoder) throws {
        try reply?.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(line, forKey: .line)
        try container.encodeIfPresent(error, forKey: .error)
    }
}

extension Session {
    /// How long a reply to this command may take: as long as that command says, if it can be read.
    func timeout(forLine line: Data) -> Duration {
        struct Times: Decodable {
            var over: Double?
            var seconds: Double?
            var wait: Bool?
        }
        // What cannot be read is refused by lightd at once.
        let times = (try? JSONDecoder().decode(Times.self, from: line)) ?? Times()
        // No command takes longer than a fade of 100 minutes and a wait of one hour; lightd refuses other numbers.
        func held(_ number: Double?, to most: Double) -> Double { min(max(number ?? 0, 0), most) }
        return timeout
            ?? Self.defaultTimeout + .milliseconds(held(times.over, to: 6_000_000))
            + .seconds(held(times.seconds, to: 3600))
            + (times.wait == true ? CommandRequest.longestWait : .zero)
    }
}

/// The output of a dry run.
enum DryRunText {
    /// One line for each request: the bridge's id, method, path, body, and why it would be held.
    static func lines(_ requests: [PlannedRequestBody], on terminal: Terminal) -> String {
        requests.map { request in
            let held = request.held.map { terminal.isTerminal ? "(\($0))" : $0 }
            return [request.bridge, request.method, request.path, request.body, held].compactMap { $0 }
                .map(printable).joined(separator: terminal.isTerminal ? " " : "\t")
        }.joined(separator: "\n")
    }

    /// The error that names the parts that would fail; `nil` if there are none.
    static func error(_ failing: [ErrorReply.Part]) -> ErrorReply? {
        failing.isEmpty ? nil : ErrorReply(.partly, "\(counted(failing.count, "part")) would fail", parts: failing)
    }
}
