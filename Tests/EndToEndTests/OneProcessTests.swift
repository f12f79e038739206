import ControlProtocol
import Curl
import Foundation
import LightDaemon
import Lighting
import Logging
import ServerSentEvents
import ServiceLifecycle
import SimulatedBridge
import Synchronization
import TestSupport
import Testing

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// The whole daemon and a simulated bridge in one process, with real TLS, sockets and SQLite.
@Suite(.timeLimit(.minutes(5)))
struct OneProcessTests {
    @Test func `a home is paired, controlled and observed, and a restart forgets nothing`() async throws {
        try await withFlatHome { bridge, path in
            let ready = try await bridge.ready
            let host = Configuration.Host(host: ready.host, port: ready.httpsPort)
            try await withDaemon(at: path, [host]) { client in
                let found = try await client.post(.discover(seconds: 0.1)).discovered ?? []
                #expect(found.map(\.id).contains(ready.bridgeID))
                #expect(try await client.get([LightBody].self, Routes.lights).isEmpty)
                await bridge.controls.pressButton()
                let paired = try await client.post(.pair())
                #expect(paired.bridge?.connected == true)

                let lights = try await client.get([LightBody].self, Routes.lights)
                #expect(Set(lights.map(\.name)) == ["Stove", "Counter", "Desk", "Sofa", "Fan"])
                let dimmed = try await client.post(.set(.init(brightness: 40), target: "kitchen"))
                #expect(dimmed.lights?.allSatisfy { $0.power == .on && abs(($0.brightness ?? 0) - 40) < 1 } == true)
                let orange = try await client.post(.set(.init(color: "orange"), target: "desk"))
                #expect(orange.lights?.first?.color == "#ffa500")
                _ = try await client.post(.rename(target: "desk", name: "Table"))
                _ = try await client.post(.recall(scene: "Bright"), wait: true)
                try await until("the new name is reported") {
                    try await client.get([LightBody].self, Routes.lights).contains { $0.name == "Table" }
                }
                // A wall switch.
                let fan = try await client.events().first {
                    await bridge.controls.alter("Fan", by: .turning(.it(on: true)))
                } where: {
                    $0.name == "Fan" && $0.power == .on
                }
                #expect(fan.power == .on)
            }
            let pairings = await bridge.controls.requests.count { $0.path == "/api" }
            try await withDaemon(at: path, [host]) { client in
                try await until("the lights are back") {
                    try await client.get([LightBody].self, Routes.lights).count == 5
                }
                let lights = try await client.get([LightBody].self, Routes.lights)
                #expect(lights.contains { $0.name == "Table" })
                #expect(lights.allSatisfy { $0.freshness == .confirmed })
            }
            #expect(await bridge.controls.requests.count { $0.path == "/api" } == pairings)
        }
    }

    @Test func `with no bridge in reach scenes are known, lights are not, and commands fail with the reason`()
        async throws
    {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let path = place.path
        let bridge = try flat()
        try await withBridge(bridge) {
            let ready = try await bridge.ready
            try await withDaemon(at: path, [Configuration.Host(host: ready.host, port: ready.httpsPort)]) { client in
                await bridge.controls.pressButton()
                _ = try await client.post(.pair())
            }
        }
        try await withDaemon(at: path, []) { client in
            #expect(try await client.get([SceneBody].self, Routes.scenes).count == 3)
            let bridges = try await client.get([BridgeBody].self, Routes.bridges)
            #expect(bridges.map(\.connected) == [false])
            let refusal = await #expect(throws: CommandRefused.self) {
                try await client.post(.turn(to: .on, target: "all"))
            }
            #expect(refusal?.reply.error.code.exitCode == .unreachable)
        }
    }

    @Test func `a list that lacks the lights of a bridge says so, and does not end with 0`() async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let path = place.path
        @Sendable func lightctl(_ arguments: [String]) async throws -> Program.End {
            try await Program(.lightctl, ["--socket", "\(path)/lightd.sock"] + arguments).end()
        }
        let (left, right) = (
            try SimulatedBridge(.flat("Left", seed: 1), logger: silent),
            try SimulatedBridge(.flat("Right", seed: 2), logger: silent)
        )
        try await withBridge(left) {
            try await withBridge(right) {
                let hosts = [try await left.ready, try await right.ready].map {
                    Configuration.Host(host: $0.host, port: $0.httpsPort)
                }
                try await withDaemon(at: path, hosts) { client in
                    for bridge in [left, right] {
                        await bridge.controls.pressButton()
                        try await client.post(.pair(bridge: try await bridge.ready.bridgeID))
                    }
                    #expect(try await lightctl(["list"]).status == 0)
                }
                left.controls.reboot(for: .seconds(600))
                try await withDaemon(at: path, hosts) { _ in
                    for kind in ["lights", "rooms", "sensors"] {
                        let list = try await lightctl(["list", kind])
                        #expect(list.status == 7 && list.output.contains("Kitchen"), "\(list)")
                        #expect(list.errors.contains("\n  Left: "), "\(list)")
                    }
                    let snapshot = try await lightctl(["snapshot", "--json"])
                    #expect(snapshot.status == 7 && snapshot.errors.contains(#""target":"Left""#), "\(snapshot)")
                    for arguments in [["show", "all"], ["snapshot", "kitchen/stove", "all"]] {
                        let shown = try await lightctl(arguments)
                        #expect(shown.status == 7 && shown.errors.contains("\n  Left: "), "\(shown)")
                    }
                    // A closed pipe must not turn a failure into a success.
                    let unheard = """
                        import os, subprocess, sys
                        reader, writer = os.pipe()
                        os.close(reader)
                        sys.exit(subprocess.run(sys.argv[1:], stdout=writer).returncode)
                        """
                    for verb in ["list", "snapshot"] {
                        let command = ["-c", unheard, Program.path(of: .lightctl), "--socket", "\(path)/lightd.sock"]
                        let end = try await Program(.at("/usr/bin/python3"), command + [verb]).end()
                        #expect(end.status == 7 && end.errors.contains("\n  Left: "), "\(end)")
                    }
                    // The plug of the other bridge takes no level.
                    for (arguments, failed) in [
                        (["on", "all"], "5 of 10"), (["dim", "all", "30%", "--wait"], "5 of 9"),
                        (["powerup", "all", "safety"], "5 of 10"),
                    ] {
                        let done = try await lightctl(arguments)
                        #expect(done.status == 7 && done.errors.contains("\(failed) failed"), "\(done)")
                        #expect(done.errors.contains("cannot reach bridge 'Left'"), "\(done)")
                    }
                    for arguments in [["list", "scenes"], ["list", "bridges"], ["snapshot", "kitchen/stove"]] {
                        let known = try await lightctl(arguments)
                        #expect(known.status == 0 && known.errors.isEmpty, "\(known)")
                    }
                    // Which of the two is meant, nobody knows.
                    let unclear = try await lightctl(["off", "stove"])
                    #expect(unclear.status == 4 && unclear.errors.contains("'Left/Stove'"), "\(unclear)")
                }
            }
        }
        try await withDaemon(at: path, []) { _ in
            let list = try await lightctl(["list"])
            #expect(list.status == 3 && list.output.isEmpty, "\(list)")
            #expect(list.errors.contains("lacks the lights of 2 bridges"), "\(list)")
        }
    }

    @Test func `a bridge whose certificate changed is refused with a clear message, and gets no key`()
        async throws
    {
        try await withFlatHome { bridge, path in
            let ready = try await bridge.ready
            try await withDaemon(at: path, [Configuration.Host(host: ready.host, port: ready.httpsPort)]) { client in
                await bridge.controls.pressButton()
                _ = try await client.post(.pair())
                bridge.controls.renewCertificate()
                try await until("the refusal is reported") {
                    let bridges = try await client.get([BridgeBody].self, Routes.bridges)
                    return bridges.first?.reason?.contains("certificate") == true
                }
                let keysBefore = await bridge.controls.requests.count { $0.key != nil }
                let refusal = await #expect(throws: CommandRefused.self) {
                    try await client.post(.turn(to: .on, target: "fan"))
                }
                #expect(refusal?.reply.error.code == .certificateRefused)
                #expect(await bridge.controls.requests.count { $0.key != nil } == keysBefore)
                // Its lights are shown as stale.
                #expect(try await client.get([LightBody].self, Routes.lights).allSatisfy { $0.freshness == .stale })
                await bridge.controls.pressButton()
                _ = try await client.post(.pair(bridge: ready.bridgeID))
                _ = try await client.post(.turn(to: .on, target: "fan"))
            }
        }
    }
}

/// The small flat, on a bridge without rate limits. Another seed makes another bridge.
func flat(seed: UInt64 = 1) throws -> SimulatedBridge {
    var settings = Settings(home: .flat)
    settings.seed = seed
    settings.quirks = [.unlimited]
    settings.host = Loopback.next()
    return try SimulatedBridge(settings, logger: silent)
}

/// Runs a bridge with five lamps during the body, and offers the path of a directory for a daemon.
func withFlatHome(
    _ body: @escaping @Sendable (_ bridge: SimulatedBridge, _ path: String) async throws -> Void
) async throws {
    let place = try TemporaryDirectory()
    defer { place.remove() }
    let (bridge, path) = (try flat(), place.path)
    try await withBridge(bridge) { try await body(bridge, path) }
}

/// Runs a bridge during the body.
func withBridge(_ bridge: SimulatedBridge, _ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await bridge.run() }
        group.addTask { try await body() }
        try await group.next()
        group.cancelAll()
    }
}

/// Runs a daemon during the body, and shuts it down gracefully.
///
/// - Parameter civilTime: in the place of the system's.
func withDaemon(
    at path: String, _ hosts: [Configuration.Host], civilTime: Clock? = nil, logger: Logger = silent,
    adjust: (inout Configuration) -> Void = { _ in },
    _ body: @escaping @Sendable (ControlClient) async throws -> Void
) async throws {
    var configuration = Configuration(socket: "\(path)/lightd.sock", stateDirectory: "\(path)/state")
    configuration.discovery.mdns = false
    configuration.discovery.hosts = hosts
    adjust(&configuration)
    let (ready, signal) = AsyncStream<Void>.makeStream()
    let daemon = LightDaemon(configuration, civilTime: civilTime, logger: logger) { _ in signal.yield() }
    let group = ServiceGroup(services: [daemon], logger: silent)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            defer { signal.finish() }
            try await group.run()
        }
        for await _ in ready { break }
        do {
            try await body(ControlClient(socket: configuration.socket))
        } catch {
            await group.triggerGracefulShutdown()
            throw error
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
    }
}

struct CommandRefused: Error {
    let reply: ErrorReply
}

struct ControlClient: Sendable {
    let http = HTTPClient()
    let socket: String

    init(socket: String) { self.socket = socket }

    func get<Body: Decodable>(_ type: Body.Type, _ path: String) async throws -> Body {
        let response = try await http.send(
            HTTPRequest(.get, "http://lightd\(path)", unixSocket: socket, deadline: .seconds(60)))
        return try decoded(response)
    }

    @discardableResult
    func post(_ command: Command, wait: Bool = false, dryRun: Bool = false) async throws -> CommandReply {
        let response = try await http.send(
            HTTPRequest(
                .post, "http://lightd\(Routes.messages)",
                headers: [HTTPRequest.Header("Content-Type", "application/json")],
                body: Array(
                    try JSONEncoder().encode(CommandRequest(command, wait: wait, dryRun: dryRun))),
                unixSocket: socket, deadline: .seconds(60)))
        return try decoded(response)
    }

    /// Sends a file, such as one of automations.
    func put(_ text: String, to path: String) async throws {
        let response = try await http.send(
            HTTPRequest(
                .put, "http://lightd\(path)", headers: [HTTPRequest.Header("Content-Type", "application/yaml")],
                body: Array(text.utf8), unixSocket: socket, deadline: .seconds(60)))
        guard response.status == 200 else { throw TestError(String(decoding: response.body, as: UTF8.self)) }
    }

    /// Starts a fault through the control port of a simulated bridge.
    func begin(fault: String, at port: String) async throws {
        let response = try await http.send(
            HTTPRequest(
                .post, "\(port)/faults", headers: [HTTPRequest.Header("Content-Type", "application/json")],
                body: Array(fault.utf8), deadline: .seconds(60)))
        guard response.status == 200 else { throw TestError(String(decoding: response.body, as: UTF8.self)) }
    }

    /// The lights that the event stream reports.
    func events() async throws -> LightEvents {
        let stream = try await http.stream(
            HTTPRequest(
                .get, "http://lightd\(Routes.events)", headers: [HTTPRequest.Header("Accept", "text/event-stream")],
                unixSocket: socket, deadline: nil))
        return LightEvents(stream: stream)
    }

    private func decoded<Body: Decodable>(_ response: HTTPResponse) throws -> Body {
        guard (200..<300).contains(response.status) else {
            throw CommandRefused(reply: try JSONDecoder().decode(ErrorReply.self, from: Data(response.body)))
        }
        return try JSONDecoder().decode(Body.self, from: Data(response.body))
    }
}

struct LightEvents: Sendable {
    let stream: HTTPStream

    /// - Parameter act: what the stream is to report. It tells of what happens after its first event, which may come long
    ///   after its head: until then a client has read nothing that it could add to.
    func first(of act: () async -> Void, where matches: (LightBody) -> Bool) async throws -> LightBody {
        var parser = ServerSentEvent.Parser()
        for try await piece in stream.pieces {
            for event in parser.read(piece) {
                if event.name == "resync" { await act() }
                guard event.name == "light" else { continue }
                let light = try JSONDecoder().decode(LightBody.self, from: Data(event.data.utf8))
                if matches(light) { return light }
            }
        }
        throw TestError("the stream ended")
    }
}
