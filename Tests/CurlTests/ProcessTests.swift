import Curl
import Foundation
import Testing

/// Tests that count what the whole process has open run in a process of their own. It must not keep the sockets that
/// other tests had open when it was created, or their peers would never see them end.
@Suite struct ProcessTests {
    @Test func `the thread of a dropped client ends`() async {
        await #expect(processExitsWith: .success) {
            closeInheritedSockets()
            let server = try ScriptedServer { _, connection in
                connection.reply(200)
                connection.hangUp()
            }
            var clients = (0..<24).map { _ in HTTPClient() }
            for client in clients { _ = try await client.send(HTTPRequest(.get, server.base + "/")) }
            #expect(await eventually { server.open == 0 })
            #expect(clientThreads() == 24)
            clients.removeLast(12)
            #expect(await eventually { clientThreads() == 12 })
            for client in clients.prefix(6) { client.shutdown() }
            #expect(await eventually { clientThreads() == 6 })
            clients = []
            #expect(await eventually { clientThreads() == 0 })
            server.stop()
        }
    }

    @Test func `five hundred requests of all kinds leak no descriptor`() async {
        await #expect(processExitsWith: .success) {
            closeInheritedSockets()
            let server = try ScriptedServer { request, connection in
                switch request.target {
                case "/cut": connection.hangUp()
                case "/late": connection.waitForEnd()
                case "/stream":
                    connection.beginChunks()
                    connection.chunk("first")
                    connection.waitForEnd()
                default: connection.reply(200)
                }
            }
            @Sendable func round(_ count: Int) async throws {
                let client = HTTPClient()
                for number in 0..<count {
                    switch number % 5 {
                    case 0: _ = await client.outcome(of: HTTPRequest(.get, server.base + "/cut"))
                    case 1:
                        _ = await client.outcome(
                            of: HTTPRequest(.get, server.base + "/late", deadline: .milliseconds(2)))
                    case 2: _ = try await client.stream(HTTPRequest(.get, server.base + "/stream", deadline: nil))
                    case 3: _ = await client.outcome(of: HTTPRequest(.get, "http://127.0.0.1:1/"))
                    default: _ = try await client.send(HTTPRequest(.put, server.base + "/", body: [1]))
                    }
                }
                client.shutdown()
            }
            // The first round opens what the process keeps.
            try await round(10)
            #expect(await eventually { server.open == 0 })
            let before = descriptors()
            try await round(500)
            #expect(await eventually { server.open == 0 })
            // A leak would show hundreds; the runtime may open one or two of its own meanwhile.
            let isAsBefore = await eventually { descriptors() <= before + 5 }
            #expect(isAsBefore, "\(before) before, \(descriptors()) after")
            server.stop()
        }
    }

    @Test func `proxies in the environment are ignored`() async {
        await #expect(processExitsWith: .success) {
            closeInheritedSockets()
            let proxy = try ScriptedServer { _, connection in connection.reply(502) }
            for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] { setenv(name, proxy.base, 1) }
            setenv("no_proxy", "", 1)
            try await withServer { _, connection in
                connection.reply(200)
            } _: { server, client in
                #expect(await client.outcome(of: HTTPRequest(.get, server.base + "/")).status == 200)
                let endpoint = HTTPRequest.Endpoint(host: "127.0.0.1", port: server.port)
                #expect(
                    await client.outcome(of: HTTPRequest(.get, "http://bridge/", connectTo: endpoint)).status == 200)
            }
            #expect(proxy.accepted == 0)
            proxy.stop()
        }
    }

    @Test func `a server that closes during a write raises no signal`() async {
        // SIGPIPE would end the process.
        await #expect(processExitsWith: .success) {
            closeInheritedSockets()
            let server = try ScriptedServer(readsBodies: false) { _, connection in connection.hangUp() }
            let client = HTTPClient()
            let body = [UInt8](repeating: 7, count: 8 << 20)
            for _ in 0..<20 {
                let outcome = await client.outcome(of: HTTPRequest(.put, server.base + "/", body: body))
                #expect(outcome.error?.isBroken == true, "\(outcome)")
            }
            client.shutdown()
            server.stop()
        }
    }
}

private func closeInheritedSockets() {
    for descriptor in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
        guard let number = Int32(descriptor), number > 2 else { continue }
        var about = stat()
        if fstat(number, &about) == 0, about.st_mode & S_IFMT == S_IFSOCK { close(number) }
    }
}

/// How many threads of clients the process has. By their name, because Swift and libdispatch start and end others.
private func clientThreads() -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []).count { task in
        // A thread that has ended meanwhile has no name.
        (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "lightd-http\n"
    }
}

private func descriptors() -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
}
