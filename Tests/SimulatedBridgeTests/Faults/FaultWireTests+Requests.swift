import Curl
import Foundation
import Glibc
import HueWire
import ServerSentEvents
import TestSupport
import Testing

@testable import SimulatedBridge

extension OnTheWire.FaultWireTests {
    private static let config = "GET /api/config HTTP/1.1\r\nHost: bridge\r\n\r\n"

    func busy() async throws {
        try await withBridge { fixture in
            try await fixture.begin(.busy, #""value":429,"path":"/api""#)
            let refused = try await fixture.send(.get, "/api/config")
            #expect(refused.status == 429 && refused.isPage)
            #expect(try await fixture.send(.get, "/clip/v2/resource").status == 403)
            try await fixture.end(.busy)
            #expect(try await fixture.send(.get, "/api/config").status == 200)
        }
    }

    func late(_ kind: FaultKind) async throws {
        try await withBridge { fixture in
            try await fixture.begin(kind, #""value":400"#)
            let began = ContinuousClock.now
            for _ in 0..<3 { #expect(try await fixture.send(.get, "/api/config").status == 200) }
            let taken = ContinuousClock.now - began
            // With seed 1 three random delays of up to 400 ms are more than 200 ms together.
            #expect(taken >= (kind == .latency ? .milliseconds(1200) : .milliseconds(200)))
            try await fixture.end(kind)
            #expect(try await fixture.send(.get, "/api/config").status == 200)
        }
    }

    func hang() async throws {
        try await withBridge { fixture in
            try await fixture.begin(.hang, #""path":"/api/config""#)
            for version in [HTTPRequest.Version.automatic, .http1] {
                var request = fixture.request(.get, "/api/config")
                request.version = version
                var deadline = Duration.milliseconds(300)
                // A client that keeps its HTTP/2 connection need not cancel the request at once.
                request.bringsConnection = true
                var error: CurlError?
                repeat {
                    request.deadline = deadline
                    deadline *= 2
                    error = await #expect(throws: CurlError.self) { try await fixture.client.send(request) }
                    // A machine that is busy may not even have connected in time.
                } while error?.isWithoutConnection == true
                guard case .timedOut = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            // Requests that clients gave up are no longer in flight; otherwise three more would be too many.
            try await until("no request is in flight") { await fixture.controls.core.inFlight == 0 }
            let port = fixture.ready.httpPort
            async let waiting = onOwnThread { try RawSocket.send(Self.config, port: port) }
            try await until("one request is in flight") { await fixture.controls.core.inFlight == 1 }
            try await fixture.end(.hang)
            #expect(try await waiting == RawSocket.Ending(bytes: "", error: 0))
            #expect(try await fixture.send(.get, "/api/config").status == 200)
            #expect(await fixture.controls.requests.map(\.status) == [0, 0, 0, 200])
        }
    }

    func hangUp() async throws {
        try await withBridge { fixture in
            try await fixture.begin(.hangUp)
            let port = fixture.ready.httpPort
            let cut = try await onOwnThread { try RawSocket.send(Self.config, port: port) }
            #expect(cut == RawSocket.Ending(bytes: "", error: 0))
            await #expect(throws: CurlError.self) { try await fixture.send(.get, "/api/config") }
            try await fixture.end(.hangUp)
            #expect(try await fixture.send(.get, "/api/config").status == 200)
        }
    }

    func reset() async throws {
        try await withBridge { fixture in
            let whole = try await fixture.send(.get, "/api/config").text
            try await fixture.begin(.reset)
            let port = fixture.ready.httpPort
            let cut = try await onOwnThread { try RawSocket.send(Self.config, port: port) }
            #expect(cut.error == ECONNRESET)
            #expect(cut.bytes.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(cut.bytes.lowercased().contains("content-length: \(whole.utf8.count)\r\n"))
            #expect(cut.bytes.hasSuffix("\r\n\r\n" + whole.prefix(whole.utf8.count / 2)))
            for version in [HTTPRequest.Version.automatic, .http1] {
                var request = fixture.request(.get, "/api/config")
                request.version = version
                let error = await #expect(throws: CurlError.self) { try await fixture.client.send(request) }
                guard case .broken = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            try await fixture.end(.reset)
            #expect(try await fixture.send(.get, "/api/config").text == whole)
        }
    }

    func truncated() async throws {
        try await withBridge { fixture in
            let whole = try await fixture.send(.get, "/api/config")
            try await fixture.begin(.truncated)
            for _ in 0..<2 {
                let half = try await fixture.send(.get, "/api/config")
                #expect(half.status == 200 && half.head["content-type"] == "application/json")
                #expect(half.body == Array(whole.body.prefix(whole.body.count / 2)))
                #expect(throws: (any Error).self) { try half.json }
            }
            try await fixture.end(.truncated)
            #expect(try await fixture.send(.get, "/api/config").body == whole.body)
        }
    }

    func goaway() async throws {
        try await withBridge {
            $0.quirks = [.unlimited]
        } _: { fixture in
            let key = try await fixture.pair()
            var listener = try await fixture.listen(key: key)
            _ = try await listener.greeting()
            try await fixture.begin(.goaway, #""value":5"#)
            // As every client must: a request that crosses the GOAWAY on its way is sent again.
            @Sendable func status() async throws -> Int {
                do { return try await fixture.send(.get, "/api/config").status } catch is CurlError {
                    return try await fixture.send(.get, "/api/config").status
                }
            }
            for _ in 0..<4 { #expect(try await status() == 200) }
            // The stream was on the connection that got the GOAWAY, and ends with it.
            #expect(await listener.frame() == nil)
            #expect(try await status() == 200)
            // Over HTTP/1.1 a header announces it, and the connection ends.
            let port = fixture.ready.httpPort
            let five = String(repeating: Self.config, count: 5)
            let answers = try await onOwnThread { try RawSocket.send(five, port: port).bytes.lowercased() }
            #expect(answers.components(separatedBy: "http/1.1 200 ok").count == 6)
            #expect(answers.components(separatedBy: "connection: close").count == 2)
            try await fixture.control(.delete, "/faults")
            var again = try await fixture.listen(key: key)
            for _ in 0..<10 { #expect(try await status() == 200) }
            await fixture.controls.begin(.unlimited)
            await fixture.controls.alter("Desk", by: .turning(.it(on: true)))
            #expect(await again.frame() != nil)
        }
    }

    @Test
    func `a request that crosses a GOAWAY is answered, or was not read by the bridge and can be repeated`()
        async throws
    {
        try await withBridge {
            $0.quirks = [.unlimited]
        } _: { fixture in
            let key = try await fixture.pair()
            try await fixture.begin(.goaway, #""value":5"#)
            await fixture.controls.forgetRequests()
            // Four at a time: when one gets the GOAWAY, others are on their way.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<50 {
                            let response = try await fixture.sendAgainIfUnread("/clip/v2/resource/room", key: key)
                            #expect(response.status == 200)
                        }
                    }
                }
                try await group.waitForAll()
            }
            // The bridge has read none whose answer was lost.
            #expect(await fixture.controls.requests.count == 200)
        }
    }

    func keyRevoked() async throws {
        try await withBridge { fixture in
            let key = try await fixture.pair()
            try await fixture.begin(.keyRevoked)
            let refused = try await fixture.send(.get, "/clip/v2/resource", key: key)
            #expect(refused.status == 403 && refused.isPage)
            let first = try await fixture.send(.get, "/api/\(key)/lights")
            #expect(first.status == 200 && first.text.contains(#""type":1"#))
            try await fixture.end(.keyRevoked)
            #expect(try await fixture.send(.get, "/clip/v2/resource", key: key).status == 200)
        }
    }

    func loneWrites() async throws {
        try await withBridge { fixture in
            let key = try await fixture.pair()
            let desk = try await fixture.lamp("Desk")
            try await fixture.begin(.loneWrites)
            #expect(try await fixture.put("light", desk.id, #"{"on":{"on":true}}"#, key: key).status == 200)
            try await fixture.begin(.latency, #""value":1000,"method":"GET""#)
            async let reading = fixture.send(.get, "/api/config")
            try await until("one request is in flight") { await fixture.controls.core.inFlight == 1 }
            let refused = try await fixture.put("light", desk.id, #"{"on":{"on":false}}"#, key: key)
            #expect(refused.status == 503 && refused.isPage)
            #expect(try await fixture.lamp("Desk").isOn)
            try await fixture.control(.delete, "/faults/lone-writes")
            #expect(try await fixture.put("light", desk.id, #"{"on":{"on":false}}"#, key: key).status == 200)
            #expect(try await reading.status == 200)
        }
    }

    func errorAfterUptime() async throws {
        try await withBridge {
            $0.timeScale = 1000
        } _: { fixture in
            try await fixture.begin(.errorAfterUptime, #""value":60"#)
            try await until("the bridge answers 500") { try await fixture.send(.get, "/api/config").status == 500 }
            #expect(try await fixture.send(.get, "/api/config").isPage)
            try await fixture.end(.errorAfterUptime)
            #expect(try await fixture.send(.get, "/api/config").status == 200)
            // With a longer uptime the errors end.
            try await fixture.begin(.errorAfterUptime, #""value":1"#)
            try await until("the bridge answers 500") { try await fixture.send(.get, "/api/config").status == 500 }
            try await fixture.begin(.errorAfterUptime, #""value":100000"#)
            #expect(try await fixture.send(.get, "/api/config").status == 200)
        }
    }

    func eventsRefused() async throws {
        try await withBridge { fixture in
            let key = try await fixture.pair()
            try await fixture.begin(.eventsRefused)
            let refused = try await fixture.send(.get, "/eventstream/clip/v2", key: key)
            #expect(refused.status == 429 && refused.isPage)
            #expect(try await fixture.send(.get, "/clip/v2/resource", key: key).status == 200)
            try await fixture.control(.post, "/reboot", #"{"seconds":0}"#)
            try await until("the reboot has ended the fault") {
                (try? await fixture.listen(key: key))?.head.status == 200
            }
            #expect(try await fixture.control(.get, "/faults").json == ["faults": []])
        }
    }

    // MARK: - Limits

    private func statuses(_ fixture: BridgeFixture, _ count: Int, _ type: String, _ id: ResourceID, key: String)
        async throws
        -> [Int]
    {
        var statuses: [Int] = []
        for _ in 0..<count { statuses.append(try await fixture.put(type, id, #"{"on":{"on":true}}"#, key: key).status) }
        return statuses
    }

    func unlimited() async throws {
        try await withBridge {
            $0.timeScale = 0.0001
        } _: { fixture in
            let key = try await fixture.pair()
            let group = try #require(await fixture.controls.home.groups.first).groupedLight
            try await fixture.begin(.unlimited)
            #expect(try await statuses(fixture, 5, "grouped_light", group, key: key) == [200, 200, 200, 200, 200])
            try await fixture.end(.unlimited)
            #expect(try await statuses(fixture, 5, "grouped_light", group, key: key) == [200, 200, 200, 429, 429])
        }
    }

    func inFlight() async throws {
        try await withBridge { fixture in
            try await fixture.begin(.latency, #""value":800"#)
            try await fixture.begin(.inFlight, #""value":1"#)
            async let first = fixture.send(.get, "/api/config")
            try await until("one request is in flight") { await fixture.controls.core.inFlight == 1 }
            #expect(try await fixture.send(.get, "/api/config").status == 429)
            #expect(try await first.status == 200)
            try await fixture.control(.delete, "/faults/in-flight")
            async let second = fixture.send(.get, "/api/config")
            try await until("one request is in flight") { await fixture.controls.core.inFlight == 1 }
            #expect(try await fixture.send(.get, "/api/config").status == 200)
            #expect(try await second.status == 200)
        }
    }

    /// The bridge's clock almost stands still, so that no budget refills meanwhile.
    func commandsPerSecond(_ kind: FaultKind) async throws {
        try await withBridge {
            $0.timeScale = 0.0001
        } _: { fixture in
            let key = try await fixture.pair()
            let desk = try await fixture.lamp("Desk").id
            let group = try #require(await fixture.controls.home.groups.first).groupedLight
            let (type, id) = kind == .groupsPerSecond ? ("grouped_light", group) : ("light", desk)
            try await fixture.begin(kind, #""value":2"#)
            #expect(try await statuses(fixture, 3, type, id, key: key) == [200, 200, 429])
            try await fixture.end(kind)
            let usual = kind == .groupsPerSecond ? [200, 200, 200, 429] : [200, 200, 200, 200]
            #expect(try await statuses(fixture, 4, type, id, key: key) == usual)
        }
    }

    func limitStatus() async throws {
        try await withBridge {
            $0.timeScale = 0.0001
        } _: { fixture in
            let key = try await fixture.pair()
            let group = try #require(await fixture.controls.home.groups.first).groupedLight
            try await fixture.begin(.limitStatus)
            #expect(try await statuses(fixture, 4, "grouped_light", group, key: key) == [200, 200, 200, 503])
            try await fixture.end(.limitStatus)
            #expect(try await statuses(fixture, 1, "grouped_light", group, key: key) == [429])
        }
    }

    func mostLights() async throws {
        var settings = Settings(home: .flat)
        settings.quirks = [.mostLights(4)]
        #expect(throws: SimulatedBridgeError.self) { try SimulatedBridge(settings, logger: silent) }
        try await withBridge {
            $0.quirks = [.unlimited]
            $0.timeScale = 200
        } _: { fixture in
            let key = try await fixture.pair()
            try await fixture.control(.delete, "/faults/unlimited")
            func search() async throws -> Int {
                #expect(try await fixture.send(.post, "/api/\(key)/lights").status == 200)
                try await until("the search is over") {
                    try await fixture.send(.get, "/api/\(key)/lights/new").json["lastscan"] != "active"
                }
                return await fixture.controls.home.lamps.count
            }
            #expect(try await fixture.control(.post, "/lights", #"{"name":"New","kind":"color"}"#).status == 202)
            try await fixture.begin(.mostLights, #""value":5"#)
            #expect(try await search() == 5)
            try await fixture.end(.mostLights)
            #expect(try await search() == 6)
        }
    }

    // MARK: - Pairing and time

    func pairing(_ kind: FaultKind) async throws {
        try await withBridge {
            $0.timeScale = 100
        } _: { fixture in
            func error() async throws -> Int? {
                try await fixture.send(.post, "/api", body: #"{"devicetype":"test#one"}"#).pairing.error?.type
            }
            #expect(try await error() == 101)
            // An hour of the bridge's time is half a minute of ours.
            let open = kind == .buttonPressed ? #""value":3600"# : ""
            try await fixture.begin(kind, open)
            #expect(try await error() == nil)
            if kind == .buttonPressed {
                try await fixture.begin(kind, #""value":1"#)
                try await until("the pairing window has closed") { try await error() == 101 }
                try await fixture.begin(kind, open)
                #expect(try await error() == nil)
            }
            try await fixture.end(kind)
            #expect(try await error() == 101)
        }
    }

    func clockWrong() async throws {
        try await withBridge {
            $0.quirks = [.unlimited]
        } _: { fixture in
            let key = try await fixture.pair()
            var listener = try await fixture.listen(key: key)
            func told(_ on: Bool) async throws -> (id: Double, stamp: Date) {
                await fixture.controls.alter("Desk", by: .turning(.it(on: on)))
                let frame = try #require(await listener.frame())
                let second = try #require(frame.id?.split(separator: ":").first.flatMap { Double($0) })
                let stamp = try #require(try frame.containers.first?["creationtime"]?.string)
                return (second, try Date.ISO8601FormatStyle().parse(stamp))
            }
            for (wrong, on) in [(-86_400.0, true), (86_400, false)] {
                try await fixture.control(.post, "/faults", #"{"name":"clock-wrong","value":\#(Int(wrong))}"#)
                let (id, stamp) = try await told(on)
                #expect(abs(id - Date().timeIntervalSince1970 - wrong) < 60)
                #expect(abs(stamp.timeIntervalSinceNow - wrong) < 60)
            }
            try await fixture.control(.delete, "/faults/clock-wrong")
            let (id, stamp) = try await told(true)
            #expect(abs(id - Date().timeIntervalSince1970) < 60 && abs(stamp.timeIntervalSinceNow) < 60)
            // The request log keeps the real time.
            #expect(await fixture.controls.requests.allSatisfy { abs($0.time.timeIntervalSinceNow) < 60 })
        }
    }
}

extension BridgeFixture {
    /// Sends a GET, again if it was refused with its connection: libcurl 7.88 does not repeat each of those by itself.
    fileprivate func sendAgainIfUnread(_ path: String, key: String) async throws -> HTTPResponse {
        while true {
            do throws(CurlError) {
                return try await client.send(request(.get, path, key: key))
            } catch {
                guard case .broken = error else { throw error }
            }
        }
    }
}

extension CurlError {
    fileprivate var isWithoutConnection: Bool { if case .noConnection = self { true } else { false } }
}
