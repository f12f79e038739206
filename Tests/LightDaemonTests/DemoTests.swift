import Foundation
import TestSupport
import Testing

extension DaemonTestSuite {
    /// `lightd --simulated`, with the real lightsim as its child.
    struct DemoTests {
        private struct Light: Decodable {
            let name: String
        }

        private func start(_ directory: TemporaryDirectory, _ arguments: [String] = []) throws -> Program {
            try Program(
                .lightd, ["--simulated"] + arguments + ["--socket", directory.socket],
                environment: environment(directory))
        }

        private func environment(_ directory: TemporaryDirectory) -> [String: String] {
            ["HOME": directory.path, "TMPDIR": directory.path, "XDG_RUNTIME_DIR": directory.path]
        }

        private func files(in directory: TemporaryDirectory) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory.path)
        }

        private func lights(_ socket: String) async throws -> [String] {
            let answer = try await ask(socket, "/v1/lights")
            try #require(answer.status == 200)
            return try JSONDecoder().decode([Light].self, from: answer.body).map(\.name).sorted()
        }

        private func printsGuide(_ lightd: Program) async throws {
            try await until("the guide is printed; lightd's stderr: \(lightd.errors)") {
                if !lightd.isRunning { throw TestError("lightd has ended: \(lightd.errors)") }
                return lightd.output.contains("Ctrl-C ends it.")
            }
        }

        /// The ids of the lightsim processes that `lightd` has started.
        private func simulators(of lightd: Program) throws -> [CInt] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { CInt($0) }.filter { pid in
                ProcessState(pid)?.parent == lightd.pid && ProcessState(pid)?.name == "lightsim"
            }
        }

        private func ends(_ pid: CInt) async throws {
            // A zombie has ended; only its new parent has not reaped it yet.
            try await until("process \(pid) ends") { (ProcessState(pid)?.letter ?? "Z") == "Z" }
        }

        @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
        func `the demo has a paired home, and leaves no files or processes`(signal: CInt) async throws {
            try await withTemporaryDirectory { directory in
                let lightd = try start(directory)
                try await printsGuide(lightd)
                #expect(lightd.output.contains("A simulated home: 5 lights in 2 rooms."))
                #expect(lightd.output.contains("export LIGHTCTL_SOCKET=\(directory.socket)\n"))
                #expect(try await lights(directory.socket) == ["Counter", "Desk", "Fan", "Sofa", "Stove"])
                #expect(try files(in: directory).filter { $0.hasPrefix("lightd-simulated.") }.count == 1)
                #expect(lightd.output.contains(/http:\/\/127\.0\.0\.1:\d+\/#join=[\w-]{43}\n/))
                let simulator = try #require(try simulators(of: lightd).first)
                lightd.signal(signal)
                let end = try await lightd.end()
                #expect(end.status == 0, "\(end)")
                #expect(!end.errors.contains(" error ") && !end.errors.contains(" warning "), "\(end)")
                #expect(try files(in: directory) == [])
                try await ends(simulator)
            }
        }

        @Test func `a killed demo leaves no lightsim running`() async throws {
            try await withTemporaryDirectory { directory in
                let lightd = try start(directory)
                try await printsGuide(lightd)
                let simulator = try #require(try simulators(of: lightd).first)
                lightd.signal(SIGKILL)
                try await lightd.end()
                try await ends(simulator)
            }
        }

        @Test(arguments: [SIGKILL, SIGTERM])
        func `when lightsim ends, the demo ends with the reason`(signal: CInt) async throws {
            try await withTemporaryDirectory { directory in
                let lightd = try start(directory)
                try await printsGuide(lightd)
                kill(try #require(try simulators(of: lightd).first), signal)
                let end = try await lightd.end()
                #expect(end.status == 1)
                let lines = end.errors.split(separator: "\n").filter { $0.hasPrefix("lightd: ") }
                let cause = signal == SIGKILL ? "was ended by signal 9" : "ended with exit code 0"
                #expect(lines == ["lightd: lightsim \(cause), and the simulated bridge with it"], "\(end)")
                #expect(try files(in: directory) == [])
            }
        }

        @Test func `without --socket the demo uses the user's own socket, as the guide says`() async throws {
            try await withTemporaryDirectory { directory in
                // As root the system's paths are the default; systemd's variables override them.
                let variables = environment(directory).merging(["RUNTIME_DIRECTORY": directory.path + "/lightd"]) { $1 }
                let lightd = try Program(.lightd, ["--simulated"], environment: variables)
                try await printsGuide(lightd)
                let socket = directory.path + "/lightd/lightd.sock"
                #expect(lightd.output.contains("export LIGHTCTL_SOCKET=\(socket)\n"))
                #expect(try await ask(socket, "/health/live").status == 200)
                lightd.signal(SIGINT)
                #expect(try await lightd.end().status == 0)
                #expect(try files(in: directory) == ["lightd"])
            }
        }

        enum StartingPoint: CaseIterable {
            case temporaryDirectory, database, socket, answer
        }

        @Test(arguments: StartingPoint.allCases)
        func `a demo that is stopped while it starts leaves no files`(point: StartingPoint) async throws {
            try await withTemporaryDirectory { directory in
                let lightd = try start(directory)
                try await until("\(point) is reached") {
                    let temporary = try files(in: directory).first { $0.hasPrefix("lightd-simulated.") }
                    let isReached =
                        switch point {
                        case .temporaryDirectory: temporary != nil
                        case .database: temporary.map { directory.exists($0 + "/lightd.sqlite") } == true
                        case .socket: directory.exists("s")
                        case .answer: (try? await ask(directory.socket, "/health/live").status) == 200
                        }
                    return isReached || !lightd.isRunning
                }
                lightd.signal(SIGTERM)
                let end = try await lightd.end()
                #expect(end.status == 0, "\(end)")
                #expect(try files(in: directory) == [])
            }
        }

        @Test func `with a state directory the demo finds its paired bridge again`() async throws {
            try await withTemporaryDirectory { directory in
                for _ in 1...2 {
                    let lightd = try start(directory, ["--state-dir", directory.state])
                    try await printsGuide(lightd)
                    #expect(lightd.output.contains("A simulated home: 5 lights in 2 rooms."))
                    #expect(try await lights(directory.socket).count == 5)
                    lightd.signal(SIGTERM)
                    #expect(try await lightd.end().status == 0)
                    #expect(try files(in: directory) == ["state"])
                }
                #expect(directory.exists("state/lightd.sqlite") && directory.exists("state/simulated"))
            }
        }

        @Test func `the demo can take its home from a file`() async throws {
            try await withTemporaryDirectory { directory in
                let home = try directory.write(
                    "home.yaml", "rooms:\n  - name: Shed\n    lights:\n      - { name: Bulb, kind: dimmable }\n")
                let lightd = try Program(
                    .lightd, ["--simulated", home, "--socket", directory.socket], environment: environment(directory))
                try await printsGuide(lightd)
                #expect(lightd.output.contains("A simulated home: 1 light in 1 room."))
                #expect(try await lights(directory.socket) == ["Bulb"])
                lightd.signal(SIGTERM)
                #expect(try await lightd.end().status == 0)
            }
        }

        @Test(arguments: [("none.yaml", "cannot read"), ("wrong.yaml", "rooms")])
        func `a missing or malformed home file is refused, and no files are left`(
            name: String, problem: String
        ) async throws {
            try await withTemporaryDirectory { directory in
                try directory.write("wrong.yaml", "rooms: 5\n")
                let file = directory.path + "/" + name
                let end = try await Program(
                    .lightd, ["--simulated", file, "--socket", directory.socket], environment: environment(directory)
                ).end()
                #expect(end.status == 6)
                #expect(
                    end.errors.hasPrefix("lightd: ") && end.errors.contains(file) && end.errors.contains(problem),
                    "\(end)")
                #expect(end.errors.filter { $0 == "\n" }.count == 1)
                #expect(try files(in: directory) == ["wrong.yaml"])
            }
        }
    }
}

/// The state of a process in `/proc`; `nil` if it does not exist.
private struct ProcessState {
    let name: String
    let letter: Character
    let parent: CInt

    init?(_ pid: CInt) {
        // "PID (NAME) STATE PPID …", proc_pid_stat(5)
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[close...].split(separator: " ").dropFirst()
        guard let letter = fields.first?.first, let parent = fields.dropFirst().first.flatMap({ CInt($0) }) else {
            return nil
        }
        name = String(text[open..<close].dropFirst())
        self.letter = letter
        self.parent = parent
    }
}
