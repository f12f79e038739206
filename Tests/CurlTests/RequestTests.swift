import Curl
import Testing

@Suite struct RequestTests {
    @Test func `a response arrives as it was sent`() async throws {
        try await withServer { _, connection in
            connection.reply(404, headers: ["X-One: a", "x-two:  b\t", "X-One: c", "Empty:"], "nothing here")
        } _: { server, client in
            let answer = try await client.send(HTTPRequest(.get, server.base + "/no?where=1"))
            #expect(answer.status == 404)
            #expect(answer.text == "nothing here")
            #expect(answer.head.version == "1.1")
            #expect(answer.head["x-one"] == "a", "the first with that name, ignoring case")
            #expect(answer.head.headers.filter { $0.name == "X-One" }.map(\.value) == ["a", "c"])
            #expect(answer.head["X-TWO"] == "b")
            #expect(answer.head["empty"] == "")
            #expect(answer.head["missing"] == nil)
            #expect(answer.certificate == nil)
            #expect(server.requests.map(\.method) == ["GET"])
            #expect(server.requests.first?.target == "/no?where=1")
            #expect(server.requests.first?.body == [])
        }
    }

    @Test(arguments: [HTTPRequest.Method.put, .post, .delete], [0, 1, 1500, 300_000])
    func `a body is sent once, with its length and without "Expect"`(method: HTTPRequest.Method, size: Int) async throws
    {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let headers = [HTTPRequest.Header("Content-Type", "application/json")]
            _ = try await client.send(HTTPRequest(method, server.base + "/", headers: headers, body: body))
            let received = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(received.method == method.rawValue)
            #expect(received.body == body)
            #expect(received.values("Content-Length") == ["\(size)"])
            #expect(received.values("Content-Type") == ["application/json"])
            #expect(received.values("Expect") == [])
            #expect(received.values("Transfer-Encoding") == [])
        }
    }

    @Test(arguments: [HTTPRequest.Method.put, .post, .delete])
    func `a request without a body declares none`(method: HTTPRequest.Method) async throws {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            _ = try await client.send(HTTPRequest(method, server.base + "/"))
            let received = try #require(server.requests.first)
            #expect(received.method == method.rawValue)
            #expect(received.values("Content-Length") == ["0"])
            #expect(received.values("Content-Type") == [], "none was given")
        }
    }

    @Test func `headers are sent as given, even without a value`() async throws {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            let headers = [
                HTTPRequest.Header("hue-application-key", "a;b: c"), .init("X-Empty", ""), .init("X-Tab", "a\tb"),
                .init("X-Word", "Küche"),
            ]
            _ = try await client.send(HTTPRequest(.get, server.base + "/", headers: headers))
            let received = try #require(server.requests.first)
            #expect(received.values("hue-application-key") == ["a;b: c"])
            #expect(received.values("X-Empty") == [""])
            #expect(received.values("X-Tab") == ["a\tb"])
            #expect(received.values("X-Word") == ["Küche"])
            #expect(received.values("Host") == ["127.0.0.1:\(server.port)"])
            #expect(received.values("Expect") == [])
        }
    }

    @Test(arguments: [
        HTTPRequest.Header("X", "a\r\nEvil: 1"), .init("X", "a\nEvil: 1"), .init("X", "a\rb"), .init("X", "a\u{0}b"),
        .init("X: a\r\nEvil", "1"), .init("X\n", ""), .init("X", "\u{1b}[2J"),
    ])
    func `a header cannot smuggle in another`(header: HTTPRequest.Header) async throws {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            let outcome = await client.outcome(of: HTTPRequest(.get, server.base + "/", headers: [header]))
            #expect(outcome.error?.isInvalid == true)
            // The client still works, and nothing else was sent.
            #expect(await client.outcome(of: HTTPRequest(.get, server.base + "/good")).status == 200)
            #expect(server.requests.map(\.target) == ["/good"])
        }
    }

    @Test(arguments: [
        "", "no url", "ftp://127.0.0.1/", "file:///etc/hostname", "http://127.0.0.1/a\r\nEvil: 1", "http://",
    ])
    func `a URL that is not http or https is refused`(url: String) async throws {
        let client = HTTPClient()
        defer { client.shutdown() }
        #expect(await client.outcome(of: HTTPRequest(.get, url)).error?.isInvalid == true, "\(url)")
    }

    @Test func `redirects are returned, not followed`() async throws {
        try await withServer { request, connection in
            connection.reply(301, headers: ["Location: /elsewhere"], request.target)
        } _: { server, client in
            let answer = try await client.send(HTTPRequest(.put, server.base + "/here", body: [1]))
            #expect(answer.status == 301)
            #expect(answer.head["location"] == "/elsewhere")
            #expect(server.requests.map(\.target) == ["/here"])
        }
    }

    @Test func `an informational response is skipped`() async throws {
        try await withServer { _, connection in
            connection.send("HTTP/1.1 103 Early\r\nX-Early: 1\r\n\r\n")
            connection.reply(200, headers: ["X-Late: 1"], "now")
        } _: { server, client in
            let answer = try await client.send(HTTPRequest(.get, server.base + "/"))
            #expect(answer.status == 200)
            #expect(answer.head["X-Early"] == nil)
            #expect(answer.head["X-Late"] == "1")
            #expect(answer.text == "now")
        }
    }

    @Test(arguments: [1000, 1001, 100_000])
    func `a response longer than allowed is aborted`(size: Int) async throws {
        try await withServer { _, connection in
            connection.reply(200, String(repeating: "x", count: size))
        } _: { server, client in
            let outcome = await client.outcome(of: HTTPRequest(.get, server.base + "/", maximumBodySize: 1000))
            if size <= 1000 { #expect(outcome.status == 200) } else { #expect(outcome.error == .tooMuch) }
        }
    }

    @Test func `a request can connect elsewhere than the URL's host`() async throws {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            let endpoint = HTTPRequest.Endpoint(host: "127.0.0.1", port: server.port)
            let request = HTTPRequest(.get, "http://ecb5fafffe010203/clip", connectTo: endpoint)
            #expect(await client.outcome(of: request).status == 200)
            #expect(server.requests.first?.values("Host") == ["ecb5fafffe010203"])
        }
    }

    @Test func `a unix socket works like TCP`() async throws {
        let path = "/tmp/curl-\(UInt64.random(in: 0...(.max))).sock"
        try await withServer(.unixSocket(path)) { request, connection in
            connection.reply(200, request.target)
        } _: { server, client in
            let request = HTTPRequest(.put, "http://lightd/v1/messages", body: Array("{}".utf8), unixSocket: path)
            let answer = try await client.send(request)
            #expect(answer.text == "/v1/messages")
            #expect(server.requests.first?.values("Host") == ["lightd"])
            #expect(server.requests.first?.body == Array("{}".utf8))
            _ = try await client.send(request)
            #expect(server.accepted == 1, "the connection is reused")
        }
        let client = HTTPClient()
        defer { client.shutdown() }
        let request = HTTPRequest(.get, "http://lightd/", unixSocket: path)
        #expect(await client.outcome(of: request).error?.isNoConnection == true, "gone")
        let long = HTTPRequest(.get, "http://lightd/", unixSocket: "/tmp/" + String(repeating: "x", count: 200))
        #expect(await client.outcome(of: long).error != nil)
    }
}
