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

    @Test func `all done is no error`() { #expect(CommandResults(each: [("a", done), ("b", done)]).error == nil) }

    @Test func `one failure is itself`() {
        #expect(
            CommandResults(each: [("a", failed(.refused, "no", hint: "h"))]).error
                == ErrorReply(.refused, "no", hint: "h"))
    }

    @Test func `what all came to alike is said once`() {
        let gone = failed(.daemonUnreachable, "gone")
        #expect(CommandResults(each: [("a", gone), ("b", gone)]).error == ErrorReply(.daemonUnreachable, "gone"))
    }

    @Test func `failures of one kind keep their code, mixed ones are partly`() {
        let each = [("a", failed(.noSuchTarget, "no a")), ("b", failed(.noSuchTarget, "no b"))]
        #expect(CommandResults(each: each).error?.error.code == .noSuchTarget)
        #expect(CommandResults(each: each + [("c", done)]).error?.error.code == .partly)
        #expect(CommandResults(each: each + [("c", failed(.refused, "no"))]).error?.error.code == .partly)
    }

    @Test func `a room that was partly done names its lights`() {
        let lamp = ErrorReply.Part(target: "Lamp", code: .bridgeUnreachable, message: "away")
        let error = CommandResults(each: [("@a", failed(.partly, "1 of 2 failed", parts: [lamp])), ("b", done)]).error
        #expect(error?.error.parts == [lamp])
        #expect(error?.printed == "lightctl: 1 of 2 targets failed\n  Lamp: away")
    }

    @Test func `an error names what could have been meant, once`() {
        let error = ErrorReply(.noSuchTarget, "there is no 'dsk'", hint: "h", candidates: ["Desk", "Dusk"])
        #expect(error.printed == "lightctl: there is no 'dsk'; did you mean 'Desk' or 'Dusk'?\nhint: h")
        #expect(
            ErrorReply(.ambiguousTarget, "several: Desk", candidates: ["Desk"]).printed == "lightctl: several: Desk")
    }

    @Test func `results stand in the order of the items, however late they come`() async {
        let results = await inOrder(Array(0..<50), atOnce: 4) { item in
            for _ in 0..<(50 - item) { await Task.yield() }
            return item
        }
        #expect(results == Array(0..<50))
    }

    @Test func `an answer that is not ours is told by its status`() {
        #expect(ErrorReply(status: 404, body: Data("<html>".utf8)).error.code == .noSuchPath)
        let later = ErrorReply(
            status: 503, body: Data(#"{"error":{"code":"of_a_later_day","message":"m","hint":"h"}}"#.utf8))
        #expect(later == ErrorReply(.bridgeUnreachable, "m", hint: "h"))
        for code in ErrorCode.allCases {
            let reply = ErrorReply(code, "m", hint: "h", candidates: ["c"])
            #expect(ErrorReply(status: code.status, body: Data(Console.json(reply).utf8)) == reply)
        }
    }

    @Test func `the socket is the one named, the user's own, or the system's`() {
        let all = ["LIGHTCTL_SOCKET": "/e", "XDG_RUNTIME_DIR": "/run/user/1"]
        #expect(SocketPath(option: "/o", environment: all) { _ in true }.chosen == "/o")
        #expect(SocketPath(option: nil, environment: all) { _ in true }.chosen == "/e")
        let user = ["XDG_RUNTIME_DIR": "/run/user/1/", "LIGHTCTL_SOCKET": ""]
        #expect(SocketPath(option: nil, environment: user) { _ in true }.chosen == "/run/user/1/lightd/lightd.sock")
        let none = SocketPath(option: nil, environment: user) { _ in false }
        #expect(none.chosen == "/run/lightd/lightd.sock" && none.tried.count == 2)
        #expect(SocketDiagnosis.missing.reply(none).printed.contains(none.tried[0]))
    }

    @Test func `each fault of a socket has its exit code and its sentence`() {
        let path = SocketPath(option: "/s", environment: [:]) { _ in true }
        let faults: [(SocketDiagnosis, ControlProtocol.ExitStatus, String)] = [
            (.missing, .unreachable, "no such socket"), (.nobodyListens, .unreachable, "nobody listens"),
            (.notAllowed(group: "lightd"), .notAllowed, "usermod -aG lightd"), (.pathTooLong, .usage, "too long"),
            (.other("odd"), .unreachable, "odd"),
        ]
        for (fault, status, words) in faults {
            #expect(fault.reply(path).error.code.exitCode == status)
            #expect(fault.reply(path).printed.contains(words))
        }
    }
}
