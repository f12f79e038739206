import Foundation
import GRDB
import HashTreeCollections
import Khipu
import LightingTestKit
import TestSupport
import Testing

@testable import Lighting
@testable import Persistence

/// What an earlier lightd has written must mean the same to this one: rows of every stored type, a database and a backup,
/// in `Tests/Support/stored`. They stay as they were written; a new form gets new files beside them.
@Suite(.serialized) struct StoredFormTests {
    // MARK: - Rows

    private static func row(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func check<Value: Codable & Equatable>(
        _ name: String, _ samples: [Value], _ location: SourceLocation = #_sourceLocation
    ) throws {
        let rows = try StoredFile("\(name).jsonl").lines { try samples.map { try Self.row($0) } }
        #expect(rows.count == samples.count, "\(name): a sample without a row", sourceLocation: location)
        for (row, sample) in zip(rows, samples) {
            let value = try JSONDecoder().decode(Value.self, from: Data(row.utf8))
            #expect(value == sample, "\(row)", sourceLocation: location)
            let again = try JSONDecoder().decode(Value.self, from: Data(try Self.row(value).utf8))
            #expect(again == value, sourceLocation: location)
        }
    }

    @Test func `rows that an earlier lightd has written mean what they meant`() throws {
        try check("message", StoredSamples.messages)
        try check("message-2", StoredSamples.messages2)
        try check("message-exclusions", StoredSamples.exclusions)
        try check("message-skip", StoredSamples.skipMessages)
        try check("names", [StoredSamples.names])
        try check("light", StoredSamples.rememberedLights)
        try check("step", StoredSamples.historySteps)
        try check("followed-light", StoredSamples.followedLights)
        try check("following", StoredSamples.followings)
        try check("curve", [Curve.daylight])
        try check("automation", StoredSamples.storedAutomations)
        try check("automation-memory", [StoredSamples.memory])
        try check("automation-memory-skip", [StoredSamples.omissionMemory])
        try check("scene", StoredSamples.storedScenes)
        try check("binding", StoredSamples.bindings)
        try check("presence", [StoredSamples.presence])
    }

    /// The cases by their names in the source: Swift does not list those of an enumeration with values.
    @Test func `every case of every message, failure and report has a row`() throws {
        let rows = try [
            ("message", StoredSamples.messages), ("message-2", StoredSamples.messages2),
            ("message-exclusions", StoredSamples.exclusions), ("message-skip", StoredSamples.skipMessages),
        ].flatMap { name, messages in
            try StoredFile("\(name).jsonl").lines { try messages.map { try Self.row($0) } }
        }.joined()
        let lighting = StoredFile.repository.appendingPathComponent("Sources/Lighting")
        let files = try #require(FileManager.default.enumerator(at: lighting, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            let stored =
                /(?ms)^(?:public |indirect )*(?:extension|enum|struct) (?:Message|Reversal|Failure|BridgeUpdate|Light\.Report)\b.*?^}/
            for part in source.matches(of: stored) {
                let cases = part.output.matches(of: /(?m)^ +case ([a-zA-Z]+) *(?:\(|$)/).map { String($0.output.1) }
                for name in cases where !rows.contains("\"\(name)\":") {
                    Issue.record("\(file.lastPathComponent): no row has '\(name)'")
                }
                count += cases.count
            }
        }
        #expect(count > 150)
    }

    // MARK: - A database and a backup

    /// As it would be written now.
    private func fill(_ database: StateDatabase) async {
        var items: [Archive.Item] = StoredSamples.pairings.map { .pairing($0) }
        items += [
            .scenes(of: .sample, StoredSamples.storedScenes), .dashboard(StoredSamples.dashboard),
            .bindings(StoredSamples.bindings), .automations(StoredSamples.storedAutomations),
            .automationMemory(StoredSamples.memory),
            .followings(StoredSamples.followings, curves: ["office": .daylight]),
            .presence(StoredSamples.presence),
        ]
        for item in items {
            let outcome = await database.archive.keep(item)
            #expect(outcome == .succeeded, "\(item)")
        }
        #expect(await database.tokens.keep(.make("panel")) == .succeeded)
        database.archive.remember(
            Memory(
                unreadLights: TreeDictionary(uniqueKeysWithValues: StoredSamples.rememberedLights.map { ($0.id, $0) }),
                history: History(steps: StoredSamples.historySteps)))
        for (place, message) in StoredSamples.messages.filter(\.isJournaled).enumerated() {
            database.journal.append(message, StoredSamples.names, .sample)
            // So many of one light would be taken for chatter.
            if place % JournalBuffer.mostReports == 0 { await database.flush() }
        }
        database.accessLog.append(AccessEvent(.restore, at: .sample, by: "anna (uid 1000)", about: "file"))
        await database.flush()
    }

    @Test func `a database that an earlier lightd has written is opened, and has in it what it had`() async throws {
        let (old, new) = (try DatabaseFixture(), try DatabaseFixture())
        let written = try new.open()
        await fill(written)
        await written.close()
        let statements = try StoredFile("database.sql").lines { try new.read(Self.dump) }
        try FileManager.default.createDirectory(atPath: old.directory, withIntermediateDirectories: true)
        #expect(chmod(old.directory, 0o700) == 0)
        try old.make(by: statements)
        let (database, expected) = (try old.open(), try new.open())
        #expect(database.warnings == [])
        #expect(database.contents == expected.contents)
        let filter = Journal.Filter(limit: 10_000)
        let entries = try await database.journal.list(filter)
        #expect(entries == (try await expected.journal.list(filter)))
        #expect(entries.count > 150)
        #expect(try await database.accessLog.list() == (try await expected.accessLog.list()))
        await database.close()
        await expected.close()
    }

    @Test func `a backup that an earlier lightd has made is restored`() async throws {
        let (old, new) = (try DatabaseFixture(), try DatabaseFixture())
        let written = try new.open()
        await fill(written)
        let made = try await written.backups.make(true, "0.1.0", .sample)
        await written.close()
        let lines = try StoredFile("backup.lightd").lines {
            String(decoding: made, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        let restored = try await old.restoring(Array(lines.map { "\($0)\n" }.joined().utf8))
        #expect(restored.restoration == .done && restored.warnings == [])
        let again = try DatabaseFixture()
        let expected = try await again.restoring(made)
        #expect(restored.contents == expected.contents)
        #expect(restored.contents.pairings.count == 3 && restored.contents.automations.all.count == 2)
        await restored.close()
        await expected.close()
    }

    /// All that a database has, as statements, one a line.
    private static func dump(_ db: Database) throws -> [String] {
        let tables = try Row.fetchAll(
            db, sql: "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'index', rowid")
        var statements = ["PRAGMA application_id = \(try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0);"]
        for table in tables {
            let (name, sql): (String, String) = (table["name"], table["sql"])
            if name == "sqlite_sequence" { continue }
            // A line break ends a comment.
            let lines = sql.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            statements.append(lines.filter { !$0.hasPrefix("--") }.joined(separator: " ") + ";")
        }
        for table in tables {
            let name: String = table["name"]
            guard try db.tableExists(name) else { continue }
            for row in try Row.fetchAll(db, sql: "SELECT * FROM \(name)") {
                let columns = row.columnNames.map { "\"\($0)\"" }.joined(separator: ", ")
                let values = row.databaseValues.map { value in
                    if case let .string(text) = value.storage {
                        "'\(text.replacing("'", with: "''"))'"
                    } else {
                        "\(value)"
                    }
                }
                statements.append("INSERT INTO \(name) (\(columns)) VALUES (\(values.joined(separator: ", ")));")
            }
        }
        return statements
    }
}

extension DatabaseFixture {
    fileprivate func make(by statements: [String]) throws {
        var configuration = Configuration()
        // The rows come table by table.
        configuration.foreignKeysEnabled = false
        try DatabaseQueue(path: database, configuration: configuration).writeWithoutTransaction { db in
            for statement in statements { try db.execute(sql: statement) }
        }
    }
}
