import ControlProtocol
import Foundation
import Lighting
import LightingTestKit
import Testing

@testable import ControlServer

/// What HTTP/1.1 asks of a server (RFC 9112), on both listeners.
@Suite struct ConformanceTests {
    private static let tcp = ControlServerSettings.TCP(
        host: "127.0.0.1", port: 0, token: "sesame", names: ["lights.home"])

    /// Sends these lines as they are over TCP or the unix socket.
    private func client(_ server: ServerFixture, overTCP: Bool, _ lines: [String], _ body: String = "") async throws
        -> ClientFixture
    {
        let client = try ClientFixture(overTCP ? .port(#require(server.port)) : server.address)
        let token = overTCP ? ["Authorization: Bearer sesame"] : []
        try await client.send((lines + token).joined(separator: "\r\n") + "\r\n\r\n" + body)
        return client
    }

    @Test(arguments: [true, false])
    func `a request has exactly one Host`(overTCP: Bool) async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            for (hosts, message) in [
                (["Host: localhost"], nil), ([], "the request has no 'Host' header"),
                (["Host: localhost", "Host: localhost"], "the request has more than one 'Host' header"),
                (["Host: localhost", "host: evil.example"], "the request has more than one 'Host' header"),
                (["Host: evil.example", "HOST: localhost"], "the request has more than one 'Host' header"),
            ] as [([String], String?)] {
                for path in [Routes.lights, Routes.live] {
                    let client = try await client(server, overTCP: overTCP, ["GET \(path) HTTP/1.1"] + hosts)
                    let answer = try await client.answer()
                    #expect(answer.status == (message == nil ? 200 : 400))
                    if let message { #expect(try answer.error.message == message) }
                }
            }
        }
    }

    @Test(arguments: [
        ("http://localhost/v1/lights", ["Host: localhost"], 200),
        ("HTTP://LOCALHOST:80/v1/lights?target=desk", ["Host: localhost"], 200),
        ("http://localhost/v1/lights", ["Host: evil.example"], 200),
        ("http://evil.example/v1/lights", ["Host: localhost"], 403),
        ("gopher://evil.example/v1/lights", ["Host: localhost"], 403),
        ("http://localhost@evil.example/v1/lights", ["Host: localhost"], 403),
        ("http://localhost:80@evil.example/v1/lights", ["Host: localhost"], 403),
        ("http://lights.home/v1/nowhere", ["Host: localhost"], 404),
        ("http://lights.home", ["Host: localhost"], 200),
        ("http://localhost/v1/lights", [], 400),
        ("http://localhost/v1/lights", ["Host: localhost", "Host: localhost"], 400),
    ])
    func `the host of the target counts, not that of the header`(
        target: String, hosts: [String], status: Int
    ) async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let client = try await client(server, overTCP: true, ["GET \(target) HTTP/1.1"] + hosts)
            #expect(try await client.answer().status == status)
        }
    }

    /// A request whose length is in doubt could hide a second one from a proxy.
    @Test(arguments: [
        ["Content-Length: 2", "Content-Length: 3"], ["Content-Length: 2", "Content-Length: 2"],
        ["Content-Length: 2, 2"], ["Content-Length: +2"], ["Content-Length: 0x2"], ["Content-Length: -1"],
        ["Content-Length: 99999999999999999999"], ["Content-Length: 2", "Transfer-Encoding: chunked"],
        ["Transfer-Encoding: chunked", "Content-Length: 2"], ["Transfer-Encoding: identity"],
        ["Transfer-Encoding: chunked, identity"], ["Transfer-Encoding: xchunked"], ["Transfer-Encoding : chunked"],
        ["Transfer-Encoding:", " chunked"], ["A: b", " c: d"], ["A\u{0}: b"], ["Content-Length : 2"],
    ])
    func `a request whose length or form is in doubt is refused, and the connection closed`(
        headers: [String]
    ) async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            for overTCP in [true, false] {
                let lines = ["POST /v1/messages HTTP/1.1", "Host: localhost"] + headers
                let client = try await client(server, overTCP: overTCP, lines, "{}")
                let answer = try await client.answer()
                #expect(answer.status == 400 && answer.headers["connection"] == "close")
                #expect(try answer.error.code == .invalid)
                #expect(try await client.isEnded())
            }
        }
    }

    /// A second one would be taken for the answer to the next request.
    @Test func `a request whose body becomes unreadable has one answer`() async throws {
        try await ServerFixture.run { server in
            let lines = ["GET /health/live HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked"]
            let client = try await client(server, overTCP: false, lines)
            #expect(try await client.answer().status == 200)
            try await client.send("this is no length\r\n")
            #expect(try await client.isEnded())
        }
    }

    @Test(arguments: [(1, 9000, 0), (4, 5000, 0), (101, 1, 0), (0, 0, 9000)])
    func `a head that is too long is refused as it arrives, in the API's form`(
        count: Int, length: Int, target: Int
    ) async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            for overTCP in [true, false] {
                let headers = Array(repeating: "A: " + String(repeating: "a", count: length), count: count)
                let path = Routes.lights + "?" + String(repeating: "a", count: target)
                let client = try ClientFixture(overTCP ? .port(#require(server.port)) : server.address)
                // It has no end: nothing of it may be waited for.
                let lines = ["GET \(path) HTTP/1.1", "Host: evil.example"] + headers + ["B: c"]
                try await client.send(lines.joined(separator: "\r\n"))
                let answer = try await client.answer()
                #expect(answer.status == 431 && answer.headers["connection"] == "close")
                #expect(try answer.error.message.contains("too long or too many"))
                #expect(try await client.isEnded())
            }
        }
    }

    @Test func `trailers count with the head`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let lines = ["POST /v1/messages HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked"]
            let trailer = "A: " + String(repeating: "a", count: 9000)
            let client = try await client(server, overTCP: false, lines, "2\r\n{}\r\n0\r\n\(trailer)\r\n\r\n")
            let answer = try await client.answer()
            #expect(answer.status == 400 && answer.headers["connection"] == "close")
            #expect(try await client.isEnded())
        }
    }

    @Test func `a client of HTTP/1.0 needs no Host, gets no chunks, and its connection ends with the answer`()
        async throws
    {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let client = try await client(server, overTCP: false, ["GET /v1/lights HTTP/1.0"])
            let answer = try await client.answer()
            #expect(answer.status == 200 && answer.headers["connection"] == "close")
            #expect(try answer.decoded([LightBody].self).count == HomeFixture.state.lights.count)
            #expect(try await client.isEnded())

            let stream = try await self.client(server, overTCP: false, ["GET /v1/events HTTP/1.0"])
            let head = try await stream.answer(hasBody: false)
            #expect(head.status == 200 && head.headers["transfer-encoding"] == nil)
            #expect(try await stream.text(4) == "id: ")

            // Over TCP it must say whom it means.
            let stranger = try await self.client(server, overTCP: true, ["GET /v1/lights HTTP/1.0"])
            #expect(try await stranger.answer().status == 403)
            let member = try await self.client(server, overTCP: true, ["GET /v1/lights HTTP/1.0", "Host: localhost"])
            #expect(try await member.answer().status == 200)
        }
    }

    @Test(arguments: ["close", "Close", "TE, close"])
    func `a connection ends after the request that says so`(connection: String) async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let lines = ["GET /health/live HTTP/1.1", "Host: localhost", "Connection: \(connection)"]
            let client = try await client(server, overTCP: false, lines)
            let answer = try await client.answer()
            #expect(answer.status == 200 && answer.headers["connection"] == "close")
            #expect(try await client.isEnded())
        }
    }

    @Test func `requests that come together are answered in their order`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let client = try ClientFixture(server.address)
            let paths = [Routes.live, Routes.lights, "/nowhere", Routes.rooms]
            try await client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
            for status in [200, 200, 404, 200] { #expect(try await client.answer().status == status) }
        }
    }

    // MARK: 100 Continue

    private static let expecting = [
        "POST /v1/messages HTTP/1.1", "Host: localhost", "Expect: 100-continue", "Content-Length: 16",
    ]

    @Test func `a client that waits for 100 Continue is asked for its body`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            let client = try await client(server, overTCP: false, Self.expecting)
            #expect(try await client.answer(hasBody: false).status == 100)
            try await client.send(#"{"command":"xy"}"#)
            let answer = try await client.answer()
            #expect(answer.status == 400 && answer.headers["connection"] == nil)
            #expect(try answer.error.message.contains("unknown command 'xy'"))
            #expect(try await client.ask("GET", Routes.live).status == 200)
        }
    }

    @Test func `a client that is refused is not asked for its body`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let stranger = try ClientFixture(.port(try #require(server.port)))
            try await stranger.send(Self.expecting.joined(separator: "\r\n") + "\r\n\r\n")
            #expect(try await stranger.answer().status == 401)
            let lines = Array(Self.expecting.dropLast()) + ["Content-Length: 3000000"]
            let answer = try await client(server, overTCP: false, lines).answer()
            #expect(answer.status == 413 && answer.headers["connection"] == "close")
        }
    }

    // MARK: Paths

    @Test(arguments: [
        "/v1/%6cights", "/v1/lights/", "//v1/lights", "/v1//lights", "/v1/./lights", "/v1/rooms/../lights",
        "/v1/rooms/%2e%2e/lights", "/V1/lights", "/health/../v1/lights", "/v1/lights%00", "/v1/lights;a", "*",
    ])
    func `a path has one spelling`(path: String) async throws {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp) { server in
            let method = path == "*" ? "OPTIONS" : "GET"
            let member = try await client(server, overTCP: true, ["\(method) \(path) HTTP/1.1", "Host: localhost"])
            #expect(try await member.answer().status == 404)
            let stranger = try ClientFixture(.port(try #require(server.port)))
            #expect(try await stranger.ask(method, path).status == 401)
        }
    }

    @Test func `a range of a list is not served, the whole list is`() async throws {
        try await ServerFixture.run(in: HomeFixture.state) { server in
            let whole = try await server.get(Routes.lights)
            let part = try await server.get(Routes.lights, ["Range": "bytes=0-9"])
            #expect(part.status == 200 && part.body == whole.body)
        }
    }
}
