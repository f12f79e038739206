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
                send: { requests, _, _ in requests.map { _ in .failure(.noConnection(.socket(.other("only streams")))) }
                },
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

        func follow() throws {
            let console = Console(terminal: .pipe, quiet: true, json: false)
            let session = Session(client: DaemonClient(transport: transport), console: console, timeout: nil)
            try EventFollower(
                session: session, path: { "/log?after=\($0 ?? "")" },
                pause: { [self] pause in
                    pauses.withLock { $0.append(pause) }
                }
            ).run { [self] event in received.withLock { $0.append(event?.data ?? "nothing") } }
        }
    }

    private func ended(_ script: Script) -> ErrorCode? { code { try script.follow() } }

    @Test func `after a break the follower resumes after the last event`() {
        let openings: [Opening] = [
            .sends(["id: 1\ndata: a\n\nid: 2\nda", "ta: b\n\n"]),
            .fails(.noConnection(.socket(.missing))), .fails(.timedOut),
            .sends(["id: 3\ndata: c\n\n"], then: .broken("reset")),
            .sends(["data: d\n\n"]),
        ]
        let script = Script(openings)
        #expect(ended(script) == .internalError)
        #expect(script.received.withLock { $0 } == ["a", "b", "c", "d"])
        let asked =
            ["/log?after= -"] + Array(repeating: "/log?after=2 2", count: 3)
            + Array(repeating: "/log?after=3 3", count: 2)
        #expect(script.requests.withLock { $0 } == asked)
        // The backoff restarts whenever the stream was open.
        let pauses: [Duration] = [200, 400, 800, 200, 200].map { .milliseconds($0) }
        #expect(script.pauses.withLock { $0 } == pauses)
    }

    @Test func `a daemon that was never reachable is an error at once`() {
        let script = Script([.fails(.noConnection(.socket(.missing)))])
        #expect(ended(script) == .daemonUnreachable)
        #expect(script.pauses.withLock { $0 }.isEmpty)
    }

    @Test func `a refusal is not retried`() {
        let script = Script([.sends(["data: a\n\n"]), .refuses(ErrorReply(.notAllowed, "no"))])
        #expect(ended(script) == .notAllowed)
    }

    @Test func `the follower reconnects to a daemon that was stopping`() {
        let script = Script([
            .sends(["data: a\n\n"]), .refuses(ErrorReply(.daemonStopping, "bye")), .sends(["data: b\n\n"]),
        ])
        #expect(ended(script) == .internalError)
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
        var rest = pieces[...]
        return Self(status: status) { (_) throws(TransportError) in
            if let piece = rest.popFirst() { return .bytes(Array(piece.utf8)) }
            if let failure { throw failure }
            return .end
        }
    }
}
