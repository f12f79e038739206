import ControlProtocol
import Foundation
import LightDaemon
import SimulatedBridge
import TestSupport
import Testing

/// What each fault of the network costs, in a quiet home and in the middle of a fade (docs/gateway.md).
@Suite(.timeLimit(.minutes(5)))
struct NetworkFaultTests {
    /// Connections that die, a link that is slow, a bridge that takes no connection, and a network that is down.
    private static let faults: [[FaultKind]] = [
        [.blackHole], [.halfOpen], [.slowDrip], [.noNewConnections], [.blackHole, .noNewConnections],
    ]

    /// Twice what docs/gateway.md promises on a quiet machine: the tests beside this one take the processor.
    private static let limit = Duration.seconds(30)

    @Test(arguments: faults, [false, true])
    func `after a fault of the network commands and wall switches arrive, and nothing is lost or false`(
        faults: [FaultKind], isFading: Bool
    ) async throws {
        try await withFlatHome { bridge, path in
            let controls = bridge.controls
            let ready = try await bridge.ready
            try await withDaemon(at: path, [Configuration.Host(host: ready.host, port: ready.httpsPort)]) { client in
                try await controls.withButtonPressed { try await client.post(.pair()) }
                try await client.post(.turn(to: .off, target: "all"), wait: true)
                if isFading {
                    try await client.post(.set(.init(brightness: 80), target: "sofa", over: 6000))
                    try await until("the fade is under way") {
                        await controls.lightState(of: "Sofa").map { $0.isOn && $0.level > 20 } == true
                    }
                }
                let began = ContinuousClock.now
                for kind in faults { await controls.begin(try Fault(kind)) }
                await controls.alter("Fan", by: .turning(.it(on: true)))
                let answer = await errorText { try await client.post(.turn(to: .on, target: "desk")) }
                let isDone = await controls.home.lamp(called: "Desk")?.isOn
                // What is reported as done has been done.
                #expect(isDone == true || answer != nil)

                var lost = began
                if faults.contains(where: { [.slowDrip, .noNewConnections].contains($0) }) {
                    // Long enough that requests time out and the bridge counts as lost.
                    try await Task.sleep(until: began + .seconds(8))
                    await controls.end()
                    lost = .now
                }
                try await until("a command arrives", within: Self.limit) {
                    await errorText { try await client.post(.turn(to: .on, target: "counter")) } == nil
                }
                let arrived = ContinuousClock.now - lost
                #expect(await controls.home.lamp(called: "Counter")?.isOn == true)
                try await until("everything is true", within: Self.limit - (.now - lost)) {
                    let (lights, home) = (try await client.get([LightBody].self, Routes.lights), await controls.home)
                    return lights.allSatisfy { $0.isTrue(in: home) }
                }
                printFigure(
                    "\(faults.map(\.rawValue)), \(isFading ? "during a fade" : "quiet"): "
                        + "command after \(seconds(arrived)), true after \(seconds(.now - lost))")
                #expect(await controls.home.lamp(called: "Fan")?.isOn == true)
                if isFading {
                    try await until("the fade has reached its end") {
                        await controls.lightState(of: "Sofa")?.level == level(80)
                    }
                }
                if answer == nil { #expect(await controls.home.lamp(called: "Desk")?.isOn == true) }
            }
        }
    }
}
