import Foundation
import HueWire
import Synchronization
import TestSupport
import Testing

@testable import SimulatedBridge

/// The bridge's core with a manual clock: limits and time windows, to the millisecond.
@Suite struct CoreTests {
    @Test func `the eleventh light command of a burst is refused, and one is accepted a tenth of a second later`()
        async throws
    {
        let fixture = CoreFixture()
        for number in 1...10 { #expect(await fixture.put("light") == 200, "\(number)") }
        #expect(await fixture.put("light") == 429)
        fixture.pass(.milliseconds(101))
        #expect(await fixture.put("light") == 200)
        #expect(await fixture.put("light") == 429)
        // Reading, and renaming a device, do not count as commands.
        #expect(await fixture.put("device") == 200)
        #expect(await fixture.send("GET", "/clip/v2/resource") == 200)
    }

    @Test func `three group commands and recalls in a row are accepted, then one a second`() async throws {
        let fixture = CoreFixture()
        for type in ["grouped_light", "scene", "grouped_light"] { #expect(await fixture.put(type) == 200) }
        #expect(await fixture.put("scene") == 429)
        fixture.pass(.milliseconds(999))
        #expect(await fixture.put("grouped_light") == 429)
        fixture.pass(.milliseconds(2))
        #expect(await fixture.put("scene") == 200)
        #expect(await fixture.put("light") == 200)
    }

    @Test func `quirks set the limits`() async throws {
        let few = CoreFixture([.lightsPerSecond(2), .groupsPerSecond(3), .inFlight(1)])
        #expect(await [few.put("light"), few.put("light"), few.put("light")] == [200, 200, 429])
        #expect(
            await [few.put("scene"), few.put("scene"), few.put("scene"), few.put("scene")] == [200, 200, 200, 429])
        let none = CoreFixture([.unlimited])
        for _ in 0..<100 {
            #expect(await none.put("light") == 200)
            #expect(await none.put("grouped_light") == 200)
        }
    }

    @Test func `the fourth request in flight is refused, and counts as in flight until it is answered`() async throws {
        let fixture = CoreFixture()
        for _ in 0..<3 { #expect(await fixture.begin("GET", "/clip/v2/resource") == 200) }
        #expect(await fixture.begin("GET", "/clip/v2/resource") == 429)
        await fixture.core.finish()
        #expect(await fixture.begin("GET", "/clip/v2/resource") == 429)
        for _ in 0..<2 { await fixture.core.finish() }
        #expect(await fixture.begin("GET", "/clip/v2/resource") == 200)
    }

    @Test func `pairing is open for the pairing window, and again after another press`() async throws {
        let fixture = CoreFixture(window: .seconds(30))
        #expect(try await fixture.pair() == 101)
        await fixture.core.pressButton()
        #expect(try await fixture.pair() == nil)
        fixture.pass(.seconds(30))
        #expect(try await fixture.pair() == nil)
        fixture.pass(.milliseconds(1))
        #expect(try await fixture.pair() == 101)
        await fixture.core.pressButton()
        #expect(try await fixture.pair() == nil)
    }

    @Test func `every key is new, and a deleted key is never given again, not even after a restart`() async throws {
        let fixture = CoreFixture([.noButton])
        var keys: [String] = []
        for _ in 0..<3 { keys.append(try await fixture.key()) }
        #expect(Set(keys).count == 3)
        await fixture.core.revokeKeys()
        #expect(!keys.contains(try await fixture.key()))
        let saved = try #require(fixture.saved)
        let again = CoreFixture([.noButton], saved: saved)
        let next = try await again.key()
        #expect(!keys.contains(next) && saved.keys[next] == nil)
    }

    @Test func `a sensor in a state that was saved without its report gets one, and others keep theirs`() async throws {
        let fresh = SimulatedHome(HomeFixture.showroom, seed: 1)
        let door = try #require(fresh.accessory(called: "Door"))
        #expect(door.readings.contact == nil)
        let saved = try JSONDecoder().decode(SimulatedHome.self, from: JSONEncoder().encode(fresh))
        let opened = saved.alter(
            by: .updating(.accessory(door.id, by: [.reporting(.contact(false, at: .distantPast))])))
        for (home, isClosed) in [(saved, true), (opened, false)] {
            let core = BridgeCore(BridgeCore.Configuration(home: home, now: { .zero }))
            #expect(await core.home.accessory(door.id)?.readings.contact?.value == isClosed)
        }
    }

    @Test func `the saved home is the home after the write`() async throws {
        let fixture = CoreFixture()
        #expect(await fixture.put("light") == 200)
        let saved = try #require(fixture.saved)
        let restored = try JSONDecoder().decode(SimulatedHome.self, from: JSONEncoder().encode(saved.home))
        #expect(await restored == fixture.core.home)
    }
}

/// A bridge's core, a manual clock, and the state that it saved last.
private final class CoreFixture: Sendable {
    let core: BridgeCore
    private let clock: Clock
    private let file: File
    private let home = SimulatedHome(.flat, seed: 1)

    var saved: Saved? { file.save.withLock { $0 } }

    struct Saved: Sendable {
        let home: SimulatedHome
        let keys: [String: BridgeCore.Key]
        let pairings: Int
    }

    private final class Clock: Sendable { let now = Mutex(Duration.zero) }
    private final class File: Sendable { let save = Mutex<Saved?>(nil) }

    init(_ quirks: [Fault] = [], window: Duration = .seconds(30), saved: Saved? = nil) {
        let (clock, file) = (Clock(), File())
        self.clock = clock
        self.file = file
        core = BridgeCore(
            BridgeCore.Configuration(
                home: home, keys: saved?.keys ?? ["known": BridgeCore.Key(name: "test", created: Date())],
                pairings: saved?.pairings ?? 0, quirks: quirks, pairingWindow: window,
                now: { clock.now.withLock { $0 } },
                saveState: { home, keys, pairings in
                    file.save.withLock { $0 = Saved(home: home, keys: keys, pairings: pairings) }
                }))
    }

    func pass(_ time: Duration) { clock.now.withLock { $0 += time } }

    func put(_ type: String) async -> Int {
        let ids = [
            "light": home.lamps[0].id, "device": home.lamps[0].ids.device, "grouped_light": home.groups[0].groupedLight,
            "scene": home.scenes[0].id,
        ]
        return await send(
            "PUT", "/clip/v2/resource/\(type)/\(ids[type]!)", type == "light" ? #"{"on":{"on":false}}"# : "{}")
    }

    func send(_ method: String, _ path: String, _ body: String = "") async -> Int {
        let status = await begin(method, path, body)
        await core.finish()
        return status
    }

    func begin(_ method: String, _ path: String, _ body: String = "") async -> Int {
        guard case let .response(response) = await react(method, path, body) else { return 0 }
        return response.status
    }

    /// The number of the error; `nil` for success.
    func pair() async throws -> Int? { try await pairing().error?.type }

    func key() async throws -> String { try #require(try await pairing().success?.username) }

    private func pairing() async throws -> PairingAnswer {
        let reaction = await react("POST", "/api", #"{"devicetype":"test#one"}"#)
        await core.finish()
        guard case let .response(response) = reaction else { throw TestError("no answer") }
        return try #require(try JSONDecoder().decode([PairingAnswer].self, from: Data(response.body)).first)
    }

    private func react(_ method: String, _ path: String, _ body: String) async -> BridgeReply {
        await core.handle(
            BridgeRequest(
                method: method, path: path.split(separator: "/").map(String.init), query: nil, key: "known",
                accept: nil,
                lastEventID: nil, body: Array(body.utf8), isSecure: true)
        ).reply
    }
}
