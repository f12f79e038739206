import Lighting
import SimulatedBridge
import Testing

@testable import HueBridge

/// A bridge that answers and tells nothing unasked: refused streams, silent streams.
@Suite(.timeLimit(.minutes(2)))
struct DeafTests {
    private func hurry(_ settings: inout GatewaySettings) {
        settings.pollInterval = .seconds(1)
        settings.patience = Patience(
            echo: .milliseconds(1500), doubt: .milliseconds(500), head: .milliseconds(500), stream: .seconds(1))
    }

    @Test func `a bridge that refuses its event stream is asked instead, and followed again after its restart`()
        async throws
    {
        try await withBridge(gateway: { hurry(&$0) }) { scenery in
            let pairing = try await scenery.pair()
            await scenery.bridge.controls.begin(try Fault("events-429"))
            scenery.gateway.bridges.connect(pairing)
            try await scenery.ears.wait("asked") { $0.hearing == .polling(every: .seconds(1)) }
            // It obeys, and what somebody else does is seen.
            #expect(await scenery.turn(.on, .light(scenery.light("Desk"))) == .succeeded)
            await scenery.bridge.controls.alter("Fan", by: .turning(.it(on: true)))
            try await scenery.ears.wait("what was done at the wall") {
                $0.light("Fan")?.power == .on && $0.light("Desk")?.power == .on
            }
            scenery.bridge.controls.reboot(for: .milliseconds(200))
            try await scenery.ears.wait("followed", within: .seconds(40)) { $0.hearing == .stream }
        }
    }

    @Test func `a stream that is silent from the beginning of its life is not believed after one that fell silent`()
        async throws
    {
        try await withBridge(gateway: { hurry(&$0) }) { scenery in
            try await scenery.connect()
            await scenery.bridge.controls.silenceStreams()
            // Its echo stays out: the stream is asked whether it lives, and is given up.
            _ = await scenery.turn(.on, .light(scenery.light("Desk")))
            try await scenery.ears.wait("lost", within: .seconds(30)) { $0.lost != nil }
            try await scenery.ears.wait("asked", within: .seconds(30)) {
                $0.hearing == .polling(every: .seconds(1))
            }
            await scenery.bridge.controls.alter("Fan", by: .turning(.it(on: true)))
            try await scenery.ears.wait("what was done at the wall") { $0.light("Fan")?.power == .on }
        }
    }
}

extension Ears.State {
    /// How the bridge is heard now.
    var hearing: Bridge.Hearing? {
        guard case let .connected(_, by: hearing)? = news.last(where: { !$0.isSeen }) else { return nil }
        return hearing
    }
}
