import ControlProtocol
import Foundation
import Testing

@testable import lightctl

@Suite struct CommandResultsTests {
    private let done = Result<CompletedCommand, ErrorReply>.success(
        CompletedCommand(target: "a", ticket: 1, lights: []))
    private func failed(_ code: ErrorCode, _ message: String, hint: String? = nil, parts: [ErrorReply.Part]? = nil)
        -> Result<CompletedCommand, ErrorReply>
    {
        .failure(ErrorReply(code, message, hint: hint, parts: parts))
    }

    @Test func `no failures give no error`() { #expect(CommandResults(each: [("a", done), ("b", done)]).error == nil) }

    @Test func `a single failure is passed on`() {
        #expect(
            CommandResults(each: [("a", failed(.refused, "no", hint: "h"))]).error
                == ErrorReply(.refused, "no", hint: "h"))
    }

    @Test func `a failure shared by all is reported once`() {
        let gone = failed(.daemonUnreachable, "gone")
        #expect(CommandResults(each: [("a", gone), ("b", gone)]).error == ErrorReply(.daemonUnreachable, "gone"))
    }

    @Test func `failures with one code keep it, mixed results are partly`() {
        let each = [("a", failed(.noSuchTarget, "no a")), ("b", failed(.noSuchTarget, "no b"))]
        #expect(CommandResults(each: each).error?.error.code == .noSuchTarget)
        #expect(CommandResults(each: each + [("c", done)]).error?.error.code == .partly)
        #expect(CommandResults(each: each + [("c", failed(.refused, "no"))]).error?.error.code == .partly)
    }

    @Test func `a room that failed partly names its lights`() {
        let lamp = ErrorReply.Part(target: "Lamp", code: .bridgeUnreachable, message: "away")
        let error = CommandResults(each: [("@a", failed(.partly, "1 of 2 failed", parts: [lamp])), ("b", done)]).error
        #expect(error?.error.parts == [lamp])
        #expect(error?.printed == "lightctl: 1 of 2 targets failed\n  Lamp: away")
    }

    @Test func `parts that failed alike are one line, also among very many`() {
        let parts = (0..<40_000).map { number in
            ErrorReply.Part(
                target: "x\(number)", code: .noSuchTarget, message: number % 2 == 0 ? "away" : "no x\(number)")
        }
        let lines = ErrorReply(.partly, "failed", parts: parts).printed.split(separator: "\n")
        #expect(lines.count == 20_002)
        #expect(lines[1] == "  x0, x2, x4, x6, x8, x10 and 19994 more: away" && lines[2] == "  x1: no x1")
    }

    @Test func `an error lists its candidates once`() {
        let error = ErrorReply(.noSuchTarget, "there is no 'dsk'", hint: "h", candidates: ["Desk", "Dusk"])
        #expect(error.printed == "lightctl: there is no 'dsk'; did you mean 'Desk' or 'Dusk'?\nhint: h")
        #expect(
            ErrorReply(.ambiguousTarget, "several: Desk", candidates: ["Desk"]).printed == "lightctl: several: Desk")
    }

    @Test func `the right name is suggested also if it is a part of the wrong one`() {
        let error = ErrorReply(.noSuchTarget, "no light or room is called 'Deskk'", candidates: ["Desk"])
        #expect(error.printed == "lightctl: no light or room is called 'Deskk'; did you mean 'Desk'?")
    }

    @Test(arguments: [
        (404, "<html>"), (502, "Bad Gateway"), (502, ""), (502, #"{"error":{"message":"m"}}"#), (503, "{}"),
    ])
    func `an error that is not lightd's comes from something else at the socket`(status: Int, body: String) {
        let reply = ErrorReply(status: status, body: Data(body.utf8), from: "/s")
        let message = "something other than lightd answers at /s (HTTP status \(status))"
        #expect(reply == ErrorReply(.daemonUnreachable, message))
        #expect(reply.error.code.exitCode == .unreachable)
    }

    @Test func `an error with an unknown code is reported by its HTTP status`() {
        let later = ErrorReply(
            status: 503, body: Data(#"{"error":{"code":"from_the_future","message":"m","hint":"h"}}"#.utf8), from: "/s")
        #expect(later == ErrorReply(.bridgeUnreachable, "m", hint: "h"))
        for code in ErrorCode.allCases {
            let reply = ErrorReply(code, "m", hint: "h", candidates: ["c"])
            #expect(ErrorReply(status: code.status, body: Data(Console.json(reply).utf8), from: "/s") == reply)
        }
    }

    @Test func `the socket is the one named, else the user's own, else the system's`() {
        let all = ["LIGHTCTL_SOCKET": "/e", "XDG_RUNTIME_DIR": "/run/user/1"]
        #expect(SocketPath(option: "/o", environment: all) { _ in true }.chosen == "/o")
        #expect(SocketPath(option: nil, environment: all) { _ in true }.chosen == "/e")
        let user = ["XDG_RUNTIME_DIR": "/run/user/1/", "LIGHTCTL_SOCKET": ""]
        #expect(SocketPath(option: nil, environment: user) { _ in true }.chosen == "/run/user/1/lightd/lightd.sock")
        let none = SocketPath(option: nil, environment: user) { _ in false }
        #expect(none.chosen == "/run/lightd/lightd.sock" && none.tried.count == 2)
        #expect(SocketDiagnosis.missing.reply(none).printed.contains(none.tried[0]))
    }

    @Test func `the group of a socket is found in the text of the group file`() {
        let groups = "root:x:0:\n# a remark\nadm:x:4:syslog\nlightd:x:999:"
        #expect(SocketDiagnosis.groupName(4, in: groups) == "adm")
        #expect(SocketDiagnosis.groupName(999, in: groups) == "lightd")
        #expect(SocketDiagnosis.groupName(1, in: groups) == nil)
    }

    @Test func `each socket diagnosis has its exit code and its message`() {
        let path = SocketPath(option: "/s", environment: [:]) { _ in true }
        let diagnoses: [(SocketDiagnosis, ControlProtocol.ExitStatus, String)] = [
            (.missing, .unreachable, "no such socket"), (.notListening, .unreachable, "nothing is listening"),
            (.notSocket, .unreachable, "it is not a socket"),
            (.notAllowed(group: "lightd"), .notAllowed, "usermod -aG lightd"), (.pathTooLong, .usage, "too long"),
            (.other("odd"), .unreachable, "odd"),
        ]
        for (diagnosis, status, words) in diagnoses {
            #expect(diagnosis.reply(path).error.code.exitCode == status)
            #expect(diagnosis.reply(path).printed.contains(words))
        }
    }
}
