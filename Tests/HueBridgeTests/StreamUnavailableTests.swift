import Lighting
import SimulatedBridge
import Testing

@testable import HueBridge

/// A bridge that answers and tells nothing unasked: refused streams, silent streams.
@Suite(.timeLimit(.minutes(2)))
struct StreamUnavailableTests {
    private func hurry(_ settings: inout GatewaySettings) {
        settings.pollInterval = .seconds(1)
        settings.timeouts = Timeouts(
            echo: .milliseconds(1500), doubt: .milliseconds(500), head: .milliseconds(500), stream: .seconds(1))
    }

    @Test func `a bridge that refuses its event stream is asked instead, and followed again after its restart`()
        async throws
    {
        try await withBridge(gateway: { hurry(&$0) }) { fixture in
            let pairing = try await fixture.pair()
            await fixture.bridge.controls.begin(try Fault("events-429"))
            fixture.gateway.bridges.connect(pairing)
            try await fixture.updates.wait("asked") { $0.hearing == .polling(every: .seconds(1)) }
            // It obeys, and what somebody else does is seen.
            #expect(await fixture.turn(.on, .light(fixture.light("Desk"))) == .succeeded)
            await fixture.bridge.controls.alter("Fan", by: .turning(.it(on: true)))
            try await fixture.updates.wait("what was done at the wall") {
                $0.light("Fan")?.power == .on && $0.light("Desk")?.power == .on
            }
            fixture.bridge.controls.reboot(for: .milliseconds(200))
            try await fixture.updates.wait("followed", within: .seconds(40)) { $0.hearing == .stream }
        }
    }

    @Test func `a stream that is silent from the beginning of its life is not believed after one that fell silent`()
        async throws
    {
        try await withBridge(gateway: { hurry(&$0) }) { fixture in
            try await fixture.connect()
            await fixture.bridge.controls.silenceStreams()
            // Its echo stays out: the stream is asked whether it lives, and is given up.
            _ = await fixture.turn(.on, .light(fixture.light("Desk")))
            try await fixture.updates.wait("lost", within: .seconds(30)) { $0.lost != nil }
            try await fixture.updates.wait("asked", within: .seconds(30)) {
                $0.hearing == .polling(every: .seconds(1))
            }
            await fixture.bridge.controls.alter("Fan", by: .turning(.it(on: true)))
            try await fixture.updates.wait("what was done at the wall") { $0.light("Fan")?.power == .on }
        }
    }
}

extension UpdateCollector.State {
    /// How the bridge is heard now.
    var hearing: Bridge.UpdateMode? {
        guard case let .connected(_, by: hearing)? = news.last(where: { !$0.isSeen }) else { return nil }
        return hearing
    }
}
