import Curl
import Foundation
import TestSupport
import Testing

/// Access tokens with the real programs: made and revoked by lightctl, used over TCP, and kept over a kill.
@Suite(.timeLimit(.minutes(5)))
struct TokenProgramTests {
    @Test func `a token that was printed survives a kill at once, and so does that it was revoked`() async throws {
        try await withTemporaryDirectory { place in
            var lightd = try await Self.start(in: place)
            let full = try await lightd.ctl("token", "create", "phone")
            #expect(full.status == 0 && full.output.wholeMatch(of: /lightd_[0-9a-f]{64}\n/) != nil, "\(full)")
            #expect(full.errors.contains("not shown again") && !full.errors.contains("lightd_"))
            let reading = try await lightd.ctl("--quiet", "token", "create", "panel", "--read-only")
            #expect(reading.status == 0 && reading.errors.isEmpty)
            try await lightd.kill()

            lightd = try await Self.start(in: place)
            #expect(try await lightd.statuses(full.output) == [200, 400])
            #expect(try await lightd.statuses(reading.output) == [200, 403])
            let list = try await lightd.ctl("token", "list").output.split(separator: "\n").map {
                $0.split(separator: "\t")
            }
            #expect(list.map { $0.prefix(2) } == [["panel", "read_only"], ["phone", "full"]])
            #expect(list.allSatisfy { $0.count == 7 })
            #expect(try await lightd.ctl("token", "create", "phone").status == 1)
            #expect(try await lightd.ctl("token", "revoke", "fone").status == 4)
            #expect(try await lightd.ctl("token", "revoke", "phone").status == 0)
            #expect(try await lightd.statuses(full.output) == [401, 401])
            try await lightd.kill()

            lightd = try await Self.start(in: place)
            #expect(try await lightd.statuses(full.output) == [401, 401])
            #expect(try await lightd.statuses(reading.output) == [200, 403])
            // Neither is in any file.
            for name in try FileManager.default.contentsOfDirectory(atPath: place.path + "/state") {
                let bytes = try Data(contentsOf: URL(filePath: "\(place.path)/state/\(name)"))
                for token in [full.output, reading.output] {
                    #expect(bytes.range(of: Data(token.dropLast().utf8)) == nil)
                }
            }
            try await lightd.kill()
        }
    }

    @Test func `a session survives a kill, and ends with the token that it was signed in with`() async throws {
        try await withTemporaryDirectory { place in
            var lightd = try await Self.start(in: place)
            let token = try await lightd.ctl("--quiet", "token", "create", "panel", "--read-only").output.dropLast()
            let answer = try await lightd.ask(.post, "/v1/session", body: #"{"token":"\#(token)"}"#)
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            let value = try #require(answer.head["set-cookie"]?.firstMatch(of: /=([^;]+);/)?.1)
            #expect(!value.isEmpty && Data(base64Encoded: String(value)) != Data(token.utf8))
            try await lightd.kill()

            lightd = try await Self.start(in: place)
            #expect(try await lightd.ask(.get, "/v1/lights", cookie: value).status == 200)
            let list = try await lightd.ctl("token", "list").output.split(separator: "\n")
            #expect(
                list.map { $0.split(separator: "\t").suffix(3) } == [
                    ["sign_in", "panel", "-"], ["command", "-", "-"],
                ])
            let revoked = try await lightd.ctl("--json", "token", "revoke", "panel").output
            #expect(revoked.contains(#""revoked_with_it":["browser "#), "\(revoked)")
            #expect(try await lightd.ask(.get, "/v1/lights", cookie: value).status == 401)
            try await lightd.kill()

            lightd = try await Self.start(in: place)
            #expect(try await lightd.ask(.get, "/v1/lights", cookie: value).status == 401)
            try await lightd.kill()
        }
    }

    @Test func `a group that does not exist is an error before the start`() async throws {
        try await withTemporaryDirectory { place in
            let group = ["LIGHTD_SOCKET_GROUP": "no-such-group", "HOME": place.path]
            for arguments in [["--check-config"], ["--socket", place.socket, "--state-dir", place.path + "/state"]] {
                let program = try Program(.lightd, arguments, environment: group)
                defer { program.signal(SIGKILL) }
                let end = try await program.end()
                #expect(end.status == 6)
                #expect(
                    end.errors
                        == "lightd: environment variable LIGHTD_SOCKET_GROUP: there is no group 'no-such-group'; 'groupadd no-such-group' makes it\n"
                )
            }
        }
    }

    private struct Daemon {
        let program: Program
        let socket: String
        let port: UInt16
        let http = HTTPClient()

        func ctl(_ arguments: String...) async throws -> Program.End {
            let program = try Program(.lightctl, ["--socket", socket] + arguments)
            defer { program.signal(SIGKILL) }
            return try await program.end()
        }

        /// Of a list and of a command that is none.
        func statuses(_ token: String) async throws -> [Int] {
            var statuses: [Int] = []
            for (method, path) in [(HTTPRequest.Method.get, "/v1/lights"), (.post, "/v1/messages")] {
                var request = HTTPRequest(method, "http://127.0.0.1:\(port)\(path)")
                request.headers = [HTTPRequest.Header("Authorization", "Bearer \(token.dropLast())")]
                statuses.append(try await http.send(request).status)
            }
            return statuses
        }

        /// As a page does.
        func ask(
            _ method: HTTPRequest.Method, _ path: String, cookie: Substring? = nil, body: String? = nil
        ) async throws -> HTTPResponse {
            let origin = "http://127.0.0.1:\(port)"
            var request = HTTPRequest(method, origin + path)
            request.headers = [HTTPRequest.Header("Origin", origin)]
            if let cookie { request.headers.append(HTTPRequest.Header("Cookie", "lightd-\(port)=\(cookie)")) }
            if let body { request.body = Array(body.utf8) }
            return try await http.send(request)
        }

        func kill() async throws {
            program.signal(SIGKILL)
            _ = try await program.end()
            http.shutdown()
        }
    }

    private static func start(in place: TemporaryDirectory) async throws -> Daemon {
        let program = try Program(
            .lightd, ["--socket", place.socket, "--state-dir", place.path + "/state"],
            environment: [
                "HOME": place.path, "LIGHTD_DISCOVERY_MDNS": "false", "LIGHTD_TCP_ENABLED": "true",
                "LIGHTD_TCP_PORT": "0",
            ])
        // The socket may be ready before.
        try await until("lightd listens on TCP") { program.errors.contains(/listens on TCP port=[0-9]+\n/) }
        let port = try #require(program.errors.firstMatch(of: /listens on TCP port=([0-9]+)/).flatMap { UInt16($0.1) })
        return Daemon(program: program, socket: place.socket, port: port)
    }
}
