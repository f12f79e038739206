import Curl
import Foundation
import HueWire
import ServerSentEvents
import ServiceLifecycle
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// Reboots, moves and shutdown.
    @Suite struct LifecycleTests {
        @Test func `after a reboot a bridge has its addresses and lamps, but no past events`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                await fixture.controls.alter("Desk", by: .turning(.it(on: true)))
                let before = try #require(await listener.frame())
                let response = try await fixture.control(.post, "/reboot", #"{"seconds":0.2}"#)
                #expect(response.status == 202)
                let last = await listener.frame()
                #expect(last == nil, "the stream ends")
                try await until("the bridge is back") { (try? await fixture.send(.get, "/api/config"))?.status == 200 }
                #expect(try await fixture.sendPlainly(.get, "/api/config").status == 200)
                #expect(try await fixture.bridge.ready == fixture.ready)
                #expect(try await fixture.lamp("Desk").isOn)
                var again = try await fixture.listen(key: key, after: "0:0")
                await fixture.controls.alter("Fan", by: .turning(.it(on: true)))
                let after = try #require(await again.frame())
                let fan = try await fixture.lamp("Fan")
                #expect(try after.resources.filter { $0["type"] == "light" }.map { $0["id"] } == [.id(fan.id)])
                #expect(after != before)
            }
        }

        @Test func `during a reboot only the control port answers`() async throws {
            try await withBridge { fixture in
                try await fixture.control(.post, "/reboot", #"{"seconds":3600}"#)
                try await until("the bridge is down") {
                    do throws(CurlError) {
                        _ = try await fixture.client.send(fixture.request(.get, "/api/config"))
                        return false
                    } catch {
                        if case .noConnection = error { return true }
                        return false
                    }
                }
                #expect(try await fixture.control(.get, "/home").status == 200)
            }
        }

        @Test func `a bridge that moves to another port keeps its id, key and certificate`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                #expect(try await fixture.control(.post, "/move").status == 202)
                let last = await listener.frame()
                #expect(last == nil)
                try await until("the bridge has moved") {
                    try await fixture.bridge.ready.httpsPort != fixture.ready.httpsPort
                }
                let moved = try await fixture.bridge.ready
                #expect(moved.pin == fixture.ready.pin && moved.bridgeID == fixture.ready.bridgeID)
                #expect(moved.httpPort == fixture.ready.httpPort && moved.controlPort == fixture.ready.controlPort)
                let request = fixture.request(.get, "/clip/v2/resource/bridge", key: key, at: moved)
                #expect(try await fixture.client.send(request).status == 200)
                await #expect(throws: CurlError.self) { try await fixture.send(.get, "/api/config") }
                // And back, to a named port.
                try await fixture.control(.post, "/move", #"{"port":\#(fixture.ready.httpsPort)}"#)
                try await until("the bridge is back") { (try? await fixture.send(.get, "/api/config"))?.status == 200 }
            }
        }

        @Test(arguments: ["/move", "/faults"])
        func `a move to a taken port is refused, and no connection is cut`(path: String) async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                var listener = try await fixture.listen(key: key)
                _ = try await listener.greeting()
                for port in [fixture.ready.controlPort, fixture.ready.httpPort] {
                    let body = path == "/move" ? #"{"port":\#(port)}"# : #"{"name":"move","value":\#(port)}"#
                    let response = try await fixture.control(.post, path, body)
                    #expect(response.status == 409)
                    #expect(
                        try response.json["error"]
                            == .string("port \(port) of 127.0.0.1 is taken; the bridge stays where it is"))
                }
                await fixture.controls.alter("Desk", by: .turning(.it(on: true)))
                #expect(await listener.frame() != nil)
                #expect(try await fixture.bridge.ready == fixture.ready)
            }
        }

        @Test func `a bridge that cannot listen where it should move returns to where it was`() async throws {
            let log = LogRecorder()
            let host = Loopback.next()
            try await withBridge(logger: log.logger) { fixture in
                let ready = fixture.ready
                let targets = [
                    ListenAddress(port: ready.controlPort), ListenAddress(port: ready.httpPort),
                    ListenAddress(host: "203.0.113.1"),
                ]
                for (count, target) in targets.enumerated() {
                    fixture.controls.move(to: target)
                    try await until("the move has failed") { log.lines.count == count + 1 }
                    #expect(try await fixture.bridge.ready == ready)
                    try await until("the bridge answers") {
                        (try? await fixture.send(.get, "/api/config"))?.status == 200
                    }
                }
                #expect(
                    log.lines.first
                        == "warning the bridge stays where it is "
                        + "reason=cannot listen on 127.0.0.1:\(ready.controlPort)")
                // Nothing is lost by the failures: the next move succeeds.
                fixture.controls.move(to: ListenAddress(host: host))
                try await until("the bridge has moved") { try await fixture.bridge.ready.host == host }
            }
        }

        @Test func `a client that pinned the first certificate refuses another`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                #expect(try await fixture.control(.post, "/certificate").status == 202)
                try await until("the certificate is renewed") {
                    try await fixture.bridge.ready.pin != fixture.ready.pin
                }
                let renewed = try await fixture.bridge.ready
                #expect(renewed.httpsPort == fixture.ready.httpsPort)
                let asked = await fixture.controls.requests.count
                do throws(CurlError) {
                    _ = try await fixture.client.send(fixture.request(.get, "/clip/v2/resource", key: key))
                    Issue.record("accepted")
                } catch {
                    guard case .certificateRefused = error else {
                        Issue.record("\(error)")
                        return
                    }
                }
                #expect(await fixture.controls.requests.count == asked)
                let request = fixture.request(.get, "/clip/v2/resource/bridge", key: key, at: renewed)
                #expect(try await fixture.client.send(request).status == 200)
            }
        }

        @Test func `revoked keys are refused`() async throws {
            try await withBridge { fixture in
                let key = try await fixture.pair()
                let response = try await fixture.control(.delete, "/keys")
                #expect(try response.json == ["keys": "revoked"])
                #expect(try await fixture.send(.get, "/clip/v2/resource/bridge", key: key).status == 403)
                #expect(try await fixture.pair() != key)
            }
        }

        @Test(.timeLimit(.minutes(5)), arguments: End.allCases)
        func `a bridge shuts down, whatever connections are open`(end: End) async throws {
            var settings = Settings(home: .flat)
            if end == .requestUnderWay { settings.quirks = [.latency(20_000)] }
            let bridge = try SimulatedBridge(settings, logger: silent)
            let services = ServiceGroup(services: [bridge], logger: silent)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await services.run() }
                let fixture = BridgeFixture(bridge: bridge, ready: try await bridge.ready)
                defer { fixture.client.shutdown() }
                var listener: EventListener?
                switch end {
                case .nobody: break
                case .idleConnections:
                    // They are not read until they are used again.
                    _ = try await fixture.send(.get, "/api/config")
                    var old = fixture.request(.get, "/api/config")
                    old.version = .http1
                    _ = try await fixture.client.send(old)
                    _ = try await fixture.sendPlainly(.get, "/api/config")
                    try await fixture.control(.get, "/home")
                case .openStream:
                    listener = try await fixture.listen(key: try await fixture.pair())
                    _ = try await listener?.greeting()
                case .requestUnderWay:
                    group.addTask {
                        await #expect(throws: CurlError.self) { try await fixture.send(.get, "/api/config") }
                    }
                    try await until("the request has arrived") { await fixture.controls.requests.count == 1 }
                }
                await services.triggerGracefulShutdown()
                if let last = await listener?.frame() { Issue.record("\(last)") }
                try await group.waitForAll()
                await #expect(throws: (any Error).self) { try await bridge.ready }
            }
        }

        enum End: CaseIterable { case nobody, idleConnections, openStream, requestUnderWay }

        @Test(arguments: ["HTTPS port", "HTTP port", "control port"], [false, true])
        func `a taken port is reported, and the bridge ends`(what: String, advertises: Bool)
            async throws
        {
            try await withBridge { first in
                var settings = Settings(home: .flat)
                settings.advertises = advertises
                switch what {
                case "HTTPS port": settings.httpsPort = first.ready.httpsPort
                case "HTTP port": settings.httpPort = first.ready.httpsPort
                default: settings.controlPort = first.ready.httpsPort
                }
                let second = try SimulatedBridge(settings, logger: silent)
                let ready = Task { try await second.ready }
                // Not a child task: if it hangs, the test must still end and report it.
                let (ends, end) = AsyncStream<Result<Void, any Error>>.makeStream()
                let running = Task {
                    do { end.yield(.success(try await second.run())) } catch { end.yield(.failure(error)) }
                    end.finish()
                }
                defer { running.cancel() }
                let place = "cannot listen on 127.0.0.1:\(first.ready.httpsPort) for the \(what): "
                var hasEnded = false
                for await result in ends {
                    hasEnded = true
                    #expect(throws: SimulatedBridgeError.self) { try result.get() }
                    if case let .failure(error) = result { #expect("\(error)".hasPrefix(place), "\(error)") }
                }
                guard hasEnded else { throw TestError("the bridge hangs") }
                await #expect(throws: SimulatedBridgeError.self) { try await ready.value }
            }
        }
    }
}
