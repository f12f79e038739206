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

@Suite struct SocketTests {
    @Test func `the socket is 0660 in a directory of 0750, and removed at the end`() async throws {
        nonisolated(unsafe) var path = ""
        try await ServerFixture.run { server in
            path = server.socket
            let directory = (path as NSString).deletingLastPathComponent
            let modes = [try mode(path), try mode(directory)]
            #expect(modes == [0o660, 0o750])
            // No other file is left.
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(files == ["lightd.sock"])
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent + "/lightd.sock"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file to any group"))
    func `the socket and its directory belong to the group of the configuration`() async throws {
        try await ServerFixture.run(socketGroup: 4711) { server in
            for path in [server.socket, (server.socket as NSString).deletingLastPathComponent] {
                var status = stat()
                #expect(stat(path, &status) == 0)
                #expect(status.st_gid == 4711 && status.st_uid == geteuid())
            }
            let mode = try mode(server.socket)
            #expect(mode == 0o660)
        }
    }

    @Test func `a stale socket is taken over`() async throws {
        try await withTemporaryDirectory { temporary in
            let directory = temporary.path
            let path = directory + "/s"
            try leaveStaleSocket(path)
            try await serve(path) {
                let answer = try await ClientFixture.ask(.socket(path), "GET", Routes.live)
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `the socket of a running daemon is not taken over`() async throws {
        try await ServerFixture.run { server in
            let error = await #expect(throws: ControlServerError.self) { try await serve(server.socket) {} }
            #expect(error?.description == "another lightd already listens on \(server.socket)")
            let answer = try await server.get(Routes.live)
            #expect(answer.status == 200)
        }
    }

    @Test func `what is not a socket is never removed`() async throws {
        try await withTemporaryDirectory { temporary in
            let directory = temporary.path
            let path = directory + "/s"
            try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
            let error = await #expect(throws: ControlServerError.self) { try await serve(path) {} }
            #expect(error?.description.contains("not a socket") == true)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["s"])
        }
    }

    @Test func `another process's socket at the same path is not removed at the end`() async throws {
        try await withTemporaryDirectory { temporary in
            let directory = temporary.path
            let path = directory + "/lightd.sock"
            try await serve(path) {
                unlink(path)
                try leaveStaleSocket(path)
            }
            #expect(FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a path that is too long is refused with the reason`() async throws {
        let path = "/tmp/" + String(repeating: "x", count: 103)
        let error = await #expect(throws: ControlServerError.self) { try await serve(path) {} }
        #expect(error?.description.contains("108 bytes") == true)
        #expect(error?.description.contains("107") == true)
    }

    @Test func `the longest path serves`() async throws {
        try await withTemporaryDirectory { temporary in
            let directory = temporary.path
            let path = directory + "/" + String(repeating: "x", count: 107 - directory.utf8.count - 1)
            try await serve(path) {
                let answer = try await ClientFixture.ask(.socket(path), "GET", Routes.live)
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `a server is cancelled while clients wait at the socket of the service manager`() async throws {
        try await withTemporaryDirectory { temporary in
            let path = temporary.path + "/s"
            let listener = try BlockingSocket.listening(at: .unix(path), backlog: 128)
            defer { close(listener) }
            let log = LogRecorder()
            for _ in 1...40 {
                let clients = try (1...8).map { _ in try ClientFixture(.socket(path)) }
                try await serve(try ControlSocket(inherited: listener, at: path), logger: log.logger) {}
                withExtendedLifetime(clients) {}
            }
            #expect(!log.lines.contains { $0.contains("failed") }, "\(log.lines)")
        }
    }

    @Test func `neither the start nor the end waits for DNS`() async throws {
        let name = try HeldHostName()
        try await withTemporaryDirectory { temporary in
            let socket = try ControlSocket(at: temporary.path + "/s")
            defer { socket.close() }
            try await serve(socket, tcp: .init(host: name.name, port: 0)) {
                try await until("DNS is asked") { name.lookups > 0 }
                #expect(try await ClientFixture.ask(.socket(socket.path), "GET", Routes.live).status == 200)
            }
        }
    }

    @Test func `whoever connects between two servers is answered by the second`() async throws {
        try await withTemporaryDirectory { temporary in
            let socket = try ControlSocket(at: temporary.path + "/s")
            try await serve(socket) {}
            let client = try ClientFixture(.socket(socket.path))
            try await serve(socket) {
                let answer = try await client.ask("GET", Routes.live)
                #expect(answer.status == 200)
            }
            socket.close()
            #expect(throws: SystemCallError.self) { try ClientFixture(.socket(socket.path)) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
        }
    }

    // MARK: Helpers

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    private func leaveStaleSocket(_ path: String) throws { close(try BlockingSocket.bound(to: .unix(path))) }

    private func serve(_ path: String, _ body: () async throws -> Void) async throws {
        let socket = try ControlSocket(at: path)
        defer { socket.close() }
        try await serve(socket, body)
    }

    /// A server of its own, without a domain, cancelled when `body` is done.
    private func serve(
        _ socket: ControlSocket, tcp: ControlServerSettings.TCP? = nil, logger: Logger = .silent,
        _ body: () async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let surface = await ControlSurface(
            store: createAppStore(), requests: PendingRequests<Message> { _ in }, rehearsal: MemoryStack().rehearsal,
            clock: clock.clock, version: "0", started: clock.now, journalIsOn: false)
        let server = ControlServer(
            surface, settings: ControlServerSettings(socket: socket, tcp: tcp), savedTokens: [],
            archive: MemoryTokenArchive().archive, accessLog: MemoryAccessLog().log,
            backups: MemoryBackups().backups, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await server.run()
                } catch is CancellationError {}
            }
            _ = try await server.socket
            try await body()
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}
