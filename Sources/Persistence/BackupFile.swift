import Crypto
import FoundationEssentials
import GRDB
import Khipu
import Lighting

/// The file of a backup: a line "lightd-backup 1 DIGEST", and JSON, of which DIGEST is the SHA-256 in hexadecimal.
///
/// The JSON has the rows of the archive's tables, and the names of the migrations that had made these tables. A later
/// lightd makes the tables as they were, inserts the rows, and migrates them, as it does with a database.
struct BackupFile: Codable, Equatable, Sendable {
    /// A value of a column. The tables have texts and integers.
    enum Value: Hashable, Sendable {
        case null
        case integer(Int64)
        case text(String)
    }

    /// By column.
    typealias Record = [String: Value]

    /// In milliseconds since 1970.
    let created: Int64
    /// The version of lightd that made it.
    let lightd: String
    let hasKeys: Bool
    /// In the order in which they were applied.
    let migrations: [String]
    /// By table.
    let tables: [String: [Record]]

    /// What a file begins with, and the only version so far.
    private static let (mark, format) = ("lightd-backup ", "1")

    /// What the tables contain now. Belongs in one turn of the database, so that it is of one moment.
    static func fetch(_ db: Database, withKeys: Bool, version: String, at time: Timestamp) throws -> Self {
        var tables: [String: [Record]] = [:]
        for table in Schema.archived where withKeys || table != Schema.token {
            tables[table] = try Record.fetchAll(table, db).map { record in
                guard !withKeys, table == "bridge" else { return record }
                return record.filter { !Schema.secretColumns.contains($0.key) }
            }
        }
        let migrator = Schema.migrator
        let applied = try migrator.appliedIdentifiers(db)
        return Self(
            created: time.milliseconds, lightd: version, hasKeys: withKeys,
            migrations: migrator.migrations.filter(applied.contains), tables: tables)
    }

    init(created: Int64, lightd: String, hasKeys: Bool, migrations: [String], tables: [String: [Record]]) {
        self.created = created
        self.lightd = lightd
        self.hasKeys = hasKeys
        self.migrations = migrations
        self.tables = tables
    }

    var bytes: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let body = try encoder.encode(self)
            return Array("\(Self.mark)\(Self.format) \(Self.digest(of: body))\n".utf8) + body + [UInt8(ascii: "\n")]
        }
    }

    /// Reads a file whose bytes are those that were written.
    ///
    /// - Throws: also if it was cut or changed anywhere.
    init(bytes: [UInt8]) throws(BackupError) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), bytes.starts(with: Self.mark.utf8) else {
            throw .wrongFile("it is not a backup of lightd's, or its beginning is damaged")
        }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[1] == Self.format else {
            throw .wrongFile("its form '\(words[1])' is not known to this lightd, or its beginning is damaged")
        }
        // Without the line break, which belongs to the last line as in any text.
        guard bytes.last == UInt8(ascii: "\n"), end < bytes.count - 1 else { throw Self.damaged }
        let body = Data(bytes[(end + 1)..<(bytes.count - 1)])
        guard Self.digest(of: body) == words[2] else { throw Self.damaged }
        do {
            self = try JSONDecoder().decode(Self.self, from: body)
        } catch {
            throw .wrongFile("it holds what lightd does not write")
        }
    }

    private static let damaged = BackupError.wrongFile("it is damaged or not complete: its digest does not fit")

    private static func digest(of body: Data) -> String {
        SHA256.hash(data: body).map { (UInt16($0) + 0x100) }.map { String($0, radix: 16).dropFirst() }.joined()
    }

    /// A number that tells files apart, for the database's marks.
    static func fingerprint(of bytes: [UInt8]) -> Int64 {
        SHA256.hash(data: bytes).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}

extension BackupFile.Value: Codable {
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let number = try? value.decode(Int64.self) {  // otherwise it must be a text
            self = .integer(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case let .integer(number): try value.encode(number)
        case let .text(text): try value.encode(text)
        }
    }
}

extension BackupFile.Value: DatabaseValueConvertible {
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case let .integer(number): number.databaseValue
        case let .text(text): text.databaseValue
        }
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
        switch value.storage {
        case .null: .null
        case let .int64(number): .integer(number)
        case let .string(text): .text(text)
        case .double, .blob: nil
        }
    }

    var text: String? { if case let .text(text) = self { text } else { nil } }
}

extension Row {
    /// - Throws: ``CorruptRow`` for a value that no table of lightd's has.
    var record: BackupFile.Record {
        get throws {
            var record: BackupFile.Record = [:]
            for (column, value) in self {
                guard let value = BackupFile.Value.fromDatabaseValue(value) else {
                    throw CorruptRow("'\(column)' is neither a text nor an integer")
                }
                record[column] = value
            }
            return record
        }
    }
}

extension BackupFile.Record {
    /// - Parameter table: one of ``Schema/archived``.
    static func fetchAll(_ table: String, _ db: Database) throws -> [Self] {
        try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { try $0.record }
    }

    /// One statement, made of the table's columns: what a record says is never SQL, only a value.
    ///
    /// - Parameter table: one of ``Schema/archived``.
    /// - Throws: if the record has a column that the table does not have.
    func insert(into table: String, _ db: Database) throws {
        let columns = try db.columns(in: table).map(\.name)
            // A quoted name is one as long as it has no quote, which no table of lightd's has.
            .filter { keys.contains($0) && !$0.utf8.contains(UInt8(ascii: "\"")) }
        guard columns.count == count else {
            throw CorruptRow("a row of '\(table)' has a column that the table has not")
        }
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        let values = columns.map { self[$0] ?? .null }
        try db.cachedStatement(sql: "INSERT INTO \(table) (\(names)) VALUES (\(places))")
            .execute(arguments: StatementArguments(values))
    }
}
