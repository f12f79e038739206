import ControlProtocol
import ControlSurface
import Foundation
import Khipu
import Lighting
import LightingTestKit
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@testable import ControlServer

/// A running domain in memory behind a control server on real sockets.
struct ServerFixture: Sendable {
    let home: RunningDomainFixture
    let server: ControlServer
    let services: ServiceGroup
    /// Fulfilled when the server has ended.
    let ended: Promise<Void>
    let socket: String
    let port: Int?
    let tokens: MemoryTokenArchive
    let accessLog: MemoryAccessLog
    let backups: MemoryBackups

    var address: ClientFixture.Address { .socket(socket) }
    var stack: MemoryStack { home.stack }
    var clock: ManualClock { home.clock }

    /// Runs the server for as long as `body` runs.
    static func run(
        in state: AppState = AppState(), connects: Bool = true, stack: MemoryStack = MemoryStack(),
        time: HomeTime = .utc,
        tcp: ControlServerSettings.TCP? = nil,
        savedTokens: [AccessToken] = [], socketGroup: UInt32? = nil, maximumConnections: Int = 512,
        maximumInFlight: Int = 256, maximumStreams: Int = 64, timeouts: ConnectionTimeouts = ConnectionTimeouts(),
        checks: @escaping @Sendable ([Bridge]) async -> [Check] = { _ in [] }, logger: Logger = .silent,
        _ body: (ServerFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let socket = try ControlSocket(at: directory.path + "/run/lightd.sock", group: socketGroup)
            defer { socket.close() }
            var settings = ControlServerSettings(
                socket: socket, tcp: tcp, maximumConnections: maximumConnections,
                maximumInFlight: maximumInFlight, maximumStreams: maximumStreams)
            settings.timeouts = timeouts
            let tokens = MemoryTokenArchive()
            let accessLog = MemoryAccessLog()
            let backups = MemoryBackups()
            try await RunningDomainFixture.run(state, stack: stack, connects: connects, time: time) { [settings] home in
                let start = ContinuousClock.now
                var settings = settings
                settings.uptime = { start + home.clock.passed }
                let surface = ControlSurface(
                    store: home.store, requests: home.requests, rehearsal: home.stack.rehearsal,
                    clock: home.clock.clock, time: Live(time), version: "1.2.3",
                    started: home.clock.now, journalIsOn: true, checks: checks)
                let server = ControlServer(
                    surface, settings: settings, savedTokens: savedTokens, archive: tokens.archive,
                    accessLog: accessLog.log, backups: backups.backups, logger: logger)
                return (server, surface.receiver, surface.resolver)
            } _: { home, server in
                let services = ServiceGroup(services: [server], logger: .silent)
                let ended = Promise<Void>()
                async let running: Void = {
                    try await services.run()
                    ended.fulfil()
                }()
                let result: Result<Void, any Error>
                do {
                    let (socket, port) = try await (server.socket, server.port)
                    try await body(
                        ServerFixture(
                            home: home, server: server, services: services, ended: ended, socket: socket, port: port,
                            tokens: tokens, accessLog: accessLog, backups: backups))
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                await services.triggerGracefulShutdown()
                // From now on time passes, so that connections that a test left open are closed.
                let time = Task {
                    while !Task.isCancelled {
                        await home.clock.advance(by: .milliseconds(100))
                        try await Task.sleep(for: .milliseconds(10))
                    }
                }
                defer { time.cancel() }
                try await running
                try result.get()
            }
        }
    }

    /// Who these tests are to the kernel, as lightd names a client of the socket.
    static func sender(as name: String? = nil) -> String {
        let peer = SocketPeer(uid: geteuid(), program: SocketPeer.program(of: getpid()))
        return SenderName(peer, user: UserNames.systemName(of: geteuid()), calling: name.flatMap { ClientName($0) })
            .text
    }

    func get(_ path: String, _ headers: [String: String] = [:]) async throws -> ClientFixture.Answer {
        try await ClientFixture.ask(address, "GET", path, headers)
    }

    func get<Body: Decodable>(_ path: String, as _: Body.Type = Body.self) async throws -> Body {
        try await get(path).decoded()
    }

    func post(_ body: String, _ headers: [String: String] = [:]) async throws -> ClientFixture.Answer {
        try await ClientFixture.ask(address, "POST", Routes.messages, headers, body: body)
    }

    func put(_ body: String, to path: String, _ headers: [String: String] = [:]) async throws -> ClientFixture.Answer {
        try await ClientFixture.ask(address, "PUT", path, headers, body: body)
    }

    func send(_ command: Command) async throws -> CommandReply {
        let answer = try await post(String(decoding: JSONEncoder().encode(command), as: UTF8.self))
        guard answer.status == 200 else { throw try answer.decoded(ErrorReply.self) }
        return try answer.decoded()
    }

    func change(_ changes: AppState.Change...) async { await home.store.change(changes) }

    static let manyChanges = 400

    /// Makes 400 changes whose events have 20 kB each: more than all buffers between the server and a client hold.
    func fillBuffers() async {
        let padding = String(repeating: "x", count: 20_000)
        for number in 1...Self.manyChanges {
            await change(.updating(.light(HomeFixture.desk.id, by: [.renaming(.it(to: "\(number) \(padding)"))])))
        }
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
