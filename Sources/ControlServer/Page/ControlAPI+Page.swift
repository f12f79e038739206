import ControlProtocol
import ControlSurface
import Executors
import HTTPTypes
import Hummingbird
import Languages
import Lighting
import NIOCore
import ServerSentEvents

/// `/v1/page` and what is below it: the view model of the page, and what changes in it.
extension ControlAPI {
    /// What the events of the page depend on, besides the newest state.
    struct PageStep: Hashable {
        /// The id of the state that they begin at; `nil` for a client that begins here.
        let from: Int64?
        let reader: PageReader
    }

    func page(_ request: APIRequest) async throws -> Response {
        let reader = reader(of: request)
        return try state(
            request, of: surface.latest.snapshot, kept: "\(Routes.page) \(reader.access) \(reader.language)",
            variant: reader.variant
        ) { $0.page(for: reader) }
    }

    func pageEvents(_ request: APIRequest) async throws -> Response {
        let reader = reader(of: request)
        var response = try follow(request, variant: reader.variant) { [sharedPageEvents] shown, _ in
            let bytes = try sharedPageEvents.value(for: PageStep(from: nil, reader: reader), of: shown.id) {
                Self.framed(
                    [try PageEvent(.page, shown.home.page(for: reader))], of: shown, variant: reader.variant)
            }
            return bytes ?? ByteBuffer()
        } changes: { [sharedPageEvents] shown, state in
            guard shown.id != state.id else { return nil }
            return try sharedPageEvents.value(for: PageStep(from: shown.id, reader: reader), of: state.id) {
                Self.framed(
                    try state.home.pageEvents(since: shown.home, for: reader), of: state, variant: reader.variant)
            }
        }
        // A page that was open while lightd was replaced connects again, and learns that its files are old.
        if let name = Self.pageVersion { response.headers[name] = PageFiles.embedded.version }
        return response
    }

    // MARK: The log

    func pageLog(_ request: APIRequest) async throws -> Response {
        let query = try pageLogQuery(request, in: surface.directory)
        let number = try request.number(.before)
        guard request.wantsStream else {
            return try await read(request) { [surface] in
                try .json(try await surface.pageLog(query, before: number, from: request.client))
            }
        }
        let (permit, subscriber) = (try request.enterStreams(), surface.journalChanges.subscribe())
        return stream(request, subscriber, permit) { [surface] write in
            var reading = surface.followPageLog(query, from: request.client)
            func readPage() async throws -> ByteBuffer {
                let (now, page) = try await self.readFirst(request) { [reading] in
                    var reading = reading
                    let page = try await reading.page()
                    return (reading, page)
                }
                reading = now
                return try ByteBuffer(framing: "log", page)
            }
            try await write(readPage())
            for await signal in subscriber.signals {
                // As those of the journal: many of them together must not read more often than one.
                try await QueueTimer.sleep(for: Self.delayPerFollower * surface.journalChanges.subscriberCount)
                do {
                    if let changes = try await reading.changes() {
                        try await write(ByteBuffer(framing: "lines", changes))
                    } else if signal == .timer {
                        try await write(Self.comment)
                    }
                } catch is PageLogMissed {
                    try await write(readPage())
                }
            }
        }
    }

    private func pageLogQuery(_ request: APIRequest, in home: Directory) throws(ErrorReply) -> PageLogQuery {
        var scope = PageLogScope.people
        if let text = request.query[.scope] {
            guard let known = PageLogScope(rawValue: text) else {
                throw ErrorReply(
                    .invalid, "there is no scope '\(text)'", candidates: PageLogScope.allCases.map(\.rawValue))
            }
            scope = known
        }
        let subject = try request.query[.target].flatMap { (name) throws(ErrorReply) in
            try home.subject(named: name)
        }
        return PageLogQuery(subject, scope, for: reader(of: request))
    }

    func pageCommand(_ request: APIRequest) async throws -> Response {
        guard let number = try request.number(.ticket) else { throw ErrorReply(.invalid, "'ticket' is missing") }
        guard let command = surface.directory.pageCommand(UInt64(number), for: reader(of: request)) else {
            throw ErrorReply(.noSuchTarget, "no command with this ticket is remembered")
        }
        return try .json(command)
    }

    // MARK: Sensors

    func pageSensors(_ request: APIRequest) async throws -> Response {
        let reader = reader(of: request)
        guard request.wantsStream else {
            return try state(
                request, of: surface.latest.snapshot, kept: "\(Routes.pageSensors) \(reader.language)",
                variant: reader.variant
            ) { [surface] in $0.pageSensors(at: surface.clock.now(), in: reader.language) }
        }
        @Sendable func event(of state: LatestState.Snapshot) throws -> ByteBuffer {
            let sensors = try SensorsEvent(
                .sensors, state.home.pageSensors(at: surface.clock.now(), in: reader.language))
            return Self.framed([sensors], of: state, variant: reader.variant) ?? ByteBuffer()
        }
        return try follow(request, variant: reader.variant) { shown, _ in
            try event(of: shown)
        } changes: { shown, state in
            let (old, new) = (shown.state, state.state)
            // Nearly always only lights have changed.
            guard old.sensors != new.sensors || old.sensorDays != new.sensorDays || old.rooms != new.rooms else {
                return nil
            }
            return try event(of: state)
        }
    }

    // MARK: Automations

    func pageAutomations(_ request: APIRequest) async throws -> Response {
        try .json(surface.directory.pageAutomations(for: reader(of: request)))
    }

    private func reader(of request: APIRequest) -> PageReader {
        PageReader(
            access: min(request.admission.level, .full).role ?? .look,
            language: Language(accepted: request.http.headers[.acceptLanguage]))
    }

    private static let pageVersion = HTTPField.Name("X-Lightd-Page")
}

typealias SensorsEvent = SurfaceEvent<SensorsEventName>

enum SensorsEventName: String, Sendable { case sensors }

extension PageReader {
    /// Whoever signs in anew, with other rights or another language, must not go on with the page of before: neither
    /// with one that is cached, nor from an event of its stream.
    fileprivate var variant: String {
        (access == .full ? "" : "-\(access.rawValue)") + (language == .english ? "" : "-\(language.rawValue)")
    }
}

extension ByteBuffer {
    /// An event of a stream that begins anew with each connection, and so has no ids.
    fileprivate init(framing name: String, _ body: some Encodable) throws {
        self.init(string: ServerSentEvent(name: name, data: try JSON.text(body)).framed)
    }
}

extension APIRequest {
    /// - Throws: `invalid` for what is not a number above 0.
    fileprivate func number(_ field: Routes.Query) throws(ErrorReply) -> Int64? {
        guard let text = query[field] else { return nil }
        guard let number = Int64(text), number > 0 else {
            throw ErrorReply(.invalid, "'\(field.rawValue)' is '\(text)', but must be a number above 0")
        }
        return number
    }
}
