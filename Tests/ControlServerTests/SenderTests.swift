import ControlProtocol
import ControlSurface
import Foundation
import Khipu
import Lighting
import LightingTestKit
import Synchronization
import TestSupport
import Testing

@testable import ControlServer

/// Who a client is: the kernel's word, lightd's, and its own.
@Suite struct SenderTests {
    @Test(
        arguments: [
            // Who the kernel says it is, its program, and what it says of itself.
            (1000, "anna", "lightctl", "lightctl", "anna (uid 1000) with lightctl"),
            // An earlier lightctl.
            (1000, "anna", "lightctl", "lightctl (uid 1000)", "anna (uid 1000) with lightctl"),
            (1001, "eve", "lightctl", "lightctl (uid 1000)", #"eve (uid 1001) with lightctl as "lightctl (uid 1000)""#),
            (
                1001, "eve", "curl", "anna (uid 1000) with lightctl",
                #"eve (uid 1001) with curl as "anna (uid 1000) with lightctl""#
            ),
            (1001, "eve", nil, nil, "eve (uid 1001)"), (1001, nil, "curl", nil, "uid 1001 with curl"),
            (1001, nil, nil, #"x" (uid 0) with "y"#, #"uid 1001 as "x (uid 0) with y""#),
            // A process can call itself anything, and so perhaps can a directory of users.
            (1001, "eve", "sh as (uid 0)", nil, #"eve (uid 1001) with "sh as (uid 0)""#),
            (1001, "root (uid 0)", "curl", nil, "uid 1001 with curl"),
        ] as [(UInt32, String?, String?, String?, String)])
    func `a client of the socket is named by the kernel first, and then by itself in quotation marks`(
        uid: UInt32, user: String?, program: String?, name: String?, text: String
    ) {
        let sender = SenderName(
            SocketPeer(uid: uid, program: program), user: user, calling: name.flatMap { ClientName($0) })
        #expect(sender.text == text)
        #expect(text.hasPrefix(sender.known) && sender.known.contains("uid \(uid)"))
    }

    /// What clients may try to look like each other.
    private static let words = [
        "lightctl", "lightctl (uid 0)", "root (uid 0)", "root (uid 0) with lightctl", "\"", "\" over TCP", "\"page\"",
        "a page with token 'x' over TCP", "a\u{0301}\"", "\u{0600}\"x", "\u{202E}", "with tоken 'x'", "uid 0",
    ]

    @Test func `two users cannot be taken for each other, nor anybody for a client over TCP`() {
        for (program, name) in Self.words.flatMap({ one in Self.words.map { (one, $0) } }) {
            let sender = SenderName(
                SocketPeer(uid: 1001, program: program), user: "eve", calling: ClientName(name))
            #expect(sender.text.hasPrefix("eve (uid 1001)") && sender.known == "eve (uid 1001)")
            // Outside of quotation marks stands nothing but lightd's words and a plain name.
            let outside = sender.text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 0 }.map(\.element).joined()
            #expect(outside.wholeMatch(of: /eve \(uid 1001\)( with [a-z]*)?( as )?/) != nil, "\(sender.text)")
            let remote = SenderName(calling: ClientName(name), " with token 'panel' over TCP")
            #expect(remote.text.hasSuffix(" with token 'panel' over TCP"))
            #expect(remote.text.hasPrefix("\"") || remote.text == remote.known)
        }
    }

    @Test func `the name of a token ends no quotation`() {
        let way = SenderName.token("k' over TCP from 192.0.2.1 with token \"x\" 'full")
        #expect(way == " with token 'k\u{2019} over TCP from 192.0.2.1 with token \u{201D}x\u{201D} \u{2019}full'")
        #expect(SenderName.token("Küche") == " with token 'Küche'")
    }

    @Test func `a client over TCP is named by lightd, and by itself in quotation marks`() {
        #expect(SenderName(calling: nil, " over TCP").text == "a client over TCP")
        #expect(SenderName(calling: ClientName("panel"), " over TCP").text == "\"panel\" over TCP")
        // A program may say that it is a page; a session is one.
        #expect(SenderName(calling: ClientName("page"), " over TCP").text == "\"page\" over TCP")
        #expect(SenderName(calling: ClientName("page"), isPage: true, " over TCP").text == "a page over TCP")
        #expect(SenderName(calling: ClientName("x"), isPage: true, " over TCP").known == "a page over TCP")
        let way = SenderName.page(named: "x' over TCP\"") + " over TCP"
        #expect(way == " named 'x\u{2019} over TCP\u{201D}' over TCP")
        #expect(SenderName(calling: ClientName("page"), isPage: true, way).text == "a page\(way)")
    }

    @Test func `what people call a page has an apostrophe only between letters, a client none`() {
        #expect(ClientName("Anna's phone", isOfPage: true)?.text == "Anna\u{2019}s phone")
        #expect(ClientName("Anna\u{2019}s phone", isOfPage: true)?.text == "Anna\u{2019}s phone")
        #expect(ClientName("Anna's phone")?.text == "Annas phone")
        for name in Self.words + ["x' over TCP", "'x'", "x''y", "a\u{301}'b"] {
            let text = ClientName(name, isOfPage: true)?.text ?? ""
            #expect(!text.contains { "'\"\u{201D}\u{2018}".contains($0) })
            #expect(
                text.split(separator: "\u{2019}", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
                    || text.isEmpty)
        }
    }

    @Test func `a name that is not known in time is a number, and is there once it is known`() async throws {
        let asked = Mutex(0)
        let isKnown = DispatchSemaphore(value: 0)
        let start = ContinuousClock.now
        let passed = Mutex(Duration.zero)
        let names = UserNames(
            now: { start + passed.withLock(\.self) },
            look: { _ in
                asked.withLock { $0 += 1 }
                isKnown.wait()
                return "anna"
            }, sleep: { _ in })
        #expect(await names.name(of: 1000) == nil)
        #expect(await names.name(of: 1000) == nil)
        isKnown.signal()
        try await until("the directory has answered") { await names.name(of: 1000) == "anna" }
        #expect(asked.withLock(\.self) == 1)
        passed.withLock { $0 = UserNames.lifetime }
        isKnown.signal()
        try await until("it is looked up again") {
            _ = await names.name(of: 1000)
            return asked.withLock(\.self) == 2
        }
    }

    @Test func `the system knows its users`() async {
        #expect(UserNames.systemName(of: 0) == "root")
        #expect(UserNames.systemName(of: 3_999_999_999) == nil)
    }

    @Test func `root and lightd's own user are owners, and nobody else is`() {
        #expect(SocketPeer(uid: 0, program: nil).isOwner && SocketPeer(uid: geteuid(), program: nil).isOwner)
        #expect(!SocketPeer(uid: geteuid() + 1, program: "lightd").isOwner)
        // Stands for every user that the kernel cannot name here.
        #expect(!SocketPeer(uid: 65534, program: nil).isOwner)
    }

    @Test func `the kernel says who asks, whatever the client says`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            for name in ["lightctl (uid 4711)", "root (uid 0) with lightctl"] {
                _ = try await server.post(#"{"command":"toggle","target":"desk"}"#, [Routes.clientHeader: name])
            }
            let holders = server.home.journal.entries.filter(\.message.isResponse).map(\.message.ticket.holder)
            #expect(!holders.isEmpty)
            #expect(holders.allSatisfy { $0.contains("uid \(geteuid())") && !$0.hasPrefix("lightctl") }, "\(holders)")
        }
    }

    /// curl as another user, over the socket.
    private func ask(_ uid: UInt32, _ arguments: [String], at socket: String) async throws -> Program.End {
        try await Program(
            .at("/usr/bin/setpriv"),
            ["--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "/usr/bin/curl", "-sS", "--unix-socket", socket]
                + arguments, environment: ["PATH": "/usr/bin:/bin"]
        ).end()
    }

    private static let hasOtherUsers =
        geteuid() == 0
        && ["/usr/bin/setpriv", "/usr/bin/curl"].allSatisfy(FileManager.default.isExecutableFile)

    @Test(.enabled(if: hasOtherUsers))
    func `another user is named by the kernel, gets no keys, and restores nothing`() async throws {
        try await ServerFixture.run(in: HomeFixture.state, stack: HomeFixture.stack) { server in
            // As if this user were a member of the group.
            chmod(server.socket, 0o666)
            var parent = URL(filePath: server.socket).deletingLastPathComponent()
            while parent.path.count > 1 {
                if access(parent.path, X_OK) == 0 {
                    var status = stat()
                    stat(parent.path, &status)
                    if status.st_mode & 0o001 == 0 { chmod(parent.path, status.st_mode | 0o011) }
                }
                parent.deleteLastPathComponent()
            }
            let forged = "\(Routes.clientHeader): root (uid 0) with lightctl"
            let toggled = try await ask(
                4711, ["-H", forged, "-d", #"{"command":"toggle","target":"desk"}"#, "http://x\(Routes.messages)"],
                at: server.socket)
            #expect(toggled.status == 0 && toggled.output.contains("ticket"), "\(toggled)")
            #expect(
                server.home.journal.entries[0].message.ticket.holder
                    == #"uid 4711 with curl as "root (uid 0) with lightctl""#)

            let keyless = try await ask(4711, ["http://x\(Routes.backup)"], at: server.socket)
            #expect(keyless.output == "lightd-backup 1.2.3 false\n")
            let keys = try await ask(4711, ["http://x\(Routes.backup)?keys=true"], at: server.socket)
            #expect(keys.output.contains("only root") && keys.output.contains("sudo lightctl"), "\(keys)")
            let restored = try await ask(4711, ["-T", "/etc/hostname", "http://x\(Routes.backup)"], at: server.socket)
            #expect(restored.output.contains("only root") && server.backups.restored == [], "\(restored)")
            let dryRun = try await ask(
                4711, ["-T", "/etc/hostname", "http://x\(Routes.backup)?dry_run=true"], at: server.socket)
            #expect(dryRun.output.contains("wrong_file"), "\(dryRun)")
            let refused = server.accessLog.events.filter { $0.kind == .refused }
            #expect(refused.map(\.sender) == ["uid 4711"] && refused[0].reason?.contains("only root") == true)
            // The same by lightd's own user.
            #expect(try await server.get("\(Routes.backup)?keys=true").status == 200)
        }
    }
}
