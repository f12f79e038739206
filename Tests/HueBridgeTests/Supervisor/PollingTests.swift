import Foundation
import HueWire
import Khipu
import Lighting
import LightingTestKit
import SimulatedBridge
import TestSupport
import Testing

@testable import HueBridge

/// Bridges without an event stream, over plain HTTP, and one with TLS and API v1 only.
struct PollingTests {
    private static let models = [BridgeModel.round, .deconz]

    private let clock = HandBridgeClock()

    private func with(
        _ model: BridgeModel, every interval: Duration = .seconds(5),
        _ adjust: @escaping (inout Settings) -> Void = { _ in },
        _ body: @escaping @Sendable (BridgeFixture) async throws -> Void
    ) async throws {
        let clock = clock
        try await withBridge(
            .flat,
            {
                $0.model = model
                adjust(&$0)
            },
            gateway: {
                $0.pollInterval = interval
                $0.clock = clock.clock
            }, body)
    }

    @Test(arguments: models) func `a bridge without TLS is found, and paired by API v1`(model: BridgeModel)
        async throws
    {
        try await with(model) { fixture in
            let found = await ask { fixture.gateway.bridges.discover(.milliseconds(100), $0) }
            #expect(found.first { $0.id == fixture.id }?.model == model.rawValue)
            let pairing = try await fixture.pair()
            #expect(pairing.trust == .plain)
            #expect(pairing.api == .v1)
        }
    }

    @Test func `a bridge with TLS but without API v2 is controlled by API v1, over TLS`() async throws {
        let old = try Fault(.busy, .number(404), Fault.Scope(path: "/clip/v2"))
        try await with(.square, { $0.quirks.append(old) }) { fixture in
            let pairing = try await fixture.connect()
            #expect(pairing.api == .v1)
            if case .pinned = pairing.trust {} else { Issue.record("\(pairing.trust)") }
            #expect(fixture.updates.state.lights.count == 5)
            #expect(await fixture.set("Desk", .on) == .succeeded)
            #expect(await fixture.bridge.controls.home.lamp(called: "Desk")?.isOn == true)
            #expect(await fixture.bridge.controls.requests.allSatisfy(\.secure))
        }
    }

    @Test func `a bridge that was paired over TLS is never paired over plain HTTP`() async throws {
        try await with(.round) { fixture in
            // It was paired over TLS before.
            let bridge = Bridge(
                id: fixture.id, name: "Flat", model: "BSB002", address: Bridge.Address(host: "127.0.0.1", port: 1),
                connection: .lost(since: Timestamp(milliseconds: 0), because: .notPaired))
            fixture.gateway.bridges.connect(
                Pairing(bridge: bridge, key: Secret("old"), clientKey: nil, trust: .pinned("sha256//QQ==")))
            await fixture.bridge.controls.pressButton()
            let answer = await ask { fixture.gateway.bridges.pair(fixture.id, .seconds(2), $0) }
            guard case .failure(.certificateRefused) = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(await !fixture.bridge.controls.requests.contains { $0.method == "POST" })
        }
    }

    @Test(arguments: models) func `every command reaches its lamp, and polling shows it`(model: BridgeModel)
        async throws
    {
        try await with(model) { fixture in
            try await fixture.connect()
            let updates = fixture.updates
            #expect(updates.state.events.contains(.connected(fixture.id, by: .polling(every: .seconds(5)))))
            #expect(Set(updates.state.rooms.map(\.name)) == ["Kitchen", "Living", "Downstairs"])
            #expect(await fixture.set("Desk", .on, .hsb(0, 1, 0.5)) == .succeeded)
            try await fixture.wind(clock, "a red desk") { state in
                state.light("Desk").map { $0.power == .on && abs($0.brightness - 0.5) < 0.01 && $0.hue < 0.01 } ?? false
            }
            #expect(await fixture.set("Sofa", .on, .ct(300.mirek, brightness: 0.25)) == .succeeded)
            try await fixture.wind(clock, "a white sofa") { $0.light("Sofa")?.temperature == 300.mirek }
            // One group command for all.
            let all = updates.state.lights.keys.sorted()
            await fixture.bridge.controls.forgetRequests()
            #expect(
                await fixture.send { reply in
                    fixture.gateway.lights.set(all.map { DesiredState($0, power: .off) }, .usual, .test, reply)
                } == .succeeded)
            try await fixture.wind(clock, "darkness") { $0.lights.values.allSatisfy { $0.power == .off } }
            let writes = await fixture.bridge.controls.requests.filter { $0.method == "PUT" }
            #expect(writes.count == 1 && writes.first?.path.hasSuffix("/groups/0/action") == true, "\(writes)")
            // A scene, once the budget for group commands allows it.
            clock.wind(by: .seconds(2))
            let scene = try #require(updates.state.scenes.first { $0.name == "Bright" })
            #expect(
                await fixture.send { fixture.gateway.lights.recall(RecalledScene(scene.id), .usual, .test, $0) }
                    == .succeeded)
            try await fixture.wind(clock, "brightness") {
                $0.light("Counter")?.power == .on && $0.light("Counter")?.brightness == 1
            }
            // Names.
            let desk = fixture.light("Desk")
            #expect(await fixture.send { fixture.gateway.lights.rename(.light(desk), "Table", $0) } == .succeeded)
            try await fixture.wind(clock, "another name") { $0.light("Table") != nil }
        }
    }

    @Test(arguments: models) func `changes by others are seen within one interval`(model: BridgeModel) async throws {
        try await with(model, every: .seconds(2)) { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.alter("Counter", by: .turning(.it(on: true)))
            await fixture.bridge.controls.forgetRequests()
            // One interval.
            try await fixture.wind(clock, by: .seconds(2), pausing: .seconds(60), "the counter on") {
                $0.light("Counter")?.power == .on
            }
            // With the next poll.
            let asked = await fixture.bridge.controls.requests.filter { $0.path.hasSuffix("/lights") }
            #expect(asked.count == 1, "\(asked.map(\.path))")
            await fixture.bridge.controls.alter("Counter", by: .cutting(.mains))
            try await fixture.wind(clock, "the counter unreachable") { state in
                if case .unreachable? = state.light("Counter")?.freshness { true } else { false }
            }
        }
    }

    @Test func `a bridge that goes away is lost, and changes made meanwhile show when it is back`() async throws {
        try await with(.round) { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.begin(try Fault("hang-up"))
            try await fixture.wind(clock, "the loss") { $0.lost != nil && !$0.isConnected }
            await fixture.bridge.controls.alter("Desk", by: .turning(.it(on: true)))
            await fixture.bridge.controls.end(.hangUp)
            try await fixture.wind(clock, "the return") { $0.isConnected && $0.light("Desk")?.power == .on }
        }
    }

    @Test func `an idle bridge is polled no more often than configured, and every second after a command`() async throws
    {
        try await with(.round, every: .seconds(60)) { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.forgetRequests()
            func polls() async -> Int {
                await fixture.bridge.controls.requests.count { $0.method == "GET" && $0.path.hasSuffix("/lights") }
            }
            clock.wind(by: .seconds(50))
            #expect(await fixture.set("Desk", .on) == .succeeded)
            // Long before a minute has passed.
            for count in 1...3 {
                try await until("the bridge is polled again") { await polls() >= count }
                clock.wind(by: .seconds(1))
            }
        }
    }

    @Test func `a bridge that is busy once is not lost`() async throws {
        try await with(.round) { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.answer(next: 1, with: 503)
            try await until("the bridge was busy and is polled again") {
                clock.wind(by: .seconds(1))
                let asked = await fixture.bridge.controls.requests
                guard let busy = asked.lastIndex(where: { $0.status == 503 }) else { return false }
                return busy < asked.count - 1
            }
            // One busy answer does not lose the bridge.
            #expect(fixture.updates.state.isConnected && fixture.updates.state.lost == nil)
        }
    }

    @Test func `a revoked key is reported as refused`() async throws {
        try await with(.deconz) { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.revokeKeys()
            try await fixture.wind(clock, "the refusal") { state in
                state.events.contains(.lost(fixture.id, because: .keyRefused(by: fixture.id)))
            }
        }
    }

    @Test func `forgetting a bridge removes our key from it`() async throws {
        try await with(.round) { fixture in
            let pairing = try await fixture.connect()
            #expect(await fixture.send { fixture.gateway.bridges.forget(fixture.id, $0) } == .succeeded)
            let path = Dialect.keyPath(pairing.key)
            #expect(await fixture.bridge.controls.requests.contains { $0.method == "DELETE" && $0.path == path })
        }
    }
}

extension BridgeFixture {
    fileprivate func set(_ light: String, _ power: Turn? = nil, _ setting: LightPatch? = nil) async
        -> Outcome
    {
        let order = DesiredState(self.light(light), power: power, setting)
        return await send { gateway.lights.set([order], .usual, .test, $0) }
    }
}
