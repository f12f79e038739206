import HueWire
import Lighting
import SimulatedBridge
import Testing

@testable import HueBridge

/// Streams that say nothing: dead ones and quiet ones. In a hurry, because the bound itself is held by EndToEndTests in real time.
@Suite(.timeLimit(.minutes(1)))
struct SilenceTests {
    /// Ten times as fast is the bridge that gathers events for a second, so the waiting may be.
    private func hurried(_ body: @escaping @Sendable (BridgeFixture) async throws -> Void) async throws {
        try await withBridge(.flat, { $0.timeScale = 10 }) { settings in
            settings.timeouts = Timeouts(
                silence: .milliseconds(500), echo: .milliseconds(700), doubt: .milliseconds(300),
                stream: .milliseconds(300))
        } _: { fixture in
            try await fixture.connect()
            try await body(fixture)
        }
    }

    @Test func `a quiet bridge is stirred again and again, and never lost`() async throws {
        try await hurried { fixture in
            try await fixture.bridge.isProbed(4)
            #expect(fixture.updates.state.lost == nil)
            #expect(fixture.updates.state.isConnected)
        }
    }

    @Test func `a stream that fell silent is found out although nobody asks for anything`() async throws {
        try await hurried { fixture in
            await fixture.bridge.controls.silenceStreams()
            await fixture.bridge.controls.alter("Desk", by: .turning(.it(on: true)))
            try await fixture.updates.wait("silence found out") { $0.lost?.contains("silent") == true }
            #expect(fixture.updates.state.light("Desk")?.power == .off)
            await fixture.bridge.controls.end(.silentStream)
            try await fixture.updates.wait("the truth") { $0.isConnected && $0.light("Desk")?.power == .on }
        }
    }

    @Test func `of the streams that follow a silent one none is believed before it has spoken`() async throws {
        try await hurried { fixture in
            await fixture.bridge.controls.silenceStreams()
            try await fixture.updates.wait("asked instead") { $0.hearing.map { $0 != .stream } ?? false }
            let streams = await fixture.bridge.streams
            // Two more were opened, and given up.
            while await fixture.bridge.streams < streams + 2 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(fixture.updates.state.hearing != .stream)
            await fixture.bridge.controls.end(.silentStream)
            try await fixture.updates.wait("followed again") { $0.hearing == .stream }
        }
    }
}

extension SimulatedBridge {
    fileprivate var streams: Int {
        get async { await controls.requests.count { $0.path.hasPrefix("/eventstream") } }
    }

    /// Waits until a client of ours was renamed so often.
    fileprivate func isProbed(_ count: Int) async throws {
        while await controls.requests.count(where: { $0.method == "PUT" && $0.path.contains("geofence") }) < count {
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
