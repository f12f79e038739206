import Foundation
import TestSupport
import Testing

/// What the documents say that the programs print, they print: each document's commands are run in a terminal, in its
/// order, with a home of its own.
///
/// LIGHTD_TEST_RECORD=1 writes what they print into the documents instead.
@Suite(.timeLimit(.minutes(5)))
struct TranscriptTests {
    static let documents = ["README.md", "docs/lightctl.md"]

    @Test(arguments: documents) func `the commands of a document print what it shows`(document: String) async throws {
        var transcript = try Transcript(Repository.text(document))
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let lightd = try Program(.lightd, ["--simulated", "--socket", place.socket])
        defer { lightd.signal(SIGKILL) }
        // The end of its guide.
        try await lightd.prints("Ctrl-C")
        let control = try #require(lightd.output.firstMatch(of: /POST (http:\/\/[0-9.]+:[0-9]+)/)?.1)
        let script = try place.write("script", Data(transcript.script.utf8))
        let programs = URL(filePath: Program.path(of: .lightctl)).deletingLastPathComponent().path(
            percentEncoded: false)
        // A terminal: that of `script`, from Debian's bsdutils.
        let terminal = try Program(
            .at("/usr/bin/script"), ["-qec", "cd '\(place.path)' && bash '\(script)'", "/dev/null"],
            environment: [
                "PATH": "\(programs):/usr/bin:/bin", "HOME": place.path, "TERM": "xterm-256color", "SHELL": "/bin/bash",
                "LANG": "C.UTF-8", "LIGHTCTL_SOCKET": place.socket, "CONTROL": String(control), "TZ": "UTC",
            ])
        defer { terminal.signal(SIGKILL) }
        // These are some fifty programs.
        let end = try await terminal.end(within: .seconds(240))
        let printed = transcript.split(end.output)
        #expect(printed.count == transcript.steps.count, "\(end)")
        if ProcessInfo.processInfo.environment["LIGHTD_TEST_RECORD"] == "1" {
            transcript.record(printed)
            try transcript.lines.joined(separator: "\n")
                .write(toFile: Repository.file(document), atomically: true, encoding: .utf8)
        } else {
            // What readers do not see, and may be why what they see differs.
            var hidden: [[String]] = []
            for (step, output) in zip(transcript.steps, printed) {
                guard step.output != nil else {
                    hidden.append([step.command] + output)
                    continue
                }
                #expect(
                    Transcript.normal(output, of: step) == transcript.normal(step),
                    "\(document): \(step.command)\nafter \(hidden.suffix(3))\nlightd: \(lightd.errors.suffix(3000))")
            }
        }
        lightd.signal(SIGTERM)
        #expect(try await lightd.end().status == 0)
    }

    @Test func `a document that shows something else is noticed`() throws {
        let transcript = try Transcript("```console\n$ true\n$ echo one\ntwo\n```")
        #expect(transcript.steps.map(\.command) == ["true", "echo one"])
        let printed = transcript.split("\r\n@@0@@\r\n\r\n@@1@@\r\none\r\n\r\n@@end@@\r\n")
        #expect(printed == [[], ["one"]])
        #expect(transcript.shown(transcript.steps[1]) == ["two"])
        var recorded = transcript
        recorded.record(printed)
        #expect(recorded.lines == ["```console", "$ true", "$ echo one", "one", "```"])
    }

    @Test func `a confirmation may be shown or not, unless the command waits for it`() throws {
        for (command, matters) in [("lightctl off fan", false), ("lightctl off fan --wait", true)] {
            let transcript = try Transcript("```console\n$ \(command)\nFan: off (expected, not yet confirmed)\n```")
            let step = transcript.steps[0]
            #expect((Transcript.normal(["Fan: off"], of: step) != transcript.normal(step)) == matters)
        }
    }
}
