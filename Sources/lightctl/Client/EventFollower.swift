import ControlProtocol
import FoundationEssentials
import ServerSentEvents

/// Follows a stream of events until the user stops it. When the stream breaks, says so and reconnects.
struct EventFollower {
    let session: Session
    /// The path, given the id of the last handled event. The id is also sent as `Last-Event-ID`.
    let path: (String?) -> String
    var pause: (Duration) throws -> Void = { Poll.sleep($0) }

    /// - Parameter handle: called for each event in turn.
    func run(_ handle: (ServerSentEvent) throws -> Void) throws {
        var attempt = 0
        var wasConnected = false
        var last: String?
        while true {
            do {
                let events = try session.client.events(
                    path(last), after: last, within: session.timeout ?? Session.defaultTimeout)
                if wasConnected { session.console.note("connected again") }
                (wasConnected, attempt) = (true, 0)
                while case let .event(event) = try events.next() {
                    try handle(event)
                    last = event.id ?? last
                }
                session.console.note("lightd ended the stream; reconnecting")
            } catch let error as ErrorReply where wasConnected && error.error.code.exitCode == .unreachable {
                // Reported once per break, not at every attempt.
                if attempt == 0 { session.console.note("\(error.error.message); reconnecting") }
            }
            attempt += 1
            try pause(Self.pause(before: attempt))
        }
    }

    /// 0.2 s at first, so that a restart of lightd is hardly noticed; 3 s at most.
    static func pause(before attempt: Int) -> Duration {
        min(.milliseconds(200) * (1 << min(attempt - 1, 5)), .seconds(3))
    }

    /// Decodes the data of an event.
    static func body<Body: Decodable>(_ event: ServerSentEvent) throws -> Body {
        do {
            return try JSONDecoder().decode(Body.self, from: Data(event.data.utf8))
        } catch {
            throw ErrorReply(.internalError, "lightd's '\(event.name)' event cannot be read: \(reason(error))")
        }
    }
}
