import Curl
import Foundation
import SimulatedBridge
import TestSupport
import Testing

/// The three programs as a person starts them: a lightsim, a lightd that finds it, and lightctl.
struct ProgramsFixture: Sendable {
    /// Of lightd: its socket and its state, and files for lightctl.
    let place: TemporaryDirectory
    let bridge: SimulatedBridge.ConnectionDetails
    let lightd: Program
    let http = HTTPClient()

    /// Runs lightsim and lightd during the body, then ends lightd, which must succeed. They are not paired yet; the
    /// bridge's button stays pressed, and it has no limits.
    ///
    /// - Parameters:
    ///   - home: of lightsim, as a home file; `nil`: the small flat.
    ///   - options: further ones of lightsim.
    ///   - configuration: of lightd, as `lightd.yaml`.
    ///   - environment: further settings of lightd.
    static func running(
        home: String? = nil, lightsim options: [String] = [], configuration: String = "",
        environment: [String: String] = [:], _ body: (ProgramsFixture) async throws -> Void
    ) async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let home = try home.map { ["--home", try place.write("home.yaml", $0)] } ?? []
        let sim = try Program(
            .lightsim,
            ["--ready-json", "--quirk", "unlimited", "--quirk", "button-pressed:86400"] + home + options)
        defer { sim.signal(SIGKILL) }
        try await until("lightsim is ready") { !sim.lines.isEmpty }
        let bridge = try JSONDecoder().decode(SimulatedBridge.ConnectionDetails.self, from: Data(sim.lines[0].utf8))
        let lightd = try Program(
            .lightd,
            [
                "--config", try place.write("lightd.yaml", configuration), "--socket", place.socket,
                "--state-dir", place.state,
            ],
            environment: [
                "HOME": place.path, "LIGHTD_DISCOVERY_MDNS": "false",
                "LIGHTD_DISCOVERY_HOSTS":
                    "\(bridge.host):\(bridge.httpsPort == 0 ? bridge.httpPort : bridge.httpsPort)",
            ].merging(environment) { $1 }, hasSession: true)
        defer { lightd.signal(SIGKILL) }
        try await until("lightd listens") { FileManager.default.fileExists(atPath: place.socket) }
        let programs = ProgramsFixture(place: place, bridge: bridge, lightd: lightd)
        defer { programs.http.shutdown() }
        try await body(programs)
        lightd.signal(SIGTERM)
        let end = try await lightd.end()
        #expect(end.status == 0, "\(end)")
    }

    /// Runs lightctl to its end.
    func lightctl(_ arguments: String...) async throws -> Program.End { try await lightctl(arguments) }

    func lightctl(_ arguments: [String]) async throws -> Program.End {
        let program = try start(arguments)
        defer { program.signal(SIGKILL) }
        return try await program.end()
    }

    /// Starts lightctl.
    func start(_ arguments: String...) throws -> Program { try start(arguments) }

    private func start(_ arguments: [String]) throws -> Program {
        try Program(.lightctl, ["--socket", place.socket] + arguments)
    }

    /// A shell in the place of lightd.
    var shell: Shell { Shell(path: place.path, socket: place.socket) }

    /// Makes something happen in the home, by lightsim's control port: "lights/Desk/switch".
    func tell(_ path: String, _ body: String = "{}") async throws {
        let path = path.replacingOccurrences(of: " ", with: "%20")
        let answer = try await http.send(
            HTTPRequest(
                .post, "http://\(bridge.host):\(bridge.controlPort)/\(path)",
                headers: [HTTPRequest.Header("Content-Type", "application/json")], body: Array(body.utf8)))
        guard answer.status == 200 else {
            throw TestError("HTTP \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
    }
}
