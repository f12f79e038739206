import ArgumentParser
import ControlProtocol
import Foundation
import Glibc
import ServerSentEvents
import Testing

@testable import lightctl

/// The client against a real unix socket.
@Suite struct UnixTransportTests {
    @Test func `a response has its status, and the request names its sender`() throws {
        let server = try UnixServer(answers: ["GET /v1/lights?target=%40K%C3%BCche": "[]"])
        defer { server.stop() }
        let transport = Transport.unixSocket(server.path)
        let path = Routes.path(Routes.lights, [(.target, "@Küche")])
        #expect(
            try transport.send([.get(path)], .seconds(10), nil)[0].get() == .init(status: 200, body: Data("[]".utf8)))
        #expect(try transport.send([.get("/v1/what")], .seconds(10), nil)[0].get().status == 404)
        let request = try #require(server.requests.first)
        #expect(request.headers["x-lightd-client"] == "lightctl")
        #expect(request.headers["content-type"] == nil)
    }

    @Test func `a command is posted as JSON`() throws {
        let server = try UnixServer(answers: ["POST /v1/messages": #"{"ticket":7}"#])
        defer { server.stop() }
        let client = DaemonClient(transport: .unixSocket(server.path))
        let command = Command.turn(to: .on, target: "Küche", over: 400)
        #expect(try client.send(command, within: .seconds(10)) == CommandReply(ticket: 7))
        let request = try #require(server.requests.first)
        #expect(request.headers["content-type"] == "application/json")
        #expect(try JSONDecoder().decode(Command.self, from: Data(request.body.utf8)) == command)
    }

    @Test func `a missing response times out and leaves a command unconfirmed`() throws {
        let server = try UnixServer { _, connection in
            connection.waitForClose()
            return false
        }
        defer { server.stop() }
        let transport = Transport.unixSocket(server.path)
        #expect(throws: TransportError.timedOut) { try transport.send([.get("/")], .milliseconds(150), nil)[0].get() }
        #expect(throws: TransportError.timedOut) { try transport.stream("/", nil, .milliseconds(150)) }
        let client = DaemonClient(transport: transport)
        #expect(code { _ = try client.send(.load, within: .milliseconds(150)) } == .unconfirmed)
        #expect(
            code { _ = try client.get([LightBody].self, "/", within: .milliseconds(150)) }
                == .daemonUnreachable)
    }

    @Test func `a truncated response is a broken connection`() throws {
        let server = try UnixServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[")
            return false
        }
        defer { server.stop() }
        let transport = Transport.unixSocket(server.path)
        #expect(isBroken { _ = try transport.send([.get("/")], .seconds(10), nil)[0].get() })
        let client = DaemonClient(transport: transport)
        #expect(code { _ = try client.send(.load, within: .seconds(10)) } == .unconfirmed)
    }

    @Test func `an answer to a command that cannot be read leaves it unconfirmed`() throws {
        let server = try UnixServer(answers: ["POST /v1/messages": "<html>", "GET /": "<html>"])
        defer { server.stop() }
        let client = DaemonClient(transport: .unixSocket(server.path))
        #expect(code { _ = try client.send(.load, within: .seconds(10)) } == .unconfirmed)
        #expect(code { _ = try client.get([LightBody].self, "/", within: .seconds(10)) } == .internalError)
    }

    @Test func `a missing socket means no connection, and the diagnosis says why`() throws {
        let transport = Transport.unixSocket("/nonexistent/lightd.sock")
        #expect(isNoConnection { _ = try transport.send([.get("/")], .seconds(10), nil)[0].get() })
        #expect(isNoConnection { _ = try transport.stream("/", nil, .seconds(10)) })
        #expect(SocketDiagnosis.find(at: "/nonexistent/lightd.sock") == .missing)
        #expect(SocketDiagnosis.find(at: String(repeating: "x", count: 200)) == .pathTooLong)
    }

    @Test func `a socket that a dead daemon left behind is diagnosed as not listening`() throws {
        let server = try UnixServer(answers: [:])
        defer { server.stop() }
        let left = server.path + "2"
        close(UnixServer.listen(at: left))
        #expect(SocketDiagnosis.find(at: left) == .notListening)
        #expect(SocketDiagnosis.find(at: server.path) == nil)
        #expect(isNoConnection { _ = try Transport.unixSocket(left).send([.get("/")], .seconds(10), nil)[0].get() })
    }

    @Test func `a file that is not a socket is named as such, and doctor does not change who may use it`() throws {
        #expect(SocketDiagnosis.find(at: "/etc/passwd") == .notSocket)
        let options = try GlobalOptions.parse(["--socket", "/etc/passwd"])
        let (checks, diagnosis) = Doctor(try Session(options)).examine()
        #expect(diagnosis == nil && checks.first?.text.contains("it is not a socket") == true, "\(checks)")
        #expect(checks.first?.remedy == "name lightd's socket with --socket or LIGHTCTL_SOCKET")
        #expect(checks.first?.exitCode == ExitStatus.unreachable.rawValue)
        #expect(!checks.contains { $0.name == "socket" || $0.remedy?.contains("chmod") == true }, "\(checks)")
    }

    @Test func `events arrive one by one until the daemon ends the stream`() throws {
        let server = try UnixServer { request, connection in
            connection.beginStream()
            connection.write("id: 1\nevent: light\nda")
            connection.write("ta: Küche\n\n:\n\n")
            connection.write(ServerSentEvent(id: "2", name: "room", data: "a\nb").framed)
            return false
        }
        defer { server.stop() }
        let events = try DaemonClient(transport: .unixSocket(server.path))
            .events(Routes.events, after: "41", within: .seconds(10))
        var all: [ServerSentEvent] = []
        while case let .event(event) = try events.next() { all.append(event) }
        #expect(try events.next() == .end)
        #expect(all == [.init(id: "1", name: "light", data: "Küche"), .init(id: "2", name: "room", data: "a\nb")])
        let request = try #require(server.requests.first)
        #expect(request.headers["accept"] == "text/event-stream")
        #expect(request.headers["last-event-id"] == "41")
    }

    @Test func `an event arrives while the stream stays open`() throws {
        let server = try UnixServer { _, connection in
            connection.beginStream()
            connection.write("data: 1\n\n")
            connection.waitForClose()
            return false
        }
        defer { server.stop() }
        let events = try DaemonClient(transport: .unixSocket(server.path)).events(
            "/", within: .seconds(10))
        #expect(try events.next() == .event(.init(data: "1")))
        #expect(try events.next(atMost: .milliseconds(1)) == .nothing)
    }

    @Test func `many requests are answered in their order, each with its own answer or error`() throws {
        let server = try UnixServer { request, connection in
            let place = Int(request.line.split(separator: " ")[1].dropFirst()) ?? 0
            if place == 3 { return false }
            connection.answer("\(place)")
            return true
        }
        defer { server.stop() }
        let requests = (0..<40).map { Transport.Request.get("/\($0)") }
        let answers = Transport.unixSocket(server.path).send(requests, .seconds(10), nil)
        #expect(answers.count == 40)
        for (place, answer) in answers.enumerated() where place != 3 {
            #expect(try answer.get() == .init(status: 200, body: Data("\(place)".utf8)))
        }
        #expect(isBroken { _ = try answers[3].get() })
        let nowhere = Transport.unixSocket("/nonexistent").send(requests, .seconds(10), nil)
        #expect(nowhere == Array(repeating: .failure(.noConnection(.socket(.missing))), count: 40))
    }

    @Test func `a stream that breaks means the daemon is unreachable`() throws {
        let server = try UnixServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n40\r\ndata")
            return false
        }
        defer { server.stop() }
        let events = try DaemonClient(transport: .unixSocket(server.path)).events(
            "/", within: .seconds(10))
        #expect(try events.next() == .event(.init(data: "1")))
        #expect(code { _ = try events.next() } == .daemonUnreachable)
    }

    @Test func `a refused stream throws the error reply`() throws {
        let server = try UnixServer { _, connection in
            connection.answer(#"{"error":{"code":"not_allowed","message":"no"}}"#, status: 403)
            return true
        }
        defer { server.stop() }
        let client = DaemonClient(transport: .unixSocket(server.path))
        #expect(code { _ = try client.events("/", within: .seconds(10)) } == .notAllowed)
    }
}

/// The code of the `ErrorReply` that is thrown, if any.
func code(_ work: () throws -> Void) -> ErrorCode? {
    do {
        try work()
        return nil
    } catch {
        return (error as? ErrorReply)?.error.code
    }
}

private func isBroken(_ work: () throws -> Void) -> Bool {
    do { try work() } catch TransportError.broken { return true } catch {}
    return false
}

private func isNoConnection(_ work: () throws -> Void) -> Bool {
    do { try work() } catch TransportError.noConnection { return true } catch {}
    return false
}
