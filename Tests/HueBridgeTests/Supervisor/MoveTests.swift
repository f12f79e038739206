import Khipu
import Lighting
import ServiceDiscovery
import SimulatedBridge
import Testing

@testable import HueBridge

/// A bridge is known by its id; its address may change. The tests make the announcements.
@Suite(.timeLimit(.minutes(5)))
struct MoveTests {
    private let clock = HandBridgeClock()

    private func withBridge(
        announced events: Announcements, _ body: @escaping @Sendable (BridgeFixture) async throws -> Void
    ) async throws {
        let clock = clock
        // Announcements name this address.
        try await HueBridgeTests.withBridge(
            .flat, { $0.host = "127.0.0.1" }, gateway: { $0.clock = clock.clock },
            browser: MDNSBrowser { events.stream }, body)
    }

    @Test func `a bridge that moves is followed to the address it announces, with the same key`() async throws {
        let events = Announcements()
        try await withBridge(announced: events) { fixture in
            let pairing = try await fixture.connect()
            let before = fixture.ready.httpsPort
            fixture.bridge.controls.move(toPort: 0)
            try await fixture.updates.wait("lost") { $0.failure != nil }
            // Only pairing may ask for a key.
            let asked = await fixture.bridge.controls.requests.count { $0.path == "/api" }
            let ready = try await fixture.moved(from: before)
            events.tell(.found(.announced(ready.httpsPort, id: fixture.id)))
            try await fixture.updates.wait("followed") { $0.isConnected }
            #expect(await fixture.bridge.controls.requests.count { $0.path == "/api" } == asked)
            #expect(await fixture.bridge.controls.requests.last { $0.key != nil }?.key == pairing.key.revealed)
        }
    }

    @Test func `a bridge that leaves without closing its connections is followed when it announces itself elsewhere`()
        async throws
    {
        let events = Announcements()
        try await withBridge(announced: events) { fixture in
            let pairing = try await fixture.pair()
            let recorder = try HandshakeRecorder(before: fixture.ready.httpsPort)
            let there = Bridge.Address(host: "127.0.0.1", port: recorder.port)
            fixture.gateway.bridges.connect(pairing.with(pairing.bridge.alter(by: .moving(.it(to: there)))))
            try await fixture.updates.wait("connected") { $0.isConnected }
            // The stream hangs, and nothing answers any more.
            recorder.freeze()
            recorder.stop()
            events.tell(.found(.announced(fixture.ready.httpsPort, id: fixture.id)))
            try await fixture.updates.wait("lost") {
                $0.failure?.reason == "it announces itself elsewhere, and answers here no longer"
            }
            try await fixture.updates.wait("followed") { $0.isConnected }
        }
    }

    @Test func `an announcement does not move a working connection, and an impostor with our bridge's id gets no key`()
        async throws
    {
        var settings = Settings(home: .flat)
        settings.seed = 2
        let stranger = try SimulatedBridge(settings, logger: silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await stranger.run() }
            let there = try await stranger.ready
            let events = Announcements()
            try await withBridge(announced: events) { fixture in
                try await fixture.connect()
                let before = await fixture.bridge.controls.requests.count
                events.tell(.found(.announced(there.httpsPort, id: fixture.id)))
                // The gateway checks whether the bridge is still at its address, and stays.
                while await fixture.bridge.controls.requests.count == before {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(fixture.updates.state.failure == nil)
                #expect(await stranger.controls.requests.isEmpty)
                // Even while our bridge is away and only the impostor answers.
                fixture.bridge.controls.reboot(for: .milliseconds(500))
                try await fixture.updates.wait("lost") { $0.failure != nil }
                try await fixture.wind(clock, "connected again") { $0.isConnected }
                #expect(await stranger.controls.requests.isEmpty)
            }
            group.cancelAll()
        }
    }

    @Test(arguments: ["ecb5fafffe010203", "ECB5FAFFFE010203", "ec:b5:fa:01:02:03", "ECB5FA010203"])
    func `a bridge is recognised by every form of its id in mDNS`(text: String) async throws {
        let events = Announcements()
        let browser = MDNSBrowser { events.stream }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await browser.run(silent) }
            events.tell(.found(.announced(443, text: text)))
            let view = await browser.wait(.seconds(60)) { !$0.isEmpty }
            #expect(view.seen.map(\.id) == [Bridge.ID("ecb5fafffe010203")])
            group.cancelAll()
        }
    }

    @Test func `a stopped avahi-daemon is reported, and what was seen before is kept`() async throws {
        let events = Announcements()
        let browser = MDNSBrowser { events.stream }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await browser.run(silent) }
            events.tell(.found(.announced(443, id: nil)))
            events.tell(.failed(.daemonMissing))
            let view = await browser.wait(.seconds(60)) { _ in false }
            #expect(view.problem == .daemonMissing && view.seen.count == 1)
            events.tell(.resumed)
            events.tell(.found(.announced(443, id: nil, name: "Second")))
            let again = await browser.wait(.seconds(60)) { $0.count == 2 }
            #expect(again.problem == nil)
            group.cancelAll()
        }
    }
}

extension BridgeFixture {
    /// Waits until the bridge is at another port, and returns its addresses.
    func moved(from port: Int) async throws -> SimulatedBridge.ConnectionDetails {
        while true {
            let ready = try await bridge.ready
            if ready.httpsPort != port { return ready }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
