import Curl
import Synchronization
import TestSupport
import Testing

@Suite struct ConcurrencyTests {
    @Test func `each of two hundred concurrent requests gets its own response`() async throws {
        try await withServer { request, connection in
            connection.reply(200, request.target + String(decoding: request.body, as: UTF8.self))
        } _: { server, client in
            let answers = await withTaskGroup { group in
                for number in 0..<200 {
                    group.addTask {
                        let request = HTTPRequest(
                            .post, server.base + "/\(number)", body: Array("!\(number)".utf8), deadline: .seconds(60))
                        return (number, await client.outcome(of: request))
                    }
                }
                return await group.reduce(into: [Int: String]()) { $0[$1.0] = try? $1.1.get().text }
            }
            #expect(answers == Dictionary(uniqueKeysWithValues: (0..<200).map { ($0, "/\($0)!\($0)") }))
            #expect(Set(server.requests.map(\.target)).count == 200)
            #expect(server.requests.count == 200)
        }
    }

    @Test func `sequential requests share one connection`() async throws {
        try await withServer { _, connection in
            connection.reply(200, "warm")
        } _: { server, client in
            for number in 0..<50 {
                let method: HTTPRequest.Method = [.get, .put, .delete][number % 3]
                let answer = try await client.send(HTTPRequest(method, server.base + "/"))
                #expect(answer.text == "warm")
            }
            #expect(server.requests.count == 50)
            #expect(server.accepted == 1)
        }
    }

    @Test func `a POST uses a connection of its own, and is never repeated`() async throws {
        try await withServer { request, connection in
            if request.method == "POST" { connection.hangUp() } else { connection.reply(200) }
        } _: { server, client in
            _ = try await client.send(HTTPRequest(.get, server.base + "/"))
            // On a warm connection libcurl would assume that the server had closed it before, and send the request
            // again.
            let outcome = await client.outcome(of: HTTPRequest(.post, server.base + "/", body: [1]))
            #expect(outcome.error?.isBroken == true)
            #expect(server.requests.map(\.method) == ["GET", "POST"])
            #expect(server.accepted == 2)
        }
    }

    @Test func `an unanswered request does not block others`() async throws {
        let asked = Latch()
        try await withServer { request, connection in
            if request.target == "/never" {
                asked.open()
                connection.waitForEnd()
            } else {
                connection.reply(200)
            }
        } _: { server, client in
            async let never = client.outcome(of: HTTPRequest(.get, server.base + "/never", deadline: nil))
            #expect(await asked.wait())
            let request = HTTPRequest(.get, server.base + "/now", deadline: .seconds(60))
            #expect(await client.outcome(of: request).status == 200)
            client.shutdown()
            #expect(await never.error == .closed)
        }
    }

    @Test func `a host name that is never resolved delays no other request, even once its own have timed out`()
        async throws
    {
        let held = try HeldHostName()
        let answered = Latch()
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            let lost = await client.outcome(of: HTTPRequest(.get, "http://\(held.name)/", deadline: .milliseconds(200)))
            #expect(lost.error == .noConnection("no answer in time"))
            #expect(await eventually { held.lookups > 0 })
            await withTaskGroup { group in
                group.addTask {
                    #expect(await client.outcome(of: HTTPRequest(.get, server.base + "/", deadline: nil)).status == 200)
                    answered.open()
                }
                #expect(await answered.wait(10), "the other request waits for the resolver")
                held.release()
            }
        }
    }

    @Test func `clients share no connections`() async throws {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            let other = HTTPClient()
            _ = try await client.send(HTTPRequest(.get, server.base + "/"))
            other.shutdown()
            #expect(await other.outcome(of: HTTPRequest(.get, server.base + "/")).error == .closed)
            _ = try await client.send(HTTPRequest(.get, server.base + "/"))
            #expect(server.accepted == 1)
        }
    }

    // MARK: - Cancelling

    @Test func `cancelling a task closes its connection`() async throws {
        let asked = Latch()
        let ended = Latch()
        try await withServer { _, connection in
            asked.open()
            connection.waitForEnd()
            ended.open()
        } _: { server, client in
            let task = Task { await client.outcome(of: HTTPRequest(.get, server.base + "/", deadline: nil)) }
            #expect(await asked.wait())
            task.cancel()
            #expect(await task.value.error == .cancelled)
            #expect(await ended.wait(), "the server sees the connection end")
        }
    }

    @Test func `a task that is cancelled before it starts sends nothing`() async throws {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            for _ in 0..<20 {
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return await client.outcome(of: HTTPRequest(.put, server.base + "/", body: [1]))
                }
                #expect(await task.value.error == .cancelled)
            }
            _ = try await client.send(HTTPRequest(.get, server.base + "/after"))
            #expect(server.requests.map(\.target) == ["/after"])
        }
    }

    @Test func `cancelling at any moment completes the request exactly once`() async throws {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, client in
            // A continuation that is resumed twice traps; one that is never resumed hangs the test.
            await withTaskGroup { group in
                for number in 0..<200 {
                    group.addTask {
                        let task = Task { await client.outcome(of: HTTPRequest(.get, server.base + "/")) }
                        for _ in 0..<(number % 20) { await Task.yield() }
                        task.cancel()
                        let outcome = await task.value
                        #expect(outcome.status == 200 || outcome.error == .cancelled, "\(outcome)")
                    }
                }
            }
            #expect(await client.outcome(of: HTTPRequest(.get, server.base + "/")).status == 200)
        }
    }

    // MARK: - Shutting down

    @Test func `shutdown ends all transfers and refuses new ones`() async throws {
        let asked = Latch()
        let streaming = Latch()
        try await withServer { request, connection in
            if request.target == "/stream" {
                connection.beginChunks()
                connection.chunk("first")
                streaming.open()
            } else {
                asked.open()
            }
            connection.waitForEnd()
        } _: { server, client in
            let send = Task {
                await client.outcome(of: HTTPRequest(.get, server.base + "/send", version: .http1, deadline: nil))
            }
            #expect(await asked.wait())
            let stream = try await client.stream(
                HTTPRequest(.get, server.base + "/stream", version: .http1, deadline: nil))
            #expect(await streaming.wait())
            client.shutdown()
            client.shutdown()
            #expect(await send.value.error == .closed)
            let error = await #expect(throws: CurlError.self) { for try await _ in stream.pieces {} }
            #expect(error == .closed)
            #expect(await eventually { server.open == 0 }, "the connections are closed")
            #expect(await client.outcome(of: HTTPRequest(.get, server.base + "/")).error == .closed)
            let late = await #expect(throws: CurlError.self) {
                try await client.stream(HTTPRequest(.get, server.base + "/"))
            }
            #expect(late == .closed)
            #expect(server.requests.count == 2)
            client.shutdown()
        }
    }

    @Test func `shutdown at any moment completes every request`() async throws {
        try await withServer { _, connection in
            connection.reply(200)
        } _: { server, _ in
            for round in 0..<20 {
                let client = HTTPClient()
                await withTaskGroup { group in
                    for _ in 0..<10 {
                        group.addTask {
                            let outcome = await client.outcome(of: HTTPRequest(.get, server.base + "/"))
                            #expect(outcome.status == 200 || outcome.error == .closed, "\(outcome)")
                        }
                    }
                    for _ in 0..<round { await Task.yield() }
                    client.shutdown()
                }
            }
        }
    }
}
