import ControlProtocol
import ControlSurface
import Executors
import HTTPTypes
import Hummingbird
import Khipu
import Lighting
import NIOCore
import NIOPosix
import ServerSentEvents
import Synchronization

/// Streams of server-sent events: `/v1/events`, and `/v1/log` if it is followed.
extension ControlAPI {
    /// A stream that has been silent for this long sends a comment, so that either end notices when the other is gone.
    static let keepAlive = Duration.seconds(15)
    /// The most entries that `/v1/log` answers with.
    static let mostEntries = 10_000

    func events(_ request: APIRequest) async throws -> Response {
        try follow(request) { shown, hasMissed in
            ByteBuffer(try HomeEvent(.resync, ResyncBody(reason: hasMissed ? "missed" : "connected")), id: shown.id)
        } changes: { [self] in
            try framed(from: $0, to: $1)
        }
    }

    /// A stream of what changes in the home.
    ///
    /// - Parameters:
    ///   - variant: ends the ids of the stream's events; only a client that names one with it has seen what is sent here.
    ///   - beginning: the first event, for a client that begins here, or that has missed more than is remembered.
    ///   - changes: the events that lead from one state to another; `nil` if nothing looks different.
    func follow(
        _ request: APIRequest, variant: String = "",
        beginning: @escaping @Sendable (LatestState.Snapshot, _ hasMissed: Bool) throws -> ByteBuffer,
        changes events: @escaping @Sendable (LatestState.Snapshot, LatestState.Snapshot) throws -> ByteBuffer?
    ) throws -> Response {
        let (permit, subscriber) = (try request.enterStreams(), changes.subscribe())
        let lastID = request.http.headers.first { $0.name.canonicalName == "last-event-id" }?.value
        return stream(request, subscriber, permit) { [latest = surface.latest] write in
            var shown = latest.snapshot
            let seen = lastID.flatMap { $0.hasSuffix(variant) ? Int64($0.dropLast(variant.count)) : nil }
            if let known = seen.flatMap({ latest.snapshot(id: $0) }) {
                // What the client has missed comes as if it had never been away. If that is nothing, it still learns
                // that it is connected.
                try await write(try events(known, shown) ?? Self.comment)
            } else {
                try await write(try beginning(shown, lastID != nil))
            }
            for await signal in subscriber.signals {
                let snapshot = latest.snapshot
                if let events = try events(shown, snapshot) {
                    try await write(events)
                } else if signal == .timer {
                    try await write(Self.comment)
                }
                shown = snapshot
            }
        }
    }

    /// Wakes the readers of events for every change, until the task is cancelled.
    ///
    /// They do not subscribe to the changes themselves: to wake a thousand of them takes milliseconds, and a command
    /// makes several changes, for each of which the home would wait. Here one round serves all changes that come while
    /// it waits or lasts. With many readers it waits a little first, for about as long as it will take, so that a
    /// command is answered before its events are sent. And the event loops, which carry commands too, never have more
    /// than a few readers to write to.
    func relayChanges() async {
        let subscriber = surface.latest.changes.subscribe()
        await withTaskExecutorPreference(readers) {
            for await signal in subscriber.signals {
                let delay = Self.delayPerReader * changes.subscriberCount
                if delay >= .milliseconds(1) {
                    guard (try? await QueueTimer.sleep(for: delay)) != nil else { return }  // cancelled
                }
                await changes.send(signal, atOnce: Self.readersAtOnce) {
                    for eventLoop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
                        // An event loop that is gone has nothing to write.
                        try? await eventLoop.submit {}.get()
                    }
                }
            }
        }
    }

    private static let readersAtOnce = 16
    private static let delayPerReader = Duration.microseconds(20)

    func log(_ request: APIRequest) async throws -> Response {
        let filter = try Self.filter(request, in: surface.directory)
        guard request.wantsStream else {
            return try await read(request, weight: Self.weight(of: filter)) { [surface] in
                try .json(try await surface.log(filter, from: request.client))
            }
        }
        let (permit, subscriber) = (try request.enterStreams(), surface.journalChanges.subscribe())
        // Where the journal ends is read first, then what lies before: an entry written in between is in the second
        // answer.
        let newest = try await surface.log(Journal.Filter(limit: 1), from: request.client).last?.number
        // Without a word about the past, only new entries are sent.
        let asksForPast = [Routes.Query.since, .after, .limit].contains { request.query[$0] != nil }
        let earlier = asksForPast ? try await past(filter, for: request) : []
        // It follows a journal that was lost or replaced, and some of whose numbers were perhaps given again.
        let isAhead = (filter.after ?? 0) > (newest ?? 0)
        return stream(request, subscriber, permit) { [surface] write in
            var last = max(newest ?? 0, earlier.last?.number ?? 0)
            if isAhead { try await write(ByteBuffer(try HomeEvent(.resync, ResyncBody(reason: "missed")), id: last)) }
            if !earlier.isEmpty { try await write(try Self.framed(earlier)) }
            for await signal in subscriber.signals {
                // Each of them reads the journal: many of them together must not read more often than one.
                try await QueueTimer.sleep(for: Self.delayPerFollower * surface.journalChanges.subscriberCount)
                let newest = try await surface.log(Journal.Filter(after: last, limit: 1), from: request.client).last
                let entries =
                    newest == nil
                    ? [] : try await surface.log(filter.after(last, limit: Self.mostFollowed), from: request.client)
                if !entries.isEmpty {
                    // As many as one read returns: there may have been more before them.
                    if entries.count == Self.mostFollowed {
                        try await write(ByteBuffer(try HomeEvent(.resync, ResyncBody(reason: "missed")), id: last))
                    }
                    try await write(try Self.framed(entries))
                } else if signal == .timer {
                    try await write(Self.comment)
                }
                // Up to here, whatever the filter does not let through has been looked at, too.
                last = max(last, newest?.number ?? 0, entries.last?.number ?? 0)
            }
        }
    }

    /// The most entries that a follower gets at once; one that reads too slowly misses the others.
    private static let mostFollowed = 1_000
    static let delayPerFollower = Duration.milliseconds(10)

    /// As how many reads it counts.
    private static func weight(of filter: Journal.Filter) -> Int { (filter.limit + 999) / 1000 }

    private func past(_ filter: Journal.Filter, for request: APIRequest) async throws -> [LogBody] {
        try await readFirst(request, weight: Self.weight(of: filter)) { [surface] in
            try await surface.log(filter, from: request.client)
        }
    }

    /// What takes long to read and a stream begins with: under the same limit as what is read once.
    func readFirst<Value: Sendable>(
        _ request: APIRequest, weight: Int = 1, _ value: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let permit = try enterReads(request, weight: weight)
        defer { withExtendedLifetime(permit) {} }
        do {
            return try await withTaskExecutorPreference(bulk) { try await request.whileWaitedFor(value) }
        } catch is CancellationError {
            throw APIError.leftEarly
        }
    }

    // MARK: Streams

    static let comment = ByteBuffer(string: ":\n\n")

    private static func framed(_ entries: [LogBody]) throws -> ByteBuffer {
        var bytes = ByteBuffer()
        for entry in entries { bytes.append(try HomeEvent(.log, entry), id: String(entry.number)) }
        return bytes
    }

    /// The events that lead from one state to another; `nil` if nothing looks different.
    private func framed(from shown: LatestState.Snapshot, to state: LatestState.Snapshot) throws -> ByteBuffer? {
        guard shown.id != state.id else { return nil }
        return try sharedEvents.value(for: shown.id, of: state.id) {
            Self.framed(try state.home.events(since: shown.home), of: state)
        }
    }

    /// Events of one state, so numbered that the last has the state's own id; `nil` if there are none.
    static func framed<Name>(
        _ events: [SurfaceEvent<Name>], of state: LatestState.Snapshot, variant: String = ""
    ) -> ByteBuffer? {
        guard !events.isEmpty else { return nil }
        var bytes = ByteBuffer()
        for (place, event) in events.enumerated() {
            bytes.append(event, id: "\(state.eventID(before: events.count - 1 - place))\(variant)")
        }
        return bytes
    }

    /// A response that goes on until the daemon stops, the client is gone or its token is revoked.
    ///
    /// - Parameter events: writes as long as the subscriber receives signals. A write waits until the client has read
    ///   what was written before.
    func stream(
        _ request: APIRequest, _ subscriber: ChangeSignal.Subscriber, _ permit: ConcurrencyLimit<String>.Permit,
        _ events: @escaping @Sendable (_ write: (ByteBuffer) async throws -> Void) async throws -> Void
    ) -> Response {
        keepAlive(subscriber)
        let body = ResponseBody { [stopping, tokens, readers] writer in
            try await withTaskExecutorPreference(readers) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try? await stopping.value  // cancelled: the stream has ended
                        subscriber.cancel()
                    }
                    if let grant = request.admission.grant {
                        group.addTask {
                            try? await tokens.end(of: grant).value  // cancelled: the stream has ended
                            subscriber.cancel()
                        }
                    }
                    try await request.http.body.consumeWithInboundCloseHandler { _ in
                        try await events { bytes in
                            guard request.admission.grant.map(tokens.follows) ?? true else {
                                return subscriber.cancel()
                            }
                            try await writer.write(bytes)
                        }
                    } onInboundClosed: {
                        subscriber.cancel()
                    }
                    group.cancelAll()
                }
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

    /// Wakes a subscriber at regular intervals until it unsubscribes.
    private func keepAlive(_ subscriber: ChangeSignal.Subscriber) {
        surface.clock.wake(Self.keepAlive) { [weak self, weak subscriber] in
            guard let self, let subscriber else { return }
            subscriber.send(.timer)
            keepAlive(subscriber)
        }
    }

    // MARK: The log's query

    private static func filter(_ request: APIRequest, in home: Directory) throws(ErrorReply) -> Journal.Filter {
        let query = request.query
        func word<Word: RawRepresentable<String> & CaseIterable>(
            _ field: Routes.Query, _ type: Word.Type
        ) throws(ErrorReply) -> Word? {
            guard let text = query[field] else { return nil }
            guard let word = Word(rawValue: text) else {
                throw ErrorReply(
                    .invalid, "there is no \(field.rawValue) '\(text)'", candidates: Word.allCases.map(\.rawValue))
            }
            return word
        }
        var after: Int64?
        if let text = query[.after] {
            after = Int64(text)
            guard after != nil else {
                throw ErrorReply(.invalid, "'after' is '\(text)', but must be an entry's number")
            }
        }
        return Journal.Filter(
            since: try request.time(.since), until: try request.time(.until), after: after,
            feature: try word(.feature, Message.Feature.self),
            subject: try query[.target].flatMap { (name) throws(ErrorReply) in try home.subject(named: name) },
            cause: try word(.cause, Cause.Name.self), by: try request.sender, limit: try request.limit)
    }

    /// How many entries `/v1/log` answers with if the query does not say.
    static let defaultEntries = 100
}

extension APIRequest {
    /// At most how many entries are asked for.
    ///
    /// - Throws: `invalid` for what is out of range.
    var limit: Int {
        get throws(ErrorReply) {
            guard let text = query[.limit] else { return ControlAPI.defaultEntries }
            guard let limit = Int(text), (1...ControlAPI.mostEntries).contains(limit) else {
                throw ErrorReply(
                    .invalid, "'limit' is '\(text)', which is out of range: use 1 to \(ControlAPI.mostEntries)")
            }
            return limit
        }
    }

    /// A part of a name; longer than any needs none to be looked for.
    fileprivate var sender: String? {
        get throws(ErrorReply) {
            guard let text = query[.by] else { return nil }
            guard text.unicodeScalars.count <= 100 else {
                throw ErrorReply(.invalid, "'by' is too long: a part of a name, of 100 characters at most, is enough")
            }
            return text
        }
    }

    func enterStreams() throws(APIError) -> ConcurrencyLimit<String>.Permit {
        try streams.enter(
            admission.grant?.family, "streams are open", ofClient: "streams are open with this token")
    }
}

extension ByteBuffer {
    fileprivate init<Name>(_ event: SurfaceEvent<Name>, id: Int64) {
        self.init()
        append(event, id: String(id))
    }

    fileprivate mutating func append<Name>(_ event: SurfaceEvent<Name>, id: String) {
        writeString(ServerSentEvent(id: id, name: event.name.rawValue, data: event.data).framed)
    }
}

extension Journal.Filter {
    /// The same filter for the entries after this number.
    fileprivate func after(_ number: Int64, limit: Int) -> Self {
        Self(
            until: until, after: number, feature: feature, subject: subject, cause: cause, by: by, limit: limit)
    }
}

/// What was made of the newest state, once for all who ask for the same: most of a thousand readers of events are in
/// step, and a shell prompt, a page and a bar ask for the same list again and again. Bytes are shared too.
final class StateCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Memory {
        /// The newest state's id.
        var newest: Int64 = 0
        var values: [Key: Value] = [:]
    }

    private let maximum: Int
    private let memory = Mutex(Memory())

    /// - Parameter maximum: what is made beyond this many values of one state is not kept.
    init(_ maximum: Int = 16) {
        self.maximum = maximum
    }

    /// - Parameters:
    ///   - state: its id. What is made of an older state than the newest is not kept.
    ///   - make: called under the lock: others who want the same wait for it instead of making it too.
    func value(for key: Key, of state: Int64, _ make: () throws -> Value) throws -> Value {
        try memory.withLock { memory in
            if memory.newest < state { memory = Memory(newest: state) }
            if memory.newest == state, let value = memory.values[key] { return value }
            let value = try make()
            if memory.newest == state, memory.values.count < maximum { memory.values[key] = value }
            return value
        }
    }
}
