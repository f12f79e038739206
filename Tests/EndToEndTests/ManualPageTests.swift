import Foundation
import Glibc
import TestSupport
import Testing

/// The manual pages in docs/man.
@Suite(.timeLimit(.minutes(5)))
struct ManualPageTests {
    @Test func `they are what the programs and lightd.yaml describe, and everything is described`() async throws {
        let build = URL(filePath: Program.path(of: .lightctl)).deletingLastPathComponent().path
        let end = try await run("/usr/bin/env", "python3", Repository.file("scripts/man-pages"), "--check", build)
        #expect(end.status == 0, "\(end)")
    }

    @Test(
        .enabled(if: access("/usr/bin/groff", X_OK) == 0, "needs groff"),
        arguments: ["lightctl.1", "lightd.8", "lightsim.1", "lightd.yaml.5"])
    func `groff has nothing to object`(page: String) async throws {
        let path = Repository.file("docs/man/\(page)")
        let end = try await run("/usr/bin/groff", "-man", "-ww", "-z", "-Kutf8", path)
        #expect(end == Program.End(status: 0, output: "", errors: ""))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for section in ["NAME", "DESCRIPTION", "SEE ALSO"] { #expect(text.contains("\n.SH \(section)\n")) }
    }

    @Test(
        .enabled(if: access("/usr/bin/groff", X_OK) == 0, "needs groff"),
        arguments: ["lightctl.1", "lightd.8", "lightsim.1", "lightd.yaml.5"])
    func `a page fits a terminal of 80 columns, and its tables are whole`(page: String) async throws {
        let path = Repository.file("docs/man/\(page)")
        let end = try await run("/usr/bin/groff", "-man", "-Tascii", "-P-cbou", "-rLL=80n", path)
        let lines = end.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count > 50 && lines.allSatisfy { $0.count <= 80 }, "\(lines.filter { $0.count > 80 })")
        guard page == "lightctl.1" else { return }
        let terms = ["safety", "powerfail", "last_on_state", "custom"]
        let table = lines.filter { line in terms.contains { line.hasPrefix("           \($0)  ") } }
        #expect(table.count == terms.count, "\(table)")
        #expect(lines.contains { $0.hasPrefix("       lightctl dim TARGET... LEVEL ") })
        #expect(lines.contains("       lightctl room COMMAND"))
    }

    private func run(_ program: String, _ arguments: String...) async throws -> Program.End {
        try await Program.run(.at(program), arguments, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
    }
}
