import Curl
import Foundation
import HueWire
import Synchronization
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// An idle bridge does nothing until it is asked: it has no timer that ticks.
    @Suite struct RestTests {
        /// A clock on which every wait is over at once, and moves the time on. A timer that ticks would never stop.
        private final class HastyClock: Sendable {
            private let state = Mutex((elapsed: Duration.zero, waits: 0))

            var waits: Int { state.withLock { $0.waits } }

            var clock: SimulationClock {
                SimulationClock(
                    elapsed: { self.state.withLock { $0.elapsed } },
                    sleep: { time in
                        try Task.checkCancellation()
                        self.state.withLock { $0 = ($0.elapsed + time, $0.waits + 1) }
                    })
            }
        }

        @Test func `an idle bridge waits for nothing, and a change costs two waits`() async throws {
            let hasty = HastyClock()
            try await withBridge(clock: hasty.clock) {
                $0.quirks = [.noButton]
            } _: { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                _ = try await listener.greeting()
                for _ in 0..<20 {
                    #expect(try await fixture.send(.get, "/clip/v2/resource/light", key: key).status == 200)
                }
                #expect(hasty.waits == 0)
                // One to collect changes for a frame, one until the next frame is allowed.
                await fixture.controls.alter("Desk", by: .turning(.it(on: true)))
                #expect(await listener.frame() != nil)
                for _ in 0..<20 {
                    #expect(try await fixture.send(.get, "/clip/v2/resource/light", key: key).status == 200)
                }
                #expect(hasty.waits == 2)
            }
        }

        @Test func `the bridge waits for a lamp without mains once, until it notices`() async throws {
            let hasty = HastyClock()
            try await withBridge(clock: hasty.clock) { fixture in
                await fixture.controls.mains("Desk", on: false)
                try await until("the lamp is missed") {
                    await fixture.controls.home.lamp(called: "Desk")?.hasMains == false
                }
                for _ in 0..<20 { #expect(try await fixture.send(.get, "/api/config").status == 200) }
                // The two of its event, and the minute.
                #expect(hasty.waits == 3)
            }
        }

        /// Every timer of a process is a timerfd: ours, libdispatch's and those of the server library.
        @Test func `an idle lightsim with a client that listens has no timer running`() async throws {
            let program = try Program(.lightsim, ["--ready-json", "--quirk", "no-button"])
            defer { program.signal(SIGKILL) }
            try await until("lightsim has printed a line") { !program.lines.isEmpty }
            let fixture = BridgeFixture(
                bridge: try SimulatedBridge(Settings(home: .flat), logger: silent),
                ready: try JSONDecoder().decode(
                    SimulatedBridge.ConnectionDetails.self, from: Data(program.lines[0].utf8)))
            defer { fixture.client.shutdown() }
            let response = try await fixture.send(.post, "/api", body: #"{"devicetype":"test#one"}"#)
            var listener = try await fixture.listen(key: try #require(try response.pairing.success?.username))
            _ = try await listener.greeting()
            try await fixture.control(.post, "/lights/Desk/switch")
            #expect(await listener.frame() != nil)
            // A timer that ticks is set again as soon as it has fired.
            try await until("no timer is running") { try (0..<50).allSatisfy { _ in try !hasTimer(program.pid) } }
        }

        private func hasTimer(_ process: CInt) throws -> Bool {
            let place = "/proc/\(process)/fdinfo"
            return try FileManager.default.contentsOfDirectory(atPath: place).contains { descriptor in
                // The descriptor may have been closed meanwhile.
                let lines = (try? String(contentsOfFile: "\(place)/\(descriptor)", encoding: .utf8)) ?? ""
                return lines.contains("it_value:") && !lines.contains("it_value: (0, 0)")
            }
        }

        /// What a server library with a timer of its own puts there, it has from the machine's clock.
        @Test func `the Date header of every port has the time of the bridge's own clock`() async throws {
            let wrong = try Fault("clock-wrong:-1000000000")
            try await withBridge {
                $0.quirks = [wrong]
            } _: { fixture in
                let heads = [
                    try await fixture.send(.get, "/api/config").head,
                    try await fixture.sendPlainly(.get, "/api/config").head,
                    try await fixture.control(.get, "/faults").head,
                ]
                for head in heads {
                    let date = try #require(head["date"])
                    #expect(
                        date.wholeMatch(of: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} (199|200)\d \d\d:\d\d:\d\d GMT/) != nil)
                }
            }
        }
    }
}
