import ControlProtocol
import ControlSurface
import Executors
import FoundationEssentials
import Glibc
import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import MQTT
import NIOCore

/// Brings what lightctl asks at a unix socket to sites on a broker, and their answers back (``SiteRelayProtocol``).
public struct SiteRelay: Sendable {
    private enum Input: Sendable {
        case broker(MQTTConnection.Event)
        case asked(String, RelayedRequest, as: String, CheckedContinuation<RelayedAnswer, Never>)
        case listed(CheckedContinuation<[SiteBody], Never>)
        /// A moment has passed since so many messages had come.
        case quiet(Int)
        case failed(ErrorReply)
        /// lightctl has ended.
        case left
    }

    private let settings: SiteRelaySettings
    private let inputs: AsyncStream<Input>
    private let input: AsyncStream<Input>.Continuation

    private init(_ settings: SiteRelaySettings) {
        self.settings = settings
        (inputs, input) = AsyncStream.makeStream()
    }

    /// Runs until standard input ends.
    ///
    /// - Parameter arguments: those after the verb.
    /// - Returns: the exit status.
    public static func run(_ arguments: [String], environment: [String: String]) async -> Int32 {
        do {
            try await SiteRelay(try SiteRelaySettings(arguments, environment: environment)).run()
            return 0
        } catch {
            let error = error as? ErrorReply ?? ErrorReply(.internalError, "\(error)")
            say(((try? JSON.text(error)) ?? error.error.message) + "\n", at: STDERR_FILENO)
            return error.error.code.exitCode.rawValue
        }
    }

    /// If lightctl does not read it, it has ended.
    private static func say(_ text: String, at descriptor: Int32) { _ = write(descriptor, text, text.utf8.count) }

    private func run() async throws {
        let directory = String(settings.socket[..<(settings.socket.lastIndex(of: "/") ?? settings.socket.endIndex)])
        guard mkdir(directory, 0o700) == 0 else {
            throw ErrorReply(.internalError, "cannot make '\(directory)': \(String(cString: strerror(errno)))")
        }
        defer {
            unlink(settings.socket)
            rmdir(directory)
        }
        let broker = try MQTTConnection(settings.broker) { [input] in input.yield(.broker($0)) }
        try broker.start()
        watchInput()
        var desk = Desk(settings, broker)
        var failure: ErrorReply?
        var isOver = false
        await withTaskGroup(of: Void.self) { group in
            // What was asked before the end is answered, if only with that.
            for await next in inputs {
                var work: [Desk.Work] = []
                switch next {
                case let .broker(event): if !isOver { work = desk.take(event) }
                case let .asked(site, request, as: sender, answer): desk.ask(site, request, as: sender, answer)
                case let .listed(answer): answer.resume(returning: desk.sites)
                case let .quiet(count): work = desk.noteQuiet(since: count)
                case let .failed(error): work = [.end(error)]
                case .left: isOver = true
                }
                for work in work where !isOver {
                    switch work {
                    case .serve: group.addTask { await self.serve() }
                    case let .wait(time, since: count):
                        group.addTask { [input] in
                            try? await QueueTimer.sleep(for: time)  // cancelled: nobody waits any more
                            input.yield(.quiet(count))
                        }
                    case let .end(error): (failure, isOver) = (error, true)
                    }
                }
                guard isOver else { continue }
                desk.close()
                input.finish()
                group.cancelAll()
            }
        }
        await broker.stop(after: [])
        if let failure { throw failure }
    }

    /// The socket of lightctl closes when it ends, however it ends.
    private func watchInput() {
        let code = startThread("lightd-input") { [input] in
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                guard count > 0 || (count < 0 && errno == EINTR) else { break }
            }
            input.yield(.left)
        }
        if code != 0 { input.yield(.left) }
    }

    // MARK: lightctl

    private func serve() async {
        var logger = Logger(label: SiteRelayProtocol.verb) { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        do {
            try await HTTPServerBuilder.http1().service(
                of: CallbackResponder<BasicRequestContext> { request, _ in try await answer(request) },
                at: .unixDomainSocket(path: settings.socket), logger: logger
            ) { _ in
                Self.say(SiteRelayProtocol.ready, at: STDOUT_FILENO)
            }
            .run()
        } catch is CancellationError {
        } catch {
            input.yield(.failed(ErrorReply(.internalError, "cannot listen on \(settings.socket): \(error)")))
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        let path = request.head.path ?? ""
        if path == SiteRelayProtocol.sites {
            let sites = await withCheckedContinuation { answer in
                if case .terminated = input.yield(.listed(answer)) { answer.resume(returning: []) }
            }
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: try JSON.text(sites))))
        }
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: RelayedRequest.longestBody)
        } catch is NIOTooManyBytesError {
            return Response(RelayedAnswer(SiteBook.tooLong))
        }
        var fields: [String: String] = [:]
        for name in RelayedRequest.fields { fields[name] = field(name) }
        let relayed = RelayedRequest(
            method: request.method.rawValue, path: path, fields: fields, body: Array(body.readableBytesView))
        let sender = "\(settings.user) with \(field(Routes.clientHeader) ?? "lightctl")"
        let site = field(SiteRelayProtocol.siteHeader) ?? ""
        return Response(
            await withCheckedContinuation { answer in
                if case .terminated = input.yield(.asked(site, relayed, as: sender, answer)) {
                    answer.resume(returning: Desk.ended)
                }
            })
    }
}

extension Response {
    fileprivate init(_ answer: RelayedAnswer) {
        var headers = HTTPFields()
        for (name, value) in answer.fields { if let name = HTTPField.Name(name) { headers[name] = value } }
        self.init(
            status: .init(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

/// What the relay knows while it runs.
private struct Desk {
    /// What is to be done next, and takes time.
    enum Work {
        case serve
        /// To call ``noteQuiet(since:)`` after this time, with how many messages had come before it.
        case wait(Duration, since: Int)
        /// Nothing can be done, and why.
        case end(ErrorReply)
    }

    private let broker: MQTTConnection
    private let address: String
    private var book: SiteBook
    private var waiting: [Int: CheckedContinuation<RelayedAnswer, Never>] = [:]
    private var number = 0
    /// How many messages have come.
    private var heard = 0
    private var wasConnected = false
    private var isClosed = false

    /// The broker sends back at once what this client may publish to itself.
    private static let longestWait = Duration.seconds(5)
    /// If it may not, it waits so long for the next site.
    private static let moment = Duration.milliseconds(500)
    static let ended = RelayedAnswer(ErrorReply(.unconfirmed, "lightctl has ended"))

    init(_ settings: SiteRelaySettings, _ broker: MQTTConnection) {
        self.broker = broker
        address = settings.broker.address
        book = SiteBook(user: settings.user, name: settings.name)
    }

    var sites: [SiteBody] { book.listed }

    mutating func take(_ event: MQTTConnection.Event) -> [Work] {
        switch event {
        case let .connected(isVersion5: isVersion5):
            guard isVersion5 else {
                let words = "the broker at \(address) speaks only MQTT 3.1.1"
                let hint = "to ask other sites needs MQTT 5, with which answers find their way back"
                return [.end(ErrorReply(.daemonUnreachable, words, hint: hint))]
            }
            wasConnected = true
            broker.subscribe([book.answers])
            // There may be more than a broker has patience to see acknowledged.
            broker.subscribe(book.places, quality: .atMostOnce)
        case let .subscribed(filters, refused: refused):
            guard refused.isEmpty else {
                let words = "the broker at \(address) does not let you read \(refused.joined(separator: ", "))"
                let hint = "its access list must allow it (docs/mqtt.md)"
                return [.end(ErrorReply(.notAllowed, words, hint: hint))]
            }
            guard filters == book.places else { break }
            broker.publish([book.sentinel])
            return [.wait(Self.longestWait, since: heard)]
        case let .message(message):
            heard += 1
            broker.taken(message)
            return carryOut(book.hear(message))
        case let .rejected(topic: topic, correlation: correlation, reason: reason, isDenied: isDenied):
            let wait: [Work] = topic == book.sentinel.topic ? [.wait(Self.moment, since: heard)] : []
            return wait + carryOut(book.rejected(correlation, reason, isDenied: isDenied))
        case .tooLong: break
        case let .lost(loss):
            guard wasConnected else {
                return [
                    .end(
                        ErrorReply(
                            loss.isFinal ? .notAllowed : .daemonUnreachable,
                            "no connection to the broker at \(address): \(loss)",
                            hint: loss.isFinal
                                ? "look at \(SiteRelayProtocol.password) and \(SiteRelayProtocol.authority)" : nil))
                ]
            }
            return carryOut(book.lost(loss.description))
        }
        return []
    }

    /// Nothing may have come for a moment: then nothing more will.
    mutating func noteQuiet(since count: Int) -> [Work] {
        guard !book.isReady else { return [] }
        return heard == count ? carryOut(book.becomeReady()) : [.wait(Self.moment, since: heard)]
    }

    mutating func ask(
        _ site: String, _ request: RelayedRequest, as sender: String,
        _ answer: CheckedContinuation<RelayedAnswer, Never>
    ) {
        guard !isClosed else { return answer.resume(returning: Self.ended) }
        number += 1
        waiting[number] = answer
        _ = carryOut(book.ask(site, request, number: number, as: sender))
    }

    mutating func close() {
        isClosed = true
        for answer in waiting.values { answer.resume(returning: Self.ended) }
        waiting = [:]
    }

    private mutating func carryOut(_ steps: [SiteBook.Step]) -> [Work] {
        var work: [Work] = []
        for step in steps {
            switch step {
            case let .publish(message):
                guard !broker.publish([message]) else { continue }
                work += carryOut(book.unsent(message.correlation))
            case let .answer(number, answer): waiting.removeValue(forKey: number)?.resume(returning: answer)
            case .ready: work.append(.serve)
            }
        }
        return work
    }
}
