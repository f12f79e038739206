import ArgumentParser
import ControlProtocol
import Foundation
import Glibc
import TestSupport
import Testing

@testable import lightctl

/// The client over TCP, against sockets of this machine.
@Suite struct HostTransportTests {
    @Test func `a request names its host and its token, and no user of this machine`() throws {
        let server = try TCPServer { request, connection in
            connection.answer(Console.json(request.headers))
            return true
        }
        defer { server.stop() }
        let url = try DaemonURL("http://localhost:\(server.port)")
        let client = DaemonClient(.tcp(url, try AccessToken("secret", from: "a test")))
        let headers = try client.get([String: String].self, "/", within: .seconds(60))
        #expect(headers["host"] == "localhost:\(server.port)" && headers["authorization"] == "Bearer secret")
        #expect(headers["x-lightd-client"] == "lightctl")
        let stranger = try DaemonClient(.tcp(url, nil)).get([String: String].self, "/", within: .seconds(60))
        #expect(stranger["authorization"] == nil)
    }

    @Test func `addresses are tried in turn, and one that is silent leaves time for the next`() throws {
        let server = try TCPServer { _, connection in
            connection.answer("[]")
            return true
        }
        defer { server.stop() }
        let (refusing, silent) = (try SilentServer(), try SilentServer())
        refusing.stop()
        defer { silent.stop() }
        silent.fill()
        let addresses = [refusing.port, silent.port, server.port].compactMap { IPEndpoint("127.0.0.1", $0) }
        let exchange = try Exchange(Self.request, to: .addresses(addresses), until: .now + .milliseconds(200))
        var body: [UInt8] = []
        while !exchange.isComplete {
            Poll.wait(for: [exchange], atMost: nil)
            body += try exchange.advance()
        }
        #expect(exchange.status == 200 && body == Array("[]".utf8))
    }

    @Test func `if no address accepts the connection nothing was sent, and each says why`() throws {
        let (refusing, silent) = (try SilentServer(), try SilentServer())
        refusing.stop()
        defer { silent.stop() }
        silent.fill()
        let addresses = [refusing, silent].compactMap { IPEndpoint("127.0.0.1", $0.port) }
        let exchange = try Exchange(Self.request, to: .addresses(addresses), until: .now + .seconds(600))
        var failure: TransportError?
        // The refusal is known at once or soon; the silence never.
        while failure == nil {
            Poll.wait(for: [exchange], atMost: .milliseconds(1))
            #expect(try exchange.advance().isEmpty)
            let timeOut = exchange.timeOut()
            if case let .noConnection(.host(.unreachable(attempts))) = timeOut, attempts.count == 2 {
                failure = timeOut
            }
        }
        let refused = HostDiagnosis.Attempt(address: "127.0.0.1", error: SystemError(number: ECONNREFUSED))
        let unanswered = HostDiagnosis.Attempt(address: "127.0.0.1", error: nil)
        #expect(failure == .noConnection(.host(.unreachable([refused, unanswered]))))

        let client = DaemonClient(.tcp(try DaemonURL("http://127.0.0.1:\(silent.port)"), nil))
        let reply = try client.send([CommandRequest(.load)], within: .milliseconds(50))[0]
        #expect(throws: ErrorReply.self) { try reply.get() }
        if case let .failure(error) = reply {
            #expect(error.error.code == .daemonUnreachable && error.printed.contains("no answer in time"), "\(error)")
        }
    }

    @Test func `a connection that is reset after the request was sent leaves a command unconfirmed`() throws {
        let server = try TCPServer { _, connection in
            // Closing then resets the connection, as a machine does that has just started again.
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                connection.descriptor, SOL_SOCKET, SO_LINGER, &linger,
                socklen_t(MemoryLayout.size(ofValue: linger)))
            return false
        }
        defer { server.stop() }
        let client = DaemonClient(.tcp(try DaemonURL("http://127.0.0.1:\(server.port)"), nil))
        #expect(code { _ = try client.send(.load, within: .seconds(60)) } == .unconfirmed)
        #expect(code { _ = try client.get([LightBody].self, "/", within: .seconds(60)) } == .daemonUnreachable)
    }

    @Test func `a name is looked up by another program, which is given up in time`() throws {
        let far = ContinuousClock.now + .seconds(600)
        func look(_ script: String, until end: ContinuousClock.Instant) throws -> [String] {
            try HostLookup.addresses(of: "lights.lan", by: ["/bin/sh", "-c", script], until: end)
        }
        #expect(try look("echo \"192.0.2.7 STREAM $0\"; [ $0 = lights.lan ]", until: far) == ["192.0.2.7"])
        for end in [0, 2] { #expect(throws: HostDiagnosis.unknownName) { try look("exit \(end)", until: far) } }
        #expect(throws: HostDiagnosis.cannotLookUp("/bin/sh ended with status 1")) { try look("exit 1", until: far) }
        #expect(throws: HostDiagnosis.cannotLookUp("/nonexistent: no such file or directory")) {
            try HostLookup.addresses(of: "lights.lan", by: ["/nonexistent"], until: far)
        }
        #expect(throws: HostDiagnosis.lookUpTimedOut) {
            try look("exec sleep 600", until: .now + .milliseconds(50))
        }
    }

    @Test func `doctor looks at nothing of this machine if lightd is on another one`() throws {
        let refusing = try SilentServer()
        refusing.stop()
        let options = try GlobalOptions.parse(["--url", "http://127.0.0.1:\(refusing.port)"])
        let (checks, diagnosis) = Doctor(try Session(options)).examine()
        #expect(diagnosis == nil && checks.map(\.name) == ["lightd", "lightd's checks"], "\(checks)")
        #expect(checks.first?.exitCode == ExitStatus.unreachable.rawValue)
        #expect(checks.first?.remedy?.contains("systemctl status lightd") == true)
    }

    private static let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
}

/// A fake lightd on 127.0.0.1, whose connections are those of ``UnixServer``.
private final class TCPServer: Sendable {
    let port: UInt16
    private let listener: Int32

    /// - Parameter handle: called for each request on the connection's thread; `false` closes the connection.
    init(_ handle: @escaping @Sendable (UnixServer.Request, UnixServer.Connection) -> Bool) throws {
        listener = try BlockingSocket.listening(at: .ip())
        port = UInt16(BlockingSocket.port(of: listener))
        Thread.detachNewThread { [listener] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                Thread.detachNewThread {
                    let connection = UnixServer.Connection(descriptor: descriptor)
                    while let request = connection.read(), handle(request, connection) {}
                    close(descriptor)
                }
            }
            close(listener)
        }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}

/// Listens on 127.0.0.1 and accepts nobody.
private final class SilentServer {
    let port: UInt16
    private let listener: Int32
    private var clients: [Int32] = []

    init() throws {
        listener = try BlockingSocket.listening(at: .ip(), backlog: 0)
        port = UInt16(BlockingSocket.port(of: listener))
    }

    /// Fills its queue: the kernel then leaves whoever connects without an answer.
    func fill() {
        for _ in 0..<8 {
            if let address = IPEndpoint("127.0.0.1", port), let client = try? address.connect() {
                clients.append(client)
            }
        }
    }

    /// Whoever connects is refused.
    func stop() {
        for descriptor in clients + [listener] { close(descriptor) }
        clients = []
    }
}
