import Curl
import Foundation
import ServiceLifecycle
import TestSupport
import Testing

@testable import LightDaemon

struct SimulatorTests {
    @Test func `lightsim is taken from the first directory that has it`() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["a", "b", "c"] { mkdir("\(directory.path)/\(name)", 0o755) }
            try directory.write("a/lightsim", "not executable", mode: 0o644)
            let program = try directory.write("b/lightsim", "#!/bin/sh", mode: 0o755)
            try directory.write("c/lightsim", "#!/bin/sh", mode: 0o755)
            let directories = ["", "/none"] + ["a", "b", "c"].map { "\(directory.path)/\($0)" }
            #expect(try Simulator.find(in: directories) == program)
        }
    }

    @Test func `a missing lightsim is reported with the directories and the remedy`() {
        let error = #expect(throws: DemoError.self) { try Simulator.find(in: ["/opt/lightd", "/none"]) }
        #expect(
            error?.description
                == "--simulated needs the program lightsim, which is neither beside lightd nor in PATH "
                + "(looked in /opt/lightd, /none); install lightsim, or build it with 'make build'")
    }

    /// Runs a script in place of lightsim, and returns the error's description without the script's path.
    private func failure(
        of script: String, within limit: Duration = .seconds(60), in directory: TemporaryDirectory
    ) async throws -> String? {
        let simulator = try await simulator(script, within: limit, in: directory)
        let error = await #expect(throws: DemoError.self) { try await simulator.run() }
        return error?.description.replacing(simulator.program, with: "PROGRAM")
    }

    /// The program is written by another process: while this one has it open, a child that another test starts at that
    /// moment inherits the descriptor, and to run the program fails with "Text file busy".
    private func simulator(
        _ script: String, within limit: Duration, in directory: TemporaryDirectory
    ) async throws -> Simulator {
        let text = try directory.write("script", "#!/bin/sh\n\(script)\n")
        let program = directory.path + "/lightsim"
        #expect(try await Program.run(.at("/usr/bin/install"), ["-m", "755", text, program]).status == 0)
        return Simulator(
            program: program, home: nil, stateDirectory: nil, environment: [:], logger: LogRecorder().logger,
            readyLimit: limit
        ) { _ in }
    }

    @Test(arguments: ["garbage", "{}", #"{"bridge_id":"b","host":"h","https_port":"1","control_port":2}"#])
    func `a lightsim that does not print its ports is reported with what it printed`(line: String) async throws {
        try await withTemporaryDirectory { directory in
            let words = try await failure(of: "echo '\(line)'; exec sleep 1000", in: directory)
            #expect(
                words == "lightsim did not say which ports it uses (it printed '\(line)'); "
                    + "is PROGRAM of the same version as lightd?")
        }
    }

    @Test(arguments: ["exec sleep 1000", "exec sleep 1000 >&-"])
    func `a lightsim that prints nothing is given up after a time`(script: String) async throws {
        try await withTemporaryDirectory { directory in
            let words = try await failure(of: script, within: .milliseconds(50), in: directory)
            #expect(
                words == "lightsim did not say within 0.05 seconds which ports it uses; "
                    + "is PROGRAM of the same version as lightd?")
        }
    }

    @Test func `a lightsim that ends without printing its ports is reported with its own words`() async throws {
        try await withTemporaryDirectory { directory in
            let words = try await failure(of: "echo oops >&2; exit 3", in: directory)
            #expect(
                words == "PROGRAM ended with exit code 3: oops")
        }
    }

    @Test func `a shutdown ends the wait for lightsim, and lightsim with it`() async throws {
        try await withTemporaryDirectory { directory in
            let script = "echo $$ > '\(directory.path)/pid'; exec sleep 1000"
            let simulator = try await simulator(script, within: .seconds(600), in: directory)
            let group = ServiceGroup(services: [simulator], logger: LogRecorder().logger)
            async let running: Void = group.run()
            var pid: pid_t?
            try await until("the script runs") {
                let text = try? String(contentsOfFile: directory.path + "/pid", encoding: .utf8)
                pid = text.flatMap { $0.hasSuffix("\n") ? pid_t($0.dropLast()) : nil }
                return pid != nil
            }
            await group.triggerGracefulShutdown()
            try await running
            let process = try #require(pid)
            #expect(kill(process, 0) == -1)
        }
    }

    @Test func `a control port that does not answer is reported with its port and the program`() async {
        let client = HTTPClient()
        defer { client.shutdown() }
        let ready = Simulator.Ready(bridgeID: "b", host: "127.0.0.1", httpsPort: 9, controlPort: 9)
        let home = DemoHome(program: "/opt/lightsim", simulator: ready, socket: "/none")
        let error = await #expect(throws: DemoError.self) { try await home.pressButton(client) }
        #expect(
            error?.description.hasPrefix("lightsim's control port does not answer at http://127.0.0.1:9 (") == true)
        #expect(error?.description.hasSuffix("; is /opt/lightsim of the same version as lightd?") == true)
    }

    @Test func `a child's lines and exit code are read`() async throws {
        let child = try ChildProcess(
            "/bin/sh", ["-c", "echo one; echo \"$WORD\"; printf rest; echo oops >&2; exit 3"],
            environment: ["WORD": "two"])
        #expect(await child.output.reduce(into: []) { $0.append($1) } == ["one", "two", "rest"])
        #expect(await child.errors.reduce(into: []) { $0.append($1) } == ["oops"])
        #expect(await child.exit() == .code(3))
        child.send(SIGKILL)
    }

    @Test func `a child receives signals, whatever its parent ignores`() async throws {
        let child = try ChildProcess("/bin/sh", ["-c", "echo ready; exec cat"], environment: [:])
        for await _ in child.output { break }
        child.send(SIGTERM)
        #expect(await child.exit() == .signal(SIGTERM))
    }

    @Test func `a child gets its standard streams and no other descriptor`() async throws {
        let inherited = open("/dev/null", O_RDONLY)
        defer { close(inherited) }
        let child = try ChildProcess("/bin/sh", ["-c", "echo /proc/$$/fd/*"], environment: [:])
        let line = try #require(await child.output.first { _ in true })
        let descriptors = line.split(separator: " ").compactMap { Int32($0.split(separator: "/").last ?? "") }
        #expect(Set(descriptors).isSuperset(of: [0, 1, 2]) && !descriptors.contains(inherited), "\(line)")
    }

    @Test func `a program that cannot be started is reported`() {
        let error = #expect(throws: ChildProcess.SpawnError.self) {
            try ChildProcess("/none/lightsim", [], environment: [:])
        }
        #expect(error?.cause == "No such file or directory")
    }
}
