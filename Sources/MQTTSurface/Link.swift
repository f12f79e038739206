import ControlProtocol
import ControlSurface
import FoundationEssentials
import Khipu
import Lighting
import Logging
import MQTT

/// Joins the home and one broker: takes what either does, and has the other told.
struct Link {
    enum Input: Sendable {
        case broker(MQTTConnection.Event)
        /// Something in the home has changed.
        case home
        /// The time in which the broker should have sent back a session's sentinel is over.
        case looked(sentinel: String)
        /// Time to publish again what was published.
        case repeating
        case finished(Command, Outcome)
    }

    /// What came of a message that asked for something.
    enum Outcome: Sendable {
        case done
        case failed(ErrorReply)
        /// Of a request to the control API.
        case answered(RelayedAnswer)
    }

    /// A message that asks for something, and on which topic.
    struct Command: Sendable {
        let address: Topics.Address
        let message: MQTTMessage

        init(_ address: Topics.Address, _ message: MQTTMessage) { (self.address, self.message) = (address, message) }
    }

    /// What takes time.
    enum Work: Sendable {
        case wait(Duration, then: Input)
        case perform(Topics.Address, MQTTMessage)
    }

    private static let sweepTimeout = Duration.seconds(30)
    /// Home Assistant has just started, and has much to do: so many messages at once, and a pause after them.
    private static let repeatedAtOnce = 10
    private static let repeatPause = Duration.milliseconds(100)

    private let surface: ControlSurface
    private let settings: MQTTSurfaceSettings
    private let broker: MQTTConnection
    private let logger: Logger
    private let publisher: Publisher
    private(set) var state = BrokerStatus.State.trying
    private var session: BrokerSession?
    private var sentinel = ""
    /// What the broker has been shown.
    private var shown: LatestState.Snapshot
    /// What is still to be published again; `nil` if nobody has missed anything.
    private var repeats: [Publication]?
    /// What the log has been told.
    private var told: Set<BrokerSession.Remark> = []
    /// The broker does not keep everything.
    private var rejected: String?

    init(_ surface: ControlSurface, _ settings: MQTTSurfaceSettings, _ broker: MQTTConnection, _ logger: Logger) {
        (self.surface, self.settings, self.broker, self.logger) = (surface, settings, broker, logger)
        publisher = settings.publisher
        shown = surface.latest.snapshot
    }

    mutating func take(_ input: Input) -> [Work] {
        do {
            switch input {
            case let .broker(event): return try take(event)
            case .home: try show()
            case let .looked(sentinel: old):
                guard old == sentinel, var session else { break }
                let steps = try session.giveUpLooking(everything, mayClear)
                self.session = session
                return try follow(steps)
            case .repeating: return repeatSome()
            case let .finished(command, outcome):
                switch outcome {
                case .done: break
                case let .failed(error): try tell(error, command.address, command.message)
                case let .answered(answer): try publish(answer, to: command)
                }
            }
        } catch {
            // Nothing that is published can fail to be JSON; should it, the log says what.
            logger.error("the home cannot be published on MQTT: \(error)")
        }
        return []
    }

    private mutating func take(_ event: MQTTConnection.Event) throws -> [Work] {
        switch event {
        case .connected(isVersion5: _):
            rejected = nil
            logger.notice("MQTT: connected to \(settings.broker.address) as site '\(settings.site)'")
            state = .connected(since: surface.clock.now(), topics: 0, trouble: nil)
            sentinel = UUID().uuidString
            shown = surface.latest.snapshot
            let session = BrokerSession(settings.topics, sentinel: sentinel)
            self.session = session
            return try follow(session.begin()) + [.wait(Self.sweepTimeout, then: .looked(sentinel: sentinel))]
        case let .subscribed(filters, refused: refused):
            guard var session else { return [] }
            let steps = try session.subscribed(filters, refused: refused, everything, mayClear)
            self.session = session
            return try follow(steps)
        case let .message(message):
            guard var session else {
                broker.taken(message)
                return []
            }
            let steps = try session.hear(message, everything, mayClear)
            self.session = session
            let works = try follow(steps)
            if !works.contains(where: { if case .perform = $0 { true } else { false } }) { broker.taken(message) }
            return works
        case let .tooLong(topic: topic, bytes: count):
            tell(.tooLong(topic: topic, bytes: count))
            return []
        case let .rejected(topic: topic, correlation: correlation, reason: reason, isDenied: _)
        where settings.topics.isResponse(topic):
            // Whoever waits for it is told, if a short answer gets through.
            broker.publish([
                MQTTMessage(
                    topic,
                    RelayedAnswer(
                        ErrorReply(
                            .internalError, "the broker does not take the answer: \(reason)",
                            hint: "ask for less at once, or raise the broker's limits")),
                    correlation)
            ])
            return []
        case let .rejected(topic: topic, correlation: _, reason: reason, isDenied: _):
            rejected = rejected ?? "it does not keep \(topic.prefix(200)): \(reason)"
            tell(.rejected(topic: String(topic.prefix(200)), reason: reason))
            noteProgress()
            return []
        case let .lost(loss):
            session = nil
            repeats = nil
            // Whatever else it ends in meanwhile, one line is enough; unless somebody must change something.
            if case let .lost(before, since: time) = state {
                state = .lost(loss, since: time)
                if before.isFinal || !loss.isFinal { return [] }
            } else {
                state = .lost(loss, since: surface.clock.now())
            }
            logger.warning("MQTT: no connection to \(settings.broker.address): \(loss)")
            return []
        }
    }

    private mutating func follow(_ steps: [BrokerSession.Step]) throws -> [Work] {
        var works: [Work] = []
        for step in steps {
            switch step {
            case let .publish(messages): broker.publish(messages)
            case let .subscribe(filters): broker.subscribe(filters)
            case let .look(filters): broker.subscribe(filters, quality: .atMostOnce)
            case let .unsubscribe(filters): broker.unsubscribe(filters)
            case let .perform(.request(as: role), message) where message.responseTopic.map(isRefused) ?? false:
                try tell(
                    ErrorReply(
                        .invalid, "the answer to a request cannot go to '\(message.responseTopic?.prefix(120) ?? "")'",
                        hint: "its response topic must be one below \(SiteTopics.response(of: settings.site, to: ""))"),
                    .request(as: role), message)
            case let .perform(address, message): works.append(.perform(address, message))
            case .repeatSoon:
                // One that says so again and again gets it no faster.
                if repeats == nil {
                    works.append(.wait(.milliseconds(.random(in: 500...3000)), then: .repeating))
                }
                repeats = try everything(surface.directory)
            case let .tell(remark): tell(remark)
            }
        }
        noteProgress()
        return works
    }

    private mutating func noteProgress() {
        guard let session, case let .connected(since: since, topics: _, trouble: _) = state else { return }
        state = .connected(since: since, topics: session.kept.count, trouble: rejected)
    }

    /// What is to be published last by one whose topics are no longer used: nothing on any of them.
    var removal: [MQTTMessage] { (session?.kept.keys.sorted() ?? []).map { MQTTMessage($0, [], isRetained: true) } }

    // MARK: The home

    /// Publishes what has changed.
    private mutating func show() throws {
        let newest = surface.latest.snapshot
        defer { shown = newest }
        guard var session, session.isLive, newest.id != shown.id else { return }
        let presses = newest.home.presses(since: shown.home)
        if let changes = try publisher.changes(in: newest.home, since: shown.home) {
            broker.publish(session.publish(changes))
        } else {
            broker.publish(session.publish(try everything(newest.home), clearing: mayClear))
        }
        self.session = session
        broker.publish(try presses.flatMap(event))
        noteProgress()
    }

    private func event(_ press: PressBody) throws -> [MQTTMessage] {
        func message(_ what: String, _ body: some Encodable) throws -> MQTTMessage {
            MQTTMessage("\(settings.topics.base)/button/\(Topics.part(press.id))/\(what)", Array(try JSON.data(body)))
        }
        if let button = press.button, let kind = press.press {
            return [try message("\(button)", ButtonPayload(event: kind.event))]
        }
        guard let degrees = press.rotation else { return [] }
        let kind = degrees < 0 ? DialPayload.Kind.counterClockwise : .clockwise
        return [try message("dial", DialPayload(kind: kind, degrees: abs(degrees)))]
    }

    private func everything() throws -> [Publication] { try everything(shown.home) }

    private func everything(_ home: Directory) throws -> [Publication] { try publisher.everything(in: home, info) }

    private var info: SiteInfo {
        let status = surface.status
        return SiteInfo(
            version: status.version, site: settings.site, started: status.started, tags: settings.tags,
            bridges: status.bridges.map(\.id), lights: status.lights)
    }

    /// What is kept of a bridge that has not been read since lightd started may still be there.
    private func mayClear(_ topic: String) -> Bool {
        settings.topics.isPublished(topic)
            && !shown.home.unreadBridges.contains { settings.topics.isAbout($0.id, topic) }
    }

    private mutating func repeatSome() -> [Work] {
        guard var session, let all = repeats else { return [] }
        broker.publish(session.publish(Array(all.prefix(Self.repeatedAtOnce)), .repetition))
        self.session = session
        guard all.count > Self.repeatedAtOnce else {
            repeats = nil
            return []
        }
        repeats = Array(all.dropFirst(Self.repeatedAtOnce))
        return [.wait(Self.repeatPause, then: .repeating)]
    }

    // MARK: Requests

    private func isRefused(_ responseTopic: String) -> Bool { !settings.topics.isResponse(responseTopic) }

    /// Answers, or says what went wrong if no answer is expected.
    private mutating func publish(_ answer: RelayedAnswer, to command: Command) throws {
        let message = command.message
        guard let topic = message.responseTopic else {
            if answer.status >= 400, let error = try? JSONDecoder().decode(ErrorReply.self, from: Data(answer.body)) {
                try tell(error, command.address, message)
            }
            return
        }
        func publish(_ answer: RelayedAnswer) -> Bool {
            broker.publish([MQTTMessage(topic, answer, message.correlation)])
        }
        // What is long does not fit where many wait to be published.
        guard !publish(answer) else { return }
        _ = publish(
            RelayedAnswer(
                ErrorReply(.daemonUnreachable, "lightd is busy: many answers wait to be published", hint: "try again")))
    }

    // MARK: What went wrong

    /// Many of a kind would fill the log.
    private static let mostRemarks = 10

    private mutating func tell(_ remark: BrokerSession.Remark) {
        guard told.count(where: { $0.kind == remark.kind }) < Self.mostRemarks, told.insert(remark).inserted else {
            return
        }
        logger.warning("MQTT: \(remark.words)")
    }

    private struct ErrorPayload: Encodable {
        let topic: String
        let error: ErrorReply.Body
    }

    /// Says what went wrong, and publishes again what the thing shows: whoever has asked has perhaps shown what it asked
    /// for.
    private mutating func tell(_ error: ErrorReply, _ address: Topics.Address, _ message: MQTTMessage) throws {
        if case .request = address, message.responseTopic.map(isRefused) == false {
            return try publish(RelayedAnswer(error), to: Command(address, message))
        }
        logger.info("MQTT: the message on \(message.topic) is refused: \(error.error.message)")
        broker.publish([
            MQTTMessage(
                settings.topics.errors, Array(try JSON.data(ErrorPayload(topic: message.topic, error: error.error))))
        ])
        guard var session else { return }
        let home = surface.directory
        let again: [Publication] =
            switch address {
            case let .light(part):
                try home.light(at: part).map { light in try publisher.values(of: light, in: home) } ?? []
            case let .room(part), let .zone(part), let .sceneOfRoom(part):
                try home.room(at: part).map { room in try publisher.values(of: room, in: home) } ?? []
            case .scene, .identify, .property, .enabled, .automation, .run, .request: []
            }
        broker.publish(session.publish(again, .correction))
        self.session = session
    }
}

extension MQTTMessage {
    fileprivate init(_ topic: String, _ answer: RelayedAnswer, _ correlation: [UInt8]?) {
        self.init(
            topic, answer.body, correlation: correlation,
            userProperties: answer.properties.map { Property($0.name, $0.value) })
    }
}

extension BrokerSession.Remark {
    /// Remarks of one kind count together.
    fileprivate var kind: Int {
        switch self {
        case .rejected: 0
        case .retainedCommand: 1
        case .refused: 2
        case .tooLong: 3
        case .noSweep: 4
        }
    }

    fileprivate var words: String {
        switch self {
        case let .retainedCommand(topic: topic):
            "a command is retained on \(topic.prefix(200)), and is ignored: it may be of any day. Whoever sent it should not retain it"
        case let .refused(filters: filters):
            "the broker does not allow to subscribe to \(filters.joined(separator: ", "))"
        case let .rejected(topic: topic, reason: reason):
            "the broker does not keep what is published on \(topic): \(reason)"
        case let .tooLong(topic: topic, bytes: count):
            "a message on \(topic.prefix(200)) has \(count) bytes, and is not read"
        case .noSweep:
            "the broker does not send back what it is sent, so what is no longer there cannot be cleared away"
        }
    }
}
