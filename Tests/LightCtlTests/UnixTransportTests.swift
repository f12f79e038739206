import ControlProtocol
import Foundation
import Glibc
import ServerSentEvents
import Testing

@testable import lightctl

/// libcurl against a real unix socket.
@Suite struct UnixTransportTests {
    @Test func `a response has its status, and the request names its sender`() async throws {
        let server = try UnixServer(answers: ["GET /v1/lights?target=%40K%C3%BCche": "[]"])
        defer { server.stop() }
        let transport = Transport.unixSocket(server.path)
        let path = Routes.path(Routes.lights, [(.target, "@Küche")])
        #expect(try await transport.send(.get(path), .seconds(10)) == .init(status: 200, body: Data("[]".utf8)))
        #expect(try await transport.send(.get("/v1/what"), .seconds(10)).status == 404)
        let request = try #require(server.requests.first)
        #expect(request.headers["x-lightd-client"] == "lightctl (uid \(getuid()))")
        #expect(request.headers["content-type"] == nil)
    }

    @Test func `a command is posted as JSON`() async throws {
        let server = try UnixServer(answers: ["POST /v1/messages": #"{"ticket":7}"#])
        defer { server.stop() }
        let client = DaemonClient(transport: .unixSocket(server.path)) { nil }
        let command = Command.turn(to: .on, target: "Küche", over: 400)
        #expect(try await client.send(command, within: .seconds(10)) == CommandReply(ticket: 7))
        let request = try #require(server.requests.first)
        #expect(request.headers["content-type"] == "application/json")
        #expect(try JSONDecoder().decode(Command.self, from: Data(request.body.utf8)) == command)
    }

    @Test func `a missing response times out and leaves a command unconfirmed`() async throws {
        let server = try UnixServer { _, connection in
            connection.waitForClose()
            return false
        }
        defer { server.stop() }
        let transport = Transport.unixSocket(server.path)
        await #expect(throws: TransportError.timedOut) { try await transport.send(.get("/"), .milliseconds(150)) }
        await #expect(throws: TransportError.timedOut) { try await transport.stream("/", nil, .milliseconds(150)) }
        let client = DaemonClient(transport: transport) { nil }
        #expect(await code { _ = try await client.send(.load, within: .milliseconds(150)) } == .unconfirmed)
        #expect(
            await code { _ = try await client.get([LightBody].self, "/", within: .milliseconds(150)) }
                == .daemonUnreachable)
    }

    @Test func `a truncated response is a broken connection`() async throws {
        let server = try UnixServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[")
            return false
        }
        defer { server.stop() }
        let transport = Transport.unixSocket(server.path)
        #expect(await isBroken { _ = try await transport.send(.get("/"), .seconds(10)) })
        let client = DaemonClient(transport: transport) { nil }
        #expect(await code { _ = try await client.send(.load, within: .seconds(10)) } == .unconfirmed)
    }

    @Test func `a missing socket means no connection, and the diagnosis says why`() async throws {
        let transport = Transport.unixSocket("/nonexistent/lightd.sock")
        #expect(await isNoConnection { _ = try await transport.send(.get("/"), .seconds(10)) })
        #expect(await isNoConnection { _ = try await transport.stream("/", nil, .seconds(10)) })
        #expect(SocketDiagnosis.find(at: "/nonexistent/lightd.sock") == .missing)
        #expect(SocketDiagnosis.find(at: String(repeating: "x", count: 200)) == .pathTooLong)
    }

    @Test func `a socket that a dead daemon left behind is diagnosed as not listening`() async throws {
        let server = try UnixServer(answers: [:])
        defer { server.stop() }
        let left = server.path + "2"
        close(UnixServer.listen(at: left))
        #expect(SocketDiagnosis.find(at: left) == .notListening)
        #expect(SocketDiagnosis.find(at: server.path) == nil)
        #expect(await isNoConnection { _ = try await Transport.unixSocket(left).send(.get("/"), .seconds(10)) })
    }

    @Test func `events arrive one by one until the daemon ends the stream`() async throws {
        let server = try UnixServer { request, connection in
            connection.beginStream()
            connection.write("id: 1\nevent: light\nda")
            connection.write("ta: Küche\n\n:\n\n")
            connection.write(ServerSentEvent(id: "2", name: "room", data: "a\nb").framed)
            return false
        }
        defer { server.stop() }
        // Only the stream keeps the client alive.
        let events = try await DaemonClient(transport: .unixSocket(server.path)) { nil }
            .events(Routes.events, after: "41", within: .seconds(10))
        var all: [ServerSentEvent] = []
        for try await event in events { all.append(event) }
        #expect(all == [.init(id: "1", name: "light", data: "Küche"), .init(id: "2", name: "room", data: "a\nb")])
        let request = try #require(server.requests.first)
        #expect(request.headers["accept"] == "text/event-stream")
        #expect(request.headers["last-event-id"] == "41")
    }

    @Test func `an event arrives while the stream stays open`() async throws {
        let server = try UnixServer { _, connection in
            connection.beginStream()
            connection.write("data: 1\n\n")
            connection.waitForClose()
            return false
        }
        defer { server.stop() }
        let events = try await DaemonClient(transport: .unixSocket(server.path)) { nil }.events(
            "/", within: .seconds(10))
        for try await event in events {
            #expect(event.data == "1")
            break
        }
    }

    @Test func `a stream that breaks means the daemon is unreachable`() async throws {
        let server = try UnixServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n40\r\ndata")
            return false
        }
        defer { server.stop() }
        let events = try await DaemonClient(transport: .unixSocket(server.path)) { nil }.events(
            "/", within: .seconds(10))
        var iterator = events.makeAsyncIterator()
        #expect(try await iterator.next()?.data == "1")
        #expect(await code { _ = try await iterator.next() } == .daemonUnreachable)
    }

    @Test func `a refused stream throws the error reply`() async throws {
        let server = try UnixServer { _, connection in
            connection.answer(#"{"error":{"code":"not_allowed","message":"no"}}"#, status: 403)
            return true
        }
        defer { server.stop() }
        let client = DaemonClient(transport: .unixSocket(server.path)) { nil }
        #expect(await code { _ = try await client.events("/", within: .seconds(10)) } == .notAllowed)
    }
}

/// The code of the `ErrorReply` that is thrown, if any.
func code(_ work: () async throws -> Void) async -> ErrorCode? {
    do {
        try await work()
        return nil
    } catch {
        return (error as? ErrorReply)?.error.code
    }
}

private func isBroken(_ work: () async throws -> Void) async -> Bool {
    do { try await work() } catch TransportError.broken { return true } catch {}
    return false
}

private func isNoConnection(_ work: () async throws -> Void) async -> Bool {
    do { try await work() } catch TransportError.noConnection { return true } catch {}
    return false
}
