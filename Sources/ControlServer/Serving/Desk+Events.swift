import ControlProtocol
import HTTPTypes
import Hummingbird
import Khipu
import Lighting
import NIOCore

/// Streams of server-sent events.
extension Desk {
    func events(_ asking: Asking) async throws -> Response {
        let (pass, listener) = (try enterStreams(), showcase.bell.listen())
        beat()
        let lastID = asking.request.headers.first { $0.name.canonicalName == "last-event-id" }?.value
        return stream(asking, listener, pass) { [showcase] write in
            var shown = showcase.view
            // Nothing of the past is kept, so whoever has not just this state must fetch it anew.
            let missed = lastID.map { $0 != String(shown.lastID) } ?? false
            try await write(
                try Event(.resync, ResyncBody(reason: missed ? "missed" : "connected")).framed(id: shown.lastID))
            for await ring in listener.rings {
                let view = showcase.view
                let events = try view.state.events(since: shown.state)
                if !events.isEmpty {
                    let text = events.enumerated()
                        .map { $1.framed(id: view.id(before: events.count - 1 - $0)) }
                        .joined()
                    try await write(text)
                } else if ring == .beat {
                    try await write(Self.comment)
                }
                shown = view
            }
        }
    }

    func log(_ asking: Asking) async throws -> Response {
        let filter = try Self.filter(asking.query)
        guard asking.wantsStream else { return try .json(try await bodies(asking.holder, filter)) }
        let (pass, listener) = (try enterStreams(), entries.listen())
        beat()
        // First where the journal ends, then what lies before: an entry that is written between the two is in the second.
        let newest = try await bodies(asking.holder, Journal.Filter(limit: 1)).last?.number
        // Where nothing is said of the past, only what comes from now on is told.
        let earlier: [LogBody] =
            asking.query[.since] == nil && asking.query[.after] == nil && asking.query[.limit] == nil
            ? [] : try await bodies(asking.holder, filter)
        return stream(asking, listener, pass) { [self] write in
            var last = max(newest ?? 0, earlier.last?.number ?? 0)
            if !earlier.isEmpty { try await write(try earlier.map { try $0.framed }.joined()) }
            for await ring in listener.rings {
                let filter = Journal.Filter(after: last, feature: filter.feature, limit: Self.mostEntries)
                let fresh = try await bodies(asking.holder, filter)
                if let newest = fresh.last {
                    // As many as one look shows: there may have been more before them.
                    if fresh.count == Self.mostEntries {
                        try await write(try Event(.resync, ResyncBody(reason: "missed")).framed(id: last))
                    }
                    last = newest.number
                    try await write(try fresh.map { try $0.framed }.joined())
                } else if ring == .beat {
                    try await write(Self.comment)
                }
            }
        }
    }

    // MARK: Streams

    private static let comment = ":\n\n"

    private func enterStreams() throws -> Gate.Pass {
        guard let pass = streams.enter() else {
            throw Refusal.busy("\(settings.maximumStreams) streams are open")
        }
        return pass
    }

    /// A response that goes on until the listener's bell is taken down or the client is gone.
    ///
    /// - Parameter tell: writes until it has nothing more; a write waits until the client has taken what came before.
    private func stream(
        _ asking: Asking, _ listener: Bell.Listener, _ pass: Gate.Pass,
        _ tell: @escaping @Sendable (_ write: (String) async throws -> Void) async throws -> Void
    ) -> Response {
        let body = ResponseBody { writer in
            try await asking.request.body.consumeWithInboundCloseHandler { _ in
                try await tell { try await writer.write(ByteBuffer(string: $0)) }
            } onInboundClosed: {
                listener.leave()
            }
            try await writer.finish(nil)
            withExtendedLifetime(pass) {}
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: body
        )
    }

    // MARK: The journal

    static let mostEntries = 10_000

    private func bodies(_ holder: String, _ filter: Journal.Filter) async throws -> [LogBody] {
        let answer = try await ask(holder, at: home.clock.now()) { .logging(.list(filter), ticket: $0) }
        let directory = await directory
        switch answer {
        case let .logging(.listing(entries, .succeeded), _): return entries.map { $0.body(in: directory) }
        default:
            throw answer.outcome?.failure?.reply(in: directory)
                ?? ErrorReply(.internalError, "the log was asked for and something else was answered")
        }
    }

    private static func filter(_ query: [Routes.Query: String]) throws(ErrorReply) -> Journal.Filter {
        var since: Timestamp?
        if let text = query[.since] {
            since = Timestamp(iso8601: text)
            guard since != nil else {
                throw ErrorReply(.invalid, "'since' is '\(text)', but is told as 2026-11-21T10:00:00Z")
            }
        }
        var after: Int64?
        if let text = query[.after] {
            after = Int64(text)
            guard after != nil else { throw ErrorReply(.invalid, "'after' is '\(text)', but is an entry's number") }
        }
        var feature: Message.Feature?
        if let text = query[.feature] {
            feature = Message.Feature(rawValue: text)
            guard feature != nil else {
                let known = Message.Feature.allCases.map(\.rawValue)
                throw ErrorReply(.invalid, "there is no feature '\(text)'", candidates: known)
            }
        }
        let limit = try query[.limit].map { (text) throws(ErrorReply) in
            guard let limit = Int(text), (1...mostEntries).contains(limit) else {
                throw ErrorReply(.invalid, "'limit' is '\(text)', but goes from 1 to \(mostEntries)")
            }
            return limit
        }
        return Journal.Filter(since: since, after: after, feature: feature, limit: limit ?? 100)
    }
}

extension LogBody {
    fileprivate var framed: String {
        get throws { try Event(.log, self).framed(id: number) }
    }
}

extension HTTPField.Name {

}
