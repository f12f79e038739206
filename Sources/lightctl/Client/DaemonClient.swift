import ControlProtocol
import FoundationEssentials
import ServerSentEvents

/// The client of lightd's control API. Every failure is thrown as the `ErrorReply` to print.
struct DaemonClient: Sendable {
    let transport: Transport
    /// The path of the socket, for errors.
    var address = "its socket"
    /// Explains why no connection could be made.
    let diagnose: @Sendable () -> ErrorReply?

    func get<Body: Decodable>(_ type: Body.Type = Body.self, _ path: String, within timeout: Duration) async throws
        -> Body
    {
        let answer: Transport.Response
        do {
            answer = try await transport.send(.get(path), timeout)
        } catch {
            throw reply(for: error, within: timeout)
        }
        return try decoded(type, answer)
    }

    /// Sends a command and returns lightd's reply. Without a reply the command may have been carried out; the error
    /// says so.
    ///
    /// - Parameter wait: whether lightd replies only after the bridges have confirmed the command.
    func send(_ command: Command, wait: Bool = false, within timeout: Duration) async throws -> CommandReply {
        let body = try JSONEncoder().encode(CommandRequest(command, wait: wait))
        let answer: Transport.Response
        do {
            answer = try await transport.send(.post(Routes.messages, body), timeout)
        } catch .timedOut {
            throw ErrorReply(
                .unconfirmed,
                "lightd did not answer within \(durationText(timeout)); the command may still be carried out"
            )
        } catch let .broken(reason) {
            throw ErrorReply(
                .unconfirmed, "the connection to lightd broke (\(reason)); the command may have been carried out")
        } catch {
            throw reply(for: error, within: timeout)
        }
        return try decoded(CommandReply.self, answer)
    }

    /// The events of a path as they arrive.
    func events(
        _ path: String, after lastID: String? = nil, within timeout: Duration
    ) async throws -> AsyncThrowingStream<ServerSentEvent, any Error> {
        let stream: Transport.Stream
        do {
            stream = try await transport.stream(path, lastID, timeout)
        } catch {
            throw reply(for: error, within: timeout)
        }
        guard stream.status == 200 else {
            var body = Data()
            do {
                while let piece = try await stream.next() { body.append(contentsOf: piece) }
            } catch {
                throw reply(for: error, within: timeout)
            }
            throw ErrorReply(status: stream.status, body: body, from: address)
        }
        // Pulled, not pushed: nothing is read from lightd before the caller asks for it.
        let decoder = EventStreamDecoder(stream)
        return AsyncThrowingStream {
            do {
                return try await decoder.next()
            } catch let failure as TransportError {
                throw reply(for: failure, within: timeout)
            }
        }
    }

    private func decoded<Body: Decodable>(_ type: Body.Type, _ answer: Transport.Response) throws -> Body {
        guard (200..<300).contains(answer.status) else {
            throw ErrorReply(status: answer.status, body: answer.body, from: address)
        }
        do {
            return try JSONDecoder().decode(type, from: answer.body)
        } catch {
            throw ErrorReply(
                .internalError, "lightd's answer cannot be read: \(reason(error))",
                hint: "this is lightctl \(Release.version); 'lightctl status' shows the version of lightd"
            )
        }
    }

    private func reply(for failure: TransportError, within timeout: Duration) -> ErrorReply {
        switch failure {
        case let .noConnection(reason):
            diagnose() ?? ErrorReply(.daemonUnreachable, "cannot reach lightd (\(reason)); is it running?")
        case .timedOut:
            ErrorReply(
                .daemonUnreachable, "lightd did not answer within \(durationText(timeout))",
                hint: "see 'systemctl status lightd'"
            )
        case let .broken(reason):
            ErrorReply(.daemonUnreachable, "lightd closed the connection (\(reason)); has it stopped?")
        }
    }

    private func durationText(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return number(Double(seconds) + Double(attoseconds) / 1e18) + " s"
    }
}

/// Why a JSON text cannot be decoded, in a few words.
func reason(_ error: any Error) -> String {
    switch error {
    case let DecodingError.keyNotFound(key, _): "'\(key.stringValue)' is missing"
    case let DecodingError.typeMismatch(_, context), let DecodingError.valueNotFound(_, context),
        let DecodingError.dataCorrupted(context):
        context.debugDescription
    default: "\(error)"
    }
}
