import ControlProtocol
import Curl
import Foundation
import TestSupport
import Testing

/// Snapshots, dry runs and commands by the line, with the real programs and a bridge over TLS.
@Suite(.timeLimit(.minutes(5)))
struct ScriptProgramTests {
    @Test func `a snapshot restores a home, and a dry run prints what is then sent`() async throws {
        try await withDemo { demo in
            let before = try await demo.lights
            let snapshot = try await demo.ctl("snapshot all desk", into: "before.json")
            #expect(snapshot == Program.End(status: 0, output: "", errors: ""))
            for command in [
                "set all --brightness 33 --wait", "set desk --color 'rgb(0, 0, 255)' --wait", "on fan --wait",
            ] {
                #expect(try await demo.ctl(command).status == 0, "\(command)")
            }
            #expect(try await demo.lights.map(\.shown) != before.map(\.shown))

            let dry = try await demo.ctl("restore before.json --dry-run")
            #expect(dry.status == 0 && dry.errors.isEmpty, "\(dry)")
            try await demo.forgetRequests()
            #expect(try await demo.ctl("restore - --wait < before.json").status == 0)
            // A lamp that was slow to confirm may be sent it once more, alone.
            var (others, missing) = (try await demo.writes, dry.output.split(separator: "\n").map(String.init))
            #expect(!missing.isEmpty)
            missing.removeAll { line in others.firstIndex(of: line).map { others.remove(at: $0) } != nil }
            #expect(missing == [] && others.allSatisfy { $0.contains("/resource/light/") }, "\(missing) \(others)")
            #expect(try await demo.lights.map(\.shown) == before.map(\.shown))

            // Everything is as listed, so nothing is sent.
            try await demo.forgetRequests()
            #expect(try await demo.ctl("list --json | $lightctl apply - --wait").status == 0)
            #expect(try await demo.ctl("restore before.json").status == 0)
            #expect(try await demo.writes == [])
        }
    }

    @Test func `lines of standard input are commands, and the exit code says whether all succeeded`() async throws {
        try await withDemo { demo in
            let good = #"{"command":"turn","to":"on","target":"fan","wait":true}"#
            let bad = #"{"command":"turn","to":"on","target":"attic"}"#
            let mixed = try await demo.sh("printf '%s\\n' '\(good)' '' '\(bad)' nonsense | $lightctl -")
            #expect(mixed.status == 7, "\(mixed)")
            let lines = mixed.output.split(separator: "\n")
            #expect(lines.count == 3)
            #expect(lines[0].contains(#""line":1,"#) && lines[0].contains(#""power":"on""#))
            #expect(lines[1].contains(#""code":"no_such_target""#) && lines[1].hasSuffix(#""line":3}"#))
            #expect(lines[2].contains(#""code":"invalid""#) && lines[2].hasSuffix(#""line":4}"#))
            #expect(mixed.errors == "lightctl: 2 of 3 lines failed\n")
            // A number that no time holds is refused like any other, and the next line is carried out.
            let endless = #"{"command":"turn","to":"off","target":"fan","over":1e300}"#
            let huge = try await demo.sh("printf '%s\\n' '\(endless)' '\(good)' | $lightctl -")
            #expect(huge.status == 7 && huge.output.split(separator: "\n").count == 2, "\(huge)")
            let unknown = try await demo.sh("echo '\(bad)' | $lightctl send --quiet")
            #expect(unknown.status == 4 && unknown.output.contains(#""line":1}"#), "\(unknown)")
            #expect(try await demo.sh("$lightctl - </dev/null") == Program.End(status: 0, output: "", errors: ""))
        }
    }

    @Test func `a list with unknown lights is applied in part`() async throws {
        try await withDemo { demo in
            let part = try await demo.sh(
                #"echo '[{"id":"attic"},{"id":"fan","power":"on"}]' | $lightctl apply - --wait"#)
            #expect(part.status == 7, "\(part)")
            #expect(part.errors == "lightctl: 1 of 2 failed\n  attic: no light is called 'attic'\n")
            #expect(try await demo.lights.first { $0.name == "Fan" }?.power == .on)
            let none = try await demo.sh(#"echo '[{"id":"attic"}]' | $lightctl apply -"#)
            #expect(none.status == 4 && none.errors.hasPrefix("lightctl: no light is called 'attic'\n"), "\(none)")
        }
    }

    private func withDemo(_ body: (DemoFixture) async throws -> Void) async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let lightd = try Program(.lightd, ["--simulated", "--socket", place.socket])
        defer { lightd.signal(SIGKILL) }
        // The end of its guide.
        try await lightd.prints("Ctrl-C")
        let control = try #require(lightd.output.firstMatch(of: /POST (http:\/\/[0-9.]+:[0-9]+)/)?.1)
        let demo = DemoFixture(shell: Shell(path: place.path, socket: place.socket), control: String(control))
        defer { demo.http.shutdown() }
        try await until("the lights are there") { try await demo.ctl("list").output.contains("Sofa") }
        try await body(demo)
        lightd.signal(SIGTERM)
        #expect(try await lightd.end().status == 0)
    }
}

/// `lightd --simulated`, and a shell in a directory of its own.
private struct DemoFixture: Sendable {
    let shell: Shell
    let control: String
    let http = HTTPClient()

    func ctl(_ arguments: String, into file: String? = nil) async throws -> Program.End {
        try await sh("$lightctl \(arguments)" + (file.map { " > \($0)" } ?? ""))
    }

    func sh(_ script: String) async throws -> Program.End { try await shell.run(script) }

    var lights: [LightBody] { get async throws { try await shell.lights } }

    func forgetRequests() async throws {
        let answer = try await http.send(HTTPRequest(.delete, "\(control)/requests"))
        guard answer.status == 200 || answer.status == 204 else { throw TestError("\(answer.status)") }
    }

    /// What was written to the bridge, as a dry run prints it, in a certain order: several requests are under way at
    /// once.
    var writes: [String] {
        get async throws {
            let answer = try await http.send(HTTPRequest(.get, "\(control)/requests"))
            struct Request: Decodable {
                let method, path, body: String
            }
            let bridge = try JSONDecoder().decode(
                [BridgeBody].self, from: Data(try await ctl("list bridges --json").output.utf8))[0].id
            return try JSONDecoder().decode([Request].self, from: Data(answer.body))
                .filter { $0.method == "PUT" && !$0.path.contains("geofence") }
                .map { "\(bridge)\t\($0.method)\t\($0.path)\t\($0.body)" }.sorted()
        }
    }
}

extension LightBody {
    /// What a person sees of it: of a light that is off, nothing else.
    fileprivate var shown: String {
        guard power == .on else { return "\(name) off" }
        let tone =
            values.mode == .color
            ? "\(Int(values.hue ?? 0))° \(Int(values.saturation ?? 0))%" : "\(values.temperature ?? 0)"
        return "\(name) \(Int((values.brightness ?? 0).rounded())) \(tone)"
    }
}
