import Foundation
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
