import ControlProtocol
import FoundationEssentials
import Glibc

/// One run of lightctl: to whom it speaks, and how it says what came of it.
struct Session: Sendable {
    let client: DaemonClient
    let console: Console
    /// How long to wait for an answer; `nil` where the verb decides.
    var timeout: Duration?

    static let defaultTimeout = Duration.seconds(15)

    var terminal: Terminal { console.terminal }

    /// How long an answer may take: longer than lightd itself waits for a bridge's confirmation.
    func timeout(for commandOptions: CommandOptions?) -> Duration {
        timeout ?? Self.defaultTimeout + (commandOptions?.over?.duration ?? .zero)
            + (commandOptions?.wait == true ? CommandRequest.longestWait : .zero)
    }

    func get<Body: Decodable>(_ path: String, _ query: [(Routes.Query, String)] = []) async throws -> Body {
        try await client.get(Body.self, Routes.path(path, query), within: timeout ?? Self.defaultTimeout)
    }

    /// Says the body: as JSON, or as the text that is made of it.
    func show(_ body: some Encodable, _ text: @autoclosure () -> String) throws {
        if console.json { try console.printJSON(body) } else { try console.print(text()) }
    }

    /// Sends one command a target, a few at once, and tells their outcomes in the order in which the targets were typed.
    ///
    /// - Parameter say: the line that confirms a target, where the lights that come back do not yet show what was done.
    func send(
        _ targets: [String], _ commandOptions: CommandOptions? = nil, say: ((String) -> String)? = nil,
        _ command: @Sendable (String, Int?) -> Command
    ) async throws {
        let commands = targets.map { (target: $0, command: command($0, commandOptions?.over?.milliseconds)) }
        let (wait, timeout) = (commandOptions?.wait ?? false, timeout(for: commandOptions))
        let outcomes = await inOrder(commands, atOnce: 4) { target, command in
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
            // A reader that has gone must not turn a failure into a success.
            do { try show(results, say) } catch is Console.ReaderGone {}
            throw error
        }
        try show(results, say)
    }

    private func show(_ results: CommandResults, _ say: ((String) -> String)?) throws {
        if console.json {
            if !results.done.isEmpty || results.error == nil { try console.printJSON(results.done) }
        } else {
            let clock = WallClock.local()
            for done in results.done {
                try console.confirm(say?(done.target) ?? ConfirmationText.line(done.target, done.lights, clock))
            }
        }
    }
}

extension Session {
    init(_ options: GlobalOptions) {
        let environment = ProcessInfo.processInfo.environment
        let path = SocketPath(option: options.socket, environment: environment) { access($0, F_OK) == 0 }
        self.init(
            client: DaemonClient(transport: .unixSocket(path.chosen)) {
                SocketDiagnosis.find(at: path.chosen)?.reply(path)
            },
            console: Console(
                terminal: .behind(1, environment: environment), quiet: options.quiet, json: options.json),
            timeout: options.timeout?.duration
        )
    }
}

/// Does the work for all items, at most so many at once; the results stand in the items' order.
func inOrder<Item: Sendable, Result: Sendable>(
    _ items: [Item], atOnce width: Int, _ work: @escaping @Sendable (Item) async -> Result
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
