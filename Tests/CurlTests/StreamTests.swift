import Curl
import Dispatch
import Testing

@Suite struct StreamTests {
    @Test func `each piece arrives before the next is sent`() async throws {
        let received = DispatchSemaphore(value: 0)
        try await withServer { _, connection in
            connection.beginChunks(headers: ["Content-Type: text/event-stream"])
            for number in 0..<50 {
                connection.chunk("data: \(number)\n\n")
                guard received.wait(timeout: .now() + 60) == .success else { return connection.hangUp() }
            }
            connection.endChunks()
        } _: { server, client in
            let stream = try await client.stream(HTTPRequest(.get, server.base + "/", deadline: nil))
            #expect(stream.head.status == 200)
            #expect(stream.head["content-type"] == "text/event-stream")
            var number = 0
            for try await piece in stream.pieces {
                #expect(String(decoding: piece, as: UTF8.self) == "data: \(number)\n\n")
                number += 1
                received.signal()
            }
            #expect(number == 50)
        }
    }

    @Test func `the head arrives before the first piece`() async throws {
        let isReady = Latch()
        try await withServer { _, connection in
            connection.beginChunks()
            guard isReady.block() else { return connection.hangUp() }
            connection.chunk("piece")
            connection.endChunks()
        } _: { server, client in
            let stream = try await client.stream(HTTPRequest(.get, server.base + "/", deadline: nil))
            #expect(stream.head.status == 200)
            isReady.open()
            #expect(try await stream.pieces.reduce(into: []) { $0 += $1 } == Array("piece".utf8))
        }
    }

    @Test(arguments: [403, 429, 503])
    func `an error status is delivered with its body`(status: Int) async throws {
        try await withServer { _, connection in
            connection.reply(status, headers: ["Content-Type: text/html"], "<html></html>")
        } _: { server, client in
            let stream = try await client.stream(HTTPRequest(.get, server.base + "/", deadline: nil))
            #expect(stream.head.status == status)
            #expect(try await stream.pieces.reduce(into: []) { $0 += $1 } == Array("<html></html>".utf8))
        }
    }

    @Test func `a response without a body is a stream without pieces`() async throws {
        try await withServer { _, connection in
            connection.send("HTTP/1.1 204 Nothing\r\n\r\n")
        } _: { server, client in
            let stream = try await client.stream(HTTPRequest(.get, server.base + "/", deadline: nil))
            #expect(stream.head.status == 204)
            for try await _ in stream.pieces { Issue.record("no piece was sent") }
        }
    }

    @Test func `a long response arrives complete and in order`() async throws {
        let text = (0..<50_000).map { "\($0)," }.joined()
        try await withServer { _, connection in
            connection.reply(200, text)
        } _: { server, client in
            let stream = try await client.stream(HTTPRequest(.get, server.base + "/"))
            #expect(try await stream.pieces.reduce(into: []) { $0 += $1 } == Array(text.utf8))
        }
    }

    @Test func `a truncated stream throws after its last piece`() async throws {
        try await withServer { _, connection in
            connection.beginChunks()
            connection.chunk("one")
            connection.hangUp()
        } _: { server, client in
            let stream = try await client.stream(HTTPRequest(.get, server.base + "/", deadline: nil))
            var received: [UInt8] = []
            let error = await #expect(throws: CurlError.self) {
                for try await piece in stream.pieces { received += piece }
            }
            #expect(error?.isBroken == true)
            #expect(received == Array("one".utf8))
        }
    }

    @Test func `a stream whose response never begins is an error`() async throws {
        try await withServer { request, connection in
            if request.target == "/late" { connection.waitForEnd() } else { connection.hangUp() }
        } _: { server, client in
            let broken = await #expect(throws: CurlError.self) {
                try await client.stream(HTTPRequest(.get, server.base + "/"))
            }
            #expect(broken?.isBroken == true)
            #expect(
                await client.timesOut(HTTPRequest(.get, server.base + "/late")) { _ = try await client.stream($0) })
        }
    }

    @Test func `a reader that falls far behind loses the stream`() async throws {
        let ended = Latch()
        try await withServer { _, connection in
            connection.beginChunks()
            while connection.chunk("x") {}
            ended.open()
        } _: { server, client in
            let stream = try await client.stream(HTTPRequest(.get, server.base + "/", deadline: nil))
            #expect(await ended.wait(), "the transfer is aborted")
            var count = 0
            let error = await #expect(throws: CurlError.self) { for try await _ in stream.pieces { count += 1 } }
            #expect(error == .tooMuch)
            #expect(count == 4096, "the buffered pieces can still be read")
        }
    }

    // MARK: - Closing

    /// Streams forever, and checks that the connection is closed once `close` has dropped the stream.
    private func expectClosed(_ close: (HTTPClient, HTTPRequest) async throws -> Void) async throws {
        let ended = Latch()
        try await withServer { _, connection in
            connection.beginChunks()
            connection.chunk("first")
            connection.waitForEnd()
            ended.open()
        } _: { server, client in
            try await close(client, HTTPRequest(.get, server.base + "/", deadline: nil))
            #expect(await ended.wait(), "the server sees the connection end")
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a stream that is dropped unread closes its connection`() async throws {
        try await expectClosed { client, request in
            let head = try await client.stream(request).head
            #expect(head.status == 200)
        }
    }

    @Test func `a stream that is no longer read closes its connection`() async throws {
        try await expectClosed { client, request in
            for try await piece in try await client.stream(request).pieces {
                #expect(piece == Array("first".utf8))
                break
            }
        }
    }

    @Test func `a cancelled reader closes its connection`() async throws {
        try await expectClosed { client, request in
            let reading = Latch()
            let task = Task {
                for try await _ in try await client.stream(request).pieces { reading.open() }
            }
            #expect(await reading.wait())
            task.cancel()
            _ = await task.result
        }
    }

    @Test func `a dropped client closes its streams`() async throws {
        let ended = Latch()
        let server = try ScriptedServer { _, connection in
            connection.beginChunks()
            connection.waitForEnd()
            ended.open()
        }
        defer { server.stop() }
        var client: HTTPClient? = HTTPClient()
        let stream = try await client?.stream(HTTPRequest(.get, server.base + "/", deadline: nil))
        client = nil
        let pieces = try #require(stream).pieces
        let error = await #expect(throws: CurlError.self) { for try await _ in pieces {} }
        #expect(error == .closed)
        #expect(await ended.wait())
    }
}
