import ControlProtocol
import FoundationEssentials
import ServerSentEvents

/// The client of lightd's control API. Every failure is thrown as the `ErrorReply` to print.
struct DaemonClient {
    let transport: Transport
    let endpoint: Endpoint

    init(_ endpoint: Endpoint) { self.init(.http(to: endpoint), to: endpoint) }

    /// - Parameter endpoint: what the transport leads to, for errors.
    init(_ transport: Transport, to endpoint: Endpoint) { (self.transport, self.endpoint) = (transport, endpoint) }

    func get<Body: Decodable>(_ type: Body.Type = Body.self, _ path: String, within timeout: Duration) throws -> Body {
        try decoded(type, try document(path, within: timeout).json)
    }

    /// What lightd answers at a path.
    struct Document {
        /// As lightd sent it.
        let json: Data
        /// The bridges whose lights it lacks (``Routes/unreadBridgesHeader``).
        let unreadBridges: [String]
    }

    func document(_ path: String, within timeout: Duration) throws(ErrorReply) -> Document {
        let answer = try response(to: .get(path), within: timeout)
        return Document(json: try success(answer), unreadBridges: answer.unreadBridges)
    }

    /// Makes an access token.
    func create(_ token: TokenRequest, within timeout: Duration) throws -> NewTokenBody {
        try decoded(
            NewTokenBody.self, try answer(to: .post(Routes.tokens, try JSONEncoder().encode(token)), within: timeout))
    }

    /// Makes a link for a page.
    func create(_ link: LinkRequest, within timeout: Duration) throws -> LinkBody {
        try decoded(
            LinkBody.self, try answer(to: .post(Routes.links, try JSONEncoder().encode(link)), within: timeout))
    }

    /// Revokes an access token.
    func revoke(token name: String, within timeout: Duration) throws -> TokenBody {
        try decoded(
            TokenBody.self, try answer(to: .delete(Routes.path(Routes.tokens, [(.name, name)])), within: timeout))
    }

    /// Makes the automations what a file says.
    ///
    /// - Parameter keepsOthers: whether those that are not in it stay.
    func apply(
        automations file: Data, keepsOthers: Bool, dryRun: Bool, within timeout: Duration
    ) throws -> AutomationChangesBody {
        let query: [(Routes.Query, String)] =
            (keepsOthers ? [(.keep, "true")] : []) + (dryRun ? [(.dryRun, "true")] : [])
        let path = Routes.path(Routes.automations, query)
        return try decoded(AutomationChangesBody.self, try answer(to: .put(path, file), within: timeout))
    }

    /// What the automations of a file would have done.
    func simulate(
        automations file: Data, since: Moment?, until: Moment?, within timeout: Duration
    ) throws -> AutomationSimulationBody {
        let query: [(Routes.Query, String)] = [(.since, since), (.until, until)].compactMap { field, time in
            time.map { (field, $0.iso) }
        }
        let request = Transport.Request.postFile(Routes.path(Routes.simulation, query), file)
        return try decoded(AutomationSimulationBody.self, try answer(to: request, within: timeout))
    }

    /// The automations as a file. What another site says is made printable, line by line.
    func automationFile(within timeout: Duration) throws(ErrorReply) -> String {
        let file = String(
            decoding: try answer(to: .getFile(Routes.automations), within: timeout, as: Self.yaml), as: UTF8.self)
        return endpoint.isSite ? file.split(separator: "\n").map { printable(String($0)) + "\n" }.joined() : file
    }

    /// What lightd keeps, as the bytes of a file.
    func backup(withKeys: Bool, within timeout: Duration) throws(ErrorReply) -> Data {
        let path = Routes.path(Routes.backup, withKeys ? [(.keys, "true")] : [])
        return try answer(to: .get(path), within: timeout, as: Routes.backupType)
    }

    /// Makes lightd begin anew with what a backup holds.
    func restore(backup file: Data, dryRun: Bool, within timeout: Duration) throws -> BackupBody {
        let path = Routes.path(Routes.backup, dryRun ? [(.dryRun, "true")] : [])
        return try decoded(BackupBody.self, try answer(to: .putBackup(path, file), within: timeout))
    }

    private func answer(
        to request: Transport.Request, within timeout: Duration, as type: String = json
    ) throws(ErrorReply) -> Data {
        try success(try response(to: request, within: timeout), as: type)
    }

    private func response(
        to request: Transport.Request, within timeout: Duration
    ) throws(ErrorReply) -> Transport.Response {
        try worded(within: timeout) { () throws(TransportError) in try send([request], within: timeout)[0].get() }
    }

    /// Sends requests, and sends those again that lightd has not carried out because it stops. If systemd holds its
    /// socket, they wait there for the next lightd; otherwise nothing listens any more, and that is the result.
    private func send(
        _ requests: [Transport.Request], within timeout: Duration, meanwhile: Transport.Meanwhile? = nil
    ) -> [Result<Transport.Response, TransportError>] {
        let deadline = ContinuousClock.now + timeout
        var results = transport.send(requests, timeout, meanwhile)
        var pause = Duration.milliseconds(10)
        while true {
            let refused = results.indices.filter { results[$0].isLeftByStopping }
            guard !refused.isEmpty, deadline - .now > pause else { return results }
            // A lightd that has begun to stop accepts connections for some moments still.
            Poll.sleep(pause)
            pause = min(pause * 2, .milliseconds(200))
            let again = transport.send(refused.map { requests[$0] }, deadline - .now, meanwhile)
            for (place, result) in zip(refused, again) { results[place] = result }
        }
    }

    /// Sends commands, several at a time, and returns lightd's replies in the order of the commands. Without a reply
    /// the command may have been carried out; the error says so.
    func send(
        _ commands: [CommandRequest], within timeout: Duration, meanwhile: Transport.Meanwhile? = nil
    ) throws -> [Result<CommandReply, ErrorReply>] {
        let encoder = JSONEncoder()
        return post(try commands.map { try encoder.encode($0) }, within: timeout, meanwhile: meanwhile)
    }

    /// Sends commands that are JSON already, as ``send`` does.
    func post(
        _ commands: [Data], within timeout: Duration, meanwhile: Transport.Meanwhile? = nil
    ) -> [Result<CommandReply, ErrorReply>] {
        send(commands.map { .post(Routes.messages, $0) }, within: timeout, meanwhile: meanwhile).map { answer in
            answer.mapError { commandError($0, within: timeout) }.flatMap { answer in
                Result { () throws(ErrorReply) in
                    let json = try success(answer)
                    do throws(ErrorReply) {
                        return try decoded(CommandReply.self, json)
                    } catch {
                        throw ErrorReply(
                            .unconfirmed, error.error.message + "; the command may have been carried out",
                            hint: error.error.hint)
                    }
                }
            }
        }
    }

    func send(
        _ command: Command, within timeout: Duration, meanwhile: Transport.Meanwhile? = nil
    ) throws -> CommandReply {
        try send([CommandRequest(command)], within: timeout, meanwhile: meanwhile)[0].get()
    }

    /// The events of a path.
    func events(_ path: String, after lastID: String? = nil, within timeout: Duration) throws(ErrorReply) -> EventStream
    {
        let stream = try worded(within: timeout) { () throws(TransportError) in
            try transport.stream(path, lastID, timeout)
        }
        guard stream.status == 200 else {
            let body = try worded(within: timeout) { () throws(TransportError) in try stream.all(within: timeout) }
            throw refusal(stream.status, body)
        }
        guard stream.mediaType ?? Self.events == Self.events else { throw notLightd(stream.mediaType) }
        return EventStream(stream) { reply(for: $0, within: timeout) }
    }

    private static let (json, yaml, events) = ("application/json", "application/yaml", "text/event-stream")

    private func success(_ answer: Transport.Response, as type: String = json) throws(ErrorReply) -> Data {
        guard (200..<300).contains(answer.status) else {
            throw refusal(answer.status, answer.body)
        }
        guard answer.mediaType ?? type == type else { throw notLightd(answer.mediaType) }
        return answer.body
    }

    private func refusal(_ status: Int, _ body: Data) -> ErrorReply {
        endpoint.reply(ErrorReply(status: status, body: body, from: endpoint.address), status: status)
    }

    /// Another program's answer, which is a success but nothing that lightd sends.
    private func notLightd(_ mediaType: String?) -> ErrorReply {
        ErrorReply(
            .daemonUnreachable,
            "something other than lightd answers at \(endpoint.address) (with \(printable(mediaType ?? "no type")))")
    }

    func decoded<Body: Decodable>(_ type: Body.Type, _ json: Data) throws(ErrorReply) -> Body {
        do {
            return try JSONDecoder().decode(type, from: json)
        } catch {
            throw ErrorReply(
                .internalError, "lightd's answer cannot be read: \(reason(error, in: json))",
                hint: "this is lightctl \(Release.version); 'lightctl status' shows the version of lightd"
            )
        }
    }

    private func commandError(_ failure: TransportError, within timeout: Duration) -> ErrorReply {
        switch failure {
        case .noConnection, .unread: reply(for: failure, within: timeout)
        case .timedOut:
            ErrorReply(
                .unconfirmed,
                "lightd did not answer within \(durationText(timeout)); the command may still be carried out"
            )
        case let .broken(reason):
            ErrorReply(
                .unconfirmed, "the connection to lightd broke (\(reason)); the command may have been carried out")
        }
    }

    private func reply(for failure: TransportError, within timeout: Duration) -> ErrorReply {
        switch failure {
        case let .noConnection(failure): endpoint.reply(failure)
        case .timedOut:
            ErrorReply(
                .daemonUnreachable, "lightd did not answer within \(durationText(timeout))",
                hint: endpoint.statusHint
            )
        case let .broken(reason), let .unread(reason):
            ErrorReply(.daemonUnreachable, "lightd closed the connection (\(reason)); has it stopped?")
        }
    }

    private func worded<Value>(
        within timeout: Duration, _ work: () throws(TransportError) -> Value
    ) throws(ErrorReply) -> Value {
        do throws(TransportError) {
            return try work()
        } catch {
            throw reply(for: error, within: timeout)
        }
    }

    private func durationText(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return number(Double(seconds) + Double(attoseconds) / 1e18) + " s"
    }
}

/// Why a JSON text cannot be read, in a few words.
func reason(_ error: any Error, in json: Data) -> String {
    (error as? DecodingError)?.words(in: json, called: "it") ?? "\(error)"
}

extension Result<Transport.Response, TransportError> {
    /// Whether lightd has left the request alone, as it does when it stops.
    fileprivate var isLeftByStopping: Bool {
        switch self {
        case .failure(.unread): true
        case let .success(answer) where answer.status == ErrorCode.daemonStopping.status:
            ErrorReply(status: answer.status, body: answer.body, from: "").error.code == .daemonStopping
        case .success, .failure: false
        }
    }
}

extension ErrorReply {
    /// Decodes the error in a response. If its code is unknown (a newer lightd), keeps the message and derives the code
    /// from the HTTP status. A body that is not an error of lightd's comes from another server.
    ///
    /// - Parameter address: where the response came from.
    init(status: Int, body: Data, from address: String) {
        // If this fails, MinimalError below is tried.
        if let reply = try? JSONDecoder().decode(ErrorReply.self, from: body) {
            self = reply
            return
        }
        struct MinimalError: Decodable {
            let error: Body
            struct Body: Decodable {
                let code: String
                let message: String
                let hint: String?
            }
        }
        // As above: the body is not one of lightd's.
        guard let minimal = try? JSONDecoder().decode(MinimalError.self, from: body) else {
            self.init(.daemonUnreachable, "something other than lightd answers at \(address) (HTTP status \(status))")
            return
        }
        let code: ErrorCode =
            switch status {
            case 400: .invalid
            case 401, 403: .notAllowed
            case 404: .noSuchPath
            case 409: .ambiguousTarget
            case 422: .refused
            case 502: .partly
            case 503: .bridgeUnreachable
            case 504: .unconfirmed
            default: .internalError
            }
        self.init(code, minimal.error.message, hint: minimal.error.hint)
    }
}
