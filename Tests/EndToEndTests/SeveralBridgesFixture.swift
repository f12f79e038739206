import ControlProtocol
import Curl
import Foundation
import LightDaemon
import Lighting
import SimulatedBridge
import TestSupport

/// Several simulated bridges, and one daemon that controls them all.
struct SeveralBridgesFixture: Sendable {
    let client: ControlClient
    let socket: String
    private(set) var bridges: [PairedBridge] = []

    /// A bridge, with a second app on it once they are paired.
    struct PairedBridge: Sendable {
        let bridge: SimulatedBridge
        let ready: SimulatedBridge.ConnectionDetails
        var otherApp: OtherApp?

        var id: String { ready.bridgeID }
        var controls: BridgeControls { bridge.controls }
    }

    /// Runs the bridges and a daemon during the body.
    ///
    /// - Parameters:
    ///   - pairs: whether the daemon and the second app are paired with each bridge first.
    ///   - civilTime: of the daemon, in the place of the system's.
    ///   - adjust: changes the configuration of the daemon.
    static func running(
        _ settings: [Settings], pairs: Bool = true, civilTime: Clock? = nil,
        adjust: @escaping @Sendable (inout Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (SeveralBridgesFixture) async throws -> Void
    ) async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let path = place.path
        let bridges = try settings.map { settings in
            var settings = settings
            settings.host = Loopback.next()
            return try SimulatedBridge(settings, logger: silent)
        }
        try await withBridge(bridges[...]) {
            var members: [PairedBridge] = []
            for bridge in bridges { members.append(PairedBridge(bridge: bridge, ready: try await bridge.ready)) }
            let (all, hosts) = (members, members.map { $0.ready.place })
            try await withDaemon(at: path, hosts, civilTime: civilTime, adjust: adjust) { client in
                var home = SeveralBridgesFixture(client: client, socket: "\(path)/lightd.sock", bridges: all)
                if pairs { try await home.pair() }
                try await body(home)
            }
        }
    }

    private mutating func pair() async throws {
        for index in bridges.indices {
            let (fixture, bridge) = (self, bridges[index])
            bridges[index].otherApp = try await bridge.controls.withButtonPressed {
                try await fixture.client.post(.pair(bridge: bridge.id))
                return try await OtherApp(pairedWith: bridge.ready, over: fixture.client.http)
            }
        }
        try await until("all lights are known") { [self] in
            var count = 0
            for member in bridges { count += await member.controls.home.lamps.count }
            let lights = try await lights()
            return lights.count == count && lights.allSatisfy { $0.freshness == .confirmed }
        }
    }

    func lights() async throws -> [LightBody] { try await client.get([LightBody].self, Routes.lights) }

    /// A light of one of the bridges, as lightd reports it.
    func light(_ name: String, of member: Int = 0) async throws -> LightBody {
        let light = try await lights().first { $0.name == name && $0.bridge == bridges[member].id }
        guard let light else { throw TestError("there is no '\(name)' on bridge \(member)") }
        return light
    }

    /// Waits until a light is as expected, and returns it.
    @discardableResult
    func wait(
        for name: String, of member: Int = 0, _ what: String, within limit: Duration = .seconds(60),
        _ matches: (LightBody) -> Bool
    ) async throws -> LightBody {
        var last: LightBody?
        do {
            try await until("\(name): \(what)", within: limit) {
                last = try await light(name, of: member)
                return last.map(matches) ?? false
            }
        } catch let error as TestError {
            throw TestError("\(error); it is \(last.map { "\($0)" } ?? "unknown")")
        }
        return try await light(name, of: member)
    }

    /// Makes something happen in the home of the first bridge, by its control port: "lights/Desk/switch".
    func tell(_ path: String, _ body: String = "{}") async throws {
        let ready = bridges[0].ready
        let answer = try await client.http.send(
            HTTPRequest(
                .post, "http://\(ready.host):\(ready.controlPort)/\(path.replacingOccurrences(of: " ", with: "%20"))",
                headers: [HTTPRequest.Header("Content-Type", "application/json")], body: Array(body.utf8),
                deadline: .seconds(60)))
        guard answer.status == 200 else {
            throw TestError("HTTP \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    /// Sends a command and returns the error, if it was refused.
    func refusal(of command: Command, wait: Bool = false) async throws -> ErrorReply.Body? {
        do {
            try await client.post(command, wait: wait)
            return nil
        } catch let refused as CommandRefused {
            return refused.reply.error
        }
    }

    func lightctl(_ arguments: String...) async throws -> Program.End { try await lightctl(arguments) }

    func lightctl(_ arguments: [String]) async throws -> Program.End {
        let program = try Program(.lightctl, ["--socket", socket] + arguments)
        defer { program.signal(SIGKILL) }
        return try await program.end()
    }

    // MARK: - The second app

    /// The second app sends a PUT to a bridge.
    func put(_ member: Int, _ type: String, _ id: String, _ body: String) async throws {
        guard let app = bridges[member].otherApp else { throw TestError("the other app is not paired") }
        try await app.put(type, id, body)
    }

    /// The second app sends a PUT to the lamp with this name.
    func put(_ member: Int, light name: String, _ body: String) async throws {
        guard let lamp = await bridges[member].controls.home.lamp(called: name) else { throw TestError("no '\(name)'") }
        let resource = try await light(name, of: member).id.split(separator: "/").last.map(String.init)
        try await put(member, "light", resource ?? "\(lamp.id)", body)
    }
}

extension SeveralBridgesFixture.PairedBridge {
    /// The control port's counts of requests to this bridge.
    struct Record: Decodable {
        let inFlight: Int
        let lightCommands: Int
        let lightsPerSecond: Int
        let groupCommands: Int
        let groupsPerSecond: Int
        let refused: Int

        enum CodingKeys: String, CodingKey {
            case refused
            case inFlight = "in_flight"
            case lightCommands = "light_commands"
            case lightsPerSecond = "lights_per_second"
            case groupCommands = "group_commands"
            case groupsPerSecond = "groups_per_second"
        }
    }

    func record(_ client: ControlClient) async throws -> Record {
        struct Whole: Decodable { let record: Record }
        let answer = try await client.http.send(
            HTTPRequest(.get, "http://\(ready.host):\(ready.controlPort)/assertions"))
        return try JSONDecoder().decode(Whole.self, from: Data(answer.body)).record
    }

    /// The commands that reached it since the record was cleared.
    var commands: [LoggedRequest] {
        get async {
            await controls.requests.filter {
                $0.method == "PUT" && ["light", "scene"].contains { [path = $0.path] in path.contains("\($0)") }
            }
        }
    }
}

extension Settings {
    /// The small flat with a wall switch in the kitchen, on a bridge with this name; the seed makes its ids unique.
    static func flat(_ name: String, seed: UInt64, _ adjust: (inout Settings) throws -> Void = { _ in }) throws -> Self
    {
        var settings = Settings(home: try HomeFile(yaml: home(name), path: name))
        settings.seed = seed
        try adjust(&settings)
        return settings
    }

    private static func home(_ name: String) -> String {
        """
        bridge: { name: \(name) }
        rooms:
          - name: Kitchen
            lights:
              - { name: Stove, kind: ambiance, on: true, brightness: 80, mirek: 250 }
              - { name: Counter, kind: dimmable }
            accessories:
              - { name: Kitchen switch, kind: switch }
          - name: Living
            lights:
              - { name: Desk, kind: color }
              - { name: Sofa, kind: ambiance, mirek: 400 }
              - { name: Fan, kind: plug }
        scenes:
          - name: Evening
            group: Living
            lights:
              Desk: { brightness: 40, xy: [0.561, 0.4042] }
              Sofa: { brightness: 30, mirek: 447 }
        """
    }
}

/// Runs bridges during the body.
private func withBridge(
    _ bridges: ArraySlice<SimulatedBridge>, _ body: @escaping @Sendable () async throws -> Void
) async throws {
    guard let first = bridges.first else { return try await body() }
    try await withBridge(first) { try await withBridge(bridges.dropFirst(), body) }
}
