import Curl
import Testing

@Suite struct RequestTests {
    @Test func `an answer comes as it was sent`() async throws {
        try await withServer { _, connection in
            connection.reply(404, headers: ["X-One: a", "x-two:  b\t", "X-One: c", "Empty:"], "nothing here")
        } _: { server, client in
            let answer = try await client.send(HTTPRequest(.get, server.base + "/no?where=1"))
            #expect(answer.status == 404)
            #expect(answer.text == "nothing here")
            #expect(answer.head.version == "1.1")
            #expect(answer.head["x-one"] == "a", "the first of that name, case ignored")
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
    func `a body goes out once, with its length and without asking`(method: HTTPRequest.Method, size: Int) async throws
    {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let headers = [HTTPRequest.Header("Content-Type", "application/json")]
            _ = try await client.send(HTTPRequest(method, server.base + "/", headers: headers, body: body))
            let heard = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(heard.method == method.rawValue)
            #expect(heard.body == body)
            #expect(heard.values("Content-Length") == ["\(size)"])
            #expect(heard.values("Content-Type") == ["application/json"])
            #expect(heard.values("Expect") == [])
            #expect(heard.values("Transfer-Encoding") == [])
        }
    }

    @Test(arguments: [HTTPRequest.Method.put, .post, .delete])
    func `what has no body claims none`(method: HTTPRequest.Method) async throws {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            _ = try await client.send(HTTPRequest(method, server.base + "/"))
            let heard = try #require(server.requests.first)
            #expect(heard.method == method.rawValue)
            #expect(heard.values("Content-Length") == ["0"])
            #expect(heard.values("Content-Type") == [], "nobody said what it would be")
        }
    }

    @Test func `headers go out as they are, also without a value`() async throws {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            let headers = [
                HTTPRequest.Header("hue-application-key", "a;b: c"), .init("X-Empty", ""), .init("X-Tab", "a\tb"),
                .init("X-Word", "Küche"),
            ]
            _ = try await client.send(HTTPRequest(.get, server.base + "/", headers: headers))
            let heard = try #require(server.requests.first)
            #expect(heard.values("hue-application-key") == ["a;b: c"])
            #expect(heard.values("X-Empty") == [""])
            #expect(heard.values("X-Tab") == ["a\tb"])
            #expect(heard.values("X-Word") == ["Küche"])
            #expect(heard.values("Host") == ["127.0.0.1:\(server.port)"])
            #expect(heard.values("Expect") == [])
        }
    }

    @Test(arguments: [
        HTTPRequest.Header("X", "a\r\nEvil: 1"), .init("X", "a\nEvil: 1"), .init("X", "a\rb"), .init("X", "a\u{0}b"),
        .init("X: a\r\nEvil", "1"), .init("X\n", ""), .init("X", "\u{1b}[2J"),
    ])
    func `no header smuggles another`(header: HTTPRequest.Header) async throws {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            let outcome = await client.outcome(of: HTTPRequest(.get, server.base + "/", headers: [header]))
            #expect(outcome.error?.isInvalid == true)
            // The same client is none the worse, and nothing else was sent.
            #expect(await client.outcome(of: HTTPRequest(.get, server.base + "/good")).status == 200)
            #expect(server.requests.map(\.target) == ["/good"])
        }
    }

    @Test(arguments: [
        "", "no url", "ftp://127.0.0.1/", "file:///etc/hostname", "http://127.0.0.1/a\r\nEvil: 1", "http://",
    ])
    func `what is no http URL is refused`(url: String) async throws {
        let client = HTTPClient()
        defer { client.shutdown() }
        #expect(await client.outcome(of: HTTPRequest(.get, url)).error?.isInvalid == true, "\(url)")
    }

    @Test func `redirects are answers, not orders`() async throws {
        try await withServer { request, connection in
            connection.reply(301, headers: ["Location: /elsewhere"], request.target)
        } _: { server, client in
            let answer = try await client.send(HTTPRequest(.put, server.base + "/here", body: [1]))
            #expect(answer.status == 301)
            #expect(answer.head["location"] == "/elsewhere")
            #expect(server.requests.map(\.target) == ["/here"])
        }
    }

    @Test func `what is said beforehand is not the answer`() async throws {
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
    func `an answer longer than allowed is given up`(size: Int) async throws {
        try await withServer { _, connection in
            connection.reply(200, String(repeating: "x", count: size))
        } _: { server, client in
            let outcome = await client.outcome(of: HTTPRequest(.get, server.base + "/", maximumBodySize: 1000))
            if size <= 1000 { #expect(outcome.status == 200) } else { #expect(outcome.error == .tooMuch) }
        }
    }

    @Test func `the name in the URL and the place of the connection are two things`() async throws {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            let place = HTTPRequest.Endpoint(host: "127.0.0.1", port: server.port)
            let request = HTTPRequest(.get, "http://ecb5fafffe010203/clip", connectTo: place)
            #expect(await client.outcome(of: request).status == 200)
            #expect(server.requests.first?.values("Host") == ["ecb5fafffe010203"])
        }
    }

    @Test func `a unix socket serves as well`() async throws {
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
            #expect(server.accepted == 1, "kept warm like any other")
        }
        let client = HTTPClient()
        defer { client.shutdown() }
        let request = HTTPRequest(.get, "http://lightd/", unixSocket: path)
        #expect(await client.outcome(of: request).error?.isNoConnection == true, "gone")
        let long = HTTPRequest(.get, "http://lightd/", unixSocket: "/tmp/" + String(repeating: "x", count: 200))
        #expect(await client.outcome(of: long).error != nil)
    }
}
