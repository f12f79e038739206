import ControlProtocol
import HTTPTypes
import Hummingbird
import Khipu
import Lighting
import NIOCore

/// Streams of server-sent events.
extension ControlAPI {
    func events(_ request: APIRequest) async throws -> Response {
        let (permit, subscriber) = (try enterStreams(), latest.changes.subscribe())
        beat()
        let lastID = request.http.headers.first { $0.name.canonicalName == "last-event-id" }?.value
        return stream(request, subscriber, permit) { [latest] write in
            var shown = latest.snapshot
            // Nothing of the past is kept, so whoever has not just this state must fetch it anew.
            let missed = lastID.map { $0 != String(shown.lastID) } ?? false
            try await write(
                try APIEvent(.resync, ResyncBody(reason: missed ? "missed" : "connected")).framed(id: shown.lastID))
            for await signal in subscriber.signals {
                let view = latest.snapshot
                let events = try view.state.events(since: shown.state)
                if !events.isEmpty {
                    let text = events.enumerated()
                        .map { $1.framed(id: view.id(before: events.count - 1 - $0)) }
                        .joined()
                    try await write(text)
                } else if signal == .beat {
                    try await write(Self.comment)
                }
                shown = view
            }
        }
    }

    func log(_ request: APIRequest) async throws -> Response {
        let filter = try Self.filter(request.query)
        guard request.wantsStream else { return try .json(try await bodies(request.holder, filter)) }
        let (permit, subscriber) = (try enterStreams(), entries.subscribe())
        beat()
        // First where the journal ends, then what lies before: an entry that is written between the two is in the second.
        let newest = try await bodies(request.holder, Journal.Filter(limit: 1)).last?.number
        // Where nothing is said of the past, only what comes from now on is told.
        let earlier: [LogBody] =
            request.query[.since] == nil && request.query[.after] == nil && request.query[.limit] == nil
            ? [] : try await bodies(request.holder, filter)
        return stream(request, subscriber, permit) { [self] write in
            var last = max(newest ?? 0, earlier.last?.number ?? 0)
            if !earlier.isEmpty { try await write(try earlier.map { try $0.framed }.joined()) }
            for await signal in subscriber.signals {
                let filter = Journal.Filter(after: last, feature: filter.feature, limit: Self.mostEntries)
                let fresh = try await bodies(request.holder, filter)
                if let newest = fresh.last {
                    // As many as one look shows: there may have been more before them.
                    if fresh.count == Self.mostEntries {
                        try await write(try APIEvent(.resync, ResyncBody(reason: "missed")).framed(id: last))
                    }
                    last = newest.number
                    try await write(try fresh.map { try $0.framed }.joined())
                } else if signal == .beat {
                    try await write(Self.comment)
                }
            }
        }
    }

    // MARK: Streams

    private static let comment = ":\n\n"

    private func enterStreams() throws -> ConcurrencyLimit.Permit {
        guard let permit = streams.enter() else {
            throw APIError.busy("\(settings.maximumStreams) streams are open")
        }
        return permit
    }

    /// A response that goes on until the subscriber's bell is taken down or the client is gone.
    ///
    /// - Parameter tell: writes until it has nothing more; a write waits until the client has taken what came before.
    private func stream(
        _ request: APIRequest, _ subscriber: ChangeSignal.Subscriber, _ permit: ConcurrencyLimit.Permit,
        _ tell: @escaping @Sendable (_ write: (String) async throws -> Void) async throws -> Void
    ) -> Response {
        let body = ResponseBody { writer in
            try await request.http.body.consumeWithInboundCloseHandler { _ in
                try await tell { try await writer.write(ByteBuffer(string: $0)) }
            } onInboundClosed: {
                subscriber.cancel()
            }
            try await writer.finish(nil)
            withExtendedLifetime(permit) {}
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
        get throws { try APIEvent(.log, self).framed(id: number) }
    }
}

extension HTTPField.Name {

}
