import ControlProtocol
import Foundation
import TestSupport
import Testing

/// lightctl as on another machine: over TCP, with a token.
@Suite(.timeLimit(.minutes(5)))
struct TCPProgramTests {
    /// A lightd that listens on TCP, and files with tokens for it.
    private struct Remote {
        let programs: ProgramsFixture
        let port: Int

        func token(_ name: String, _ options: String...) async throws -> String {
            let made = try await programs.lightctl(["--quiet", "token", "create", name] + options)
            return try programs.place.write(name, made.output, mode: 0o600)
        }

        func start(
            _ arguments: [String], port: Int? = nil, environment: [String: String]
        ) throws -> Program {
            let url = ["LIGHTCTL_URL": "http://127.0.0.1:\(port ?? self.port)"]
            return try Program(.lightctl, arguments, environment: environment.merging(url) { $1 })
        }

        func lightctl(
            _ arguments: String..., port: Int? = nil, environment: [String: String]
        ) async throws -> Program.End {
            try await start(arguments, port: port, environment: environment).end()
        }
    }

    private static func withRemote(_ body: (Remote) async throws -> Void) async throws {
        let environment = ["LIGHTD_TCP_ENABLED": "true", "LIGHTD_TCP_PORT": "0"]
        try await ProgramsFixture.running(environment: environment) { programs in
            #expect(try await programs.lightctl("pair").status == 0)
            try await until("lightd listens on TCP") { programs.lightd.errors.contains("listens on TCP") }
            let port = programs.lightd.errors.firstMatch(of: /listens on TCP port=([0-9]+)/).flatMap { Int($0.1) }
            try await body(Remote(programs: programs, port: try #require(port)))
        }
    }

    @Test func `requests over the socket and over TCP are answered on two threads`() async throws {
        try await Self.withRemote { remote in
            let full = ["LIGHTCTL_TOKEN_FILE": try await remote.token("phone")]
            #expect(try await remote.lightctl("on", "desk", environment: full).status == 0)
            #expect(try await remote.programs.lightctl("off", "desk").status == 0)
            let tasks = "/proc/\(remote.programs.lightd.pid)/task"
            let threads = try FileManager.default.contentsOfDirectory(atPath: tasks).map {
                try String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8).filter { !$0.isNewline }
            }
            #expect(threads.contains("lightd-local") && threads.contains("lightd-network"), "\(threads)")
        }
    }

    @Test func `over TCP lightctl does what its token allows, and says what it does not`() async throws {
        try await Self.withRemote { remote in
            let full = ["LIGHTCTL_TOKEN_FILE": try await remote.token("phone")]
            let reading = ["LIGHTCTL_TOKEN_FILE": try await remote.token("panel", "--read-only")]
            let list = try await remote.lightctl("list", environment: full)
            #expect(list.status == 0 && list.output.contains("Desk\tLiving\t"), "\(list)")
            #expect(try await remote.lightctl("list", environment: reading) == list)

            let dimmed = try await remote.lightctl("dim", "desk", "40%", "--wait", environment: full)
            #expect(dimmed == Program.End(status: 0, output: "", errors: ""))
            #expect(try await remote.programs.lightctl("list").output.contains("Desk\tLiving\ton\t40%"))
            let why = try await remote.lightctl("why", "desk", environment: reading)
            #expect(why.output.contains("\"lightctl\" with token 'phone' over TCP"), "\(why)")
            let refused = try await remote.lightctl("off", "desk", environment: reading)
            #expect(refused.status == 2 && refused.errors.contains("'read_only'"), "\(refused)")

            try await until("the names come within the 200 ms that a completion waits") {
                try await remote.lightctl("complete", "words", "on", "de", environment: full).output == "Desk\tlight\n"
            }
            let doctor = try await remote.lightctl("doctor", environment: full)
            #expect(doctor.output.contains("\nok\tconnection\t-\tover TCP, not encrypted, to http://127.0.0.1:"))
            #expect(!doctor.output.contains("\tsocket\t"), "\(doctor)")
            let link = try await remote.lightctl("open", environment: full)
            #expect(link.status == 0 && link.output.hasPrefix("http://127.0.0.1:\(remote.port)/#join="), "\(link)")

            let file = remote.programs.place.path + "/backup"
            #expect(try await remote.programs.lightctl("backup", file).status == 0)
            for words in [["backup", file + "2"], ["restore", file], ["token", "list"]] {
                let end = try await remote.start(words, environment: full).end()
                #expect(end.status == 2 && end.errors.contains("over lightd's unix socket only"), "\(words): \(end)")
            }
        }
    }

    @Test func `a token that is wrong or missing, and a port without a lightd, end in an error that helps`()
        async throws
    {
        try await Self.withRemote { remote in
            for (environment, words) in [
                ([:], "requires a token"), (["LIGHTCTL_TOKEN": "lightd_wrong"], "the token of LIGHTCTL_TOKEN"),
            ] {
                for verb in ["list", "watch"] {
                    let end = try await remote.lightctl(verb, environment: environment)
                    #expect(end.status == 2 && end.output.isEmpty && end.errors.contains(words), "\(end)")
                    #expect(end.errors.contains("lightctl token create NAME"))
                }
            }
            // Nobody listens on port 1.
            let token = ["LIGHTCTL_TOKEN_FILE": try await remote.token("phone")]
            let refused = try await remote.lightctl("on", "desk", port: 1, environment: token)
            #expect(refused.status == 3 && refused.errors.contains("http://127.0.0.1:1 (connection refused)"))
            #expect(refused.errors.contains("hint: on that machine, 'systemctl status lightd'"), "\(refused)")
            let unknown = try await remote.lightctl(
                "--insecure", "--url", "http://nosuch.invalid", "list", environment: token)
            #expect(unknown.status == 3 && unknown.errors.contains("no host has the name 'nosuch.invalid'"))
        }
    }

    @Test func `watch goes on after the connection was cut`() async throws {
        try await Self.withRemote { remote in
            let token = ["LIGHTCTL_TOKEN_FILE": try await remote.token("phone")]
            let proxy = try TCPProxy(to: "127.0.0.1", remote.port)
            defer { proxy.stop() }
            let watch = try remote.start(["watch", "--lines"], port: proxy.port, environment: token)
            defer { watch.signal(SIGKILL) }
            try await until("watch has begun") { watch.errors.contains("watching 5 lights") }
            proxy.cut()
            try await until("watch reconnects; it said \(watch.errors)") {
                watch.errors.contains("reconnecting") && watch.errors.contains("connected again")
            }
            #expect(try await remote.lightctl("dim", "desk", "30%", port: proxy.port, environment: token).status == 0)
            try await until("the change is watched") { watch.output.contains("Desk: on, 30%") }
        }
    }
}
