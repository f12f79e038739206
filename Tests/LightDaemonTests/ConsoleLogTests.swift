import Foundation
import Khipu
import Logging
import TestSupport
import Testing

@testable import LightDaemon

extension DaemonTestSuite {
    /// Log lines, as the real program writes them to standard error.
    struct ConsoleLogTests {
        private func readyLine(
            _ directory: TemporaryDirectory, _ environment: [String: String], isUnderJournal: Bool = false
        )
            async throws -> String
        {
            let lightd = try Program(
                .lightd, ["--socket", directory.socket, "--state-dir", directory.state],
                environment: ["HOME": directory.path, "LIGHTD_DISCOVERY_MDNS": "false"].merging(environment) { $1 },
                isUnderJournal: isUnderJournal)
            try await until("lightd is ready; its stderr: \(lightd.errors)") {
                lightd.errors.contains(" ready ") || lightd.errors.contains(">ready ")
            }
            lightd.signal(SIGTERM)
            let end = try await lightd.end()
            return try #require(end.errors.split(separator: "\n").first { $0.contains("ready socket=") }).description
        }

        @Test func `a line has the time, the level, the message and the metadata`() async throws {
            try await withTemporaryDirectory { directory in
                let line = try await readyLine(directory, [:])
                #expect(line.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z? info    ready socket=/), "\(line)")
                #expect(line.hasSuffix("socket=\(directory.socket)"))
            }
        }

        /// Programs inherit the variable even if their output goes elsewhere (systemd.exec(5)).
        @Test func `a journal stream of another descriptor is ignored`() async throws {
            try await withTemporaryDirectory { directory in
                let line = try await readyLine(directory, ["JOURNAL_STREAM": "8:12345"])
                #expect(!line.hasPrefix("<"))
            }
        }

        @Test func `under the journal a line begins with its priority and has no time`() async throws {
            try await withTemporaryDirectory { directory in
                let line = try await readyLine(directory, [:], isUnderJournal: true)
                #expect(line == "<6>ready socket=\(directory.socket)")
            }
        }

        @Test(arguments: [(true, "<3>"), (false, "lightd: ")])
        func `why lightd does not start is an error under the journal`(isUnderJournal: Bool, begin: String) async throws
        {
            try await withTemporaryDirectory { directory in
                let file = "\(directory.path)/lightd.yaml"
                try Data("sokcet: /a\n".utf8).write(to: URL(filePath: file))
                let lightd = try Program(
                    .lightd, ["--check-config", "--config", file], isUnderJournal: isUnderJournal)
                let end = try await lightd.end()
                #expect(end.status == 6)
                #expect(end.errors.hasPrefix("\(begin)\(file):1: unknown key 'sokcet'"), "\(end.errors)")
                #expect(end.errors.split(separator: "\n").count == 1)
            }
        }

        @Test func `each level has its syslog priority`() throws {
            let log = ConsoleLog(level: Live(.trace), toJournal: true)
            let lines = Logger.Level.allCases.map { log.line(for: $0, "x", [:]) }
            #expect(lines == ["<7>x\n", "<7>x\n", "<6>x\n", "<5>x\n", "<4>x\n", "<3>x\n", "<2>x\n"])
        }

        @Test func `control characters from outside are escaped`() {
            let line = ConsoleLog(level: Live(.info), toJournal: true).line(
                for: .info, "hello\u{1b}[2J", ["name": "a\u{9b}31mb\u{7}", "lines": "x\ny"])
            #expect(line == "<6>hello\\u{1b}[2J lines=\"x y\" name=a\\u{9b}31mb\\u{7}\n")
        }

        @Test func `no name ends its quotes, breaks the line, turns it round or hides in it`() {
            let log = ConsoleLog(level: Live(.trace), toJournal: true)
            func line(_ name: String) -> String { log.line(for: .info, "x", ["name": "\(name)"]) }
            let quoted = line("a\"\u{301} level=error")
            #expect(quoted.unicodeScalars.elementsEqual("<6>x name=\"a\\\"\u{301} level=error\"\n".unicodeScalars))
            #expect(line("a\u{2028}b\u{85}c") == "<6>x name=\"a b c\"\n")
            #expect(line("a\u{202E}b\u{200B}c\u{E0041}") == #"<6>x name=a\u{202e}b\u{200b}c\u{e0041}"# + "\n")
            #expect(line("Küche👩‍👩‍👧") == "<6>x name=Küche👩‍👩‍👧\n")
            var random = SplitMix(seed: 27)
            for _ in 0..<2000 {
                let line = line(HostileText.name(using: &random)).unicodeScalars
                var isOpen = false
                var isEscaped = false
                // As a program reads it: outside of quotes no blank but the one before the value.
                for scalar in line.dropFirst("<6>x name=".unicodeScalars.count).dropLast() {
                    if !isEscaped, scalar == "\"" { isOpen.toggle() }
                    if !isOpen { #expect(!scalar.properties.isWhitespace) }
                    isEscaped = isOpen && !isEscaped && scalar == "\\"
                }
                #expect(!isOpen && line.count { $0 == "\n" } == 1)
            }
        }

        @Test func `a metadata value is one word or quoted, and never breaks the line`() throws {
            let log = ConsoleLog(level: Live(.trace), toJournal: true)
            let facts: Logger.Metadata = ["d": "a=b", "a": "1", "b": "two words", "c": "a\n\"b\" \\", "e": ""]
            #expect(
                log.line(for: .error, "x", facts)
                    == "<3>x a=1 b=\"two words\" c=\"a \\\"b\\\" \\\\\" d=\"a=b\" e=\"\"\n")
        }
    }
}
