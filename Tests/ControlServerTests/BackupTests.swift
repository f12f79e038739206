import ControlProtocol
import Foundation
import LightingTestKit
import Testing

@testable import ControlServer

@Suite struct BackupTests {
    @Test func `a backup is made with keys only if that is asked for, and restored unless it is a dry run`()
        async throws
    {
        try await ServerFixture.run { server in
            let file = try await server.get(Routes.backup)
            #expect(file.status == 200 && file.headers["content-type"] == Routes.backupType)
            #expect(String(decoding: file.body, as: UTF8.self) == "lightd-backup 1.2.3 false\n")
            let whole = try await server.get(Routes.path(Routes.backup, [(.keys, "true")]))
            #expect(String(decoding: whole.body, as: UTF8.self) == "lightd-backup 1.2.3 true\n")
            let wrong = try await server.get(Routes.path(Routes.backup, [(.keys, "yes")]))
            #expect(try wrong.status == 400 && wrong.error.code == .invalid)

            let dryRun = Routes.path(Routes.backup, [(.dryRun, "true")])
            let text = String(decoding: whole.body, as: UTF8.self)
            let shown = try await server.put(text, to: dryRun)
            let body = try shown.decoded(BackupBody.self)
            #expect(shown.status == 200 && body.keys && body.contents.tokens == 9 && body.withoutKey == ["Attic"])
            #expect(server.backups.restored == [])
            let restored = try await server.put(text, to: Routes.backup)
            #expect(try restored.status == 202 && restored.decoded(BackupBody.self) == body)
            #expect(server.backups.restored == [Array(whole.body)])
        }
    }

    @Test(arguments: [
        ("shopping list", 400, ErrorCode.wrongFile), ("newer", 400, .wrongFile), ("", 400, .wrongFile),
        ("full", 500, .notSaved),
    ])
    func `what cannot be restored is refused with words`(file: String, status: Int, code: ErrorCode) async throws {
        try await ServerFixture.run { server in
            let answer = try await server.put(file, to: Routes.backup)
            #expect(try answer.status == status && answer.error.code == code)
            #expect(try answer.error.message.contains("backup"))
            #expect(server.backups.restored == [])
        }
    }

    @Test(arguments: ["GET", "PUT"]) func `over TCP nobody makes or restores backups`(method: String) async throws {
        var tcp = ControlServerSettings.TCP(host: "127.0.0.1", port: 0)
        tcp.token = "sesame"
        try await ServerFixture.run(tcp: tcp) { server in
            let answer = try await server.ask(
                method, Routes.backup, token: "sesame", body: method == "PUT" ? "lightd-backup" : nil)
            #expect(answer.status == 403)
            #expect(try answer.error.message.contains("unix socket"))
            #expect(server.backups.restored == [])
        }
    }
}
