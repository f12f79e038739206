import ArgumentParser
import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import lightctl

struct TokenCommandTests {
    private let made = #"{"access":"full","created":"2026-11-22T10:00:00.000Z","name":"phone","token":"lightd_ab"}"#

    @Test(arguments: [
        ([], "full"), (["--read-only"], "read_only"), (["--role", "look"], "look"), (["--role", "control"], "control"),
        (["--role", "full"], "full"),
    ])
    func `create asks for a token of this name and access`(options: [String], access: String) throws {
        let server = try UnixServer(answers: ["POST /v1/tokens": made])
        defer { server.stop() }
        try run(["--quiet", "--json", "--socket", server.path, "token", "create", "phone"] + options)
        let sent = try server.requests.map { try JSONDecoder().decode(TokenRequest.self, from: Data($0.body.utf8)) }
        #expect(sent == [TokenRequest(name: "phone", access: TokenAccess(rawValue: access))])
    }

    @Test func `an end is a moment, or a time from now`() throws {
        let clock = WallClock(now: Moment(milliseconds: 1_795_345_200_000)) { _ in 3600 }
        let options: [([String], String?)] = [
            ([], nil), (["--for", "3d"], "2026-11-25T11:00:00Z"), (["--until", "2026-12-24"], "2026-12-23T23:00:00Z"),
            (["--until", "2026-12-24T18:00Z"], "2026-12-24T18:00:00Z"), (["--until", "18:00"], "2026-11-22T17:00:00Z"),
        ]
        for (arguments, end) in options { #expect(try RoleOptions.parse(arguments).end(clock) == end) }
        for wrong in [
            ["--until", "18:00", "--for", "3d"], ["--role", "look", "--read-only"], ["--role", "root"],
            ["--for", "0s"],
        ] {
            #expect(throws: (any Error).self) { try RoleOptions.parse(wrong) }
        }
    }

    @Test func `a token goes to a file that only its owner can read, and that lightctl takes`() throws {
        let server = try UnixServer(answers: ["POST /v1/tokens": made])
        defer { server.stop() }
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let before = umask(0)
        defer { umask(before) }
        let file = place.path + "/token"
        let words = ["--quiet", "--socket", server.path, "token", "create", "phone", "--output", file]
        try run(words)
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try AccessToken.given(file: file, environment: [:])?.text == "lightd_ab")
        // What stands there is not lost, and no token is made.
        #expect(code { try run(words) } == .refused)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "lightd_ab\n" && server.requests.count == 1)
    }

    @Test func `revoke names the token in the query`() throws {
        let path = "/v1/tokens?name=my%20phone%26"
        let token = #"{"access":"full","created":"2026-11-22T10:00:00.000Z","name":"my phone&"}"#
        let server = try UnixServer(answers: ["DELETE \(path)": token])
        defer { server.stop() }
        try run(["--quiet", "--socket", server.path, "token", "revoke", "my phone&"])
        #expect(server.requests.count == 1)
    }

    @Test func `the list shows when each token was used, if ever`() {
        let tokens = [
            TokenBody(name: "panel", access: .readOnly, created: "2026-11-22T10:00:00.000Z"),
            TokenBody(
                name: "phone", access: .full, created: "2026-11-22T10:00:00.000Z",
                lastUsed: "2026-11-22T11:30:00.000Z", origin: .link, maker: "panel"),
            TokenBody(
                name: "tablet", access: .full, created: "2026-11-22T10:00:00.000Z",
                ends: "2026-11-23T10:00:00.000Z", origin: .signIn, maker: "panel"),
            TokenBody(name: "kiosk", access: .full, created: "2026-11-22T10:00:00.000Z", origin: .signIn),
        ]
        let clock = WallClock(now: Moment(milliseconds: 1_795_345_200_000)) { _ in 0 }
        #expect(
            Lists.tokens(tokens, on: .pipe, clock) == """
                panel\tread_only\t2026-11-22T10:00:00.000Z\t-\t-\t-\t-
                phone\tfull\t2026-11-22T10:00:00.000Z\t2026-11-22T11:30:00.000Z\tlink\tpanel\t-
                tablet\tfull\t2026-11-22T10:00:00.000Z\t-\tsign_in\tpanel\t2026-11-23T10:00:00.000Z
                kiosk\tfull\t2026-11-22T10:00:00.000Z\t-\tsign_in\t-\t-
                """)
        let table = Lists.tokens(tokens, on: .screen(), clock)
        #expect(table.contains("read-only") && table.contains("never") && table.contains("11:30"))
        #expect(table.contains("MADE BY") && table.contains("a link of panel"))
        #expect(table.contains("token panel") && table.contains("the configured token"))
        #expect(table.contains("ENDS") && table.contains("2026-11-23 10:00"))
        let short = Lists.tokens([tokens[0]], on: .screen(), clock)
        #expect(!short.contains("MADE BY") && !short.contains("ENDS"))
        #expect(Lists.tokens([], on: .screen(), clock).contains("lightctl token create"))
    }

    private func run(_ arguments: [String]) throws {
        var command = try LightCtl.parsed(arguments)
        try command.run()
    }
}
