import HueWire
import Khipu
import Lighting
import LightingTestKit
import Logging
import Synchronization
import TestSupport
import Testing

@testable import HueBridge

/// Rehearsals beside commands that wait. EndToEndTests/DryRunTests compares rehearsed requests with real ones.
final class RehearsalTests: Sendable {
    private static let ids: [ResourceID] = ["one", "two", "three"]
    private static let one = Light.ID(bridge: .sample, resource: "one")
    private let outcomes = Mutex<[Outcome]>([])

    /// A room of three lamps, without a bridge behind it: what is asked of it waits.
    private func connection(isConnected: Bool = true) -> BridgeConnection {
        let connection = BridgeConnection(
            Pairing(bridge: .make(), key: Secret("secret"), clientKey: nil, trust: .maker),
            settings: Live(GatewaySettings()), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            now: { .sample }, publishUpdate: { _ in }, publishEvent: { _ in })
        let lights = Self.ids.map { id in
            Resource.light(LightResource(id: id, owner: nil, on: On(true), dimming: Dimming(50)))
        }
        let room = GroupResource(
            id: "room", metadata: Metadata(name: "Room"), children: Self.ids.map { ResourceReference($0, .light) },
            services: [ResourceReference("grouped", .groupedLight)])
        connection.load(lights + [.room(room)], askedAt: connection.elapsed, since: connection.losses)
        if isConnected { connection.markConnected() }
        return connection
    }

    private func set(_ lights: [ResourceID], _ power: Turn? = nil, _ level: Double? = nil) -> [DesiredState] {
        lights.map {
            DesiredState(
                Light.ID(bridge: .sample, resource: $0.description), power: power, level.map { .bri($0) })
        }
    }

    /// The paths and bodies that a command would send.
    private func rehearse(
        _ states: [DesiredState], on connection: BridgeConnection
    ) async throws -> (outcome: Outcome?, requests: [PlannedRequest]) {
        let bridges = RehearsedBridges([connection])
        let outcome = Mutex<Outcome?>(nil)
        bridges.lights.set(states, .usual, .test) { given in outcome.withLock { $0 = given } }
        return (outcome.withLock(\.self), try await bridges.requests())
    }

    private func text(_ requests: [PlannedRequest]) -> [String] {
        requests.map { "\($0.path.replacing("/clip/v2/resource/", with: "")) \($0.body)" }
    }

    @Test func `callers who wait are not answered by a rehearsal, and what they asked for stays queued`() async throws {
        let connection = connection()
        connection.change { parts, now in
            parts.set(
                set(["two"], .off), .usual, .test, { outcome in self.outcomes.withLock { $0.append(outcome) } }, at: now
            )
        }
        let rehearsed = try await rehearse(set(["one"], .off), on: connection)
        #expect(rehearsed.outcome == .succeeded)
        // Only its own request, not the one that waits.
        #expect(text(rehearsed.requests) == [#"light/one {"on":{"on":false}}"#])
        #expect(outcomes.withLock(\.self) == [])
        let (requests, _) = connection.parts.withLock { $0.queue.next(at: connection.elapsed) }
        #expect(requests.map(\.content) == [.light("two", LightUpdate(on: false))])
    }

    @Test func `a rehearsed request carries what it is coalesced with`() async throws {
        let connection = connection()
        connection.change { parts, now in
            parts.set(set(["one"], nil, 0.25), .usual, .test, { _ in }, at: now)
        }
        let rehearsed = try await rehearse(set(["one"], .on), on: connection)
        #expect(text(rehearsed.requests) == [#"light/one {"dimming":{"brightness":25},"on":{"on":true}}"#])
        let all = try await rehearse(set(Self.ids, .off), on: self.connection())
        #expect(text(all.requests) == [#"grouped_light/grouped {"on":{"on":false}}"#])
    }

    @Test func `commands beyond what a bridge takes in a second are listed without waiting`() async throws {
        let connection = connection()
        let bridges = RehearsedBridges([connection])
        for number in 1...40 {
            bridges.lights.rename(.room(Room.ID(bridge: .sample, resource: "room")), "\(number)", { _ in })
            bridges.lights.configure([Self.one], .powerup(.safety), { _ in })
        }
        let requests = try await bridges.requests()
        #expect(requests.count == 80)
        #expect(
            text(Array(requests.prefix(2))) == [
                #"room/room {"metadata":{"name":"1"}}"#, #"light/one {"powerup":{"preset":"safety"}}"#,
            ])
        #expect(requests.allSatisfy { !$0.path.contains("secret") && $0.held == nil })
    }

    @Test func `a bridge that is not connected holds requests, and one that is lost refuses them`() async throws {
        let connection = connection(isConnected: false)
        let waiting = try await rehearse(set(["one"], .off), on: connection)
        #expect(waiting.outcome == .succeeded)
        #expect(waiting.requests.map(\.held) == [.unreachable(.sample, because: "not connected yet")])
        connection.markLost(.keyRefused(by: .sample))
        let refused = try await rehearse(set(["one"], .off), on: connection)
        #expect(refused.outcome == .failed(.keyRefused(by: .sample)))
        #expect(refused.requests.isEmpty)
        let elsewhere = try await rehearse(
            [DesiredState(Light.ID(bridge: Bridge.ID("other"), resource: "one"), power: .off)], on: connection)
        #expect(elsewhere.outcome == .failed(.noSuchBridge(Bridge.ID("other"))))
    }
}
