import ControlProtocol
import Foundation
import Lighting
import LightingTestKit
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import ServerSentEvents
import TestSupport
import Testing

@testable import ControlServer

/// How many connections a listener has, and how long their clients may make it wait.
@Suite struct ConnectionTests {
    private static let good = ["Authorization": "Bearer sesame"]
    private static let toggle = #"{"command":"toggle","target":"desk"}"#

    private static func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

    private static func tcp(_ maximum: Int) -> ControlServerSettings.TCP {
        .init(host: "127.0.0.1", port: 0, token: "sesame", maximumConnections: maximum)
    }

    // MARK: How many

    @Test func `idle strangers give way to clients, and the log says so once`() async throws {
        let log = LogRecorder(level: .notice)
        try await ServerFixture.run(
            in: HomeFixture.state, tcp: Self.tcp(3), timeouts: ConnectionTimeouts(grace: .milliseconds(20)),
            logger: log.logger
        ) { server in
            let port = ClientFixture.Address.port(try #require(server.port))
            let member = try ClientFixture(port)
            #expect(try await member.ask("GET", Routes.lights, Self.good).status == 200)
            var strangers = try (1...30).map { _ in try ClientFixture(port) }
            try await until("only as many as allowed are left") { strangers.count(where: \.isSilent) <= 2 }
            // Not the member's connection was taken, although it is the oldest.
            #expect(try await member.ask("GET", Routes.lights, Self.good).status == 200)
            #expect(try await ClientFixture.ask(port, "GET", Routes.lights, Self.good).status == 200)
            #expect(try await server.get(Routes.lights).status == 200)
            #expect(
                log.lines == [
                    "notice the control API has all the connections that it may have: "
                        + "new clients take the place of idle ones limit=3 listener=TCP"
                ])
            // When they are gone, all is as before.
            strangers = []
            let after = try (1...2).map { _ in try ClientFixture(port) }
            for client in after { #expect(try await client.ask("GET", Routes.lights, Self.good).status == 200) }
            #expect(try await member.ask("GET", Routes.lights, Self.good).status == 200)
        }
    }

    @Test func `while every connection waits for its answer, the next clients wait for their turn`() async throws {
        let log = LogRecorder(level: .notice)
        try await ServerFixture.run(
            in: HomeFixture.state, stack: HomeFixture.stack, maximumConnections: 2, logger: log.logger
        ) { server in
            server.stack.hold()
            async let first = server.post(Self.toggle)
            async let second = server.post(Self.toggle)
            try await until("both commands have arrived") { server.stack.requests.count == 2 }
            // A few are accepted in one go before the limit shows.
            let next = try (1...10).map { _ in try ClientFixture(server.address) }
            for client in next { try await client.send("GET /v1/lights HTTP/1.1\r\nHost: x\r\n\r\n") }
            try await until("the server takes no more") { !log.lines.isEmpty }
            let waiting = next.count { $0.isSilent }
            #expect(waiting >= 5)
            server.stack.release()
            #expect(try await [first.status, second.status] == [200, 200])
            for client in next { #expect(try await client.answer().status == 200) }
        }
    }

    @Test func `an open stream counts as a connection, and never gives way`() async throws {
        try await ServerFixture.run(
            in: HomeFixture.state, maximumConnections: 2, timeouts: ConnectionTimeouts(grace: .milliseconds(20))
        ) { server in
            let stream = try ClientFixture(server.address)
            #expect(try await stream.open(Routes.events).status == 200)
            _ = try await stream.event()
            let idle = try (1...5).map { _ in try ClientFixture(server.address) }
            try await until("one idle connection is left") { idle.count(where: \.isSilent) <= 1 }
            await server.change(.updating(.light(HomeFixture.desk.id, by: [.renaming(.it(to: "Table"))])))
            #expect(try await stream.event()?.name == EventName.light.rawValue)
        }
    }

    @Test func `streams over TCP leave connections for commands there, and all streams of the unix socket`()
        async throws
    {
        var tcp = Self.tcp(4)
        tcp.maximumStreams = 3
        try await ServerFixture.run(
            in: HomeFixture.state, tcp: tcp, maximumStreams: 1, timeouts: ConnectionTimeouts(grace: .seconds(60))
        ) { server in
            let port = ClientFixture.Address.port(try #require(server.port))
            var pages: [ClientFixture] = []
            for name in ["one", "two", "three"] {
                let token = try await server.create(TokenRequest(name: name))
                pages.append(try ClientFixture(port))
                #expect(try await pages[pages.count - 1].open(Routes.events, Self.bearer(token)).status == 200)
            }
            // A page that keeps its last connection for nothing gives it to the next client.
            let idle = try ClientFixture(port)
            #expect(try await idle.ask("GET", Routes.lights, Self.good).status == 200)
            let refused = try await ClientFixture.ask(port, "GET", Routes.events, Self.good)
            #expect(refused.status == 503)
            #expect(try refused.error.message.contains("3 streams"))
            #expect(try await idle.isEnded())
            #expect(try await ClientFixture.ask(port, "GET", Routes.lights, Self.good).status == 200)
            #expect(try await ClientFixture(server.address).open(Routes.events).status == 200)
            #expect(try await server.get(Routes.lights).status == 200)
            withExtendedLifetime(pages) {}
        }
    }

    @Test func `a token, with all that was signed in through it, has half of the streams`() async throws {
        var tcp = Self.tcp(16)
        tcp.maximumStreams = 6
        try await ServerFixture.run(in: HomeFixture.state, tcp: tcp) { server in
            let page = try await server.page()
            let token = try await server.create(TokenRequest(name: "panel"))
            let session = try await page.signIn(token: token)
            let linked = try await page.signIn(try await page.link(cookie: session.cookie).secret)
            let other = try await page.signIn(try await server.link().secret)
            func stream(_ headers: [String: String]) async throws -> (ClientFixture, Int) {
                let client = try ClientFixture(.port(page.port))
                let status = try await client.open(Routes.events, headers.merging(["Host": page.host]) { $1 }).status
                return (client, status)
            }
            func cookie(_ answer: ClientFixture.Answer) -> [String: String] { ["Cookie": answer.cookie ?? ""] }
            var open: [ClientFixture] = []
            for headers in [Self.bearer(token), cookie(session), cookie(linked)] {
                let (client, status) = try await stream(headers)
                #expect(status == 200)
                open.append(client)
            }
            for headers in [Self.bearer(token), cookie(session), cookie(linked)] {
                #expect(try await stream(headers).1 == 503)
            }
            // Others follow all the same.
            for headers in [Self.good, cookie(other), Self.good] {
                let (client, status) = try await stream(headers)
                #expect(status == 200)
                open.append(client)
            }
            #expect(try await stream(cookie(other)).1 == 503)
            // A place is given back.
            open.remove(at: 0)
            try await until("there is room again") { try await stream(Self.bearer(token)).1 == 200 }
        }
    }

    @Test func `known clients that keep their connections for nothing give way to new ones, the oldest first`()
        async throws
    {
        try await ServerFixture.run(
            in: HomeFixture.state, tcp: Self.tcp(8), timeouts: ConnectionTimeouts(grace: .seconds(60))
        ) { server in
            let port = ClientFixture.Address.port(try #require(server.port))
            var kept: [ClientFixture] = []
            for _ in 1...40 {
                let client = try ClientFixture(port)
                #expect(try await client.ask("GET", Routes.lights, Self.good).status == 200)
                kept.append(client)
                #expect(try await server.get(Routes.lights).status == 200)
            }
            for client in kept.dropLast(8) { #expect(try await client.isEnded()) }
            #expect(kept.suffix(7).count(where: \.isSilent) == 7)
        }
    }

    // MARK: How long

    @Test func `a client that does not finish the head of its request is disconnected`() async throws {
        try await ServerFixture.run(timeouts: ConnectionTimeouts(firstHead: .milliseconds(50))) { server in
            let silent = try ClientFixture(server.address)
            let slow = try ClientFixture(server.address)
            // On a busy machine its time is over before it has begun.
            try? await slow.send("GET /v1/lights HTTP/1.1\r\nHos")
            #expect(try await silent.isEnded())
            #expect(try await slow.isEnded())
        }
    }

    /// As after lightd stood still: the head is read, the time for it is over, and no task has begun to answer.
    @Test(arguments: [true, false])
    func `who has sent a request is not closed for its time, before it is answered`(isSent: Bool) throws {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/run/lightd.sock")).wait()
        let limit = ConnectionLimit("socket", 8, now: { .sample }, logger: LogRecorder(level: .notice).logger)
        let connection = ClientConnection(channel, limit, ConnectionTimeouts(firstHead: .zero))
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([WriteObserver(connection), FirstRequestGrace(connection)])
        if isSent {
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: Routes.live)
            try channel.writeInbound(HTTPServerRequestPart.head(head))
        }
        channel.embeddedEventLoop.advanceTime(to: .now() + .seconds(1))
        #expect(channel.isActive == isSent)
        withExtendedLifetime(connection) {}
    }

    @Test func `a connection that is not used any more is closed`() async throws {
        try await ServerFixture.run(timeouts: ConnectionTimeouts(idle: .milliseconds(50))) { server in
            let client = try ClientFixture(server.address)
            #expect(try await client.ask("GET", Routes.live).status == 200)
            #expect(try await client.isEnded())
        }
    }

    /// A page asks for its events as soon as it has read its last file, and a program may send both requests at once.
    @Test func `a stream that was asked for while the request before it ended is not closed`() async throws {
        try await ServerFixture.run(
            in: HomeFixture.state, timeouts: ConnectionTimeouts(idle: .milliseconds(20))
        ) { server in
            let readers = try (1...8).map { _ in try ClientFixture(server.address) }
            for reader in readers {
                let requests = [Routes.live, Routes.events].map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }
                try await reader.send(requests.joined())
                #expect(try await reader.answer().status == 200)
                #expect(try await reader.answer(hasBody: false).status == 200)
            }
            // Whoever asks for nothing after the last of them is closed after them.
            let idle = try ClientFixture(server.address)
            #expect(try await idle.ask("GET", Routes.live).status == 200)
            #expect(try await idle.isEnded())
            await server.change(.updating(.light(HomeFixture.desk.id, by: [.renaming(.it(to: "Table"))])))
            for reader in readers {
                #expect(try await reader.event()?.name == EventName.resync.rawValue)
                #expect(try await reader.event()?.name == EventName.light.rawValue)
            }
        }
    }

    @Test func `a body that does not arrive in time is answered with 408`() async throws {
        try await ServerFixture.run(timeouts: ConnectionTimeouts(body: .milliseconds(50))) { server in
            let client = try ClientFixture(server.address)
            try await client.send("POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
            let answer = try await client.answer()
            #expect(answer.status == 408)
            #expect(try answer.error.message.hasPrefix("the body did not arrive within"))
            #expect(try await client.isEnded())
        }
    }

    @Test func `a stream whose client reads nothing ends, and leaves its place to another`() async throws {
        try await ServerFixture.run(
            in: HomeFixture.state, maximumStreams: 1, timeouts: ConnectionTimeouts(write: .milliseconds(100))
        ) { server in
            let stuck = try ClientFixture(server.address)
            #expect(try await stuck.open(Routes.events).status == 200)
            try await until("there is room for a stream") {
                await server.fillBuffers()
                return try await ClientFixture(server.address).open(Routes.events).status == 200
            }
            withExtendedLifetime(stuck) {}
        }
    }

    /// A phone that has left the network closes nothing, and would keep its stream for a quarter of an hour.
    @Test func `a client over TCP that acknowledges no bytes for as long as it may read none is given up`() async throws
    {
        try await ServerFixture.run(in: HomeFixture.state, tcp: Self.tcp(8)) { server in
            let phone = try ClientFixture(.port(try #require(server.port)))
            #expect(try await phone.open(Routes.events, Self.good).status == 200)
            var (timeout, length) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
            let end = try #require(phone.serverEnd)
            #expect(getsockopt(end, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &timeout, &length) == 0)
            #expect(.milliseconds(timeout) == ConnectionTimeouts().write)
        }
    }

    @Test func `a client that never shows a token is disconnected, and one that follows is not`() async throws {
        try await ServerFixture.run(
            in: HomeFixture.state, tcp: Self.tcp(8), timeouts: ConnectionTimeouts(unknown: .milliseconds(300))
        ) { server in
            let port = ClientFixture.Address.port(try #require(server.port))
            var following: ClientFixture?
            // On a busy machine its time may be over before it has shown its token.
            try await until("somebody follows") {
                let client = try ClientFixture(port)
                if (try? await client.open(Routes.events, Self.good))?.status == 200 { following = client }
                return following != nil
            }
            let reader = try #require(following)
            _ = try await reader.event()
            let visitor = try ClientFixture(port)
            // It asks for the page again and again.
            while (try? await visitor.ask("GET", "/"))?.status == 200 {}
            await server.change(.updating(.light(HomeFixture.desk.id, by: [.renaming(.it(to: "Table"))])))
            #expect(try await reader.event()?.name == EventName.light.rawValue)
        }
    }

    @Test func `a client without the token gets one answer over its connection`() async throws {
        try await ServerFixture.run(
            tcp: Self.tcp(8), timeouts: ConnectionTimeouts(lingeringClose: .milliseconds(50))
        ) { server in
            for path in [Routes.lights, Routes.live] {
                let stranger = try ClientFixture(.port(try #require(server.port)))
                let answer = try await stranger.ask("GET", path)
                #expect(answer.headers["connection"] == "close")
                #expect(try await stranger.isEnded())
            }
            let member = try ClientFixture(.port(try #require(server.port)))
            for _ in 1...2 {
                let answer = try await member.ask("GET", Routes.live, Self.good)
                #expect(answer.headers["connection"] == nil)
            }
        }
    }
}
