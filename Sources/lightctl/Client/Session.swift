import CommandGrammar
import ControlProtocol
import FoundationEssentials
import Glibc

/// One run of lightctl: sends commands and queries, and prints the results.
struct Session {
    let client: DaemonClient
    let console: Console
    /// `--timeout`; `nil` leaves it to the command.
    var timeout: Duration?

    static let defaultTimeout = Duration.seconds(15)

    var terminal: Terminal { console.terminal }

    /// How long a reply may take: longer than lightd itself waits for a bridge to confirm.
    func timeout(for delivery: Delivery) -> Duration {
        timeout ?? Self.defaultTimeout + (delivery.over?.duration ?? .zero)
            + (delivery.wait ? CommandRequest.longestWait : .zero)
    }

    func get<Body: Decodable>(_ path: String, _ query: [(Routes.Query, String)] = []) throws -> Body {
        try client.decoded(Body.self, try document(path, query).json)
    }

    func document(
        _ path: String, _ query: [(Routes.Query, String)] = []
    ) throws(ErrorReply) -> DaemonClient.Document {
        try client.document(Routes.path(path, query), within: timeout ?? Self.defaultTimeout)
    }

    /// Prints the body as JSON with `--json`, else the text made of it.
    func show(_ body: some Encodable, _ text: @autoclosure () -> String) throws {
        if console.json { try console.printJSON(body) } else { try console.print(text()) }
    }

    /// Prints what lightd answers at a path: with `--json` as it is, otherwise as the text made of it.
    ///
    /// - Throws: afterwards, if it lacks the lights of a bridge.
    func show<Body: Codable>(
        _ path: String, _ query: [(Routes.Query, String)] = [], _ text: (Body) throws -> String
    ) throws {
        let document = try document(path, query)
        try afterwards({ try print(document, text) }) { try requireLights(of: document.unreadBridges, in: "list") }
    }

    /// The same for a list of which only some are shown.
    ///
    /// - Parameter isShown: `nil` if all are.
    func show<Element: Codable>(
        _ path: String, _ query: [(Routes.Query, String)], _ isShown: ((Element) -> Bool)?,
        _ text: ([Element]) throws -> String
    ) throws {
        guard let isShown else { return try show(path, query, text) }
        let document = try document(path, query)
        let shown = try client.decoded([Element].self, document.json).filter(isShown)
        try afterwards({
            if console.json { return try console.printJSON(shown) }
            if shown.isEmpty { return try console.confirm("none") }
            try console.print(try text(shown))
        }) { try requireLights(of: document.unreadBridges, in: "list") }
    }

    private func print<Body: Codable>(_ document: DaemonClient.Document, _ text: (Body) throws -> String) throws {
        if console.json, !terminal.isTerminal, !client.endpoint.isSite {
            // Unchanged, so that a script sees what the API says, and sees it soon.
            let json = document.json
            let line = json.last == UInt8(ascii: "\n") ? json.dropLast() : json
            try console.print(String(decoding: line, as: UTF8.self))
        } else {
            let body = try client.decoded(Body.self, document.json)
            if console.json { try console.printJSON(body) } else { try console.print(try text(body)) }
        }
    }

    /// Prints, then checks, also if nobody reads what is printed: a closed pipe must not turn a failure into a success.
    func afterwards(_ print: () throws -> Void, _ check: () throws -> Void) throws {
        do { try print() } catch let gone as Console.ReaderGone {
            try check()
            throw gone
        }
        try check()
    }

    /// Fails if something that was printed lacks the lights of these bridges, which it does not show.
    ///
    /// - Parameter printed: "list" or "snapshot".
    func requireLights(of unread: [String], in printed: String) throws {
        guard !unread.isEmpty else { return }
        // Unlike the list of bridges, it does not wait until each was tried: the list has done that.
        let status: StatusBody = try get(Routes.status)
        let bridges = status.bridges
        let missing = bridges.filter { unread.contains($0.id) }
        // It was forgotten meanwhile.
        guard !missing.isEmpty else { return }
        let which = missing.count == 1 ? "a bridge" : "\(missing.count) bridges"
        let codes = Set(missing.map { $0.reasonCode ?? .bridgeUnreachable })
        let alike = codes.count == 1 ? codes.first : nil
        throw ErrorReply(
            missing.count < bridges.count ? .partly : alike ?? .bridgeUnreachable,
            "the \(printed) lacks the lights of \(which) that lightd has not reached since it started",
            hint: "'lightctl doctor' says more about it",
            parts: missing.map {
                ErrorReply.Part(
                    target: $0.name, code: $0.reasonCode ?? .bridgeUnreachable,
                    message: $0.reason ?? "lightd was still connecting to it"
                )
            })
    }

    /// Sends one command per target, a few at a time, and prints the results in the order of the targets. A target that
    /// was typed twice gets one command.
    func send(_ verb: some TargetVerb) throws {
        let (targets, delivery) = (try verb.distinctTargets, verb.delivery)
        let commands = try targets.map(verb.command)
        let requests = commands.map { CommandRequest($0, wait: delivery.wait, dryRun: delivery.dryRun) }
        let replies = try client.send(requests, within: timeout(for: delivery))
        let results = CommandResults(
            each: zip(targets, replies).map { target, reply in
                (target, reply.map { CompletedCommand(target: target, $0) })
            })
        let sent = Dictionary(zip(targets, commands)) { first, _ in first }
        let error = results.error ?? DryRunText.error(results.done.flatMap { $0.failing ?? [] })
        try afterwards({ try show(results, of: sent) }) { if let error { throw error } }
    }

    /// Prints what would be sent.
    func show(dryRun requests: [PlannedRequestBody]) throws {
        if requests.isEmpty { return try console.confirm("nothing to send") }
        try console.print(DryRunText.lines(requests, on: terminal))
    }

    /// - Parameter commands: by target.
    private func show(_ results: CommandResults, of commands: [String: Command]) throws {
        if console.json {
            if !results.done.isEmpty || results.error == nil { try console.printJSON(results.done) }
        } else if results.done.contains(where: { $0.requests != nil }) {
            try show(dryRun: results.done.flatMap { $0.requests ?? [] })
            for done in results.done { try console.show(leftOut: done.leftOut) }
        } else {
            let clock = WallClock.local()
            for done in results.done {
                if let warning = done.warning { console.note(printable(warning)) }
                try console.confirm(
                    commands[done.target].flatMap { ConfirmationText.line(after: $0, done) }
                        ?? ConfirmationText.line(done.target, done.lights, clock))
                try console.show(leftOut: done.leftOut)
            }
        }
    }
}

extension GlobalOptions {
    /// How long lightd may take to answer what it answers at once.
    var patience: Duration { timeout?.duration ?? Session.defaultTimeout }
}

extension Session {
    /// - Throws: if the endpoint or the token is not named as it must be.
    init(_ options: GlobalOptions) throws(ErrorReply) {
        let environment = ProcessInfo.processInfo.environment
        self.init(options, at: try Endpoint(options, environment: environment), environment: environment)
    }

    init(_ options: GlobalOptions, at endpoint: Endpoint, environment: [String: String]) {
        self.init(
            client: DaemonClient(endpoint),
            console: Console(
                terminal: .behind(1, environment: environment), quiet: options.quiet, json: options.json),
            timeout: options.timeout?.duration
        )
    }
}

/// The token that lightd asks for over TCP. It never stands in an argument, which everybody on the machine can read.
struct AccessToken: Equatable, Sendable {
    let text: String
    /// Where it comes from, for errors: "LIGHTCTL_TOKEN", "'/home/me/token'".
    let source: String

    static let variable = "LIGHTCTL_TOKEN"
    static let fileVariable = "LIGHTCTL_TOKEN_FILE"

    /// - Parameter text: as it stands there; space around it is ignored.
    init(_ text: String, from source: String) throws(ErrorReply) {
        let words = text.split(whereSeparator: \.isWhitespace)
        // Visible ASCII: anything else would be more than the value of a field of HTTP.
        guard words.count == 1, words[0].utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ErrorReply(
                .invalid, words.isEmpty ? "\(source) has no token" : "\(source) has something other than one token",
                hint: Self.hint)
        }
        (self.text, self.source) = (String(words[0]), source)
    }

    /// The token of the option, else of the environment.
    ///
    /// - Returns: `nil` if none is given.
    static func given(file: String?, environment: [String: String]) throws(ErrorReply) -> AccessToken? {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if file == nil, let text = variable(Self.variable) { return try AccessToken(text, from: Self.variable) }
        guard let file = (file ?? variable(fileVariable)).flatMap(InputFile.init(argument:)) else { return nil }
        return try AccessToken(String(decoding: try file.secret(), as: UTF8.self), from: file.name)
    }

    static let hint =
        "'lightctl token create NAME' on lightd's machine makes a token: put it in \(variable), "
        + "or in a file for --token-file"
}
