import ControlProtocol
import Foundation
import LightingTestKit
import Logging
import NIOCore
import TestSupport
import Testing

@testable import ControlServer

/// TCP is switched on, off and moved while the server runs. Each test has addresses of its own, so that their ports stay
/// free.
@Suite struct TCPChangeTests {
    @Test func `clients may connect at the moment at which TCP is closed or moved`() async throws {
        let host = Loopback.next()
        let log = LogRecorder(level: .info)
        try await ServerFixture.run(tcp: tcp(host, 0), logger: log.logger) { server in
            let port = try #require(server.port)
            try await LoopbackSocket.whileConnecting(to: host, port) {
                for round in 1...40 {
                    server.apply(nil)
                    try await until("TCP is off") { log.count("no longer listens on TCP") == round }
                    server.apply(tcp(host, port))
                    try await until("TCP is on") { log.count("listens on TCP port=\(port)") == 2 * round }
                    // Another name of the same address, and back.
                    server.apply(tcp(otherName(of: host), port))
                    try await until("TCP has moved") { log.count("listens on TCP port=\(port)") == 2 * round + 1 }
                }
            }
            #expect(try await server.get(Routes.live).status == 200)
        }
        #expect(log.count("failed") == 0, "\(log.lines)")
    }

    @Test func `an address that is taken leaves TCP where it is, until it is free`() async throws {
        let (host, other) = (Loopback.next(), Loopback.next())
        let log = LogRecorder(level: .info)
        try await ServerFixture.run(tcp: tcp(host, 0), logger: log.logger) { server in
            let port = try #require(server.port)
            let taken = try LoopbackSocket(listeningOn: other)
            let (old, new) = ("http://\(host):\(port)/", "http://\(other):\(taken.port)/")
            #expect(try await server.link.hasPrefix(old))
            let client = try LoopbackSocket(connectedTo: host, port)

            for attempt in 1...2 {
                server.apply(tcp(other, taken.port))
                try await until("lightd says so") { log.count("error TCP stays at \(host):\(port)") == attempt }
            }
            #expect(
                log.count("listen on \(other), port \(taken.port): another program uses it; free it, or choose") == 2)
            #expect(try await server.link.hasPrefix(old))
            #expect(
                try await server.tcpCheck
                    == "warning: still listens on \(host):\(port), not on \(other):\(taken.port)")
            #expect(!client.isEnded)
            #expect(LoopbackSocket.canConnect(to: host, port))

            taken.close()
            server.apply(tcp(other, taken.port))
            try await until("TCP has moved") { await (try? server.link)?.hasPrefix(new) == true }
            try await until("the old place is closed") { !LoopbackSocket.canConnect(to: host, port) }
            try await until("its connections have ended") { client.isEnded }
            #expect(LoopbackSocket.canConnect(to: other, taken.port))
            #expect(
                try await server.tcpCheck
                    == "warning: listens on \(other):\(taken.port), but no client can use it yet")
            server.apply(.init(host: other, port: taken.port, token: "a token"))
            #expect(try await server.tcpCheck == "ok: listens on \(other):\(taken.port)")
            server.apply(nil)
            #expect(try await server.tcpCheck == nil)
        }
    }

    @Test func `TCP takes over its own port at an address that includes the old one, or goes back`() async throws {
        let (host, other) = (Loopback.next(), Loopback.next())
        let log = LogRecorder(level: .info)
        try await ServerFixture.run(tcp: tcp(host, 0), logger: log.logger) { server in
            let port = try #require(server.port)
            let same = otherName(of: host)
            server.apply(tcp(same, port))
            try await until("TCP has moved") { await (try? server.link)?.hasPrefix("http://\(same):\(port)/") == true }
            #expect(LoopbackSocket.canConnect(to: host, port))

            // All addresses include one where another program has the port.
            let taken = try LoopbackSocket(listeningOn: other, port)
            defer { taken.close() }
            server.apply(tcp("0.0.0.0", port))
            try await until("lightd says so") { log.count("error TCP stays at \(same):\(port)") == 1 }
            #expect(try await server.link.hasPrefix("http://\(same):\(port)/"))
            #expect(LoopbackSocket.canConnect(to: host, port))
        }
    }

    @Test func `a host that does not exist is named, and leaves TCP where it is`() async throws {
        let unknown = try HeldHostName()
        unknown.release()
        let host = Loopback.next()
        let log = LogRecorder(level: .info)
        try await ServerFixture.run(tcp: tcp(host, 0), logger: log.logger) { server in
            let port = try #require(server.port)
            server.apply(tcp(unknown.name, port))
            try await until("lightd says so") {
                log.count("TCP stays at \(host):\(port): cannot listen on '\(unknown.name)': Name or service not") == 1
            }
            #expect(log.count("UnknownHost") == 0)
            #expect(LoopbackSocket.canConnect(to: host, port))
        }
    }

    @Test func `an address that cannot be had yet keeps nothing else from starting, and is tried again`() async throws {
        let (host, log) = (Loopback.next(), LogRecorder(level: .debug))
        let taken = try LoopbackSocket(listeningOn: host)
        let problem = "cannot listen on \(host), port \(taken.port): another program uses it"
        let off = "TCP is off, and is tried again every 10 s: \(problem); free it, or choose another 'tcp.port'"
        try await ServerFixture.run(tcp: tcp(host, taken.port), logger: log.logger) { server in
            #expect(server.port == nil)
            #expect(try await server.get(Routes.live).status == 200)
            #expect(try await server.tcpCheck == "failure: \(problem)")
            let link = try await ClientFixture.ask(server.address, "POST", Routes.links)
            let refusal = try link.decoded(ErrorReply.self).error
            #expect(refusal.message == "there is no page to open: lightd \(problem)")

            // What nobody has asked for is news only if it is another failure; a reload has asked.
            #expect((log.count("error \(off)"), log.count("debug \(off)")) == (1, 0))
            try await until("it was tried again") {
                await server.clock.advance(by: .seconds(1))
                return log.count("debug \(off)") == 1
            }
            server.apply(tcp(host, taken.port))
            try await until("lightd says so") { log.count("error \(off)") == 2 }

            taken.close()
            try await until("doctor sees that lightd listens") {
                await server.clock.advance(by: .seconds(1))
                return try await server.tcpCheck?.hasPrefix("warning: listens on") == true
            }
            #expect(LoopbackSocket.canConnect(to: host, taken.port))
        }
    }

    @Test func `requests are answered while DNS takes its time`() async throws {
        let name = try HeldHostName()
        let (host, log) = (Loopback.next(), LogRecorder(level: .info))
        try await ServerFixture.run(tcp: tcp(host, 0), logger: log.logger) { server in
            let port = try #require(server.port)
            server.apply(tcp(name.name, port))
            try await until("DNS is asked") { name.lookups > 0 }
            // A connection on every thread that serves them.
            for _ in 1...System.coreCount { #expect(try await server.get(Routes.live).status == 200) }
            name.release()
            try await until("lightd says so") { log.count("TCP stays at \(host):\(port)") == 1 }
        }
    }

    private func tcp(_ host: String, _ port: Int) -> ControlServerSettings.TCP { .init(host: host, port: port) }

    /// "127.0.1.2" as "127.0.258": the same address, but the server cannot know that before it listens.
    private func otherName(of host: String) -> String {
        let numbers = host.split(separator: ".").compactMap { Int($0) }
        return "\(numbers[0]).\(numbers[1]).\(numbers[2] * 256 + numbers[3])"
    }
}

extension ServerFixture {
    fileprivate func apply(_ tcp: ControlServerSettings.TCP?) {
        server.apply(tcp)
    }

    /// What `lightctl doctor` says of TCP.
    fileprivate var tcpCheck: String? {
        get async throws {
            let body: DiagnosisBody = try await get(Routes.diagnosis)
            return body.checks.first { $0.name == "TCP" }.map { "\($0.result.rawValue): \($0.text)" }
        }
    }

    /// The page's address in a link.
    fileprivate var link: String {
        get async throws {
            struct Link: Decodable { let url: String }
            return try await ClientFixture.ask(address, "POST", Routes.links).decoded(Link.self).url
        }
    }
}

extension LogRecorder {
    func count(_ words: String) -> Int { lines.count { $0.contains(words) } }
}
