import Foundation
import TestSupport
import Testing

extension DaemonTestSuite {
    /// `lightd --simulated`: a full tour with no hardware.
    struct DemoTests {
        private struct Light: Decodable {
            let name: String
        }

        private func environment(_ scratch: TemporaryDirectory) -> [String: String] {
            ["HOME": scratch.path, "TMPDIR": scratch.path, "XDG_RUNTIME_DIR": scratch.path]
        }

        private func tours(in scratch: TemporaryDirectory) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter { $0.hasPrefix("lightd-tour.") }
        }

        private func lights(_ socket: String) async throws -> [String] {
            let answer = try await ask(socket, "/v1/lights")
            try #require(answer.status == 200)
            return try JSONDecoder().decode([Light].self, from: answer.body).map(\.name).sorted()
        }

        private func begun(_ lightd: Program) async throws {
            try await until("the tour begins; it said \(lightd.errors)") {
                if !lightd.isRunning { throw TestError("it has ended: \(lightd.errors)") }
                return lightd.output.contains("Ctrl-C ends it.")
            }
        }

        @Test func `it shows a paired home, and leaves nothing behind`() async throws {
            try await withTemporaryDirectory { scratch in
                let lightd = try Program(
                    .lightd, ["--simulated", "--socket", scratch.socket], environment: environment(scratch))
                try await begun(lightd)
                #expect(lightd.output.contains("A simulated home: 5 lights in 2 rooms."))
                #expect(lightd.output.contains("export LIGHTCTL_SOCKET=\(scratch.socket)\n"))
                try await until("the lights are there") { try await self.lights(scratch.socket).count == 5 }
                #expect(try await lights(scratch.socket) == ["Counter", "Desk", "Fan", "Sofa", "Stove"])
                #expect(try tours(in: scratch).count == 1)
                lightd.signal(SIGTERM)
                let end = try await lightd.end()
                #expect(end.status == 0, "\(end)")
                #expect(!end.errors.contains(" error ") && !end.errors.contains(" warning "), "\(end)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
            }
        }

        @Test func `without arguments its socket is the user's own, as the tour says`() async throws {
            try await withTemporaryDirectory { scratch in
                // As root the system's paths are the default; systemd's variables override them.
                let paths = environment(scratch).merging(["RUNTIME_DIRECTORY": scratch.path + "/lightd"]) { $1 }
                let lightd = try Program(.lightd, ["--simulated"], environment: paths)
                try await begun(lightd)
                let socket = scratch.path + "/lightd/lightd.sock"
                #expect(lightd.output.contains("export LIGHTCTL_SOCKET=\(socket)\n"))
                #expect(try await ask(socket, "/health/live").status == 200)
                lightd.signal(SIGINT)
                #expect(try await lightd.end().status == 0)
                #expect(try tours(in: scratch) == [])
            }
        }

        /// While the bridge starts, the daemon starts, the button is pressed, keys are made.
        @Test(arguments: 0..<12)
        func `told to end in the middle of its start it leaves in peace`(step: Int) async throws {
            try await withTemporaryDirectory { scratch in
                let lightd = try Program(
                    .lightd, ["--simulated", "--socket", scratch.socket], environment: environment(scratch))
                try await until("it has its directory") { try self.tours(in: scratch).count == 1 || !lightd.isRunning }
                try await Task.sleep(for: .milliseconds(20 + 40 * step))
                lightd.signal(SIGTERM)
                let end = try await lightd.end()
                #expect(end.status == 0, "\(end)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
            }
        }

        @Test func `with a state directory it knows its bridge again`() async throws {
            try await withTemporaryDirectory { scratch in
                for _ in 1...2 {
                    let lightd = try Program(
                        .lightd, ["--simulated", "--socket", scratch.socket, "--state-dir", scratch.state],
                        environment: environment(scratch))
                    try await begun(lightd)
                    try await until("the lights are there") { try await self.lights(scratch.socket).count == 5 }
                    lightd.signal(SIGTERM)
                    #expect(try await lightd.end().status == 0)
                    #expect(try tours(in: scratch) == [])
                }
                #expect(scratch.exists("state/lightd.sqlite"))
            }
        }

        @Test func `another home is shown as its file tells`() async throws {
            try await withTemporaryDirectory { scratch in
                let home = try scratch.write(
                    "home.yaml", "rooms:\n  - name: Shed\n    lights:\n      - { name: Bulb, kind: dimmable }\n")
                let lightd = try Program(
                    .lightd, ["--simulated", home, "--socket", scratch.socket], environment: environment(scratch))
                try await begun(lightd)
                #expect(lightd.output.contains("A simulated home: 1 lights in 1 rooms."))
                try await until("the light is there") { try await self.lights(scratch.socket) == ["Bulb"] }
                lightd.signal(SIGTERM)
                #expect(try await lightd.end().status == 0)
            }
        }

        @Test func `a home file that is missing or wrong is refused, and leaves nothing behind`() async throws {
            try await withTemporaryDirectory { scratch in
                let wrong = try scratch.write("wrong.yaml", "rooms: 5\n")
                for (file, word) in [(scratch.path + "/none.yaml", "cannot be read"), (wrong, "rooms")] {
                    let end = try await Program(
                        .lightd, ["--simulated", file, "--socket", scratch.socket], environment: environment(scratch)
                    ).end()
                    #expect(end.status == 6)
                    #expect(
                        end.errors.hasPrefix("lightd: ") && end.errors.contains(file) && end.errors.contains(word),
                        "\(end)"
                    )
                    #expect(end.errors.filter { $0 == "\n" }.count == 1)
                    #expect(try tours(in: scratch) == [])
                }
            }
        }
    }
}
