import ControlProtocol
import Foundation
import LightDaemon
import SimulatedBridge
import TestSupport
import Testing

/// A dry run against what is really sent: each command is first rehearsed and then carried out, and the bridge's record
/// must show the rehearsed requests, byte for byte.
@Suite(.timeLimit(.minutes(5)))
struct DryRunTests {
    private static let commands: [Command] = [
        .turn(to: .on, target: "all"),
        .turn(to: .off, target: "@kitchen", over: 1000),
        .toggle(target: "fan"),
        .toggle(target: "@living", over: 0),
        .set(.init(brightness: 40, color: "orange"), target: "desk"),
        .set(.init(brightness: 30, temperature: 300), target: "@downstairs", over: 700),
        .set(.init(temperature: 600), target: "all"),
        .set(.init(hue: 120, saturation: 100), target: "desk"),
        .set(.init(brightness: 55), target: "all"),
        .increase(.brightness, by: 10, target: "all"),
        .decrease(.brightness, by: 100, target: "@kitchen"),
        .decrease(.hue, by: 20, target: "desk", over: 300),
        .increase(.temperature, by: 7.5, target: "stove"),
        .recall(scene: "Evening", over: 1200),
        .undo(),
        .redo(over: 400),
        .undo(steps: 3),
        .apply(lights: [
            Command.LightState(id: "stove", power: .on, .init(brightness: 12.5, temperature: 222)),
            Command.LightState(id: "Desk", power: .on, .init(brightness: 12.5, hue: 300, saturation: 40)),
            Command.LightState(id: "fan", power: .off),
            Command.LightState(id: "sofa", power: .off, .init(brightness: 1)),
        ]),
        .rename(target: "desk", name: #"Küche "\/ 💡"#),
        .rename(target: "@living", name: "Salon"),
        .rename(target: "@downstairs", name: "Ground floor"),
        .configure(target: "all", .powerup(.safety)),
        .turn(to: .on, target: "all", over: 0),
        .identify(target: "stove"),
        .createRoom(name: "Office", targets: ["stove", "fan"]),
        .createRoom(name: "Work", targets: ["@office", "sofa"], kind: .zone),
        .addToRoom(room: "office", targets: ["sofa"]),
        .removeFromRoom(room: "office", targets: ["fan", "stove"]),
        .saveScene(name: "Cosy", targets: ["@work"]),
        .updateScene(scene: "cosy"),
        .editScene(scene: "cosy", targets: ["sofa"], .init(brightness: 30, temperature: 370), power: .on),
        .renameScene(scene: "cosy", name: "Late"),
        .deleteScene(scene: "late"),
        .renameRoom(room: "work", name: "Tasks", kind: .zone),
        .deleteRoom(room: "tasks"),
        .turn(to: .off, target: "all", over: 2000),
    ]

    @Test(arguments: [BridgeModel.square, .round])
    func `what a dry run lists is what is sent, byte for byte, and it changes nothing`(model: BridgeModel) async throws
    {
        try await withHome(model) { bridge, client in
            var lines: [String] = []
            // What the ids of new rooms and scenes are depends on how often the connection has been probed before.
            let known = try await client.arrangedIDs
            var new: [String] = []
            // Entries of the journal, up to this number.
            var seen: Int64 = 0
            for command in Self.commands {
                let before = try await client.memory(after: seen)
                await bridge.controls.forgetRequests()
                let dry = try await client.post(command, dryRun: true)
                let after = try await client.memory(after: seen)
                #expect(after == before, "\(command): \(after.difference(from: before))")
                #expect(await bridge.controls.requests.writes.isEmpty, "\(command)")
                seen = after.commands.last ?? seen
                let reply = try await client.post(command, wait: command.isConfirmed)
                let sent = await bridge.controls.requests.writes
                #expect(!sent.isEmpty, "\(command)")
                // Only the bridge knows the id that it gives to a new room.
                let room = reply.room.map { String($0.id.split(separator: "/")[1]) } ?? "NEW"
                let listed = dry.requests?.map { "\($0.method) \($0.path) \($0.body)" } ?? []
                #expect(listed.map { $0.replacing("/NEW", with: "/" + room) } == sent, "\(command)")
                lines += listed.map { line in
                    zip(1..., new).reduce(line) { $0.replacing($1.1, with: "NEW-\($1.0)") }
                }
                // API v1 counts.
                new += try await client.arrangedIDs.filter { $0.count > 8 && !known.contains($0) && !new.contains($0) }
                #expect(dry.ticket == 0 && dry.failing == nil)
                #expect(dry.requests?.allSatisfy { $0.held == nil } == true)
            }
            // And as ever.
            let difference = try StoredFile("requests-\(model).txt").difference(to: lines)
            #expect(difference == nil)
        }
    }

    @Test func `a dry run says what would fail, and why`() async throws {
        try await withHome(.square) { bridge, client in
            let mixed = try await client.post(
                .apply(lights: [Command.LightState(id: "attic"), Command.LightState(id: "fan", power: .on)]),
                dryRun: true)
            #expect(mixed.requests?.count == 1)
            #expect(mixed.failing?.map(\.target) == ["attic"])
            let refusal = await #expect(throws: CommandRefused.self) {
                try await client.post(.set(.init(color: "red"), target: "fan"), dryRun: true)
            }
            #expect(refusal?.reply.error.code == .cannot)
        }
    }

    /// The flat on a bridge of this model, and a daemon that sends one request after the other without pauses, so that
    /// their order is certain.
    private func withHome(
        _ model: BridgeModel, _ body: @escaping @Sendable (SimulatedBridge, ControlClient) async throws -> Void
    ) async throws {
        var settings = Settings(home: .flat)
        settings.model = model
        settings.timeScale = 10
        settings.quirks = [.unlimited]
        settings.host = Loopback.next()
        let bridge = try SimulatedBridge(settings, logger: silent)
        try await withTemporaryDirectory { place in
            let path = place.path
            try await withBridge(bridge) {
                let ready = try await bridge.ready
                let port = model == .round ? ready.httpPort : ready.httpsPort
                let host = Configuration.Host(host: ready.host, port: port)
                try await withDaemon(at: path, [host]) {
                    $0.limits.inFlight = 1
                    ($0.limits.lightsPerSecond, $0.limits.groupsPerSecond) = (1000, 1000)
                    $0.polling.interval = .seconds(1)
                } _: { client in
                    try await bridge.controls.withButtonPressed { try await client.post(.pair()) }
                    try await body(bridge, client)
                }
            }
        }
    }
}

extension ControlClient {
    /// The bridge's ids of all rooms, zones and scenes.
    fileprivate var arrangedIDs: [String] {
        get async throws {
            let rooms = try await get([RoomBody].self, Routes.rooms).map(\.id)
            let scenes = try await get([SceneBody].self, Routes.scenes).map(\.id)
            return (rooms + scenes).map { String($0.split(separator: "/")[1]) }
        }
    }

    /// What a dry run must leave alone.
    fileprivate func memory(after number: Int64) async throws -> Memory {
        Memory(
            lights: try await get([LightBody].self, Routes.lights).map { light in
                var light = light
                // A bridge that is polled reports what has not changed, too.
                (light.since, light.cause.at) = ("", "")
                return light
            },
            // All of them: a report that comes meanwhile would push the oldest out of a shorter list.
            commands: try await get([LogBody].self, Routes.log + "?limit=10000&after=\(number)")
                .filter { $0.ticket != nil }.map(\.number))
    }
}

extension Command {
    fileprivate var isConfirmed: Bool {
        switch self {
        case .rename, .configure, .identify, .createRoom, .addToRoom, .removeFromRoom, .renameRoom, .deleteRoom,
            .saveScene, .updateScene, .editScene, .renameScene, .deleteScene:
            false
        default: true
        }
    }
}

private struct Memory: Equatable {
    let lights: [LightBody]
    let commands: [Int64]

    func difference(from other: Self) -> String {
        let lights = zip(lights, other.lights).filter { $0 != $1 }
        return "\(lights) \(commands.difference(from: other.commands))"
    }
}

extension [LoggedRequest] {
    /// "PUT /clip/v2/resource/light/… {…}", without the requests that probe the connection.
    fileprivate var writes: [String] {
        filter { $0.method != "GET" && !$0.path.contains("geofence") }.map { request in
            let path = request.key.map { request.path.replacingOccurrences(of: $0, with: "KEY") } ?? request.path
            return "\(request.method) \(path) \(request.body)"
        }
    }
}
