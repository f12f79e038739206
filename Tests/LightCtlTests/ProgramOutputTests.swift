import ControlProtocol
import Foundation
import Testing

/// The program as a process: standard output, standard error and exit code.
@Suite struct ProgramOutputTests {
    private static let light =
        #"[{"id":"b/1","name":"Desk","zones":[],"power":"on","freshness":"confirmed","#
        + #""since":"2026-11-21T09:42:03Z","bridge":"b","display":"slider","limits":{},"#
        + #""cause":{"kind":"command","by":"anna (uid 1000) with lightctl","at":"2026-11-21T09:42:02Z","#
        + #""ticket":7,"what":"turn Desk on"}}]"#

    private static let skipped =
        #"{"target":"b/2","name":"Sink","reason":"changed since by another app or a switch","#
        + #""cause":{"kind":"elsewhere","at":"2020-11-21T09:42:02Z"}}"#

    private func server() throws -> UnixServer {
        try UnixServer { request, connection in
            if request.line.hasPrefix("GET /v1/lights ") {
                connection.answer(Self.light + "\n")
            } else if request.body.contains("nobody") {
                let reply =
                    #"{"error":{"code":"no_such_target","message":"there is no 'nobody'","candidates":["Desk"]}}"#
                connection.answer(reply, status: 404)
            } else if request.body.contains(#""dry_run":true"#) {
                connection.answer(#"{"ticket":0,"steps":3,"commands":["a","b","c"],"skipped":[],"requests":[]}"#)
            } else if request.body.contains(#""steps":99"#) {
                connection.answer(#"{"ticket":1,"lights":[],"steps":3,"commands":["a","b","c"],"skipped":[]}"#)
            } else if request.body.contains(#""steps":7"#) {
                connection.answer(
                    #"{"ticket":1,"lights":\#(Self.light),"commands":["turn Desk off"],"skipped":[\#(Self.skipped)]}"#)
            } else if request.line.hasPrefix("GET /v1/lights?target=desk") {
                connection.answer(Self.light)
            } else if request.line.hasPrefix("POST") {
                connection.answer(#"{"ticket":1,"lights":\#(Self.light)}"#)
            } else if request.line.hasPrefix("GET /v1/bridges ") {
                connection.answer("[]")
            } else {
                connection.answer(#"{"error":{"code":"bridge_unreachable","message":"away","hint":"h"}}"#, status: 503)
            }
            return true
        }
    }

    @Test func `results go to standard output, and in a pipe success prints nothing`() async throws {
        let server = try server()
        defer { server.stop() }
        #expect(
            try await lightctl("list", "--socket", server.path)
                == Ended(0, "Desk\t-\ton\t-\t-\tconfirmed\tb/1\tb\n", ""))
        #expect(try await lightctl("on", "desk", "--socket", server.path) == Ended(0, "", ""))
        #expect(try await lightctl("list", "-q", "--socket", server.path) == Ended(0, "", ""))
        let json = try await lightctl("--json", "--socket", server.path, "list")
        #expect(json.output == Self.light + "\n", "as lightd sent it")
        #expect(try JSONDecoder().decode([LightBody].self, from: Data(json.output.utf8)).map(\.name) == ["Desk"])
        let done = try await lightctl("on", "desk", "--json", "--socket", server.path)
        #expect(done.code == 0 && done.output.contains(#""target":"desk""#) && done.errors.isEmpty)
    }

    @Test func `undo says on standard error if there were fewer commands than asked for`() async throws {
        let server = try server()
        defer { server.stop() }
        #expect(
            try await lightctl("undo", "99", "--socket", server.path)
                == Ended(0, "", "lightctl: undid 3 commands; there were no more\n"))
        let rehearsed = try await lightctl("undo", "99", "--dry-run", "--socket", server.path)
        #expect(rehearsed == Ended(0, "", "lightctl: would undo 3 commands; there are no more\n"))
        let json = try await lightctl("undo", "99", "--json", "--socket", server.path)
        #expect(json.code == 0 && json.errors.isEmpty && json.output.contains(#""steps":3"#))
    }

    @Test func `writing to a closed standard output is an error`() async throws {
        let server = try server()
        defer { server.stop() }
        #expect(
            try await lightctl("list", "--socket", server.path, redirection: ">&-")
                == Ended(1, "", "lightctl: cannot write the output: Bad file descriptor\n"))
        #expect(try await lightctl("list", "--socket", server.path, redirection: ">&- 2>&-") == Ended(1, "", ""))
        #expect(try await lightctl("on", "desk", "--socket", server.path, redirection: "<&- >&-") == Ended(0, "", ""))
    }

    @Test(arguments: ["--help", "--version", "help dim", "dim --help", "--generate-completion-script fish"])
    func `help that cannot be written is an error, too`(typed: String) async throws {
        let words = typed.split(separator: " ").map(String.init)
        #expect(
            try await lightctl(words, redirection: ">/dev/full")
                == Ended(1, "", "lightctl: cannot write the output: No space left on device\n"))
        let whole = try await lightctl(words)
        #expect(whole.code == 0 && whole.errors.isEmpty && whole.output.hasSuffix("\n"))
    }

    @Test(arguments: ["-", "send", "send -", "apply -", "restore -"])
    func `standard input that is closed is an error, unlike an empty one`(typed: String) async throws {
        let server = try server()
        defer { server.stop() }
        let words = typed.split(separator: " ").map(String.init) + ["--socket", server.path]
        #expect(
            try await lightctl(words, redirection: "<&-")
                == Ended(64, "", "lightctl: cannot read standard input: Bad file descriptor\n"))
        let empty = try await lightctl(words, redirection: "</dev/null")
        if typed.hasPrefix("s") || typed == "-" {
            #expect(empty == Ended(0, "", ""))
        } else {
            #expect(empty.code == (typed.hasPrefix("restore") ? 6 : 64))
            #expect(empty.errors.hasPrefix("lightctl: standard input is empty"), "\(empty)")
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `lines that nobody would see the results of are not sent, and that is an error`() async throws {
        let server = try server()
        defer { server.stop() }
        let line = #"{"command":"turn","to":"on","target":"desk"}"#
        let (ctl, path) = (Self.program, server.path)
        // The reader is gone when the first line is answered.
        func ended(_ lines: Int) throws -> (Int32, String) {
            let (process, _, errors) = try start(
                script: """
                    { until [ -e '\(path).gone' ]; do :; done; for i in $(seq \(lines)); do echo '\(line)'; done; } |
                    { '\(ctl)' - --socket '\(path)'; echo $? >'\(path).status'; } | { exec <&-; : >'\(path).gone'; }
                    cat '\(path).status' >&2; rm '\(path).gone'
                    """)
            let text = String(decoding: errors.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text)
        }
        #expect(
            try ended(3)
                == (0, "lightctl: nothing reads the output any more: line 2 and those after it were not sent\n7\n"))
        #expect(server.requests.count == 1)
        #expect(try ended(1) == (0, "0\n"))
    }

    @Test(arguments: [(3, 7, ": line 2 and those after it were not sent"), (1, 1, "")])
    func `lines whose results cannot be written are not sent, and that is said`(
        lines: Int, status: Int32, words: String
    ) async throws {
        let server = try server()
        defer { server.stop() }
        let input = server.path + ".lines"
        let line = #"{"command":"turn","to":"on","target":"desk"}"# + "\n"
        try String(repeating: line, count: lines).write(toFile: input, atomically: true, encoding: .utf8)
        let end = try await lightctl(["send", input, "--socket", server.path], redirection: ">/dev/full")
        #expect(
            end == Ended(status, "", "lightctl: cannot write the output: No space left on device\(words)\n"))
        #expect(server.requests.count == 1)
    }

    @Test func `a completion script is lightctl's own, however it is asked for`() async throws {
        let bash = try await lightctl("--generate-completion-script", "bash")
        #expect(bash.code == 0 && bash.output.contains("lightctl complete") || bash.output.contains("complete bash"))
        #expect(try await lightctl("--generate-completion-script=bash") == bash)
        let own = "SHELL=/usr/bin/bash exec \"$0\" --generate-completion-script"
        let (process, output, _) = try start(script: own, [Self.program])
        #expect(String(decoding: output.readDataToEndOfFile(), as: UTF8.self) == bash.output)
        process.waitUntilExit()
        let other = try await lightctl("--generate-completion-script=tcsh")
        #expect(other.code == 64 && other.output.isEmpty)
        #expect(other.errors.hasPrefix("lightctl: no completion script for 'tcsh'\nhint: name one of bash, zsh, fish"))
    }

    @Test(arguments: ["-", "apply -"]) func `input without an end does not fill the memory`(typed: String) async throws
    {
        let server = try server()
        defer { server.stop() }
        let words = typed.split(separator: " ").map(String.init) + ["--socket", server.path]
        let end = try await lightctl(words, redirection: "</dev/zero")
        #expect(
            end
                == Ended(
                    64, "", "lightctl: standard input has more than 16 MiB in one piece, which nothing here takes\n"))
    }

    @Test(arguments: [
        (">/dev/full", true, "cannot write the output: No space left on device; the token was revoked again"),
        (">&-", true, "cannot write the output: Bad file descriptor; the token was revoked again"),
        (
            ">/dev/full", false,
            "cannot write the output: No space left on device; the token exists, and cannot be revoked: away"
        ),
    ])
    func `a token that cannot be printed is revoked again`(
        redirection: String, revokes: Bool, words: String
    ) async throws {
        let made = #"{"access":"full","created":"2026-11-22T10:00:00.000Z","name":"my phone","token":"lightd_ab"}"#
        let server = try UnixServer { request, connection in
            if request.line.hasPrefix("POST") || revokes {
                connection.answer(made)
            } else {
                connection.answer(#"{"error":{"code":"bridge_unreachable","message":"away"}}"#, status: 503)
            }
            return true
        }
        defer { server.stop() }
        let end = try await lightctl(
            ["token", "create", "my phone", "--socket", server.path], redirection: redirection)
        #expect(end.code == 1 && end.errors.hasPrefix("lightctl: \(words)\n"), "\(end)")
        #expect(
            server.requests.map(\.line) == ["POST /v1/tokens HTTP/1.1", "DELETE /v1/tokens?name=my%20phone HTTP/1.1"])
    }

    @Test func `a token that cannot be written to a file is revoked again`() async throws {
        let made = #"{"access":"full","created":"2026-11-22T10:00:00.000Z","name":"phone","token":"lightd_ab"}"#
        let server = try UnixServer { _, connection in
            connection.answer(made)
            return true
        }
        defer { server.stop() }
        let end = try await lightctl(
            "token", "create", "phone", "--output", "/nonexistent/token", "--socket", server.path)
        #expect(end.code == 1 && end.output.isEmpty && end.errors.contains("the token was revoked again"), "\(end)")
        #expect(server.requests.map(\.line.first) == ["P", "D"])
    }

    @Test(arguments: ["watch", "log --follow", "log", "list", "status", "on desk"])
    func `a server that is not lightd is named, and nobody waits for it`(typed: String) async throws {
        let server = try UnixServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html>")
            return false
        }
        defer { server.stop() }
        let end = try await lightctl(typed.split(separator: " ").map(String.init) + ["--socket", server.path])
        let words = "lightctl: something other than lightd answers at \(server.path) (with text/html)\n"
        #expect(end == Ended(3, "", words))
        // Neither does what it sends go out as what lightd lists.
        let json = try await lightctl("list", "--json", "--socket", server.path)
        #expect(json.code == 3 && json.output.isEmpty)
    }

    @Test func `errors go to standard error with a hint and set the exit code`() async throws {
        let server = try server()
        defer { server.stop() }
        #expect(
            try await lightctl("on", "nobody", "--socket", server.path)
                == Ended(4, "", "lightctl: there is no 'nobody'; did you mean 'Desk'?\n"))
        #expect(
            try await lightctl("list", "rooms", "--socket", server.path) == Ended(3, "", "lightctl: away\nhint: h\n"))
        let json = try await lightctl("list", "rooms", "--json", "--socket", server.path)
        #expect(json.code == 3 && json.output.isEmpty)
        #expect(
            try JSONDecoder().decode(ErrorReply.self, from: Data(json.errors.utf8))
                == ErrorReply(.bridgeUnreachable, "away", hint: "h"))
    }

    @Test func `undo exits with 7 if it leaves lights as they are, and names them on standard error`() async throws {
        let server = try server()
        defer { server.stop() }
        let some = try await lightctl("undo", "7", "--socket", server.path)
        #expect(some.code == 7 && some.output.isEmpty)
        #expect(
            some.errors.hasPrefix(
                "lightctl: 1 light was left as it is\n  Sink: changed since by another app or a switch at 2020-11-21 "))
        let json = try await lightctl("undo", "7", "--json", "--socket", server.path)
        let reply = try JSONDecoder().decode(CommandReply.self, from: Data(json.output.utf8))
        #expect(json.code == 7 && reply.skipped?.map(\.name) == ["Sink"] && reply.commands == ["turn Desk off"])
        #expect(try JSONDecoder().decode(ErrorReply.self, from: Data(json.errors.utf8)).error.code == .partly)
        #expect(try await lightctl("undo", "--socket", server.path) == Ended(0, "", ""))
    }

    @Test func `why prints one line per light, with tabs in a pipe`() async throws {
        let server = try server()
        defer { server.stop() }
        #expect(
            try await lightctl("why", "desk", "--socket", server.path)
                == Ended(
                    0,
                    "Desk\ton\tcommand\tanna (uid 1000) with lightctl\tturn Desk on\t2026-11-21T09:42:02Z\tconfirmed\tb/1\t-\t-\n",
                    ""))
        let json = try await lightctl("why", "desk", "--json", "--socket", server.path)
        #expect(try JSONDecoder().decode([LightBody].self, from: Data(json.output.utf8)).first?.cause.ticket == 7)
    }

    @Test func `wrong usage exits with 64, also with --json`() async throws {
        let plain = try await lightctl("set", "desk")
        #expect(plain.code == 64 && plain.output.isEmpty && plain.errors.hasPrefix("lightctl: nothing to set"))
        let json = try await lightctl("lst", "--json")
        #expect(json.code == 64 && json.errors.contains("did you mean 'list'?"))
        #expect(try JSONDecoder().decode(ErrorReply.self, from: Data(json.errors.utf8)).error.code == .invalid)
        #expect(try await lightctl("--version") == Ended(0, "lightctl \(Release.version)\n", ""))
    }

    @Test func `a journal entry is printed when it arrives, not when the stream ends`() async throws {
        let server = try UnixServer { request, connection in
            guard request.line.hasPrefix("GET /v1/log") else { return false }
            connection.beginStream()
            let entry =
                #"{"number":7,"time":"2026-11-21T09:42:03Z","feature":"lighting","holder":"wall","#
                + #""text":"Desk went on"}"#
            connection.write("id: 7\nevent: log\ndata: \(entry)\n\n")
            connection.waitForClose()
            return false
        }
        defer { server.stop() }
        let (process, output, _) = try start(["log", "--follow", "--socket", server.path])
        // Blocks until the line has arrived.
        let line = String(decoding: output.availableData, as: UTF8.self)
        #expect(line == "2026-11-21T09:42:03Z\t7\tlighting\t-\twall\t-\tDesk went on\n")
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
    }

    struct Ended: Equatable {
        let code: Int32
        let output: String
        let errors: String
        init(_ code: Int32, _ output: String, _ errors: String) {
            (self.code, self.output, self.errors) = (code, output, errors)
        }
    }

    private func lightctl(_ arguments: String..., redirection: String = "") async throws -> Ended {
        try await lightctl(arguments, redirection: redirection)
    }

    private func lightctl(_ arguments: [String], redirection: String = "") async throws -> Ended {
        let (process, output, errors) = try start(arguments, redirection: redirection)
        let stdout = output.readDataToEndOfFile()
        let stderr = errors.readDataToEndOfFile()
        process.waitUntilExit()
        return Ended(
            process.terminationStatus, String(decoding: stdout, as: UTF8.self),
            String(decoding: stderr, as: UTF8.self))
    }

    /// - Parameter redirection: as in a shell, such as `>&-`.
    private func start(
        _ arguments: [String], redirection: String = ""
    ) throws -> (Process, FileHandle, FileHandle) {
        try start(script: "exec \"$0\" \"$@\" \(redirection)", [Self.program] + arguments)
    }

    /// The program is in the same directory as the test bundle.
    private static let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "lightctl").path(percentEncoded: false)

    private func start(script: String, _ arguments: [String] = []) throws -> (Process, FileHandle, FileHandle) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script] + arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        return (process, output.fileHandleForReading, errors.fileHandleForReading)
    }
}
