import ControlProtocol
import ServerSentEvents
import Synchronization
import Testing

@testable import lightctl

/// Follows a daemon whose streams are scripted, without sockets or waiting.
@Suite struct EventFollowerTests {
    struct Over: Error {}

    /// What happens when the stream is opened.
    enum Opening: Sendable {
        case fails(TransportError)
        case refuses(ErrorReply)
        /// Sends these pieces, then ends or fails.
        case sends([String], then: TransportError? = nil)
    }

    final class Script: Sendable {
        private let openings: Mutex<[Opening]>
        let requests = Mutex<[String]>([])
        let received = Mutex<[String]>([])
        let pauses = Mutex<[Duration]>([])

        init(_ openings: [Opening]) { self.openings = Mutex(openings) }

        var transport: Transport {
            Transport(
                send: { _, _ throws(TransportError) in throw .noConnection("only streams") },
                stream: { [self] path, last, _ throws(TransportError) in
                    requests.withLock { $0.append("\(path) \(last ?? "-")") }
                    let opening = openings.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                    switch opening {
                    case nil: return .pieces([ErrorReply(.internalError, "the script is over").json], status: 500)
                    case let .fails(failure): throw failure
                    case let .refuses(reply): return .pieces([reply.json], status: reply.error.code.status)
                    case let .sends(pieces, failure): return .pieces(pieces, then: failure)
                    }
                })
        }

        func follow() async throws {
            let console = Console(terminal: .pipe, quiet: true, json: false)
            let session = Session(client: DaemonClient(transport: transport) { nil }, console: console, timeout: nil)
            try await EventFollower(
                session: session, path: { "/log?after=\($0 ?? "")" },
                pause: { [self] pause in
                    pauses.withLock { $0.append(pause) }
                }
            ).run { [self] event in received.withLock { $0.append(event.data) } }
        }
    }

    private func ended(_ script: Script) async -> ErrorCode? { await code { try await script.follow() } }

    @Test func `after a break the follower resumes after the last event`() async {
        let openings: [Opening] = [
            .sends(["id: 1\ndata: a\n\nid: 2\nda", "ta: b\n\n"]),
            .fails(.noConnection("gone")), .fails(.timedOut),
            .sends(["id: 3\ndata: c\n\n"], then: .broken("reset")),
            .sends(["data: d\n\n"]),
        ]
        let script = Script(openings)
        #expect(await ended(script) == .internalError)
        #expect(script.received.withLock { $0 } == ["a", "b", "c", "d"])
        let asked =
            ["/log?after= -"] + Array(repeating: "/log?after=2 2", count: 3)
            + Array(repeating: "/log?after=3 3", count: 2)
        #expect(script.requests.withLock { $0 } == asked)
        // The backoff restarts whenever the stream was open.
        let pauses: [Duration] = [200, 400, 800, 200, 200].map { .milliseconds($0) }
        #expect(script.pauses.withLock { $0 } == pauses)
    }

    @Test func `a daemon that was never reachable is an error at once`() async {
        let script = Script([.fails(.noConnection("gone"))])
        #expect(await ended(script) == .daemonUnreachable)
        #expect(script.pauses.withLock { $0 }.isEmpty)
    }

    @Test func `a refusal is not retried`() async {
        let script = Script([.sends(["data: a\n\n"]), .refuses(ErrorReply(.notAllowed, "no"))])
        #expect(await ended(script) == .notAllowed)
    }

    @Test func `the follower reconnects to a daemon that was stopping`() async {
        let script = Script([
            .sends(["data: a\n\n"]), .refuses(ErrorReply(.daemonStopping, "bye")), .sends(["data: b\n\n"]),
        ])
        #expect(await ended(script) == .internalError)
        #expect(script.received.withLock { $0 } == ["a", "b"])
    }

    @Test func `the pause never exceeds three seconds`() {
        #expect((1...100).allSatisfy { (.milliseconds(200)...(.seconds(3))).contains(EventFollower.pause(before: $0)) })
    }
}

extension ErrorReply {
    fileprivate var json: String { Console.json(self) }
}

extension Transport.Stream {
    static func pieces(_ pieces: [String], status: Int = 200, then failure: TransportError? = nil) -> Self {
        let rest = Rest(pieces, failure)
        return Self(status: status) { () async throws(TransportError) in try await rest.next() }
    }

    private actor Rest {
        var pieces: [String]
        let failure: TransportError?
        init(_ pieces: [String], _ failure: TransportError?) { (self.pieces, self.failure) = (pieces, failure) }

        func next() throws(TransportError) -> [UInt8]? {
            guard pieces.isEmpty else { return Array(pieces.removeFirst().utf8) }
            if let failure { throw failure }
            return nil
        }
    }
}
