import ControlProtocol
import Curl
import Foundation
import Glibc
import SimulatedBridge
import TestSupport
import Testing

/// A lightd whose disk can no longer be written, while it runs or when it starts.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct StorageTests {
    /// How lightd comes upon a disk that cannot be written.
    enum Encounter: CaseIterable { case running, afterAStop, afterAKill }

    private static let smallDisk = ProcessInfo.processInfo.environment["LIGHTD_TEST_SMALL_DISK"]

    @Test(
        .enabled(
            if: smallDisk != nil,
            "needs a file system of one megabyte: run by scripts/run-tests, as 'make test' does"),
        arguments: Encounter.allCases)
    func `on a full disk lights go on working, one line says so, and writing resumes by itself`(
        encounter: Encounter
    ) async throws {
        let disk = try #require(Self.smallDisk)
        let state = "\(disk)/daemon"
        defer { Self.remove(state) }
        let filler = "\(disk)/daemon-filler"
        try await surviving(encounter, state: state, because: "the disk is full") {
            try Self.fill(filler)
        } mend: {
            Self.remove(filler)
        }
    }

    @Test(
        .enabled(if: Immutable.isPossible, "needs root and a file system with immutable files, as ext4"),
        arguments: Encounter.allCases)
    func `when the state is read-only lights go on working, one line says so, and writing resumes by itself`(
        encounter: Encounter
    ) async throws {
        try await withTemporaryDirectory { place in
            // The kernel refuses to make a file system read-only while files are open for writing; an immutable file
            // refuses every write, as a file system does that became read-only after an error.
            let index = encounter == .running ? [] : ["lightd.sqlite-shm"]  // in use by its memory
            let files = (["lightd.sqlite", "lightd.sqlite-wal"] + index).map { "\(place.state)/\($0)" }
            defer { Immutable.set(files, false) }
            let cause = encounter == .running ? "the disk failed or is read-only" : "Operation not permitted"
            try await surviving(encounter, state: place.state, because: cause) {
                // After a stop there is no log.
                try #require(Immutable.set(files.filter(FileManager.default.fileExists), true))
            } mend: {
                try #require(Immutable.set(files.filter(FileManager.default.fileExists), false))
            }
        }
    }

    private func surviving(
        _ encounter: Encounter, state: String, because cause: String, fail: @escaping @Sendable () throws -> Void,
        mend: @escaping @Sendable () throws -> Void
    ) async throws {
        let bridge = try flat()
        try await withTemporaryDirectory { place in
            try await withBridge(bridge) {
                let ready = try await bridge.ready
                @Sendable func start() async throws -> (Program, ControlClient) {
                    let program = try Program(
                        .lightd, ["--socket", place.socket, "--state-dir", state],
                        environment: [
                            "LIGHTD_DISCOVERY_MDNS": "false", "LIGHTD_JOURNAL_FLUSH": "100ms", "HOME": place.path,
                            "LIGHTD_DISCOVERY_HOSTS": "\(ready.host):\(ready.httpsPort)",
                        ])
                    try await until("lightd is ready") {
                        guard program.isRunning else { throw TestError("\(try await program.end())") }
                        return program.errors.contains(" ready ")
                    }
                    return (program, ControlClient(socket: place.socket))
                }
                @Sendable func lightsAreKnown(_ client: ControlClient) async throws {
                    try await until("the lights are known") {
                        let lights = try await client.get([LightBody].self, Routes.lights)
                        return lights.count == 5 && lights.allSatisfy { $0.freshness == .confirmed }
                    }
                }
                var (program, client) = try await start()
                defer { program.signal(SIGKILL) }
                defer { client.http.shutdown() }
                try await bridge.controls.withButtonPressed { [client] in try await client.post(.pair()) }
                try await lightsAreKnown(client)
                if encounter != .running {
                    program.signal(encounter == .afterAStop ? SIGTERM : SIGKILL)
                    try await program.end()
                    client.http.shutdown()
                    try fail()
                    (program, client) = try await start()
                    try await lightsAreKnown(client)
                }
                let keysBefore = await bridge.controls.requests.count {
                    $0.method == "POST" && $0.path == "/api" && $0.status == 200
                }
                let complaints: @Sendable () -> [Substring] = { [program] in
                    program.errors.split(separator: "\n").filter { $0.contains(" warning ") || $0.contains(" error ") }
                }

                if encounter == .running { try fail() }
                // Free space within the log is used up first.
                var isPinned = false
                try await until("a pin is refused") {
                    do {
                        try await client.post(isPinned ? .unpin(target: "desk") : .pin(target: "desk"))
                        isPinned.toggle()
                        return false
                    } catch let error as CommandRefused {
                        #expect(error.reply.error.code == .notSaved)
                        #expect(error.reply.error.message.contains(cause), "\(error.reply.error.message)")
                        return true
                    }
                }
                // Nothing is destroyed that cannot be saved, and no key is made.
                let id = ready.bridgeID
                for command in [Command.forget(bridge: id), .pair(bridge: id)] {
                    let refusal = await #expect(throws: CommandRefused.self) {
                        try await bridge.controls.withButtonPressed { [client] in try await client.post(command) }
                    }
                    #expect(refusal?.reply.error.code == .notSaved)
                }
                let requests = await bridge.controls.requests
                #expect(!requests.contains { $0.method == "DELETE" })
                #expect(requests.count { $0.method == "POST" && $0.path == "/api" && $0.status == 200 } == keysBefore)
                for level in 1...20 {
                    try await client.post(.set(.init(brightness: Double(level * 5)), target: "sofa"), wait: true)
                    let sofa = await bridge.controls.home.lamps.first { $0.name == "Sofa" }
                    #expect(abs(Double(sofa?.lightState.level ?? 0) / 2.54 - Double(level * 5)) < 1)
                }
                let dashboard = try await client.get([PinBody].self, Routes.dashboard)
                let warnings = try await client.get(StatusBody.self, Routes.status).warnings ?? []
                #expect(warnings.count == 1 && warnings[0].contains(cause), "\(warnings)")
                #expect(complaints().count == 1, "\(program.errors)")
                #expect(complaints().first?.contains(cause) == true, "\(program.errors)")

                try mend()
                try await until("writing resumes") { program.errors.contains("the database is written again") }
                #expect(complaints().count == 1, "\(program.errors)")
                #expect(try await client.get(StatusBody.self, Routes.status).warnings == nil)
                try await client.post(.pin(target: "fan"))
                try await until("the journal is written") {
                    try await client.get([LogBody].self, Routes.log).contains { $0.text == "pin Fan" }
                }
                #expect(program.errors.components(separatedBy: "the database is written again").count == 2)
                program.signal(SIGTERM)
                #expect(try await program.end().status == 0)

                // What lightd went on with, and what happened meanwhile, is there.
                let (second, again) = try await start()
                defer { second.signal(SIGKILL) }
                defer { again.http.shutdown() }
                let kept = try await again.get([PinBody].self, Routes.dashboard).map(\.target)
                #expect(kept.count == dashboard.count + 1 && Set(kept).isSuperset(of: dashboard.map(\.target)))
                let log = try await again.get([LogBody].self, Routes.path(Routes.log, [(.limit, "1000")]))
                #expect(log.count { $0.text.hasPrefix("set ") && $0.outcome == "succeeded" } == 20)
            }
        }
    }

    private static func remove(_ path: String) {
        // What is left goes with its file system.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Fills every free block.
    private static func fill(_ path: String) throws {
        let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let block = [UInt8](repeating: 0x20, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        try #require(errno == ENOSPC)
    }
}

/// The attribute of chattr(1).
private enum Immutable {
    @discardableResult
    static func set(_ files: [String], _ isSet: Bool) -> Bool {
        let chattr = Process()
        chattr.executableURL = URL(filePath: "/usr/bin/chattr")
        chattr.arguments = [isSet ? "+i" : "-i"] + files
        chattr.standardError = FileHandle.nullDevice
        do { try chattr.run() } catch { return false }
        chattr.waitUntilExit()
        return chattr.terminationStatus == 0
    }

    /// Whether it stops those, too, who have the file open.
    static let isPossible: Bool = {
        guard let place = try? TemporaryDirectory() else { return false }
        defer { place.remove() }
        let file = "\(place.path)/file"
        let descriptor = open(file, O_CREAT | O_WRONLY, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard set([file], true) else { return false }
        defer { set([file], false) }
        return write(descriptor, "x", 1) < 0
    }()
}
