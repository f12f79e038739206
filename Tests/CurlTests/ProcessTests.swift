import Curl
import Foundation
import Testing

/// What concerns the whole process is looked at in one of its own, where nobody else works. Such a process must not keep the sockets
/// that other tests had open when it was made: their other ends would wait for an end that does not come.
@Suite struct ProcessTests {
    @Test func `a client that is dropped takes its thread along`() async {
        await #expect(processExitsWith: .success) {
            letInheritedSocketsGo()
            let server = try ScriptedServer { _, connection in
                connection.reply(200)
                connection.hangUp()
            }
            @Sendable func makeClients(_ count: Int) async throws -> [HTTPClient] {
                let clients = (0..<count).map { _ in HTTPClient() }
                for client in clients { _ = try await client.send(HTTPRequest(.get, server.base + "/")) }
                return clients
            }
            // The first pays for the threads that the process keeps for good.
            _ = try await makeClients(4)
            #expect(await eventually { server.open == 0 })
            let before = threads()
            var clients = try await makeClients(24)
            #expect(await eventually { server.open == 0 })
            #expect(threads() >= before + 20)
            clients.removeLast(12)
            #expect(await eventually { threads() <= before + 12 })
            for client in clients.prefix(6) { client.shutdown() }
            #expect(await eventually { threads() <= before + 6 })
            clients = []
            #expect(await eventually { threads() <= before })
            server.stop()
        }
    }

    @Test func `five hundred requests of all kinds leave no descriptor behind`() async {
        await #expect(processExitsWith: .success) {
            letInheritedSocketsGo()
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
            // The first round pays for what the process keeps for good.
            try await round(10)
            #expect(await eventually { server.open == 0 })
            let before = descriptors()
            try await round(500)
            #expect(await eventually { server.open == 0 })
            // Five hundred lost ones would be many; the runtime may open one or two of its own meanwhile.
            let isAsBefore = await eventually { descriptors() <= before + 5 }
            #expect(isAsBefore, "\(before) before, \(descriptors()) after")
            server.stop()
        }
    }

    @Test func `no proxy of the environment is used`() async {
        await #expect(processExitsWith: .success) {
            letInheritedSocketsGo()
            let proxy = try ScriptedServer { _, connection in connection.reply(502) }
            for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] { setenv(name, proxy.base, 1) }
            setenv("no_proxy", "", 1)
            try await withServer { _, connection in
                connection.reply(200)
            } _: { server, client in
                #expect(await client.outcome(of: HTTPRequest(.get, server.base + "/")).status == 200)
                let place = HTTPRequest.Endpoint(host: "127.0.0.1", port: server.port)
                #expect(await client.outcome(of: HTTPRequest(.get, "http://bridge/", connectTo: place)).status == 200)
            }
            #expect(proxy.accepted == 0)
            proxy.stop()
        }
    }

    @Test func `a server that vanishes while we write raises no signal`() async {
        // SIGPIPE would end the process.
        await #expect(processExitsWith: .success) {
            letInheritedSocketsGo()
            let server = try ScriptedServer(readsBodies: false) { _, connection in connection.hangUp() }
            let client = HTTPClient()
            let body = [UInt8](repeating: 7, count: 8 << 20)
            for _ in 0..<20 {
                let outcome = await client.outcome(of: HTTPRequest(.put, server.base + "/", body: body))
                #expect(outcome.error?.isBroken == true)
            }
            client.shutdown()
            server.stop()
        }
    }
}

private func letInheritedSocketsGo() {
    for descriptor in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
        guard let number = Int32(descriptor), number > 2 else { continue }
        var about = stat()
        if fstat(number, &about) == 0, about.st_mode & S_IFMT == S_IFSOCK { close(number) }
    }
}

private func threads() -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []).count
}

private func descriptors() -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
}
