import ControlProtocol
import FoundationEssentials
import Glibc

/// One run of lightctl: sends commands and queries, and prints the results.
struct Session: Sendable {
    let client: DaemonClient
    let console: Console
    /// `--timeout`; `nil` leaves it to the command.
    var timeout: Duration?

    static let defaultTimeout = Duration.seconds(15)

    var terminal: Terminal { console.terminal }

    /// How long a reply may take: longer than lightd itself waits for a bridge to confirm.
    func timeout(for commandOptions: CommandOptions?) -> Duration {
        timeout ?? Self.defaultTimeout + (commandOptions?.over?.duration ?? .zero)
            + (commandOptions?.wait == true ? CommandRequest.longestWait : .zero)
    }

    func get<Body: Decodable>(_ path: String, _ query: [(Routes.Query, String)] = []) async throws -> Body {
        try await client.get(Body.self, Routes.path(path, query), within: timeout ?? Self.defaultTimeout)
    }

    /// Prints the body as JSON with `--json`, else the text made of it.
    func show(_ body: some Encodable, _ text: @autoclosure () -> String) throws {
        if console.json { try console.printJSON(body) } else { try console.print(text()) }
    }

    /// Sends one command per target, a few at a time, and prints the results in the order of the targets.
    ///
    /// - Parameter confirmation: the line that confirms a target, for commands whose effect the returned lights do not
    ///   show.
    func send(
        _ targets: [String], _ commandOptions: CommandOptions? = nil, confirmation: ((String) -> String)? = nil,
        _ command: @Sendable (String, Int?) -> Command
    ) async throws {
        let commands = targets.map { (target: $0, command: command($0, commandOptions?.over?.milliseconds)) }
        let (wait, timeout) = (commandOptions?.wait ?? false, timeout(for: commandOptions))
        let outcomes = await concurrentMap(commands, width: 4) { target, command in
            do {
                let reply = try await client.send(command, wait: wait, within: timeout)
                return Result<CompletedCommand, ErrorReply>.success(
                    CompletedCommand(target: target, ticket: reply.ticket, lights: reply.lights ?? []))
            } catch let error as ErrorReply {
                return .failure(error)
            } catch {
                return .failure(ErrorReply(.internalError, "\(error)"))
            }
        }
        let results = CommandResults(each: Array(zip(targets, outcomes)).map { (target: $0, result: $1) })
        if let error = results.error {
            // A closed pipe must not turn a failure into a success.
            do { try show(results, confirmation) } catch is Console.ReaderGone {}
            throw error
        }
        try show(results, confirmation)
    }

    private func show(_ results: CommandResults, _ confirmation: ((String) -> String)?) throws {
        if console.json {
            if !results.done.isEmpty || results.error == nil { try console.printJSON(results.done) }
        } else {
            let clock = WallClock.local()
            for done in results.done {
                try console.confirm(
                    confirmation?(done.target) ?? ConfirmationText.line(done.target, done.lights, clock))
            }
        }
    }
}

extension Session {
    init(_ options: GlobalOptions) {
        let environment = ProcessInfo.processInfo.environment
        let path = SocketPath(option: options.socket, environment: environment) { access($0, F_OK) == 0 }
        self.init(
            client: DaemonClient(transport: .unixSocket(path.chosen), address: path.chosen) {
                SocketDiagnosis.find(at: path.chosen)?.reply(path)
            },
            console: Console(
                terminal: .behind(1, environment: environment), quiet: options.quiet, json: options.json),
            timeout: options.timeout?.duration
        )
    }
}

/// Maps the items concurrently, at most `width` at a time; the results are in the order of the items.
func concurrentMap<Item: Sendable, Result: Sendable>(
    _ items: [Item], width: Int, _ work: @escaping @Sendable (Item) async -> Result
) async -> [Result] {
    await withTaskGroup(of: (Int, Result).self) { group in
        var results: [Int: Result] = [:]
        for (place, item) in items.enumerated() {
            if place >= width, let (done, result) = await group.next() { results[done] = result }
            group.addTask { (place, await work(item)) }
        }
        for await (done, result) in group { results[done] = result }
        return items.indices.compactMap { results[$0] }
    }
}
