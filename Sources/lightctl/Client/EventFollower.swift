import ControlProtocol
import FoundationEssentials

/// Follows a stream of events until the user ends it: where lightd goes away, it waits for it to come back, and says so.
struct EventFollower: Sendable {
    let session: Session
    /// The path, given the id of the last event that was taken; the daemon is told it besides.
    let path: @Sendable (String?) -> String
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// - Parameter handle: called for every event, one after the other.
    func run(_ handle: @Sendable (ServerSentEvent) async throws -> Void) async throws {
        var attempt = 0
        var everOpen = false
        var last: String?
        while true {
            do {
                let events = try await session.client.events(
                    path(last), after: last, within: session.timeout ?? Session.defaultTimeout)
                if everOpen { session.console.note("connected again") }
                (everOpen, attempt) = (true, 0)
                for try await event in events {
                    try await handle(event)
                    last = event.id ?? last
                }
                session.console.note("lightd ended the stream; waiting for it")
            } catch let error as ErrorReply where everOpen && error.error.code.exitCode == .unreachable {
                // Told once a break, not at every attempt.
                if attempt == 0 { session.console.note("\(error.error.message); waiting for it") }
            }
            attempt += 1
            try await pause(Self.pause(before: attempt))
        }
    }

    /// 0.2 s at first, so that a restart is hardly seen; 3 s at most.
    static func pause(before attempt: Int) -> Duration {
        min(.milliseconds(200) * (1 << min(attempt - 1, 5)), .seconds(3))
    }

    /// An event's data, read.
    static func body<Body: Decodable>(_ event: ServerSentEvent) throws -> Body {
        do {
            return try JSONDecoder().decode(Body.self, from: Data(event.data.utf8))
        } catch {
            throw ErrorReply(.internalError, "lightd's '\(event.name)' event cannot be read: \(reason(error))")
        }
    }
}
