import ControlProtocol
import ControlServer
import Foundation
import Khipu
import Lighting
import LightingTestKit
import Logging
import ServiceLifecycle
import Synchronization
import Testing

/// A home whose lamps, journal and clock are in memory, behind a control server on real sockets.
struct ServerFixture: Sendable {
    let store: AppStore
    let requests: PendingRequests<Message>
    let stack: MemoryStack
    let journal: MemoryJournal
    let clock: WatchedClock
    let mailbox: Mailbox<Message>
    let server: ControlServer
    let services: ServiceGroup
    let socket: String
    let port: Int?

    var place: ClientFixture.Place { .socket(socket) }

    /// Opens the server, lets `body` live in it, and closes it.
    static func run(
        in state: AppState = AppState(), stack: MemoryStack = MemoryStack(), tcp: ControlServerSettings.TCP? = nil,
        connects: Bool = true, maximumInFlight: Int = 256, maximumStreams: Int = 64,
        _ body: (ServerFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let socket = directory + "/run/lightd.sock"
            let (clock, journal, mailbox) = (WatchedClock(), MemoryJournal(), Mailbox<Message>())
            let store = await createAppStore(state)
            let requests = await PendingRequests<Message>(post: mailbox.post)
            let server = ControlServer(
                ControlledHome(
                    store: store, requests: requests, clock: clock.clock, version: "1.2.3", started: clock.now,
                    journalIsOn: true),
                settings: ControlServerSettings(
                    socket: socket, tcp: tcp, maximumInFlight: maximumInFlight, maximumStreams: maximumStreams),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            var bridges = stack.bridges
            if !connects { bridges.connect = { _ in } }
            let domain = await createAppDomain(
                store: store, lights: stack.lights, bridges: bridges, archive: MemoryArchive().archive,
                journal: journal.journal, clock: clock.clock, receivers: [requests.receiver, server.receiver],
                output: mailbox.post
            )
            let services = ServiceGroup(
                services: [server], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            async let running: Void = services.run()
            async let delivering: Void = mailbox.deliver(to: domain)
            let result: Result<Void, any Error>
            do {
                let listening = try await server.listening
                try await body(
                    ServerFixture(
                        store: store, requests: requests, stack: stack, journal: journal, clock: clock,
                        mailbox: mailbox, server: server, services: services, socket: listening.socket, port: listening.port))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await services.triggerGracefulShutdown()
            try await running
            mailbox.close()
            await delivering
            try result.get()
        }
    }

    func get(_ path: String, _ headers: [String: String] = [:]) async throws -> ClientFixture.Answer {
        try await ClientFixture.ask(place, "GET", path, headers)
    }

    func get<Body: Decodable>(_ path: String, as _: Body.Type = Body.self) async throws -> Body {
        try await get(path).decoded()
    }

    func post(_ body: String, _ headers: [String: String] = [:]) async throws -> ClientFixture.Answer {
        try await ClientFixture.ask(place, "POST", Routes.messages, headers, body: body)
    }

    func send(_ command: Command) async throws -> CommandReply {
        let answer = try await post(String(decoding: JSONEncoder().encode(command), as: UTF8.self))
        guard answer.status == 200 else { throw try answer.decoded(ErrorReply.self) }
        return try answer.decoded()
    }

    func light(_ id: Light.ID) async -> Light? { Directory(await store.state()).light(id) }

    func change(_ changes: AppState.Change...) async {
        await store.change(changes)
    }
}

func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
    // Short: a socket's path has 107 bytes.
    var template = Array("/tmp/lightd.XXXXXX".utf8CString)
    let made = try #require(mkdtemp(&template))
    let directory = String(cString: made)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await body(directory)
}

/// Waits until it is so; fails after 5 s.
func until(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(5)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("not in time: \(what)", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// A clock wound by hand that tells how often it was asked to wake somebody.
final class WatchedClock: Sendable {
    private let hand = ManualClock()
    private let alarms = Mutex<[Duration]>([])

    var now: Timestamp { hand.now }

    var isAwaited: Bool { !alarms.withLock { $0.isEmpty } }

    var clock: Clock {
        Clock(
            now: { self.hand.now },
            wake: { duration, ring in
                self.hand.clock.wake(duration, ring)
                self.alarms.withLock { $0.append(duration) }
            }
        )
    }

    func advance(by duration: Duration) async { await hand.advance(by: duration) }
}
