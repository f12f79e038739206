import Foundation
import TestSupport
import Testing

extension DaemonTestSuite {
    /// The real `lightd`, as a person or a service manager starts it.
    struct ProgramTests {
        private func start(
            _ directory: TemporaryDirectory, _ arguments: [String] = [], environment: [String: String] = [:],
            hearsErrors: Bool = true
        ) throws -> Program {
            try Program(
                .lightd, ["--socket", directory.socket, "--state-dir", directory.state] + arguments,
                environment: ["HOME": directory.path, "LIGHTD_DISCOVERY_MDNS": "false"].merging(environment) { $1 },
                hearsErrors: hearsErrors)
        }

        private func answers(_ directory: TemporaryDirectory) async -> Bool {
            // Before it listens the connection fails.
            (try? await ask(directory.socket, "/health/live").status) == 200
        }

        private func listens(_ program: Program, _ directory: TemporaryDirectory) async throws {
            try await until("lightd listens; its stderr: \(program.errors)") {
                if !program.isRunning { throw TestError("lightd has ended: \(program.errors)") }
                return await self.answers(directory)
            }
        }

        // MARK: Time

        @Test func `civil time can begin at another moment, in the home's zone and under its sun`() async throws {
            try await withTemporaryDirectory { directory in
                let program = try start(
                    directory,
                    environment: [
                        "LIGHTD_START_TIME": "2026-12-23T23:30:00Z", "LIGHTD_TIME_SCALE": "60",
                        "LIGHTD_HOME_TIME_ZONE": "Europe/Berlin", "LIGHTD_HOME_LATITUDE": "52.52",
                        "LIGHTD_HOME_LONGITUDE": "13.41",
                    ])
                defer { program.signal(SIGKILL) }
                try await listens(program, directory)
                let sun = String(decoding: try await ask(directory.socket, "/v1/sun").body, as: UTF8.self)
                #expect(sun.contains(#""date":"2026-12-24""#) && sun.contains(#""clock":"08:1"#), "\(sun)")
            }
        }

        // MARK: Version, help and usage

        @Test func `--version prints the version`() async throws {
            let end = try await Program.run(.lightd, ["--version"])
            #expect(end.status == 0 && end.errors.isEmpty)
            #expect(end.output.contains(/^\d+\.\d+\.\d+\n$/))
        }

        @Test func `the help names every option, and the exit code of a wrong configuration`() async throws {
            let end = try await Program.run(.lightd, ["--help"])
            #expect(end.status == 0)
            for word in [
                "--config", "--socket", "--state-dir", "--simulated", "--check-config", "--version",
                "6 wrong configuration",
            ] {
                #expect(end.output.contains(word))
            }
        }

        @Test(arguments: [["--sokcet", "/s"], ["extra"], ["--socket"], ["--check-config=maybe"]])
        func `an unknown argument is a usage error`(arguments: [String]) async throws {
            let end = try await Program.run(.lightd, arguments)
            #expect(end.status == 64)
            #expect(end.output.isEmpty && end.errors.hasPrefix("lightd: "))
        }

        // MARK: --check-config

        @Test func `a valid configuration passes silently`() async throws {
            let end = try await Program.run(
                .lightd, ["--check-config", "--config", Repository.file("Config/lightd.yaml")])
            #expect(end == Program.End(status: 0, output: "", errors: ""))
        }

        @Test func `an invalid configuration is reported in one line on standard error, with exit code 6`() async throws
        {
            try await withTemporaryDirectory { directory in
                let file = try directory.write("l.yaml", "journal:\n  flsuh: 2s\n")
                let end = try await Program.run(.lightd, ["--check-config", "--config", file])
                #expect(end.status == 6 && end.output.isEmpty)
                #expect(
                    end.errors.hasPrefix(
                        "lightd: \(file):2: unknown key 'journal.flsuh', did you mean 'journal.flush'?"))
                #expect(end.errors.filter { $0 == "\n" }.count == 1 && end.errors.hasSuffix("\n"))
            }
        }

        @Test func `--check-config checks the environment too`() async throws {
            let end = try await Program.run(
                .lightd, ["--check-config"], environment: ["LIGHTD_JOURNAL_FLUSH": "never", "HOME": "/"])
            #expect(end.status == 6)
            #expect(
                end.errors.hasPrefix(
                    "lightd: environment variable LIGHTD_JOURNAL_FLUSH: 'never' is not a duration from "))
        }

        @Test func `a missing token file is reported before the daemon starts`() async throws {
            try await withTemporaryDirectory { directory in
                let file = try directory.write("l.yaml", "tcp: {enabled: true, token_file: \(directory.path)/none}")
                let checked = try await Program.run(.lightd, ["--check-config", "--config", file])
                let started = try await start(directory, ["--config", file]).end()
                for end in [checked, started] {
                    #expect(end.status == 6)
                    #expect(
                        end.errors
                            == "lightd: \(directory.path)/none: cannot read the token file: No such file or directory\n"
                    )
                }
                #expect(!directory.exists("state"))
            }
        }

        @Test func `a socket or a state directory of another kind is reported before the daemon starts`() async throws {
            try await withTemporaryDirectory { directory in
                let file = try directory.write("file", "precious")
                let link = directory.path + "/link"
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
                for (option, other, kind) in [
                    ("--socket", directory.path, "socket"), ("--socket", link, "socket"),
                    ("--state-dir", file, "directory"),
                ] {
                    let checked = try await Program.run(.lightd, ["--check-config", option, other])
                    let started = try await Program.run(.lightd, [option, other])
                    for end in [checked, started] {
                        #expect(end.status == 6)
                        #expect(
                            end.errors == """
                                lightd: argument \(option): '\(other)' exists and is not a \(kind); choose another path, or move \
                                it away

                                """)
                    }
                }
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["file", "link"])
            }
        }

        @Test func `--check-config neither listens nor creates files`() async throws {
            try await withTemporaryDirectory { directory in
                let end = try await start(directory, ["--check-config"]).end()
                #expect(end.status == 0)
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
            }
        }

        // MARK: Starting and stopping

        @Test(arguments: [SIGTERM, SIGINT])
        func `on SIGTERM or SIGINT lightd ends with exit code 0 and removes its socket`(signal: CInt) async throws {
            try await withTemporaryDirectory { directory in
                let lightd = try start(directory)
                try await listens(lightd, directory)
                // A client that follows the events and does not disconnect by itself.
                let follower = try UnixSocket(SOCK_STREAM, connectedTo: directory.socket)
                try follower.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try await onOwnThread { try follower.receive(within: .seconds(60)) }
                lightd.signal(signal)
                let end = try await lightd.end()
                #expect(end.status == 0 && end.output.isEmpty)
                #expect(!directory.exists("s"))
                #expect(!end.errors.contains("error") && !end.errors.contains("warning"), "\(end)")
            }
        }

        enum StartingPoint: CaseIterable {
            case lock, database, socket, answer
        }

        /// While the program loads, the signal has its default action.
        @Test(arguments: StartingPoint.allCases)
        func `on SIGTERM while it starts lightd leaves no socket`(point: StartingPoint) async throws {
            try await withTemporaryDirectory { directory in
                let lightd = try start(directory, environment: ["LIGHTD_LOG_LEVEL": "trace"])
                try await until("\(point) is reached") {
                    let isReached =
                        switch point {
                        case .lock: directory.exists("state/lock")
                        case .database: directory.exists("state/lightd.sqlite-wal")
                        case .socket: directory.exists("s")
                        case .answer: await answers(directory)
                        }
                    return isReached || !lightd.isRunning
                }
                lightd.signal(SIGTERM)
                let end = try await lightd.end()
                #expect(end.status == 0 || end.status == -SIGTERM, "\(end)")
                #expect(!directory.exists("s"))
            }
        }

        @Test func `after a kill lightd starts again with the same directory and socket`() async throws {
            try await withTemporaryDirectory { directory in
                let killed = try start(directory)
                try await listens(killed, directory)
                killed.signal(SIGKILL)
                #expect(try await killed.end().status == -SIGKILL)
                #expect(directory.exists("s"))
                let lightd = try start(directory)
                try await listens(lightd, directory)
                lightd.signal(SIGTERM)
                #expect(try await lightd.end().status == 0)
                #expect(!directory.exists("s"))
            }
        }

        @Test func `lightd notifies a service manager that it is ready, alive and stopping`() async throws {
            try await withTemporaryDirectory { directory in
                let manager = try NotifySocket(directory.path + "/notify")
                let lightd = try start(
                    directory, environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "100000"])
                try await manager.receives("READY=1")
                #expect(await answers(directory))
                try await manager.receives("WATCHDOG=1")
                lightd.signal(SIGTERM)
                try await manager.receives("STOPPING=1")
                #expect(try await lightd.end().status == 0)
                #expect(manager.lines.filter { $0 == "READY=1" }.count == 1)
            }
        }

        @Test func `lightd keeps running if its standard error is closed`() async throws {
            try await withTemporaryDirectory { directory in
                let lightd = try start(directory, environment: ["LIGHTD_LOG_LEVEL": "trace"], hearsErrors: false)
                try await listens(lightd, directory)
                #expect(await answers(directory))
                lightd.signal(SIGTERM)
                #expect(try await lightd.end().status == 0)
            }
        }

        @Test func `closed standard streams are not taken by sockets or files`() async throws {
            try await withTemporaryDirectory { directory in
                let lightd = try Program(
                    .at("/bin/sh"),
                    [
                        "-c", "exec \"$0\" \"$@\" <&- >&- 2>&-", Program.path(of: .lightd),
                        "--socket", directory.socket, "--state-dir", directory.state,
                    ],
                    environment: ["HOME": directory.path, "LIGHTD_DISCOVERY_MDNS": "false"])
                try await listens(lightd, directory)
                for stream in 0...2 {
                    let file = try FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/\(lightd.pid)/fd/\(stream)")
                    #expect(file == "/dev/null", "descriptor \(stream)")
                }
                lightd.signal(SIGTERM)
                #expect(try await lightd.end().status == 0)
            }
        }

        // MARK: Refusals

        @Test func `a second daemon in the same directory is refused, and the first keeps running`() async throws {
            try await withTemporaryDirectory { directory in
                let first = try start(directory)
                try await listens(first, directory)
                let second = try await start(directory, ["--socket", directory.path + "/t"]).end()
                #expect(second.status == 1)
                #expect(
                    second.errors == "lightd: another lightd uses '\(directory.state)'; stop that one first, "
                        + "or name another directory with 'state_dir'\n")
                #expect(await answers(directory))
                first.signal(SIGTERM)
                #expect(try await first.end().status == 0)
            }
        }

        @Test func `a second daemon on the same socket is refused, and the first keeps running`() async throws {
            try await withTemporaryDirectory { directory in
                let first = try start(directory)
                try await listens(first, directory)
                let second = try await start(directory, ["--state-dir", directory.path + "/other"]).end()
                #expect(second.status == 1)
                #expect(second.errors.hasSuffix("lightd: another lightd already listens on \(directory.socket)\n"))
                #expect(second.errors.split(separator: "\n").filter { $0.hasPrefix("lightd: ") }.count == 1)
                #expect(!second.errors.contains(" ready "))
                #expect(await answers(directory))
                first.signal(SIGTERM)
                #expect(try await first.end().status == 0)
            }
        }

        @Test func `a damaged database is set aside as it is, and lightd starts`() async throws {
            try await withTemporaryDirectory { directory in
                mkdir(directory.state, 0o700)
                let rubbish = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31) })
                try directory.write("state/lightd.sqlite", rubbish, mode: 0o600)
                let lightd = try start(directory)
                try await listens(lightd, directory)
                lightd.signal(SIGTERM)
                let end = try await lightd.end()
                #expect(end.status == 0 && end.errors.contains(" error ") && end.errors.contains("damaged"))
                let aside = try FileManager.default.contentsOfDirectory(atPath: directory.state).filter {
                    $0.hasPrefix("lightd.sqlite.damaged-")
                }
                #expect(aside.count == 1)
                #expect(try Data(contentsOf: URL(filePath: directory.state + "/" + aside[0])) == rubbish)
            }
        }

        @Test func `a state directory that cannot be created is refused in one line`() async throws {
            try await withTemporaryDirectory { directory in
                let file = try directory.write("file", "")
                let end = try await start(directory, ["--state-dir", file + "/state"]).end()
                #expect(end.status == 1)
                #expect(end.errors.hasPrefix("lightd: cannot write '\(file)"))
                #expect(end.errors.contains("state_dir") && end.errors.filter { $0 == "\n" }.count == 1)
            }
        }

        /// Root can write everywhere except where the kernel allows no writes.
        @Test func `a state directory that cannot be written is refused in one line`() async throws {
            try await withTemporaryDirectory { directory in
                let place = geteuid() == 0 ? "/proc/lightd" : directory.path + "/locked/state"
                mkdir(directory.path + "/locked", 0o500)
                let end = try await start(directory, ["--state-dir", place]).end()
                #expect(end.status == 1)
                #expect(end.errors.hasPrefix("lightd: cannot write '\(place)' ("))
                #expect(end.errors.filter { $0 == "\n" }.count == 1)
            }
        }
    }
}
