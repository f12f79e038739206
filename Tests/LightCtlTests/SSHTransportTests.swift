import ControlProtocol
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import lightctl

/// lightctl by ssh. A stand-in runs the command as ssh does, by a shell; one test has the real ssh and sshd.
@Suite struct SSHTransportTests {
    private static let light =
        #"{"id":"b/1","name":"Desk","zones":[],"power":"on","freshness":"confirmed","#
        + #""since":"2026-11-21T09:42:03Z","bridge":"b","display":"slider","limits":{},"#
        + #""cause":{"kind":"command","by":"lightctl","at":"2026-11-21T09:42:02Z","ticket":7,"what":"turn Desk on"}}"#

    private func server() throws -> UnixServer {
        try UnixServer { request, connection in
            let isList = request.line.hasPrefix("GET /v1/lights ")
            connection.answer(isList ? "[\(Self.light)]" : #"{"ticket":1,"lights":[\#(Self.light)]}"#)
            return false
        }
    }

    @Test func `lists and commands go by ssh to the socket there, without a token`() async throws {
        let server = try server()
        defer { server.stop() }
        try await withMachine { machine in
            let url = "ssh://me@lights.test:2222\(server.path)"
            let environment = ["LIGHTCTL_URL": url, "LIGHTCTL_TOKEN": "secret"]
            let list = try await machine.lightctl("list", environment: environment)
            #expect(list == .init(status: 0, output: "Desk\t-\ton\t-\t-\tconfirmed\tb/1\tb\n", errors: ""))
            let on = try await machine.lightctl("--url", url, "on", "desk", "sofa")
            #expect(on == .init(status: 0, output: "", errors: ""))
            #expect(
                server.requests.map(\.line) == ["GET /v1/lights HTTP/1.1"]
                    + Array(repeating: "POST /v1/messages HTTP/1.1", count: 2))
            #expect(server.requests.allSatisfy { $0.headers["authorization"] == nil })
            #expect(Set(server.requests.map { $0.headers["x-lightd-client"] }) == ["lightctl"])
            let words = "-l me -p 2222 -- lights.test lightctl dial-stdio \(server.path)"
            #expect(try machine.calls.allSatisfy { $0.words.hasSuffix(words) } && machine.calls.count == 3)
            #expect(try !machine.calls.contains { $0.words.contains("BatchMode") })
        }
    }

    @Test func `completion asks lightd there, and lets ssh ask nobody`() async throws {
        let names = #"{"lights":["Desk"],"rooms":[],"zones":[],"scenes":[],"bridges":[],"sensors":[]}"#
        let server = try UnixServer(answers: ["GET /v1/names": names])
        defer { server.stop() }
        try await withMachine { machine in
            _ = try await machine.lightctl("complete", "words", "--url", "ssh://a\(server.path)", "on", "De")
            #expect(try machine.calls.map { $0.words.contains("-o BatchMode=yes") } == [true])
        }
    }

    @Test func `watching goes on after a break, leaves no child behind, and ends with Ctrl-C`() async throws {
        let count = Mutex(0)
        let server = try UnixServer { _, connection in
            let number = count.withLock { count in
                count += 1
                return count
            }
            connection.beginStream()
            connection.write(
                "id: \(number)\nevent: log\ndata: "
                    + #"{"number":\#(number),"time":"2026-11-21T09:42:03Z","feature":"lighting","holder":"wall","text":"t"}"#
                    + "\n\n")
            if number > 1 { connection.waitForClose() }
            return false
        }
        defer { server.stop() }
        try await withMachine { machine in
            let follower = try machine.start("log", "--follow", "--url", "ssh://a\(server.path)")
            try await follower.prints("\t2\tlighting")
            // It comes by another pipe than the line that was printed.
            try await until("it tells of the break and of its end") {
                follower.errors.contains("reconnecting") && follower.errors.contains("connected again")
            }
            let children = try String(
                contentsOfFile: "/proc/\(follower.pid)/task/\(follower.pid)/children", encoding: .utf8)
            let calls = try machine.calls
            #expect(
                children.split(separator: " ").compactMap { Int32($0) } == calls.suffix(1).map(\.pid)
                    && calls.count == 2)
            follower.signal(SIGINT)
            #expect(try await follower.end().status == 130)
            try await until("ssh has ended, too") { calls.allSatisfy { kill($0.pid, 0) != 0 } }
        }
    }

    struct Trouble: Sendable, CustomTestStringConvertible {
        /// What ssh does in place of what it is told.
        let script: String
        let status: Int32
        let words: [String]
        var testDescription: String { script }

        init(_ script: String, _ status: Int32, _ words: String...) {
            (self.script, self.status, self.words) = (script, status, words)
        }
    }

    @Test(arguments: [
        Trouble(
            "echo 'me@a: Permission denied (publickey).' >&2; exit 255", 2,
            "cannot reach lightd at ssh://me@a:22/s (me@a: Permission denied (publickey).)",
            "'ssh -p 22 me@a' must work"),
        Trouble(
            "printf '@@@@@\\nHost key verification failed.\\r\\n' >&2; exit 255", 2, "(Host key verification failed.)"),
        Trouble(
            "echo 'ssh: connect to host a port 22: Connection refused' >&2; exit 255", 3,
            "(ssh: connect to host a port 22: Connection refused)"),
        Trouble("exit 255", 3, "(ssh has failed)"), Trouble("exit 4", 3, "(ssh ended with status 4)"),
        Trouble("kill -9 $$", 3, "(ssh ended with status -9)"),
        Trouble("exec sh -c 'nosuchprogram dial-stdio'", 3, "a has no lightctl", "lightctl --version"),
        Trouble(
            "exec lightctl dial-stdio /nonexistent/s", 3, "a: cannot reach lightd at /nonexistent/s (no such socket)"),
        Trouble("exec lightctl dial-stdio /etc/passwd", 3, "(it is not a socket)", "systemctl status lightd"),
        Trouble("exec lightctl dial-studio", 3, "(lightctl: unknown command 'dial-studio'"),
        Trouble("echo \"lightctl: unknown command 'dial-stdio'\" >&2; exit 64", 3, "a is too old", Release.version),
        Trouble("exec yes", 3, "something other than lightctl answers"),
        Trouble("printf '\\033[2J\\302\\205gone' >&2; exit 255", 3, "(\\u{1b}[2J; gone)"),
        Trouble("echo waiting >&2; exec sleep 600", 3, "(no answer in time: waiting)", "--timeout"),
    ])
    func `why ssh leads to no lightd is said, with what to do, and nothing was sent`(trouble: Trouble) async throws {
        try await withMachine(ssh: trouble.script) { machine in
            let timeout = trouble.script.contains("sleep") ? "0.3" : "60"
            let end = try await machine.lightctl("on", "desk", "--url", "ssh://me@a:22/s", "--timeout", timeout)
            #expect(end.status == trouble.status && end.output.isEmpty, "\(end)")
            for words in trouble.words { #expect(end.errors.contains(words), "\(end)") }
            #expect(!end.errors.contains("may have been carried out"), "\(end)")
            #expect(try machine.calls.allSatisfy { kill($0.pid, 0) != 0 }, "it still runs")
        }
    }

    @Test func `without ssh lightctl says what to install`() async throws {
        try await withMachine { machine in
            let end = try await machine.lightctl("list", "--url", "ssh://a", environment: ["PATH": machine.place.path])
            #expect(end.status == 3 && end.errors.contains("cannot run ssh (no such file or directory)"), "\(end)")
            #expect(end.errors.contains("openssh-client"))
        }
    }

    @Test func `what a login prints before is passed over, and what ssh says meanwhile does no harm`() async throws {
        let server = try server()
        defer { server.stop() }
        let noise = "echo 'lightctl: connected'; head -c 20000 /dev/zero | tr '\\0' x; echo noise >&2; exec 2>&-; "
        try await withMachine(ssh: noise + "exec lightctl dial-stdio \(server.path)") { machine in
            let end = try await machine.lightctl("list", "--url", "ssh://a")
            #expect(end.status == 0 && end.output.hasPrefix("Desk"), "\(end)")
        }
    }

    @Test func `a connection that breaks after the request leaves a command unconfirmed`() async throws {
        let script = "echo 'lightctl: connected to lightd'; read -r line; echo 'client_loop: broken' >&2; exit 255"
        try await withMachine(ssh: script) { machine in
            let command = try await machine.lightctl("on", "desk", "--url", "ssh://a")
            #expect(command.status == 5 && command.errors.contains("client_loop: broken"), "\(command)")
            #expect(command.errors.contains("may have been carried out"))
            let list = try await machine.lightctl("list", "--url", "ssh://a")
            #expect(list.status == 3, "\(list)")
        }
    }

    @Test func `a command that lightd left unread is sent again, as to a socket here`() async throws {
        try await withMachine { machine in
            let listener = UnixServer.listen(at: machine.place.socket)
            defer { close(listener) }
            let command = try machine.start("on", "desk", "--url", "ssh://a\(machine.place.socket)")
            try await onOwnThread {
                let light = Self.light
                for isLast in [false, true] {
                    let connection = UnixServer.Connection(descriptor: accept(listener, nil, nil))
                    defer { close(connection.descriptor) }
                    var byte: UInt8 = 0
                    // There, and not read.
                    recv(connection.descriptor, &byte, 1, Int32(MSG_PEEK))
                    guard isLast, connection.read() != nil else { continue }
                    connection.answer(#"{"ticket":1,"lights":[\#(light)]}"#)
                }
            }
            #expect(try await command.end() == .init(status: 0, output: "", errors: ""))
        }
    }

    @Test func `all bytes pass both ways at the same time, and the end of one way leaves the other open`() async throws
    {
        func pair() throws -> (Int32, Int32) {
            var ends: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
            return (ends[0], ends[1])
        }
        let (client, stdio) = try pair()
        let (lightd, socket) = try pair()
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        var random = SplitMix(seed: 22)
        let sent = Data((0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        async let copied: Void = onOwnThread {
            DialStdio.copy(from: stdio, to: stdio, over: socket)
            for end in [stdio, socket] { close(end) }
        }
        // lightd sends everything back, and its own words after the end of what it is sent.
        async let echoed: Void = onOwnThread {
            let file = FileHandle(fileDescriptor: lightd, closeOnDealloc: true)
            while case let more = file.availableData, !more.isEmpty { try file.write(contentsOf: more) }
            try file.write(contentsOf: Data("end".utf8))
        }
        async let written: Void = onOwnThread {
            try FileHandle(fileDescriptor: client).write(contentsOf: sent)
            shutdown(client, Int32(SHUT_WR))
        }
        let received = try await onOwnThread { try FileHandle(fileDescriptor: client).readToEnd() }
        _ = try await (copied, echoed, written)
        close(client)
        #expect(received == sent + Data("end".utf8))
    }

    @Test(
        .enabled(if: access("/usr/sbin/sshd", X_OK) == 0 && access("/usr/bin/ssh-keygen", X_OK) == 0, "needs sshd(8)"))
    func `the real ssh and sshd let in who has the key, and nobody else`() async throws {
        let server = try server()
        defer { server.stop() }
        try await withMachine { machine in
            let place = machine.place
            for key in ["host", "user", "stranger"] {
                let arguments = ["-q", "-t", "ed25519", "-N", "", "-f", "\(place.path)/\(key)"]
                #expect(try await Program.run(.at("/usr/bin/ssh-keygen"), arguments).status == 0)
            }
            // Where systemd starts no sshd nobody has made it.
            if geteuid() == 0 { mkdir("/run/sshd", 0o755) }
            try place.write(
                "sshd_config",
                """
                HostKey \(place.path)/host
                AuthorizedKeysFile \(place.path)/user.pub
                StrictModes no
                UsePAM no
                PasswordAuthentication no
                KbdInteractiveAuthentication no
                PermitRootLogin yes
                PidFile none
                LogLevel ERROR
                SetEnv PATH=\(place.path)/bin:/usr/bin:/bin
                """)
            let key = try String(contentsOfFile: place.path + "/host.pub", encoding: .utf8).split(separator: " ")
                .prefix(2)
            try place.write("known", "lights.test \(key.joined(separator: " "))\n")
            // sshd speaks at its standard input, so no port is needed. A terminal and another command are what people have
            // in their configuration.
            func configure(identity: String) throws {
                try place.write(
                    "ssh_config",
                    """
                    ProxyCommand /usr/sbin/sshd -i -e -f \(place.path)/sshd_config
                    IdentityFile \(place.path)/\(identity)
                    IdentitiesOnly yes
                    IdentityAgent none
                    UserKnownHostsFile \(place.path)/known
                    GlobalKnownHostsFile /dev/null
                    StrictHostKeyChecking yes
                    RequestTTY force
                    RemoteCommand false
                    """)
            }
            try configure(identity: "user")
            try machine.replaceSSH("exec /usr/bin/ssh -F '\(place.path)/ssh_config' \"$@\"")
            let url = "ssh://lights.test:2222\(server.path)"
            let list = try await machine.lightctl("list", "--url", url)
            #expect(list.status == 0 && list.output.hasPrefix("Desk"), "\(list)")
            let on = try await machine.lightctl("on", "desk", "--url", url)
            #expect(on == .init(status: 0, output: "", errors: ""))
            let missing = try await machine.lightctl("list", "--url", "ssh://lights.test/nonexistent")
            #expect(missing.status == 3 && missing.errors.contains("lights.test: cannot reach lightd at /nonexistent"))
            let unknown = try await machine.lightctl("list", "--url", "ssh://other.test\(server.path)")
            #expect(unknown.status == 2 && unknown.errors.contains("Host key verification failed"), "\(unknown)")
            try configure(identity: "stranger")
            let stranger = try await machine.lightctl("list", "--url", url)
            #expect(stranger.status == 2 && stranger.errors.contains("Permission denied"), "\(stranger)")
            #expect(server.requests.count == 2)
        }
    }
}

/// Where lightctl finds an ssh, and that finds a lightctl.
private struct Machine {
    let place: TemporaryDirectory
    private let environment: [String: String]

    init(_ place: TemporaryDirectory, ssh: String) throws {
        self.place = place
        environment = ["PATH": "\(place.path)/bin:/usr/bin:/bin", "HOME": place.path]
        try FileManager.default.createDirectory(atPath: place.path + "/bin", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: place.path + "/bin/lightctl", withDestinationPath: Program.path(of: .lightctl))
        try replaceSSH(ssh)
    }

    func replaceSSH(_ script: String) throws {
        try place.write("bin/ssh", "#!/bin/sh\necho \"$$ $*\" >>'\(place.path)/calls'\n\(script)\n", mode: 0o755)
    }

    /// How ssh was called so far.
    var calls: [(pid: Int32, words: String)] {
        get throws {
            guard place.exists("calls") else { return [] }
            return try String(contentsOfFile: place.path + "/calls", encoding: .utf8).split(separator: "\n").map {
                let halves = $0.split(separator: " ", maxSplits: 1)
                return (Int32(halves[0]) ?? 0, String(halves[1]))
            }
        }
    }

    func start(_ arguments: String..., environment more: [String: String] = [:]) throws -> Program {
        try Program(.lightctl, arguments, environment: environment.merging(more) { _, new in new })
    }

    func lightctl(_ arguments: String..., environment more: [String: String] = [:]) async throws -> Program.End {
        try await Program.run(.lightctl, arguments, environment: environment.merging(more) { _, new in new })
    }
}

/// - Parameter ssh: a script of sh in its place; by default it does what ssh does: one text for the user's shell there.
private func withMachine(
    ssh: String = "while [ \"$1\" != -- ]; do shift; done; shift 2; exec sh -c \"$*\"",
    _ body: (Machine) async throws -> Void
) async throws {
    try await withTemporaryDirectory { try await body(Machine($0, ssh: ssh)) }
}
