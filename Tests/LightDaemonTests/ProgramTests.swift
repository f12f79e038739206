import Foundation
import TestSupport
import Testing

extension DaemonTestSuite {
    /// The real `lightd`, as a person or a service manager starts it.
    struct ProgramTests {
        private func start(
            _ scratch: TemporaryDirectory, _ arguments: [String] = [], environment: [String: String] = [:],
            hearsErrors: Bool = true
        ) throws -> Program {
            try Program(
                .lightd, ["--socket", scratch.socket, "--state-dir", scratch.state] + arguments,
                environment: ["HOME": scratch.path, "LIGHTD_DISCOVERY_MDNS": "false"].merging(environment) { $1 },
                hearsErrors: hearsErrors)
        }

        private func answers(_ scratch: TemporaryDirectory) async -> Bool {
            // Not yet is an answer too.
            (try? await ask(scratch.socket, "/health/live").status) == 200
        }

        private func listens(_ program: Program, _ scratch: TemporaryDirectory) async throws {
            try await until("it listens; it said \(program.errors)") {
                if !program.isRunning { throw TestError("it has ended: \(program.errors)") }
                return await self.answers(scratch)
            }
        }

        // MARK: Asked for nothing but words

        @Test func `it tells its version`() async throws {
            let end = try await Program.run(.lightd, ["--version"])
            #expect(end.status == 0 && end.errors.isEmpty)
            #expect(end.output.contains(/^\d+\.\d+\.\d+\n$/))
        }

        @Test func `its help names every option and exit code`() async throws {
            let end = try await Program.run(.lightd, ["--help"])
            #expect(end.status == 0)
            for word in [
                "--config", "--socket", "--state-dir", "--simulated", "--check-config", "--version",
                "6 bad configuration",
            ] {
                #expect(end.output.contains(word))
            }
        }

        @Test(arguments: [["--sokcet", "/s"], ["extra"], ["--socket"], ["--check-config=maybe"]])
        func `what it does not understand is a usage error`(arguments: [String]) async throws {
            let end = try await Program.run(.lightd, arguments)
            #expect(end.status == 64)
            #expect(end.output.isEmpty && end.errors.hasPrefix("Error: "))
        }

        // MARK: --check-config

        @Test func `a good configuration is checked in silence`() async throws {
            let end = try await Program.run(
                .lightd, ["--check-config", "--config", Repository.file("Config/lightd.yaml")])
            #expect(end == Program.End(status: 0, output: "", errors: ""))
        }

        @Test func `a bad one is told in one line on standard error, with exit code 6`() async throws {
            try await withTemporaryDirectory { scratch in
                let file = try scratch.write("l.yaml", "journal:\n  flsuh: 2s\n")
                let end = try await Program.run(.lightd, ["--check-config", "--config", file])
                #expect(end.status == 6 && end.output.isEmpty)
                #expect(
                    end.errors.hasPrefix(
                        "lightd: \(file):2: unknown key 'journal.flsuh', did you mean 'journal.flush'?"))
                #expect(end.errors.filter { $0 == "\n" }.count == 1 && end.errors.hasSuffix("\n"))
            }
        }

        @Test func `it reads the environment as the daemon would`() async throws {
            let end = try await Program.run(
                .lightd, ["--check-config"], environment: ["LIGHTD_JOURNAL_FLUSH": "never", "HOME": "/"])
            #expect(end.status == 6)
            #expect(
                end.errors.hasPrefix(
                    "lightd: environment variable LIGHTD_JOURNAL_FLUSH: 'never' is not a duration from "))
        }

        @Test func `a token's file that is missing is told before the daemon is started`() async throws {
            try await withTemporaryDirectory { scratch in
                let file = try scratch.write("l.yaml", "tcp: {enabled: true, token_file: \(scratch.path)/none}")
                let checked = try await Program.run(.lightd, ["--check-config", "--config", file])
                let started = try await start(scratch, ["--config", file]).end()
                for end in [checked, started] {
                    #expect(end.status == 6)
                    #expect(
                        end.errors
                            == "lightd: \(scratch.path)/none: cannot read the token file: No such file or directory\n"
                    )
                }
                #expect(!scratch.exists("state"))
            }
        }

        @Test func `a check neither listens nor keeps anything`() async throws {
            try await withTemporaryDirectory { scratch in
                let end = try await start(scratch, ["--check-config"]).end()
                #expect(end.status == 0)
                #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
            }
        }

        // MARK: Life and death

        @Test(arguments: [SIGTERM, SIGINT])
        func `told to end it ends within a second, with 0 and without its socket`(signal: CInt) async throws {
            try await withTemporaryDirectory { scratch in
                let taken = try await fastest {
                    let lightd = try start(scratch)
                    try await listens(lightd, scratch)
                    // One who follows the events and does not go by himself.
                    let follower = try UnixSocket(SOCK_STREAM, connectedTo: scratch.socket)
                    try follower.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    _ = try await onOwnThread { try follower.receive(within: .seconds(10)) }
                    let began = ContinuousClock.now
                    lightd.signal(signal)
                    let end = try await lightd.end()
                    #expect(end.status == 0 && end.output.isEmpty)
                    #expect(!scratch.exists("s"))
                    #expect(!end.errors.contains("error") && !end.errors.contains("warning"), "\(end)")
                    return ContinuousClock.now - began
                }
                #expect(taken < .seconds(1))
            }
        }

        @Test func `it listens well under a second after it was started, before any bridge is found`() async throws {
            try await withTemporaryDirectory { scratch in
                let taken = try await fastest {
                    let began = ContinuousClock.now
                    let lightd = try start(scratch)
                    try await listens(lightd, scratch)
                    let taken = ContinuousClock.now - began
                    lightd.signal(SIGTERM)
                    #expect(try await lightd.end().status == 0)
                    return taken
                }
                #expect(taken < .seconds(1))
            }
        }

        /// From before it listens until after; while it loads the signal is the system's to handle.
        @Test(arguments: 0..<12)
        func `told to end while it starts it leaves in peace`(step: Int) async throws {
            try await withTemporaryDirectory { scratch in
                let lightd = try start(scratch, environment: ["LIGHTD_LOG_LEVEL": "trace"])
                try await until("it takes its first step") { scratch.exists("state/lock") || !lightd.isRunning }
                try await Task.sleep(for: .milliseconds(5 * step))
                lightd.signal(SIGTERM)
                let end = try await lightd.end()
                #expect(end.status == 0 || end.status == -SIGTERM, "\(end)")
                #expect(!scratch.exists("s"))
            }
        }

        @Test func `killed and started again it goes on, with the same directory and socket`() async throws {
            try await withTemporaryDirectory { scratch in
                let killed = try start(scratch)
                try await listens(killed, scratch)
                killed.signal(SIGKILL)
                #expect(try await killed.end().status == -SIGKILL)
                #expect(scratch.exists("s"))
                let lightd = try start(scratch)
                try await listens(lightd, scratch)
                lightd.signal(SIGTERM)
                #expect(try await lightd.end().status == 0)
                #expect(!scratch.exists("s"))
            }
        }

        @Test func `it tells a service manager that it is ready, well, and stopping`() async throws {
            try await withTemporaryDirectory { scratch in
                let manager = try NotifySocket(scratch.path + "/notify")
                let lightd = try start(
                    scratch, environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "100000"])
                try await manager.hears("READY=1")
                #expect(await answers(scratch))
                try await manager.hears("WATCHDOG=1")
                lightd.signal(SIGTERM)
                try await manager.hears("STOPPING=1")
                #expect(try await lightd.end().status == 0)
                #expect(manager.lines.filter { $0 == "READY=1" }.count == 1)
            }
        }

        @Test func `where nobody reads its log any more it goes on`() async throws {
            try await withTemporaryDirectory { scratch in
                let lightd = try start(scratch, environment: ["LIGHTD_LOG_LEVEL": "trace"], hearsErrors: false)
                try await listens(lightd, scratch)
                #expect(await answers(scratch))
                lightd.signal(SIGTERM)
                #expect(try await lightd.end().status == 0)
            }
        }

        // MARK: Refusals

        @Test func `a second daemon in the same directory is refused, and the first goes on`() async throws {
            try await withTemporaryDirectory { scratch in
                let first = try start(scratch)
                try await listens(first, scratch)
                let second = try await start(scratch, ["--socket", scratch.path + "/t"]).end()
                #expect(second.status == 1)
                #expect(
                    second.errors == "lightd: another lightd uses '\(scratch.state)'; stop that one first, "
                        + "or name another directory with 'state_dir'\n")
                #expect(await answers(scratch))
                first.signal(SIGTERM)
                #expect(try await first.end().status == 0)
            }
        }

        @Test func `a second daemon on the same socket is refused, and the first goes on`() async throws {
            try await withTemporaryDirectory { scratch in
                let first = try start(scratch)
                try await listens(first, scratch)
                let second = try await start(scratch, ["--state-dir", scratch.path + "/other"]).end()
                #expect(second.status == 1)
                #expect(second.errors.hasSuffix("lightd: another lightd already listens on \(scratch.socket)\n"))
                #expect(second.errors.split(separator: "\n").filter { $0.hasPrefix("lightd: ") }.count == 1)
                #expect(!second.errors.contains(" ready "))
                #expect(await answers(scratch))
                first.signal(SIGTERM)
                #expect(try await first.end().status == 0)
            }
        }

        @Test func `a damaged database is refused and kept`() async throws {
            try await withTemporaryDirectory { scratch in
                mkdir(scratch.state, 0o700)
                let rubbish = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31) })
                let file = try scratch.write("state/lightd.sqlite", rubbish, mode: 0o600)
                let end = try await start(scratch).end()
                #expect(end.status == 1)
                #expect(
                    end.errors.hasPrefix("lightd: the database '\(file)' is damaged (")
                        && end.errors.contains("lightctl pair"))
                #expect(end.errors.filter { $0 == "\n" }.count == 1)
                #expect(try Data(contentsOf: URL(filePath: file)) == rubbish)
            }
        }

        @Test func `a state directory that cannot be made is refused in one line`() async throws {
            try await withTemporaryDirectory { scratch in
                let file = try scratch.write("file", "")
                let end = try await start(scratch, ["--state-dir", file + "/state"]).end()
                #expect(end.status == 1)
                #expect(end.errors.hasPrefix("lightd: cannot write '\(file)"))
                #expect(end.errors.contains("state_dir") && end.errors.filter { $0 == "\n" }.count == 1)
            }
        }

        /// Root writes everywhere but where the kernel does not let anybody.
        @Test func `a state directory that cannot be written is refused in one line`() async throws {
            try await withTemporaryDirectory { scratch in
                let place = geteuid() == 0 ? "/proc/lightd" : scratch.path + "/locked/state"
                mkdir(scratch.path + "/locked", 0o500)
                let end = try await start(scratch, ["--state-dir", place]).end()
                #expect(end.status == 1)
                #expect(end.errors.hasPrefix("lightd: cannot write '\(place)' ("))
                #expect(end.errors.filter { $0 == "\n" }.count == 1)
            }
        }

        @Test func `a file in the socket's place is refused and kept`() async throws {
            try await withTemporaryDirectory { scratch in
                try scratch.write("s", "precious")
                let end = try await start(scratch).end()
                #expect(end.status == 1)
                #expect(
                    end.errors.hasSuffix("lightd: '\(scratch.socket)' is there and is no socket; nothing was removed\n")
                )
                #expect(try String(contentsOfFile: scratch.socket, encoding: .utf8) == "precious")
            }
        }
    }
}
