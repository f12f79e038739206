import Curl
import Foundation
import SimulatedBridge
import TestSupport
import Testing

extension OnTheWire {
    @Suite struct RunningTests {
        @Test func `a bridge runs as long as the body, and the body's result is returned`() async throws {
            let ready = try await SimulatedBridge.running { bridge, ready in
                let response = try await BridgeFixture(bridge: bridge, ready: ready).sendPlainly(.get, "/api/config")
                #expect(response.status == 200)
                return ready
            }
            let client = HTTPClient()
            defer { client.shutdown() }
            await #expect(throws: (any Error).self) {
                try await client.send(HTTPRequest(.get, "http://\(ready.host):\(ready.httpPort)/api/config"))
            }
        }

        @Test func `an error of the body is thrown, and so is that of a taken port`() async throws {
            await #expect(throws: TestError.self) {
                try await SimulatedBridge.running { _, _ in throw TestError("the test's own") }
            }
            try await SimulatedBridge.running { _, ready in
                var settings = Settings(home: .flat)
                settings.httpPort = ready.httpPort
                await #expect(throws: SimulatedBridgeError.self) {
                    try await SimulatedBridge.running(settings) { _, _ in }
                }
            }
        }
    }
}
