import ControlProtocol
import Curl
import Foundation
import TestSupport
import Testing

/// --wait, undo and why, with the real programs and a bridge over TLS.
@Suite(.timeLimit(.minutes(5)))
struct UndoProgramTests {
    @Test func `a confirmed command can be undone, and 'why' names its sender`() async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let socket = place.socket
        let lightd = try Program(.lightd, ["--simulated", "--socket", socket])
        defer { lightd.signal(SIGKILL) }
        // The end of its guide.
        try await lightd.prints("Ctrl-C")
        let control = try #require(lightd.output.firstMatch(of: /POST (http:\/\/[0-9.]+:[0-9]+)/)?.1)
        let http = HTTPClient()
        defer { http.shutdown() }
        func ctl(_ arguments: String...) async throws -> Program.End {
            let program = try Program(.lightctl, ["--socket", socket] + arguments)
            defer { program.signal(SIGKILL) }
            return try await program.end()
        }
        func light(_ name: String) async throws -> LightBody {
            let shown = try await ctl("--json", "show", name)
            return try #require(try JSONDecoder().decode([LightBody].self, from: Data(shown.output.utf8)).first)
        }
        try await until("the lights are there") { try await ctl("list").output.contains("Sofa") }
        let sofa = try await light("sofa")

        for name in ["desk", "sofa"] {
            let dimmed = try await ctl("dim", name, "40%", "--wait")
            #expect(dimmed.status == 0, "\(dimmed)")
            // Without waiting: the reply was the confirmation.
            let now = try await light(name)
            #expect(now.freshness == .confirmed && abs((now.brightness ?? 0) - 40) < 1, "\(now)")
            #expect(now.cause.kind == .command && now.cause.what?.hasSuffix("to 40%") == true, "\(now.cause)")
        }
        let why = try await ctl("why", "sofa")
        let columns = why.output.dropLast().split(separator: "\t").map(String.init)
        #expect(columns.count == 10 && Array(columns[0...2]) == ["Sofa", "on", "command"], "\(why)")
        #expect(columns[3].hasSuffix("uid \(getuid())) with lightctl") && columns[4] == "set Sofa to 40%", "\(why)")

        // A wall switch: undo must leave its change alone.
        _ = try await http.send(HTTPRequest(.post, "\(control)/lights/Desk/switch"))
        try await until("the wall switch is seen") { try await light("desk").cause.kind != .command }
        let theirs = try await light("desk")
        let undone = try await ctl("undo", "2", "--wait")
        #expect(undone.status == 7 && undone.errors.contains("  Desk: changed since by "), "\(undone)")
        let back = try await light("sofa")
        #expect(back.power == sofa.power && back.brightness == sofa.brightness && back.freshness == .confirmed)
        let left = try await light("desk")
        #expect(left.power == theirs.power && left.cause == theirs.cause)

        let nothing = try await ctl("undo")
        #expect(nothing.status == 1 && nothing.errors.contains("there is nothing to undo"), "\(nothing)")
        let redone = try await ctl("--json", "redo", "2", "--wait")
        #expect(redone.status == 7 && redone.output.contains("set Sofa to 40%"), "\(redone)")
        let again = try await light("sofa")
        #expect(abs((again.brightness ?? 0) - 40) < 1)

        lightd.signal(SIGTERM)
        #expect(try await lightd.end().status == 0)
    }
}
