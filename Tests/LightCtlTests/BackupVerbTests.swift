import ArgumentParser
import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import lightctl

struct BackupVerbTests {
    private static let counts = BackupBody.Counts(
        bridges: ["Attic"], scenes: 2, automations: 1, timers: 0, pins: 0, bindings: 0, curves: 0, followings: 0)
    private static let body = BackupBody(
        created: "2026-11-21T10:42:03.000Z", version: "0.1.0", keys: false, contents: counts, replaced: counts,
        withoutKey: ["Attic"], unpaired: ["Cellar", "Shed"])

    @Test func `a person reads what is in a backup, what it replaces, and what is left to do`() {
        let lines = BackupText.lines(Self.body, dryRun: true, .noon)
        #expect(
            lines.first
                == "would restore the backup of 2026-11-21 11:42:03 (lightd 0.1.0, without keys): 1 bridge (Attic), 2 scenes, "
                + "1 automation")
        #expect(lines.contains("not in the backup, and would no longer be paired: 'Cellar' and 'Shed'"))
        #expect(lines.last?.hasPrefix("'Attic' must be paired again") == true)
        #expect(BackupText.lines(Self.body, dryRun: false, .noon).count == lines.count - 1)
    }

    @Test func `a file is replaced as a whole, private, and through a link`() throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let (file, link) = (place.path + "/file", place.path + "/link")
        try "older".write(toFile: file, atomically: false, encoding: .utf8)
        chmod(file, 0o644)
        symlink("file", link)
        try #require(OutputFile(argument: link)).replace(by: Data("newer".utf8))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "newer")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "file")
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).sorted() == ["file", "link"])
        let nowhere = place.path + "/nowhere"
        symlink("unplugged/file", nowhere)
        for path in [place.path, "/dev/null", place.path + "/no/file", nowhere] {
            #expect(throws: ErrorReply.self) { try OutputFile(argument: path)?.replace(by: Data("x".utf8)) }
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: nowhere) == "unplugged/file")
        #expect(OutputFile(argument: "") == nil)
    }

    @Test func `a restore that lightd reports as failed is an error`() throws {
        @Sendable func status(_ started: String, _ restored: StatusBody.Restored?) -> String {
            Console.json(
                StatusBody(
                    version: "1", started: started, uptimeSeconds: 0, bridges: [], lights: 0, lightsOn: 0,
                    lightsInDoubt: 0,
                    journal: true, restored: restored))
        }
        for (restored, words) in [
            (StatusBody.Restored(error: "the disk is full"), "the disk is full"), (nil, "does not say whether"),
        ] {
            let server = try UnixServer { request, connection in
                switch request.line.split(separator: " ").first {
                case "PUT": connection.answer(Console.json(Self.body), status: 202)
                // Each answer is of another start.
                default: connection.answer(status("\(UInt64.random(in: 0 ... .max))", restored))
                }
                return true
            }
            defer { server.stop() }
            let place = try TemporaryDirectory()
            defer { place.remove() }
            let file = place.path + "/backup"
            try "lightd-backup 1 x\n{}\n".write(toFile: file, atomically: false, encoding: .utf8)
            let error = #expect(throws: ErrorReply.self) {
                var command = try LightCtl.parseAsRoot(["--quiet", "--socket", server.path, "restore", file])
                try command.run()
            }
            #expect(error?.error.message.contains(words) == true && error?.error.code.exitCode == .refused)
            #expect(
                server.requests.contains { $0.body.hasPrefix("lightd-backup") && $0.line.hasPrefix("PUT /v1/backup ") })
        }
    }
}
