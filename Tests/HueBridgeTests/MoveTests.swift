import Khipu
import Lighting
import ServiceDiscovery
import SimulatedBridge
import Testing

@testable import HueBridge

/// A bridge is its id; where it is may change. Announcements are fed by hand.
@Suite(.timeLimit(.minutes(1)))
struct MoveTests {
    private static func neighbourhood(_ events: Announcements) -> Neighbourhood { Neighbourhood { events.stream } }

    @Test func `a bridge that moves is followed to where it announces itself, with the key it knows`() async throws {
        let events = Announcements()
        try await withBridge(neighbourhood: Self.neighbourhood(events)) { scenery in
            let pairing = try await scenery.connect()
            let before = scenery.ready.httpsPort
            scenery.bridge.controls.move(toPort: 0)
            try await scenery.ears.wait("lost") { $0.failure != nil }
            // Pairing asked with the button; from here on nobody may.
            let asked = await scenery.bridge.controls.requests.count { $0.path == "/api" }
            let ready = try await scenery.moved(from: before)
            events.tell(.found(.announced(ready.httpsPort, id: scenery.id)))
            try await scenery.ears.wait("followed", within: .seconds(10)) { $0.isConnected }
            #expect(await scenery.bridge.controls.requests.count { $0.path == "/api" } == asked)
            #expect(await scenery.bridge.controls.requests.last { $0.key != nil }?.key == pairing.key.revealed)
        }
    }

    @Test func `a bridge that left without a word is followed when it announces itself elsewhere`() async throws {
        let events = Announcements()
        try await withBridge(neighbourhood: Self.neighbourhood(events)) { scenery in
            let pairing = try await scenery.pair()
            let ear = try Eavesdropper(before: scenery.ready.httpsPort)
            defer { ear.stop() }
            let there = Bridge.Address(host: "127.0.0.1", port: ear.port)
            scenery.gateway.bridges.connect(pairing.with(pairing.bridge.alter(by: .moving(.it(to: there)))))
            try await scenery.ears.wait("connected") { $0.isConnected }
            ear.freeze()
            events.tell(.found(.announced(scenery.ready.httpsPort, id: scenery.id)))
            try await scenery.ears.wait("lost", within: .seconds(5)) {
                $0.failure?.reason == "it announces itself elsewhere, and answers here no longer"
            }
            try await scenery.ears.wait("followed", within: .seconds(5)) { $0.isConnected }
        }
    }

    @Test func `an announcement moves no line that works, and an impostor under our bridge's id hears no key`()
        async throws
    {
        var settings = Settings(home: .flat)
        settings.seed = 2
        let stranger = try SimulatedBridge(settings, logger: silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await stranger.run() }
            let there = try await stranger.ready
            let events = Announcements()
            try await withBridge(neighbourhood: Self.neighbourhood(events)) { scenery in
                try await scenery.connect()
                let before = await scenery.bridge.controls.requests.count
                events.tell(.found(.announced(there.httpsPort, id: scenery.id)))
                // It asks at home whether the bridge is still there, and stays.
                while await scenery.bridge.controls.requests.count == before {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(scenery.ears.state.failure == nil)
                #expect(await stranger.controls.requests.isEmpty)
                // Even while ours is away, and the impostor the only one to ask.
                scenery.bridge.controls.reboot(for: .seconds(3))
                try await scenery.ears.wait("lost") { $0.failure != nil }
                try await scenery.ears.wait("home again") { $0.isConnected }
                #expect(await stranger.controls.requests.isEmpty)
            }
            group.cancelAll()
        }
    }

    @Test func `news rings for an address that is new or back, once, and not for what was looked at`() async throws {
        let events = Announcements()
        let neighbourhood = Self.neighbourhood(events)
        let id = Bridge.ID("ecb5fafffe010203")
        let whereabouts = Whereabouts(of: id, in: neighbourhood)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await neighbourhood.run(silent) }
            #expect(await !whereabouts.news(within: .milliseconds(20)))
            events.tell(.found(.announced(443, id: id)))
            #expect(await whereabouts.news(within: .seconds(60)))
            #expect(whereabouts.settle() == [Bridge.Address(host: "127.0.0.1", port: 443)])
            events.tell(.found(.announced(443, id: Bridge.ID("001788fffe000000"), name: "Another")))
            #expect(await !whereabouts.news(within: .milliseconds(20)))
            events.tell(.changed(.announced(8443, id: id)))
            #expect(await whereabouts.news(within: .seconds(60)))
            #expect(whereabouts.settle() == [Bridge.Address(host: "127.0.0.1", port: 8443)])
            events.tell(.removed(name: "Hue Bridge", type: "_hue._tcp", domain: "local"))
            #expect(await !whereabouts.news(within: .milliseconds(20)))
            events.tell(.found(.announced(8443, id: id)))
            #expect(await whereabouts.news(within: .seconds(60)))
            group.cancelAll()
        }
    }

    @Test func `an avahi-daemon that goes and comes is told, and what was seen stays`() async throws {
        let events = Announcements()
        let neighbourhood = Self.neighbourhood(events)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await neighbourhood.run(silent) }
            events.tell(.found(.announced(443, id: nil)))
            events.tell(.failed(.daemonMissing))
            let view = await neighbourhood.look(.seconds(60)) { _ in false }
            #expect(view.problem == "\(DiscoveryError.daemonMissing)" && view.seen.count == 1)
            events.tell(.resumed)
            events.tell(.found(.announced(443, id: nil, name: "Second")))
            let again = await neighbourhood.look(.seconds(60)) { $0.count == 2 }
            #expect(again.problem == nil)
            group.cancelAll()
        }
    }
}

extension Scenery {
    /// Where the bridge is once it is at another port.
    func moved(from port: Int) async throws -> SimulatedBridge.Ready {
        while true {
            let ready = try await bridge.ready
            if ready.httpsPort != port { return ready }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
