import Curl
import Foundation
import HueWire
import ServiceLifecycle
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire {
    /// Reboots, moves and the end.
    @Suite struct LifeTests {
        @Test func `after a reboot it is where it was, and what was before is forgotten`() async throws {
            try await withBridge { site in
                let key = try await site.pair()
                var ear = try await site.listen(key: key)
                await site.controls.alter("Desk", by: .turning(.it(on: true)))
                let before = try #require(await ear.frame())
                let answer = try await site.control(.post, "/reboot", #"{"seconds":0.2}"#)
                #expect(answer.status == 202)
                let last = await ear.frame()
                #expect(last == nil, "the stream ends")
                try await until("it is back") { (try? await site.ask(.get, "/api/config"))?.status == 200 }
                #expect(try await site.askPlainly(.get, "/api/config").status == 200)
                #expect(try await site.bridge.ready == site.ready)
                #expect(try await site.lamp("Desk").isOn)
                var again = try await site.listen(key: key, after: "0:0")
                await site.controls.alter("Fan", by: .turning(.it(on: true)))
                let after = try #require(await again.frame())
                let fan = try await site.lamp("Fan")
                #expect(try after.resources.filter { $0["type"] == "light" }.map { $0["id"] } == [.id(fan.id)])
                #expect(after != before)
            }
        }

        @Test func `while it reboots nobody is there, but its control port is`() async throws {
            try await withBridge { site in
                try await site.control(.post, "/reboot", #"{"seconds":3600}"#)
                try await until("it is gone") {
                    do throws(CurlError) {
                        _ = try await site.client.send(site.request(.get, "/api/config"))
                        return false
                    } catch {
                        if case .noConnection = error { return true }
                        return false
                    }
                }
                #expect(try await site.control(.get, "/home").status == 200)
            }
        }

        @Test func `it moves to another port, and is the same there`() async throws {
            try await withBridge { site in
                let key = try await site.pair()
                var ear = try await site.listen(key: key)
                #expect(try await site.control(.post, "/move").status == 202)
                let last = await ear.frame()
                #expect(last == nil)
                try await until("it has moved") { try await site.bridge.ready.httpsPort != site.ready.httpsPort }
                let moved = try await site.bridge.ready
                #expect(moved.pin == site.ready.pin && moved.bridgeID == site.ready.bridgeID)
                #expect(moved.httpPort == site.ready.httpPort && moved.controlPort == site.ready.controlPort)
                let request = site.request(.get, "/clip/v2/resource/bridge", key: key, at: moved)
                #expect(try await site.client.send(request).status == 200)
                await #expect(throws: CurlError.self) { try await site.ask(.get, "/api/config") }
                // And back, to a port that is named.
                try await site.control(.post, "/move", #"{"port":\#(site.ready.httpsPort)}"#)
                try await until("it is back") { (try? await site.ask(.get, "/api/config"))?.status == 200 }
            }
        }

        @Test func `with another certificate it is another to who pinned the first`() async throws {
            try await withBridge { site in
                let key = try await site.pair()
                #expect(try await site.control(.post, "/certificate").status == 202)
                try await until("it is new") { try await site.bridge.ready.pin != site.ready.pin }
                let renewed = try await site.bridge.ready
                #expect(renewed.httpsPort == site.ready.httpsPort)
                let asked = await site.controls.requests.count
                do throws(CurlError) {
                    _ = try await site.client.send(site.request(.get, "/clip/v2/resource", key: key))
                    Issue.record("believed")
                } catch {
                    guard case .certificateRefused = error else {
                        Issue.record("\(error)")
                        return
                    }
                }
                #expect(await site.controls.requests.count == asked)
                let request = site.request(.get, "/clip/v2/resource/bridge", key: key, at: renewed)
                #expect(try await site.client.send(request).status == 200)
            }
        }

        @Test func `keys that were revoked open nothing`() async throws {
            try await withBridge { site in
                let key = try await site.pair()
                let answer = try await site.control(.delete, "/keys")
                #expect(try answer.json == ["keys": "revoked"])
                #expect(try await site.ask(.get, "/clip/v2/resource/bridge", key: key).status == 403)
                #expect(try await site.pair() != key)
            }
        }

        @Test(arguments: End.allCases) func `it ends within a second, whoever is connected`(end: End) async throws {
            var settings = Settings(home: .flat)
            if end == .requestUnderWay { settings.quirks = [.latency(20_000)] }
            let bridge = try SimulatedBridge(settings, logger: silent)
            let services = ServiceGroup(services: [bridge], logger: silent)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await services.run() }
                let site = Site(bridge: bridge, ready: try await bridge.ready)
                defer { site.client.shutdown() }
                var ear: Ear?
                switch end {
                case .nobody: break
                case .idleConnections:
                    // Nobody reads them until they are used again.
                    _ = try await site.ask(.get, "/api/config")
                    var old = site.request(.get, "/api/config")
                    old.version = .http1
                    _ = try await site.client.send(old)
                    _ = try await site.askPlainly(.get, "/api/config")
                    try await site.control(.get, "/home")
                case .openStream:
                    ear = try await site.listen(key: try await site.pair())
                    _ = try await ear?.greeting()
                case .requestUnderWay:
                    group.addTask { await #expect(throws: CurlError.self) { try await site.ask(.get, "/api/config") } }
                    try await until("it is asked") { await site.controls.requests.count == 1 }
                }
                let began = ContinuousClock.now
                await services.triggerGracefulShutdown()
                if let last = await ear?.frame() { Issue.record("\(last)") }
                try await group.waitForAll()
                #expect(ContinuousClock.now - began < .seconds(1))
                await #expect(throws: (any Error).self) { try await bridge.ready }
            }
        }

        enum End: CaseIterable { case nobody, idleConnections, openStream, requestUnderWay }

        @Test(arguments: ["HTTPS port", "HTTP port", "control port"], [false, true])
        func `a port that is taken is said, and does not keep it from ending`(what: String, advertises: Bool)
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
                // Not a child: one that hangs must not keep the test from saying so.
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
                guard hasEnded else { throw TestError("it hangs") }
                await #expect(throws: SimulatedBridgeError.self) { try await ready.value }
            }
        }
    }
}
