import ControlProtocol
import FoundationEssentials
import ServerSentEvents

/// Follows a stream of events until the user stops it. When the stream breaks, says so and reconnects.
struct EventFollower {
    let session: Session
    /// The path, given the id of the last handled event. The id is also sent as `Last-Event-ID`.
    let path: (String?) -> String
    var pause: (Duration) throws -> Void = { Poll.sleep($0) }
    /// Told once when the stream breaks, and with `nil` when it goes on.
    var trouble: ((String?) throws -> Void)?

    /// - Parameters:
    ///   - wait: how long to wait for the next event before `handle` is called without one; `nil` waits as long as it
    ///     takes.
    ///   - handle: called for each event in turn.
    func run(atMost wait: () -> Duration? = { nil }, _ handle: (ServerSentEvent?) throws -> Void) throws {
        var attempt = 0
        var wasConnected = false
        var last: String?
        while true {
            do {
                let events = try session.client.events(
                    path(last), after: last, within: session.timeout ?? Session.defaultTimeout)
                if wasConnected { try tell(nil) }
                (wasConnected, attempt) = (true, 0)
                reading: while true {
                    switch try events.next(atMost: wait()) {
                    case let .event(event):
                        try handle(event)
                        last = event.id ?? last
                    case .nothing: try handle(nil)
                    case .end: break reading
                    }
                }
                try tell("lightd ended the stream; reconnecting")
            } catch let error as ErrorReply where wasConnected && error.error.code.exitCode == .unreachable {
                // Reported once per break, not at every attempt.
                if attempt == 0 { try tell("\(error.error.message); reconnecting") }
            }
            attempt += 1
            try pause(Self.pause(before: attempt))
        }
    }

    private func tell(_ text: String?) throws {
        if let trouble { return try trouble(text) }
        session.console.note(text ?? "connected again")
    }

    /// 0.2 s at first, so that a restart of lightd is hardly noticed; 3 s at most.
    static func pause(before attempt: Int) -> Duration {
        min(.milliseconds(200) * (1 << min(attempt - 1, 5)), .seconds(3))
    }

    /// Decodes the data of an event.
    static func body<Body: Decodable>(_ event: ServerSentEvent) throws -> Body {
        let json = Data(event.data.utf8)
        do {
            return try JSONDecoder().decode(Body.self, from: json)
        } catch {
            throw ErrorReply(
                .internalError, "lightd's '\(event.name)' event cannot be read: \(reason(error, in: json))")
        }
    }
}

/// The events of one stream, read when they are asked for.
final class EventStream {
    enum Next: Equatable {
        case event(ServerSentEvent)
        /// The time is over, or a signal came in between.
        case nothing
        /// lightd has ended the stream.
        case end
    }

    private let stream: Transport.Stream
    private let reply: (TransportError) -> ErrorReply
    private var parser = ServerSentEvent.Parser()
    private var decoded: ArraySlice<ServerSentEvent> = []

    init(_ stream: Transport.Stream, reply: @escaping (TransportError) -> ErrorReply) {
        (self.stream, self.reply) = (stream, reply)
    }

    /// - Parameter wait: at most so long; `nil` waits for as long as it takes.
    func next(atMost wait: Duration? = nil) throws(ErrorReply) -> Next {
        do throws(TransportError) {
            while decoded.isEmpty {
                switch try stream.next(wait) {
                case let .bytes(bytes): decoded = parser.read(bytes)[...]
                case .nothing where wait == nil: break
                case .nothing: return .nothing
                case .end: return .end
                }
            }
        } catch {
            throw reply(error)
        }
        return .event(decoded.removeFirst())
    }
}
