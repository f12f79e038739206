import Foundation
import Khipu
import Logging
import TestSupport
import Testing

@testable import LightDaemon

/// What systemd's journal receives, over a real datagram socket.
struct JournalSocketTests {
    @Test func `an entry has its priority, the whole line, and each fact as a field`() async throws {
        try await withTemporaryDirectory { directory in
            let socket = try NotifySocket(directory.path + "/journal")
            let journal = try #require(JournalSocket(path: socket.name))
            var log = ConsoleLog(level: Live(.info), toJournal: true, journal: journal)
            log[metadataKey: "bridge"] = "ecb5fafffeb82342"
            let logger = Logger(label: "test") { _ in log }
            logger.warning("bridge lost", metadata: ["last.minute": "two words", "because": "a\nMESSAGE=b\u{1b}[2J"])
            try await until("the entry arrives") { socket.datagrams.count == 1 }
            #expect(
                socket.lines == [
                    "PRIORITY=4", "SYSLOG_IDENTIFIER=lightd",
                    #"MESSAGE=bridge lost because="a MESSAGE=b\u{1b}[2J" bridge=ecb5fafffeb82342 last.minute="two words""#,
                    #"LIGHTD_BECAUSE=a MESSAGE=b\u{1b}[2J"#, "LIGHTD_BRIDGE=ecb5fafffeb82342",
                    "LIGHTD_LAST_MINUTE=two words",
                ])
        }
    }

    @Test func `a journal that takes nothing holds nobody up, and is told later how much it missed`() async throws {
        try await withTemporaryDirectory { directory in
            let socket = try UnixSocket(SOCK_DGRAM, listeningOn: directory.path + "/journal")
            let journal = try #require(JournalSocket(path: directory.path + "/journal"))
            var sent = 0
            while journal.write("line \(sent)", priority: 6, facts: []) == .written { sent += 1 }
            #expect(journal.write("another", priority: 6, facts: []) == .full)
            for number in 0..<sent {
                let entry = String(decoding: try socket.receive(within: .seconds(60)), as: UTF8.self)
                #expect(entry.contains("MESSAGE=line \(number)\n"))
            }
            #expect(journal.write("at last", priority: 6, facts: []) == .written)
            let notice = String(decoding: try socket.receive(within: .seconds(60)), as: UTF8.self)
            #expect(notice.contains("PRIORITY=4\n") && notice.contains("MESSAGE=2 lines of the log are lost: "))
            let last = String(decoding: try socket.receive(within: .seconds(60)), as: UTF8.self)
            #expect(last.contains("MESSAGE=at last\n"))
        }
    }

    @Test func `an entry too long for a datagram goes to standard error`() async throws {
        try await withTemporaryDirectory { directory in
            let socket = try NotifySocket(directory.path + "/journal")
            let journal = try #require(JournalSocket(path: socket.name))
            #expect(journal.write(String(repeating: "x", count: 1 << 24), priority: 6, facts: []) == .impossible)
        }
    }

    @Test(arguments: ["/nowhere/journal", "/" + String(repeating: "n", count: 108)])
    func `without a journal there is no socket`(path: String) {
        #expect(JournalSocket(path: path) == nil)
    }
}
