import Curl
import Foundation
import Testing

@Suite struct FailureTests {
    @Test func `a request that is not answered times out and closes its connection`() async throws {
        let ended = Latch()
        try await withServer { _, connection in
            connection.waitForEnd()
            ended.open()
        } _: { server, client in
            #expect(await client.timesOut(HTTPRequest(.get, server.base + "/")) { _ = try await client.send($0) })
            #expect(await ended.wait())
        }
    }

    @Test func `a response that stops half way times out`() async throws {
        try await withServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            connection.waitForEnd()
        } _: { server, client in
            #expect(await client.timesOut(HTTPRequest(.get, server.base + "/")) { _ = try await client.send($0) })
        }
    }

    @Test func `a closed port is reported as no connection`() async throws {
        let server = try ScriptedServer { _, _ in }
        let port = server.port
        server.stop()
        let client = HTTPClient()
        defer { client.shutdown() }
        // The server's thread closes the listener a moment later.
        let isRefused = await eventually {
            await client.outcome(of: HTTPRequest(.get, "http://127.0.0.1:\(port)/", deadline: .seconds(60))).error?
                .isNoConnection == true
        }
        #expect(isRefused)
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
    ])
    func `a truncated response is reported as broken`(text: String) async throws {
        try await withServer { _, connection in
            connection.send(text)
            connection.hangUp()
        } _: { server, client in
            let outcome = await client.outcome(of: HTTPRequest(.get, server.base + "/"))
            #expect(outcome.error?.isBroken == true, "\(outcome)")
            #expect(outcome.error?.description.isEmpty == false, "the error has a description")
            #expect(server.requests.count == 1, "the request is sent once")
        }
    }

    @Test func `a broken connection does not affect the next`() async throws {
        try await withServer { request, connection in
            if request.target == "/bad" { connection.hangUp() } else { connection.reply(200) }
        } _: { server, client in
            for _ in 0..<5 {
                #expect(await client.outcome(of: HTTPRequest(.get, server.base + "/bad")).error?.isBroken == true)
                #expect(await client.outcome(of: HTTPRequest(.get, server.base + "/good")).status == 200)
            }
        }
    }

    @Test func `a connection that the server closed is replaced`() async throws {
        try await withServer { request, connection in
            connection.reply(200, request.target)
            connection.hangUp()
        } _: { server, client in
            for number in 0..<10 {
                let answer = try await client.send(HTTPRequest(.put, server.base + "/\(number)", body: [1]))
                #expect(answer.text == "/\(number)")
                #expect(await eventually { server.open == 0 }, "the server closed it")
            }
            #expect(server.requests.map(\.target) == (0..<10).map { "/\($0)" }, "each is sent once")
            #expect(server.accepted == 10)
        }
    }

    @Test(
        arguments: [
            ([], "it closed the connection during the TLS handshake"),
            // Alerts of the server, RFC 8446, section 6: bad_record_mac, handshake_failure.
            ([21, 3, 3, 0, 2, 2, 20], "the TLS connection was damaged on the way"),
            ([21, 3, 3, 0, 2, 2, 40], "the TLS handshake failed: sslv3 alert handshake failure"),
            // A handshake record without a known message.
            ([22, 3, 3, 0, 4, 99, 0, 0, 0], "the TLS handshake failed: unexpected message"),
            (Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), "it answered without TLS"),
        ] as [([UInt8], String)])
    func `a failed TLS handshake is reported in words, without the library's names and numbers`(
        answer: [UInt8], words: String
    ) async throws {
        let server = try ScriptedServer(handshake: answer) { _, _ in }
        let client = HTTPClient()
        defer {
            client.shutdown()
            server.stop()
        }
        let request = HTTPRequest(
            .get, "https://ecb5fafffe010203/", trust: .unverified,
            connectTo: HTTPRequest.Endpoint(host: "127.0.0.1", port: server.port))
        #expect(await client.outcome(of: request).error == .noConnection(words))
    }

    @Test func `errors have readable descriptions`() {
        #expect(CurlError.noConnection("refused").description == "refused")
        #expect(CurlError.certificateRefused("another key").description == "another key")
        #expect(CurlError.timedOut.description == "no answer in time")
        #expect(CurlError.tooMuch.description == "the response is too long")
        #expect(CurlError.closed.description == "the client was shut down")
        #expect(CurlError.cancelled.description == "cancelled")
    }
}
