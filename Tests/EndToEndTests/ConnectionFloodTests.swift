import Foundation
import TestSupport
import Testing

/// A daemon with few descriptors, and strangers who take as many connections as they get.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionFloodTests {
    @Test func `idle strangers take neither the unix socket's connections nor the bridge's`() async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let socket = place.socket
        let token = try place.write("token", "0123456789abcdef", mode: 0o600)
        let lightd = try Program(
            .at("/usr/bin/prlimit"),
            ["--nofile=256:256", Program.path(of: .lightd), "--simulated", "--socket", socket],
            environment: [
                "LIGHTD_TCP_ENABLED": "true", "LIGHTD_TCP_PORT": "0", "LIGHTD_TCP_TOKEN_FILE": token,
                "HOME": place.path,
            ])
        defer { lightd.signal(SIGKILL) }
        // The end of its guide.
        try await lightd.prints("Ctrl-C")
        let port = try #require(lightd.errors.firstMatch(of: /listens on TCP port=([0-9]+)/).flatMap { UInt16($0.1) })
        func ctl(_ arguments: String...) async throws -> Program.End {
            let program = try Program(.lightctl, ["--socket", socket] + arguments)
            defer { program.signal(SIGKILL) }
            return try await program.end()
        }

        let strangers = try (1...300).map { _ in try BlockingSocket.connected(to: .ip(port: Int(port))) }
        // The first were accepted, and have given way by now.
        try await until("the limit is reached") { lightd.errors.contains("has all the connections that it may have") }
        for word in ["off", "on"] {
            let turned = try await ctl("turn", word, "desk", "--wait")
            #expect(turned.status == 0, "\(turned)")
        }
        let bridges = try await ctl("list", "bridges")
        #expect(bridges.output.contains("connected"), "\(bridges)")
        #expect(try Self.openDescriptors(of: lightd.pid) < 128)

        for stranger in strangers { close(stranger) }
        try await until("their connections are closed") { try Self.openDescriptors(of: lightd.pid) < 96 }
        #expect(try await ctl("turn", "off", "desk", "--wait").status == 0)
        #expect(lightd.errors.components(separatedBy: "has all the connections").count == 2, "\(lightd.errors)")
        #expect(!lightd.errors.contains("bridge lost"), "\(lightd.errors)")
        lightd.signal(SIGTERM)
        #expect(try await lightd.end().status == 0)
    }

    private static func openDescriptors(of pid: CInt) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
    }
}
