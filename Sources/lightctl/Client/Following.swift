import ControlProtocol
import FoundationEssentials

/// Follows a stream of events until the user ends it: where lightd goes away, it waits for it to come back, and says so.
struct Following: Sendable {
    let session: Session
    let path: String

    /// - Parameters:
    ///   - opened: called whenever the stream is open, before its first event is read.
    ///   - event: called for every event, one after the other.
    func run(
        opened: @Sendable () async throws -> Void, event handle: @Sendable (ServerSentEvent) async throws -> Void
    ) async throws {
        var attempt = 0
        var everOpen = false
        while true {
            do {
                let events = try await session.client.events(path, within: session.timeout ?? Session.patience)
                if everOpen { session.console.note("connected again") }
                (everOpen, attempt) = (true, 0)
                try await opened()
                for try await event in events { try await handle(event) }
                session.console.note("lightd ended the stream; waiting for it")
            } catch let error as ErrorReply where everOpen && error.error.code.exitCode == .unreachable {
                // Told once a break, not at every attempt.
                if attempt == 0 { session.console.note("\(error.error.message); waiting for it") }
            }
            attempt += 1
            // 0.2 s at first, so that a restart is hardly seen; 3 s at most.
            try await Task.sleep(for: min(.milliseconds(200) * (1 << min(attempt - 1, 5)), .seconds(3)))
        }
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
