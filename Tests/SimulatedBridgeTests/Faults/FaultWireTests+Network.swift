import Curl
import Foundation
import Glibc
import HueWire
import TestSupport
import Testing

@testable import SimulatedBridge

/// The faults of the network, over HTTP/2 with TLS (libcurl) and over plain HTTP/1.1 (bare sockets).
extension OnTheWire.FaultWireTests {
    private static let config = "GET /api/config HTTP/1.1\r\nHost: bridge\r\nConnection: keep-alive\r\n\r\n"

    /// A connection over plain HTTP that has carried a request already.
    private func openConnection(_ fixture: BridgeFixture) async throws -> Int32 {
        let port = fixture.ready.httpPort
        return try await onOwnThread {
            let socket = try BlockingSocket.connected(to: .ip(port: port))
            RawSocket.wait(for: .seconds(10), at: socket)
            try Self.ask(socket)
            #expect(Self.read(socket, 1).bytes == "H")
            // The rest of the answer.
            _ = Self.read(socket, 65_536, patience: .milliseconds(200))
            return socket
        }
    }

    private static func ask(_ socket: Int32) throws {
        try #require(
            config.withCString { Glibc.send(socket, $0, strlen($0), Int32(MSG_NOSIGNAL)) } == config.utf8.count)
    }

    /// Reads until the most bytes are there, the end, or the patience is over.
    private static func read(_ socket: Int32, _ most: Int, patience: Duration = .seconds(10)) -> RawSocket.Ending {
        RawSocket.wait(for: patience, at: socket)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: most)
        while bytes.count < most {
            let count = recv(socket, &buffer, most - bytes.count, 0)
            guard count > 0 else {
                return RawSocket.Ending(bytes: String(decoding: bytes, as: UTF8.self), error: count == 0 ? 0 : errno)
            }
            bytes += buffer.prefix(count)
        }
        return RawSocket.Ending(bytes: String(decoding: bytes, as: UTF8.self), error: 0)
    }

    private func inTime(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.deadline = .milliseconds(500)
        return request
    }

    func blackHole() async throws {
        try await withBridge { fixture in
            let key = try await fixture.pair()
            let (other, desk) = (HTTPClient(), try await fixture.lamp("Desk").id)
            defer { other.shutdown() }
            var listener = try await fixture.listen(key: key)
            _ = try await listener.greeting()
            let plain = try await openConnection(fixture)
            defer { close(plain) }
            await fixture.controls.forgetRequests()
            try await fixture.begin(.blackHole)
            // The client's bytes vanish, over TLS and without.
            let command = fixture.request(
                .put, "/clip/v2/resource/light/\(desk)", key: key, body: #"{"on":{"on":true}}"#)
            let error = await #expect(throws: CurlError.self) { try await fixture.client.send(inTime(command)) }
            #expect(error == .timedOut)
            let nothing = try await onOwnThread {
                try Self.ask(plain)
                return Self.read(plain, 1, patience: .milliseconds(300))
            }
            #expect(nothing == RawSocket.Ending(bytes: "", error: EAGAIN))
            #expect(await fixture.controls.requests == [])
            // And so do the bridge's, while new connections work.
            #expect(try await other.send(command).status == 200)
            #expect(try await fixture.lamp("Desk").isOn)
            // They are lost for good, and the fault is over.
            #expect(try await fixture.control(.get, "/faults").json == ["faults": []])
            #expect(await fixture.controls.end() == [])
            let still = try await onOwnThread { Self.read(plain, 1, patience: .milliseconds(300)) }
            #expect(still == RawSocket.Ending(bytes: "", error: EAGAIN))
            // The bridge's end of a connection vanishes too, except when it leaves the network.
            fixture.controls.reboot(for: .zero)
            #expect(await listener.frame() == nil)
            #expect(try await onOwnThread { Self.read(plain, 1) } == RawSocket.Ending(bytes: "", error: 0))
        }
    }

    func halfOpen() async throws {
        try await withBridge { fixture in
            let key = try await fixture.pair()
            let other = HTTPClient()
            defer { other.shutdown() }
            var listener = try await fixture.listen(key: key)
            _ = try await listener.greeting()
            let plain = try await openConnection(fixture)
            defer { close(plain) }
            try await fixture.begin(.halfOpen)
            // Nothing tells the client.
            await fixture.controls.alter("Desk", by: .turning(.it(on: true)))
            let nothing = try await onOwnThread { Self.read(plain, 1, patience: .milliseconds(300)) }
            #expect(nothing == RawSocket.Ending(bytes: "", error: EAGAIN))
            // Until it sends something.
            let reset = try await onOwnThread {
                try Self.ask(plain)
                return Self.read(plain, 1)
            }
            #expect(reset == RawSocket.Ending(bytes: "", error: ECONNRESET))
            #expect(try await other.send(fixture.request(.get, "/api/config")).status == 200)
            // Over HTTP/2 the reset ends the event stream on the same connection, too. Whether libcurl asks again over a
            // new one by itself depends on how much it had sent.
            do { _ = try await fixture.send(.get, "/api/config") } catch is CurlError {}
            #expect(await listener.frame() == nil)
            #expect(try await fixture.send(.get, "/api/config").status == 200)
            #expect(try await fixture.control(.get, "/faults").json == ["faults": []])
        }
    }

    func slowDrip() async throws {
        try await withBridge { fixture in
            let whole = try await fixture.send(.get, "/api/config")
            let plain = try await openConnection(fixture)
            defer { close(plain) }
            try await fixture.begin(.slowDrip)
            let (waiting, served) = (HTTPClient(), await fixture.controls.requests.count)
            defer { waiting.shutdown() }
            // An open connection, a new one, and one without TLS.
            async let old = fixture.send(.get, "/api/config")
            async let new = waiting.send(fixture.request(.get, "/api/config"))
            let (first, second) = try await onOwnThread {
                RawSocket.wait(for: .seconds(10), at: plain)
                try Self.ask(plain)
                var buffer = [UInt8](repeating: 0, count: 4096)
                return (recv(plain, &buffer, buffer.count, 0), recv(plain, &buffer, buffer.count, 0))
            }
            #expect(first > 0 && second > 0 && first + second < 20)
            // The client's bytes are as fast as ever.
            try await until("both are answered") { await fixture.controls.requests.count == served + 2 }
            try await fixture.end(.slowDrip)
            let rest = try await onOwnThread { Self.read(plain, 65_536, patience: .milliseconds(500)).bytes }
            #expect(rest.hasSuffix("}"))
            #expect(try await old.body == whole.body)
            #expect(try await new.body == whole.body)
        }
    }

    func noNewConnections() async throws {
        try await withBridge { fixture in
            let key = try await fixture.pair()
            var listener = try await fixture.listen(key: key)
            _ = try await listener.greeting()
            try await fixture.begin(.noNewConnections)
            // Open connections work.
            await fixture.controls.alter("Desk", by: .turning(.it(on: true)))
            #expect(await listener.frame() != nil)
            #expect(try await fixture.send(.get, "/api/config").status == 200)
            await fixture.controls.forgetRequests()
            // New ones do not, and who gives one up leaves nothing behind.
            var request = inTime(fixture.request(.get, "/api/config"))
            request.bringsConnection = true
            let error = await #expect(throws: CurlError.self) { try await fixture.client.send(request) }
            #expect(error == .noConnection("no answer in time"))
            let port = fixture.ready.httpPort
            let given = try await onOwnThread {
                try RawSocket.send(Self.config, port: port, patience: .milliseconds(300))
            }
            #expect(given == RawSocket.Ending(bytes: "", error: EAGAIN))
            // One that still waits at the end is accepted then.
            request.deadline = .seconds(10)
            let patient = request
            let network = fixture.controls.core.network
            try await until("the others are gone") { network.connectionCount == 1 }
            async let waiting = fixture.client.send(patient)
            try await until("it waits") { network.connectionCount == 2 }
            try await fixture.end(.noNewConnections)
            #expect(try await waiting.status == 200)
            #expect(await fixture.controls.requests.count == 1)
            // It ends by itself, too.
            try await fixture.begin(.noNewConnections, #""for":0.3"#)
            #expect(try await fixture.client.send(patient).status == 200)
        }
    }
}
