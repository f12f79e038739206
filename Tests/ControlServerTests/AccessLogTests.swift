import ControlProtocol
import ControlSurface
import Foundation
import Khipu
import Lighting
import LightingTestKit
import Logging
import TestSupport
import Testing

@testable import ControlServer

@Suite struct AccessLogTests {
    private static var tcp: ControlServerSettings.TCP { .init(host: "127.0.0.1", port: 0, token: "sesame") }

    /// One event: what causes it, and what the access log says of it.
    struct Cause: Sendable, CustomTestStringConvertible {
        let kind: AccessEvent.Kind
        /// Who; `nil` for these tests over the socket.
        var sender: String?
        var subject: String?
        var hasFailed = false
        let act: @Sendable (ServerFixture) async throws -> Void

        var testDescription: String { "\(kind.rawValue)\(hasFailed ? " failed" : "")" }
    }

    static let causes: [Cause] = [
        Cause(kind: .tokenCreated, subject: "panel") { _ = try await $0.create(TokenRequest(name: "panel")) },
        Cause(kind: .tokenCreated, subject: "\n", hasFailed: true) { server in
            _ = try await ClientFixture.ask(server.address, "POST", Routes.tokens, body: #"{"name":"\n"}"#)
        },
        Cause(kind: .tokenRevoked, subject: "panel") { server in
            _ = try await server.create(TokenRequest(name: "panel"))
            _ = try await server.revoke("panel")
        },
        Cause(kind: .tokenRevoked, subject: "nobody", hasFailed: true) { _ = try await $0.revoke("nobody") },
        Cause(kind: .tokenChanged, sender: "a page with token 'phone ", subject: "phone ") { server in
            let page = try await server.page()
            let cookie = try await page.signIn(token: "sesame").cookie
            _ = try await page.ask("PUT", Routes.session, cookie: cookie, body: #"{"name":"Anna"}"#)
        },
        Cause(kind: .linkMade, subject: "full") { _ = try await $0.link() },
        Cause(kind: .linkUsed, sender: "a client over TCP", subject: "phone ") { server in
            _ = try await server.page().signIn(try await server.link().secret)
        },
        Cause(kind: .signIn, sender: "a client over TCP", subject: "phone ") { server in
            _ = try await server.page().signIn(token: "sesame")
        },
        Cause(kind: .signOut, sender: "a page with token 'phone ", subject: "phone ") { server in
            let page = try await server.page()
            let cookie = try await page.signIn(token: "sesame").cookie
            _ = try await page.ask("DELETE", Routes.session, cookie: cookie)
        },
        Cause(kind: .tokenEnded, sender: "lightd", subject: "phone ") { server in
            let token = try await server.create(TokenRequest(name: "panel"))
            _ = try await server.page().signIn(token: token)
            _ = try await server.revoke("panel")
        },
        Cause(kind: .tokenEnded, sender: "lightd", subject: "phone ") { server in
            _ = try await server.page().signIn(token: "sesame")
            await server.clock.advance(by: AccessTokens.longestUnused)
            _ = try await server.get(Routes.tokens)
        },
        Cause(kind: .backup) { _ = try await $0.get(Routes.backup) },
        Cause(kind: .backupWithKeys) { _ = try await $0.get("\(Routes.backup)?keys=true") },
        Cause(kind: .restore) { _ = try await $0.put("lightd-backup 1.2.3 true\n", to: Routes.backup) },
        Cause(kind: .restore, hasFailed: true) { _ = try await $0.put("shopping list", to: Routes.backup) },
        Cause(kind: .pairing, hasFailed: true) { _ = try await $0.post(#"{"command":"pair","bridge":""}"#) },
        Cause(kind: .forgetting, subject: "nowhere", hasFailed: true) { server in
            _ = try await server.post(#"{"command":"forget","bridge":"nowhere"}"#)
        },
        Cause(kind: .pruning, subject: "entries older than 30.0 days") { server in
            _ = try await server.post(#"{"command":"prune","days":30}"#)
        },
        Cause(kind: .refused, sender: "a client over TCP", hasFailed: true) { server in
            _ = try await server.ask("GET", Routes.lights, token: "wrong")
        },
        Cause(kind: .refused, sender: "a client over TCP", hasFailed: true) { server in
            _ = try await server.page().signIn("not a link")
        },
        Cause(kind: .refused, sender: "a client with token 'panel' over TCP", hasFailed: true) { server in
            let token = try await server.create(TokenRequest(name: "panel", access: .readOnly))
            _ = try await server.ask("GET", Routes.accessLog, token: token)
        },
    ]

    @Test(arguments: causes) func `whatever concerns access is a row, and a line in the log, with who did it`(
        cause: Cause
    ) async throws {
        let log = LogRecorder(level: .notice)
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack, tcp: Self.tcp, logger: log.logger)
        {
            server in
            try await cause.act(server)
            let events = server.accessLog.events.filter { $0.kind == cause.kind }
            #expect(events.count == 1)
            let event = try #require(events.first)
            #expect(event.hasFailed == cause.hasFailed && (event.reason != nil || !cause.hasFailed))
            if let sender = cause.sender {
                #expect(event.sender.hasPrefix(sender))
            } else {
                #expect(event.sender == ServerFixture.sender())
            }
            if let subject = cause.subject { #expect(event.subject?.hasPrefix(subject) == true) }
            #expect(
                log.lines.contains { $0.hasPrefix("notice access") && $0.contains(" by=\(event.sender)") },
                "\(log.lines)")
            // It is told to whoever may know it.
            let listed = try await server.get(Routes.accessLog, as: [AccessLogBody].self)
            #expect(listed.count(where: { $0.event == cause.kind.rawValue && $0.by == event.sender }) == 1)
        }
    }

    @Test func `every kind of event is tried`() {
        #expect(Set(Self.causes.map(\.kind)) == Set(AccessEvent.Kind.allCases))
    }

    @Test func `a dry run, and what concerns nobody's access, is no row`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            _ = try await server.put("lightd-backup 1.2.3 true\n", to: "\(Routes.backup)?dry_run=true")
            _ = try await server.post(#"{"command":"toggle","target":"desk"}"#)
            _ = try await server.get(Routes.lights)
            #expect(server.accessLog.events == [])
        }
    }

    @Test func `guesses without end are two rows an hour, whatever their senders call themselves`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            for number in 0..<200 {
                _ = try await ClientFixture.ask(
                    .port(try #require(server.port)), "GET", Routes.lights, [Routes.clientHeader: "client \(number)"])
            }
            #expect(server.accessLog.events.map(\.count) == [1])
            // Those who look see how many there are by now.
            let listed = try await server.get(Routes.accessLog, as: [AccessLogBody].self)
            #expect(listed.map(\.count) == [1, 199] && listed.allSatisfy { $0.by == "a client over TCP" })
            await server.clock.advance(by: AccessTally.interval)
            #expect(server.accessLog.events.map(\.count) == [1, 199])
        }
    }

    @Test func `the access log is for full access only, and its query is read strictly`() async throws {
        try await ServerFixture.run(tcp: Self.tcp) { server in
            let reader = try await server.create(TokenRequest(name: "reader", access: .readOnly))
            #expect(try await server.ask("GET", Routes.accessLog, token: nil).status == 401)
            #expect(try await server.ask("GET", Routes.accessLog, token: reader).status == 403)
            #expect(try await server.ask("GET", Routes.accessLog, token: "sesame").status == 200)
            for query in ["limit=0", "limit=x", "since=yesterday", "by=x", "limit=1&limit=2"] {
                #expect(try await server.get("\(Routes.accessLog)?\(query)").status == 400, "\(query)")
            }
            let newest: [AccessLogBody] = try await server.get("\(Routes.accessLog)?limit=1")
            #expect(newest.map(\.event) == ["refused"])
            let now = server.clock.now
            let none: [AccessLogBody] = try await server.get("\(Routes.accessLog)?until=\(now.iso8601)")
            #expect(none == [])
        }
    }

    @Test func `what is only counted is written when lightd stops`() async throws {
        let accessLog = MemoryAccessLog()
        let clock = ManualClock()
        let audit = AccessAudit(accessLog.log, clock: clock.clock, logger: .silent)
        for _ in 0..<3 { audit.refused(SenderName(calling: nil, " over TCP"), because: .wrongToken) }
        #expect(accessLog.events.map(\.count) == [1])
        audit.finish()
        #expect(accessLog.events.map(\.count) == [1, 2])
    }
}
