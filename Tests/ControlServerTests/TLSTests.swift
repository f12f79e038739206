import ControlProtocol
import Foundation
import Khipu
import Lighting
import LightingTestKit
import Logging
import TestSupport
import Testing

@testable import ControlServer

/// TLS by lightd itself, with curl and openssl as the clients of others.
@Suite(.timeLimit(.minutes(5)))
struct TLSTests {
    private static let curl = Program.Name.at("/usr/bin/curl")
    private static let bearer = ["-H", "Authorization: Bearer sesame"]

    private struct Home {
        let files: CertificateFiles
        let server: ServerFixture
        let port: Int
        let log: LogRecorder

        var url: String { "https://localhost:\(port)" }

        func curl(_ arguments: String...) async throws -> Program.End {
            try await Program.run(TLSTests.curl, ["-sS", "-m", "20", "--cacert", files.root] + arguments)
        }

        /// What openssl sees of the server, whose answer nobody waits for.
        func handshake(_ options: String = "") async throws -> String {
            try await files.openssl(
                "s_client -connect 127.0.0.1:\(port) -servername localhost -CAfile root.pem \(options) "
                    + "</dev/null 2>&1 || true")
        }
    }

    private static func withHome(
        timeouts: ConnectionTimeouts = ConnectionTimeouts(), maximumConnections: Int = 16,
        _ body: (Home) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let files = try await CertificateFiles(in: directory)
            try await files.issue("lights")
            let log = LogRecorder(level: .debug)
            let tcp = ControlServerSettings.TCP(
                host: "127.0.0.1", port: 0, token: "sesame", certificate: try files.certificate("lights"),
                maximumConnections: maximumConnections)
            try await ServerFixture.run(
                in: HomeFixture.state, stack: HomeFixture.stack, tcp: tcp, timeouts: timeouts, logger: log.logger
            ) { server in
                try await body(
                    Home(files: files, server: server, port: try #require(server.port), log: log))
            }
        }
    }

    @Test func `curl reads lists and sends commands over TLS, and finds the whole chain`() async throws {
        try await Self.withHome { home in
            let list = try await home.curl("-i", "-H", Self.bearer[1], "\(home.url)\(Routes.lights)")
            #expect(list.status == 0 && list.output.hasPrefix("HTTP/1.1 200"), "\(list)")
            // For a week, and each answer renews it.
            #expect(list.output.lowercased().contains("strict-transport-security: max-age=604800\r\n"), "\(list)")
            let toggle = #"{"command":"toggle","target":"desk"}"#
            let done = try await home.curl("-H", Self.bearer[1], "-d", toggle, "\(home.url)\(Routes.messages)")
            #expect(done.status == 0 && done.output.contains("\"ticket\""), "\(done)")
            // More than one record, and more than one buffer.
            let page = try await home.curl("--compressed", "\(home.url)/openapi.json", "-H", Self.bearer[1])
            #expect(page.status == 0 && page.output.count > 50_000)
            // Only the root is known to this client: the one between was sent along.
            let seen = try await home.handshake("-alpn h2,http/1.1 -showcerts")
            #expect(seen.contains("Verify return code: 0 (ok)") && seen.contains("ALPN protocol: http/1.1"), "\(seen)")
            #expect(seen.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
        }
    }

    @Test func `over the unix socket, and over TCP without TLS, nothing is promised to browsers`() async throws {
        let tcp = ControlServerSettings.TCP(host: "127.0.0.1", port: 0, token: "sesame")
        try await ServerFixture.run(in: HomeFixture.state, tcp: tcp) { server in
            let headers = ["X-Forwarded-Proto": "https", "Authorization": "Bearer sesame"]
            let overTCP = try await ClientFixture.ask(.port(try #require(server.port)), "GET", Routes.lights, headers)
            for answer in [overTCP, try await server.get(Routes.lights)] {
                #expect(answer.status == 200 && answer.headers["strict-transport-security"] == nil)
            }
        }
    }

    @Test(arguments: ["-tls1", "-tls1_1"]) func `no TLS before 1.2 is spoken`(version: String) async throws {
        try await Self.withHome { home in
            // The lowest level lets openssl itself offer them.
            let old = try await home.handshake("\(version) -cipher ALL:@SECLEVEL=0")
            #expect(old.contains("Cipher is (NONE)"), "\(old)")
            for newer in ["-tls1_2", "-tls1_3"] {
                let seen = try await home.handshake(newer)
                #expect(seen.contains("Verify return code: 0 (ok)"), "\(seen)")
            }
        }
    }

    @Test func `a page over TLS has the cookie of TLS, and an Origin of https only`() async throws {
        try await Self.withHome { home in
            struct Link: Decodable { let url: String }
            let link = try await ClientFixture.ask(home.server.address, "POST", Routes.links).decoded(Link.self).url
            #expect(link.hasPrefix("https://127.0.0.1:\(home.port)/#join="), "\(link)")
            let secret = try #require(link.split(separator: "=").last)
            func signIn(_ origin: String) async throws -> Program.End {
                try await home.curl(
                    "-i", "-H", "Origin: \(origin)", "-d", "{\"link\":\"\(secret)\"}", "\(home.url)\(Routes.session)")
            }
            let refused = try await signIn("http://localhost:\(home.port)")
            #expect(refused.output.hasPrefix("HTTP/1.1 403"), "\(refused)")
            let answer = try await signIn("https://localhost:\(home.port)").output
            #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
            let cookie = try #require(answer.split(separator: "\r\n").first { $0.lowercased().hasPrefix("set-cookie") })
            #expect(cookie.contains(" __Host-lightd-\(home.port)=") && cookie.hasSuffix("; Secure"), "\(cookie)")
        }
    }

    @Test func `a renewed certificate is shown to new connections, and open streams stay`() async throws {
        try await Self.withHome { home in
            let stream = try Program(
                Self.curl,
                ["-sSN", "--cacert", home.files.root] + Self.bearer + ["\(home.url)\(Routes.events)"])
            defer { stream.signal(SIGKILL) }
            try await stream.prints("event: resync")
            #expect(try await home.handshake().contains("subject=CN = lights\n"))

            try await home.files.issue("renewed")
            var tcp = try #require(home.server.server.api.settings.tcp)
            tcp.certificate = try home.files.certificate("renewed")
            home.server.server.apply(tcp)
            #expect(try await home.handshake().contains("subject=CN = renewed\n"))
            #expect(home.log.count("listens on TCP") == 1)
            await home.server.change(.updating(.light(HomeFixture.desk.id, by: [.renaming(.it(to: "Renamed"))])))
            try await stream.prints("Renamed")
            #expect(stream.isRunning && stream.errors.isEmpty)
        }
    }

    @Test func `TLS is switched on and off at the same port, and no connection without it is left`() async throws {
        try await Self.withHome { home in
            var tcp = try #require(home.server.server.api.settings.tcp)
            let certificate = tcp.certificate
            tcp.port = home.port
            for round in 1...2 {
                tcp.certificate = nil
                home.server.server.apply(tcp)
                try await until("TCP speaks no TLS") { home.log.count("listens on TCP port") == 2 * round }
                let plain = try ClientFixture(.port(home.port))
                #expect(try await plain.ask("GET", Routes.lights, ["Authorization": "Bearer sesame"]).status == 200)
                tcp.certificate = certificate
                home.server.server.apply(tcp)
                try await until("TCP speaks TLS") { home.log.count("listens on TCP port") == 2 * round + 1 }
                #expect(try await plain.isEnded())
                #expect(try await home.handshake().contains("Verify return code: 0 (ok)"))
            }
        }
    }

    // MARK: Strangers

    @Test func `who asks without TLS is cut off, with a line for those who look for it`() async throws {
        try await Self.withHome { home in
            let plain = try ClientFixture(.port(home.port))
            try await plain.send("GET /v1/lights HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try await plain.isEnded())
            try await until("it is logged") { home.log.count("debug a connection over TLS failed") == 1 }
            #expect(home.log.count("HTTP_REQUEST") == 1 && home.log.count("client=127.0.0.1") == 1)
            #expect(try await home.curl("\(home.url)/health/live").status == 0)
        }
    }

    @Test func `a handshake that never ends is cut off in time, and gives way to others before`() async throws {
        let timeouts = ConnectionTimeouts(grace: .milliseconds(20), firstHead: .seconds(1))
        try await Self.withHome(timeouts: timeouts, maximumConnections: 3) { home in
            // The beginning of a ClientHello, of which 512 bytes should follow; and nothing at all.
            let beginning = Data([22, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3])
            var hanging = try (1...20).map { number in
                let client = try LoopbackSocket(connectedTo: "127.0.0.1", home.port)
                if number.isMultiple(of: 2) { client.send(beginning) }
                return client
            }
            try await until("only as many as allowed are left") { hanging.count { !$0.isEnded } <= 3 }
            #expect(try await home.curl("\(home.url)/health/live").status == 0)
            try await until("the others are cut off") { hanging.allSatisfy(\.isEnded) }
            for client in hanging { client.close() }
            hanging = []
            #expect(try await home.curl("\(home.url)/health/live").status == 0)
        }
    }

    /// TLS waits for the farewell of the other side, which a hostile one never says.
    @Test func `the server ends in time, whatever its clients leave undone`() async throws {
        var (running, silent): ([Program], LoopbackSocket?) = ([], nil)
        defer {
            for program in running { program.signal(SIGKILL) }
            silent?.close()
        }
        let clock = ContinuousClock()
        var begin = clock.now
        try await Self.withHome { home in
            silent = try LoopbackSocket(connectedTo: "127.0.0.1", home.port)
            for path in [Routes.events, Routes.pageEvents] {
                let stream = try Program(
                    Self.curl, ["-sSN", "--cacert", home.files.root] + Self.bearer + ["\(home.url)\(path)"])
                try await stream.prints("event: ")
                stream.signal(SIGSTOP)
                running.append(stream)
            }
            begin = clock.now
        }
        // It would not end at all.
        #expect(clock.now - begin < .seconds(60))
    }

    // MARK: What doctor and the log say

    @Test(
        arguments: [
            ("127.0.0.1", [], nil), ("localhost", [], nil), ("::1", [], nil), ("0.0.0.0", ["10.0.0.1"], nil),
            ("0.0.0.0", [], "network of 0.0.0.0 can read tokens"),
            ("192.168.1.7", [], "network of 192.168.1.7 can read"),
            ("127.0.0.1.example.org", [], "can read tokens"),
        ] as [(String, [String], String?)])
    func `without TLS and without a proxy, others on the network can read tokens, and that is said`(
        host: String, proxies: [String], words: String?
    ) {
        let tcp = ControlServerSettings.TCP(host: host, port: 1, proxies: proxies.compactMap { AddressRange($0) })
        let fault = tcp.privacyFault(at: .sample)
        #expect(words.map { fault?.problem.contains($0) == true } ?? (fault == nil), "\(fault as Any)")
        if let fault { for way in ["tcp.tls", "proxy", "ssh://"] { #expect(fault.remedy.contains(way)) } }
    }

    @Test func `clear text on the network is a warning of doctor, and of the log once for each start and reload`()
        async throws
    {
        let log = LogRecorder(level: .info)
        let tcp = ControlServerSettings.TCP(host: "0.0.0.0", port: 0, token: "sesame")
        try await ServerFixture.run(in: HomeFixture.state, tcp: tcp, logger: log.logger) { server in
            func check() async throws -> CheckBody? {
                try await server.get(Routes.diagnosis, as: DiagnosisBody.self).checks.first { $0.name == "TLS" }
            }
            for times in 1...3 {
                try await until("it is logged") { log.count("warning TCP is not encrypted") == times }
                #expect(try await check()?.result == .warning)
                server.server.apply(tcp)
            }
            var own = tcp
            own.host = "127.0.0.1"
            server.server.apply(own)
            try await until("doctor has nothing to say of it") { try await check() == nil }
        }
    }

    @Test func `a certificate that has ended, or ends within two weeks, or begins later, is a warning`() async throws {
        try await Self.withHome { home in
            let certificate = try home.files.certificate("lights")
            let (begin, end) = (certificate.begin, certificate.end)
            #expect(end.since(begin) == .seconds(90 * 86_400))
            func before(_ hours: Int) -> Timestamp { end.advanced(by: .seconds(-3600 * hours)) }
            for (now, words) in [
                (begin, nil), (before(14 * 24), nil), (before(14 * 24 - 1), "in 13 days"), (before(36), "in 1 day"),
                (end, "has ended on"), (begin.advanced(by: .seconds(-1)), "is valid from"),
            ] as [(Timestamp, String?)] {
                let fault = certificate.fault(at: now)
                #expect(words.map { fault?.contains($0) == true } ?? (fault == nil), "\(now): \(fault as Any)")
            }
            // The fixture's time is not that of openssl.
            let check = try await home.server.get(Routes.diagnosis, as: DiagnosisBody.self).checks
                .first { $0.name == "TLS" }
            let fault = certificate.fault(at: home.server.clock.now)
            #expect(check?.text == fault ?? "the certificate ends on \(end.day)", "\(check as Any)")
        }
    }

    // MARK: What is no certificate

    @Test func `what is wrong with a certificate or a key is said of the right one`() async throws {
        try await withTemporaryDirectory { directory in
            let files = try await CertificateFiles(in: directory)
            try await files.issue("lights")
            try await files.issue("other")
            try await files.openssl("pkey -in lights.key -aes256 -passout pass:secret -out locked.key")
            try await files.openssl("ec -in lights.key -aes256 -passout pass:secret -out traditional.key")
            try await files.openssl("x509 -in lights.pem -outform DER -out lights.der")
            func mistake(_ chain: String, _ key: String) throws -> ServerCertificate.Mistake? {
                let contents = try [chain, key].map { $0.isEmpty ? [] : try files.bytes(of: $0) }
                do throws(ServerCertificate.Mistake) {
                    _ = try ServerCertificate(chain: contents[0], key: contents[1])
                    return nil
                } catch {
                    return error
                }
            }
            #expect(try mistake("lights.pem", "lights.key") == nil)
            for chain in ["", "lights.key", "lights.der"] {
                guard case let .chain(text)? = try mistake(chain, "lights.key") else {
                    Issue.record("\(chain) is a certificate")
                    continue
                }
                #expect(text.contains("BEGIN CERTIFICATE"))
            }
            for (key, words) in [
                ("", "BEGIN PRIVATE KEY"), ("lights.pem", "BEGIN PRIVATE KEY"), ("other.key", "does not belong"),
                ("between.key", "does not belong"), ("locked.key", "openssl pkey"), ("traditional.key", "openssl pkey"),
            ] {
                guard case let .key(text)? = try mistake("lights.pem", key) else {
                    Issue.record("\(key) is its key")
                    continue
                }
                #expect(text.contains(words), "\(key): \(text)")
            }
        }
    }
}

extension CertificateFiles {
    func bytes(of file: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path(file)))) }

    func certificate(_ name: String) throws -> ServerCertificate {
        try ServerCertificate(chain: bytes(of: "\(name).pem"), key: bytes(of: "\(name).key"))
    }
}

extension ServerCertificate {
    static func sample() async throws -> Self {
        try await withTemporaryDirectory { directory in
            let files = try await CertificateFiles(in: directory)
            try await files.issue("lights")
            return try files.certificate("lights")
        }
    }
}
